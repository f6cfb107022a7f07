#!/usr/bin/env python3
"""Converts KAI-Scheduler's tables of tests of its plugin `proportion` into data.

    python3 bench/queues/convert_kai_tables.py ORIGINALS core/queues/tests/cases

ORIGINALS is a checkout of github:kai-scheduler/KAI-Scheduler. Written are `kai-division.json`, `kai-levels.json`,
`kai-may-try.json`, `kai-reclaimable.json`, `kai-can-lose.json`, `kai-victims.json` and `kai-order.json`. −1 means no limit. CPU counts in
thousandths of a core and memory in bytes, as there.
"""

import copy
import json
import sys
from pathlib import Path

from go_tables import Ginkgo, Name, Record, Runner

PROPORTION = "pkg/scheduler/plugins/proportion"
KINDS = {"rs.GpuResource": "GPU", "rs.CpuResource": "CPU", "rs.MemoryResource": "Memory"}
UNLIMITED = {"commonconstants.UnlimitedResourceQuantity": -1}
EMBEDDED = ("QueueResourceShare", "ResourceShare")
order = {"now": 0}


def number(value):
    return UNLIMITED.get(value, 0 if value is None else value)


def now(*_):
    """Queues made one after the other; a table that makes one time for all gives all the same."""
    order["now"] += 1
    return order["now"]


def share_of(queue, kind):
    found = queue.get(kind) or queue.get("QueueResourceShare", {}).get(kind) or {}
    return {key: number(value) for key, value in found.items()} if isinstance(found, dict) else {}


def created(queue):
    made = queue.get("CreationTimestamp", 0)
    return made if isinstance(made, int) else 0


def claims(queues, kind):
    found = []
    for name, queue in queues.items():
        share = share_of(queue, kind)
        found.append({
            "id": str(queue.get("UID") or name),
            "deserved": share.get("Deserved", 0),
            "weight": share.get("OverQuotaWeight", 0),
            "request": share.get("Request", 0),
            "max": share.get("MaxAllowed", 0),
            "priority": queue.get("Priority", 0),
            "created": created(queue),
        })
        if queue.get("ParentQueue"):
            found[-1]["parent"] = queue["ParentQueue"]
        if share.get("FairShare"):
            found[-1]["share"] = share["FairShare"]
    return found


def write(folder, name, file, snapshot, cases, what):
    source = {
        "repository": "https://github.com/kai-scheduler/KAI-Scheduler",
        "file": f"{PROPORTION}/{file}",
        "licence": "Apache-2.0, NVIDIA CORPORATION",
        "snapshot": snapshot,
        "made_by": "bench/queues/convert_kai_tables.py",
        "what": what,
    }
    lines = ",\n".join("    " + json.dumps(case, ensure_ascii=False) for case in cases)
    text = f'{{\n  "source": {json.dumps(source)},\n  "cases": [\n{lines}\n  ]\n}}\n'
    (folder / name).write_text(text)
    print(name, len(cases))


def divisions(text):
    """Every call of the division with what the test then expects of the queues and of the rest."""
    cases, asked = [], []

    def divide(kind_of):
        def run(_, total, k, *rest):
            first, second = rest
            queues, kind = (second, first) if kind_of == "all" else (first, second)
            kind = KINDS[str(kind)]
            asked.append({"phase": kind_of, "kind": kind, "total": total, "k": k, "queues": claims(queues, kind),
                          "expect": {}, "live": queues})
            return ("remaining",)
        return run

    def divide_all(_, totals, k, queues):
        for name, kind in KINDS.items():
            asked.append({"phase": "all", "kind": kind, "total": totals.get(name, 0), "k": k,
                          "queues": claims(queues, kind), "expect": {}, "live": queues})

    def share(on, got, wanted):
        pass

    def begin(path):
        asked.clear()

    def end(path):
        for case in asked:
            name = " / ".join(path)
            if len(asked) > 1:
                name += f" / {case['kind']}"
            case.pop("live")
            if case["expect"] or "remaining" in case:
                cases.append({"name": name} | case)

    ginkgo = Ginkgo(
        {"setResourceShare": divide("all"), "divideOverQuotaResource": divide("over quota"),
         "SetResourcesShare": divide_all, "v1.Now": now, "rs.EmptyResource": lambda *_: Record(),
         "getQueuesByPriority": lambda *_: (None, None), "common_info.QueueID": lambda _, name: name,
         "TestProportion": lambda *_: None},
        begin, end, EMBEDDED)
    runner = ginkgo.runner

    def expected(_, got, *rest):
        return ("expected", got)

    # What is expected is the share of a queue: told by where it is read, so reading is watched.
    plain = runner.value

    def watched(what, scope):
        if what[0] == "call" and what[1][0] == "field" and what[1][2] == "To" and asked:
            about = what[1][1][2][0]
            if about[0] == "ident" and about[1] == "remaining":
                asked[-1]["remaining"] = number(plain(what[2][0], scope))
                return None
            if about[0] == "field" and about[2] == "FairShare":
                queue = plain(about[1][1][2], scope)
                asked[-1]["expect"][str(queue)] = number(plain(what[2][0], scope))
                return None
            if about[0] == "index" and about[1] == ("ident", "fairShare"):
                # `Expect(fairShare[resource])`, where `fairShare` is of what the table expects of queue `queueName`.
                name = str(plain(("ident", "queueName"), scope))
                kind = KINDS[str(plain(about[2], scope))]
                queues = plain(("field", ("ident", "testData"), "expectedShare"), scope)
                live = plain(("field", ("ident", "testData"), "queues"), scope)
                for case in asked:
                    if case["kind"] == kind:
                        uid = str(live[name].get("UID") or name)
                        case["expect"][uid] = share_of(queues[name], kind).get("FairShare", 0)
                return None
        return plain(what, scope)

    runner.value = watched
    runner.top.values["rs"] = Record({"AllResources": list(KINDS)} | {
        name.split(".")[1]: name for name in KINDS})
    runner.calls |= {"EmptyResource": lambda *_: Record()}
    runner.calls |= {"GetFairShare": lambda *_: Record()}
    runner.load(text)
    return cases


def levels(text):
    """Trees of queues, their total, and the share of each queue."""
    cases = []
    current = {}

    def set_fair_share(plugin, *_):
        current.update(total=plugin["totalResource"].get("rs.GpuResource", 0),
                       k=plugin.get("kValue", 0), queues=claims(plugin["queues"], "GPU"))

    def end(path):
        data = ginkgo.data
        if current:
            wanted = {str(name): share for name, share in data["expectedFairShare"].items()}
            cases.append({"name": " / ".join(path)} | copy.deepcopy(current) | {"expect": wanted})

    def fail(*_):
        return None

    ginkgo = Ginkgo({"setFairShare": set_fair_share, "Fail": fail, "Sprintf": fail}, lambda _: current.clear(), end,
                    EMBEDDED)
    runner = ginkgo.runner
    plain = runner.run

    def watched(statement, scope):
        if statement[0] == "range":
            home = scope.find("data") or scope.find("testData")
            for name in ("testData", "data"):
                home = scope.find(name)
                if home and isinstance(home.values[name], dict) and "expectedFairShare" in home.values[name]:
                    ginkgo.data = home.values[name]
        return plain(statement, scope)

    runner.run = watched
    runner.load(text[:text.index('Context("Get Node Resources"')] + "})\n")
    return cases


def quantities(_, *given):
    return dict(zip(("CPU", "Memory", "GPU"), given))


def standing(queues):
    found = []
    for name, queue in queues.items():
        one = {"id": str(queue.get("UID") or name)}
        if queue.get("ParentQueue"):
            one["parent"] = str(queue["ParentQueue"])
        for kind in ("GPU", "CPU", "Memory"):
            share = share_of(queue, kind)
            names = {"Deserved": "deserved", "FairShare": "fair", "MaxAllowed": "max", "Allocated": "allocated",
                     "AllocatedNotPreemptible": "fixed"}
            one[kind] = {short: share.get(long, 0) for long, short in names.items()}
        found.append(one)
    return found


def reclaims(text):
    """What `CanReclaimResources`, `Reclaimable` and `FilterVictim` are asked and what they should say."""
    found = {"may_try": [], "reclaimable": [], "can_lose": []}
    asked = {}

    def job(info):
        return {"queue": str(info["Queue"]), "request": info["RequiredResources"],
                "preemptible": bool(info.get("IsPreemptable"))}

    def ask(table):
        def run(plugin, queues, reclaimer, *rest):
            asked.update(table=table, multiplier=plugin, queues=standing(queues), reclaimer=job(reclaimer))
            if table == "can_lose":
                asked["victim"] = str(rest[0])
            if table == "reclaimable":
                asked["victims"] = rest[0]
            return ("asked",)
        return run

    def told(on, wanted):
        asked["expect"] = bool(wanted)

    def end(path):
        case = copy.deepcopy(asked)
        found[case.pop("table")].append({"name": " / ".join(path)} | case)

    def reclaimee(_, name, queue, pods):
        return Record(Name=name, Queue=queue, pods=pods)

    def by_queue(_, reclaimees):
        victims = {}
        for one in reclaimees:
            total = {"CPU": 0, "Memory": 0, "GPU": sum(pod["gpus"] for pod in one["pods"].values())}
            victims.setdefault(str(one["Queue"]), []).append(total)
        return victims

    def build(_, data):
        return {name: Record(UID=name, ParentQueue=queue.get("parentQueue", ""), QueueResourceShare=Record(
            GPU=Record(Deserved=queue.get("deserved", 0), FairShare=queue.get("fairShare", 0),
                       Allocated=queue.get("allocated", 0), MaxAllowed=-1), CPU=Record(), Memory=Record()))
            for name, queue in data.items()}

    def add_share(queue, kind, amount):
        queue["GPU"]["FairShare"] += amount

    def values_of(_, cpu, memory, gpu, *rest):
        return quantities(None, cpu, memory, gpu)

    ginkgo = Ginkgo({
        "CanReclaimResources": ask("may_try"), "Reclaimable": ask("reclaimable"), "FilterVictim": ask("can_lose"),
        "New": lambda _, multiplier: multiplier, "resource_info.NewResource": quantities, "ToVector": lambda on, *_: on,
        "testReclaimee": reclaimee, "testPodInfo": lambda _, uid, gpus, status: Record(gpus=gpus),
        "buildQueues": build, "reclaimeeResourcesByQueue": by_queue, "GetAllPodsMap": lambda on: on["pods"],
        "AddResourceShare": add_share, "resource_info.NewResourceVectorWithValues": values_of,
        "resource_info.NewGpuResourceRequirementWithGpus": lambda _, gpus, memory: gpus,
    }, lambda _: asked.clear(), end, EMBEDDED)
    ginkgo.told = told
    runner = ginkgo.runner
    plain = runner.assign

    def watched(place, value, scope, define):
        plain(place, value, scope, define)
        # A pod's vector, changed by the test, is what the victim gives back.
        if place[0] == "field" and place[2] == "ResReqVector":
            runner.value(place[1], scope)["gpus"] = value["GPU"]

    runner.assign = watched
    runner.load(text)
    return found


def victims(text):
    """How a victim's tasks give back: each above the minimum alone, the others together."""
    cases = []
    asked = {}

    def split(plugin, victim):
        minimum = victim["Job"]["PodSets"]["podgroup_info.DefaultSubGroup"]
        asked.update(minimum=minimum, tasks=len(victim["Tasks"]))
        return ("result",)

    def end(path):
        if asked:
            cases.append({"name": " / ".join(path)} | copy.deepcopy(asked))

    ginkgo = Ginkgo({
        "getVictimResources": split, "subgroup_info.NewPodSet": lambda _, name, minimum, rest: minimum,
        "common_info.BuildResourceRequirements": quantities, "ToVector": lambda on, *_: 1000.0,
        "ToNot": lambda *_: None, "BeNil": lambda *_: None, "Get": lambda *_: 0,
    }, lambda _: asked.clear(), end, EMBEDDED)

    def told(on, wanted):
        if on[1] == 1 and "groups" not in asked:
            asked["groups"] = wanted

    runner = ginkgo.runner
    ginkgo.told = told
    start = text.index('	Context("getVictimResources"')
    end_at = text.index('var _ = Describe("New"')
    runner.load('package a\nvar _ = Describe("Proportion", func() {\n' + text[start:end_at])
    return cases


def orders(text):
    """Two queues, the job that each would start, and which of the queues is next."""
    cases = []

    def compare(_, left, right, left_job, right_job, *rest):
        totals, memory = rest[4], rest[5]
        sides = []
        for queue, job in ((left, left_job), (right, right_job)):
            # A job asks for devices by memory, of which the smallest GPU of the cluster has so much.
            gpus = job["devices"] * job["memory"] / memory if job and memory else 0
            one = standing({"queue": queue})[0]
            del one["id"]
            sides.append(one | {"priority": queue.get("Priority", 0), "head": gpus})
        total = totals.get("resource_share.GpuResource", 0) if totals else 0
        return {"left": sides[0], "right": sides[1], "totals": {"GPU": total, "CPU": 0, "Memory": 0}}

    def equal(_, test, wanted, got):
        cases.append({"name": ginkgo.current} | got | {"expect": wanted})

    class Current:
        current = ""

    ginkgo = Current()

    def run(_, name, body):
        ginkgo.current = name
        runner.apply(body, [Name("t")])

    runner = Runner({
        "GetQueueOrderResult": compare, "assert.Equal": equal, "Run": run, "Logf": lambda *_: None,
        "createPodGroupWithGpuMemoryTask": lambda _, name, devices, memory: {"devices": devices, "memory": memory},
        "podgroup_info.NewPodGroupInfoWithVectorMap": lambda *_: None, "ptr.To": lambda _, value: value,
    }, EMBEDDED)
    runner.load(text)
    runner.top.values.update(lQueuePrioritized=-1, rQueuePrioritized=1, equalPrioritization=0)
    runner.call("TestGetQueueOrderResult", Name("t"))
    return cases


def main():
    originals, folder = Path(sys.argv[1]), Path(sys.argv[2])
    snapshot = sys.argv[3] if len(sys.argv) > 3 else "2026-08-07"
    read = lambda file: (originals / PROPORTION / file).read_text()
    folder.mkdir(parents=True, exist_ok=True)
    file = "resource_division/resource_division_test.go"
    write(folder, "kai-division.json", file, snapshot, divisions(read(file)),
          "a total divided by claims of one resource")
    file = "proportion_test.go"
    write(folder, "kai-levels.json", file, snapshot, levels(read(file)), "a total of GPUs divided by a tree")
    write(folder, "kai-victims.json", file, snapshot, victims(read(file)), "in how many parts a victim gives back")
    file = "queue_order/queue_order_test.go"
    write(folder, "kai-order.json", file, snapshot, orders(read(file)), "which of two queues is next: −1 the left one")
    file = "reclaimable/reclaimable_test.go"
    found = reclaims(read(file))
    write(folder, "kai-may-try.json", file, snapshot, found["may_try"], "whether a job may try to reclaim")
    write(folder, "kai-reclaimable.json", file, snapshot, found["reclaimable"], "whether victims may be reclaimed")
    write(folder, "kai-can-lose.json", file, snapshot, found["can_lose"], "whether a queue can have victims at all")


if __name__ == "__main__":
    main()
