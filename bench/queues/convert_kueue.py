#!/usr/bin/env python3
"""Converts tables of Kueue's own tests into cases as data.

    convert_kueue.py TABLE GO_FILE [--snapshot DATE] > core/queues/tests/cases/NAME.json

TABLE names the test function; GO_FILE is its file in a copy of github.com/kubernetes-sigs/kueue (Apache-2.0):

    TestDominantResourceShare   pkg/cache/scheduler/fair_sharing_test.go                       kueue-shares.json
    TestIsBorrowingOn           the same                                                       kueue-borrowing.json
    TestPreciseWeightedShareSerialized  the same                                               kueue-weighted.json
    TestFairPreemptions         pkg/scheduler/preemption/preemption_fair_test.go               kueue-fair.json
    TestFairPreemptionSkipsUnsatisfiableTournament  the same                                   kueue-fair-infinite.json
    TestHierarchicalPreemptions pkg/scheduler/preemption/preemption_hierarchical_test.go       kueue-hierarchical.json
    TestPreemption              pkg/scheduler/preemption/preemption_test.go                    kueue-classical.json
    TestScheduleForFairSharing  pkg/scheduler/scheduler_fs_test.go                             kueue-cycles.json

The form of the data stands in core/queues/src/kueue/cases. What cannot be converted is an error.
"""

import argparse
import json
from datetime import date

from go_literals import Chain, Composite, Name, definitions

RESOURCES = {"corev1.ResourceCPU": "cpu", "corev1.ResourceMemory": "memory"}
PATHS = {
    "TestDominantResourceShare": "pkg/cache/scheduler/fair_sharing_test.go",
    "TestIsBorrowingOn": "pkg/cache/scheduler/fair_sharing_test.go",
    "TestPreciseWeightedShareSerialized": "pkg/cache/scheduler/fair_sharing_test.go",
    "TestFairPreemptions": "pkg/scheduler/preemption/preemption_fair_test.go",
    "TestFairPreemptionSkipsUnsatisfiableTournament": "pkg/scheduler/preemption/preemption_fair_test.go",
    "TestHierarchicalPreemptions": "pkg/scheduler/preemption/preemption_hierarchical_test.go",
    "TestPreemption": "pkg/scheduler/preemption/preemption_test.go",
    "TestScheduleForFairSharing": "pkg/scheduler/scheduler_fs_test.go",
}
UNITS = {"Second": 1, "Minute": 60, "Hour": 3600, "Millisecond": 0.001}


class Table:
    """One table, with what the function defines before it."""

    def __init__(self, text, function):
        self.known = definitions(text, function)
        self.cases = self.known["cases"]
        self.case = None

    def resolve(self, value):
        """Follows variables of the function, and joins them to chains that begin with one."""
        if isinstance(value, Name) and value.name in self.known:
            return self.resolve(self.known[value.name])
        if isinstance(value, Name) and value.name.startswith("tc.") and self.case is not None:
            return self.case.get(value.name.removeprefix("tc."))
        if isinstance(value, Chain) and value.calls[0][1] is None and value.calls[0][0] in self.known:
            head = self.resolve(self.known[value.calls[0][0]])
            if isinstance(head, Chain):
                return Chain(head.calls + value.calls[1:])
        return value

    def calls(self, value):
        """The calls of a builder, without packages, copies and ends."""
        value = self.resolve(value)
        if not isinstance(value, Chain):
            raise ValueError(f"no builder: {value}")
        skipped = ("Clone", "Obj", "DeepCopy", "Workload")
        return [(name, arguments) for name, arguments in value.calls if arguments is not None and name not in skipped]

    def text(self, value):
        """A text, or the last part of a constant's name."""
        value = self.resolve(value)
        if isinstance(value, Name):
            return RESOURCES.get(value.name, value.name.rpartition(".")[2])
        if isinstance(value, Chain):
            name, arguments = value.calls[-1]
            return self.text(arguments[0]) if arguments else self.text(Name(name))
        return value

    def number(self, value):
        value = self.resolve(value)
        if isinstance(value, Chain):
            name, arguments = value.calls[-1]
            if name in ("new", "int32", "MustParse", "NewAmount"):
                return self.number(arguments[0])
            raise ValueError(f"no number: {value}")
        return value

    def seconds(self, value):
        """Seconds after the table's moment `now`."""
        value = self.resolve(value) if not isinstance(value, Name) else value
        if isinstance(value, (int, float)):
            return value
        if isinstance(value, Name):
            last = value.name.rpartition(".")[2]
            return UNITS.get(last, 0)
        total = 0
        for name, arguments in value.calls:
            if name == "Add":
                total += self.seconds(arguments[0])
            elif name == "-":
                total -= self.seconds(arguments[0])
            elif name == "*":
                total += self.seconds(arguments[0]) * self.seconds(arguments[1])
            elif name == "NewTime":
                total += self.seconds(arguments[0])
        return int(total)

    # Queues

    def flavor(self, value):
        """`MakeFlavorQuotas("f").Resource("cpu", nominal, borrowing, lending)`."""
        called, resources, last = "", {}, None
        names = ["nominal", "borrowingLimit", "lendingLimit"]
        for name, arguments in self.calls(value):
            if name == "MakeFlavorQuotas":
                called = self.text(arguments[0])
            elif name == "Resource":
                given = [self.text(argument) for argument in arguments[1:]]
                resources[self.text(arguments[0])] = {n: g for n, g in zip(names, given) if g != ""}
            elif name == "ResourceQuotaWrapper":
                last = resources.setdefault(self.text(arguments[0]), {})
            elif name in ("NominalQuota", "BorrowingLimit", "LendingLimit"):
                key = {"NominalQuota": "nominal"}.get(name, name[0].lower() + name[1:])
                last[key] = self.text(arguments[0])
            elif name != "Append":
                raise ValueError(f"a flavor's {name}")
        return {"name": called, "resources": resources}

    def fields(self, composite):
        """A Go struct as an object, its keys with a small first letter."""
        composite = self.resolve(composite)
        read = {}
        for key, value in composite.items:
            value = self.resolve(value)
            name = key.name[0].lower() + key.name[1:]
            if isinstance(value, Composite):
                read[name] = self.fields(value)
            elif name == "maxPriorityThreshold":
                read[name] = self.number(value)
            else:
                word = self.text(value)
                for prefix in ("PreemptionPolicy", "BorrowWithinCohortPolicy"):
                    word = word.removeprefix(prefix)
                read[name] = word
        return read

    def node(self, value):
        """A queue or a cohort. Its name, and what it is."""
        called, node, groups = "", {}, []
        for name, arguments in self.calls(value):
            if name in ("MakeClusterQueue", "MakeCohort"):
                called = self.text(arguments[0])
            elif name in ("Cohort", "Parent"):
                node[name.lower()] = self.text(arguments[0])
            elif name == "FairWeight":
                node["weight"] = self.text(arguments[0])
            elif name == "ResourceGroup":
                groups.append([self.flavor(argument) for argument in arguments])
            elif name == "Preemption":
                node["preemption"] = self.fields(arguments[0])
            elif name == "FlavorFungibility":
                node["fungibility"] = self.fields(arguments[0])
            elif name == "QueueingStrategy":
                node["queueingStrategy"] = self.text(arguments[0])
            elif name != "NamespaceSelector":
                raise ValueError(f"a queue's {name}")
        if groups:
            node["resourceGroups"] = groups
        return called, node

    def nodes(self, *lists):
        """Queues or cohorts of several lists."""
        found = {}
        for listed in lists:
            listed = self.resolve(listed)
            for value in listed.values() if listed else []:
                name, node = self.node(value)
                found[name] = node
        return found

    # Workloads

    def workload(self, value):
        """A workload: its fields, its admission, its conditions."""
        read = {"requests": {}, "assigned": [], "conditions": {}, "pods": []}
        simple = None
        for name, arguments in self.calls(value):
            if name == "MakeWorkload":
                read["name"] = self.text(arguments[0])
                read["namespace"] = self.text(arguments[1])
            elif name == "Name":
                read["name"] = self.text(arguments[0])
            elif name == "UID":
                read["uid"] = self.text(arguments[0])
            elif name == "Queue":
                read["local"] = self.text(arguments[0])
            elif name == "Priority":
                read["priority"] = self.number(arguments[0])
            elif name == "Creation":
                read["created"] = self.seconds(arguments[0])
            elif name == "Request":
                read["requests"] = {**read["requests"], self.text(arguments[0]): self.text(arguments[1])}
            elif name == "PodSets":
                read["pods"] = [self.pod_sets([argument]) for argument in arguments]
                read["requests"] = self.pod_sets(arguments)
            elif name == "SimpleReserveQuota":
                simple = [self.text(argument) for argument in arguments[:2]]
                read["reserved"] = self.seconds(arguments[2])
            elif name == "ReserveQuotaAt":
                self.admission(arguments[0], read)
                read["reserved"] = self.seconds(arguments[1])
            elif name in ("Admission", "ReserveQuota"):
                self.admission(arguments[0], read)
            elif name in ("Condition", "SetOrReplaceCondition"):
                condition = self.resolve(arguments[0])
                kind = self.text(condition.get("Type"))
                time = condition.get("LastTransitionTime")
                reason = self.text(condition.get("Reason"))
                holds = self.text(condition.get("Status")) == "ConditionTrue"
                read["conditions"][kind] = (holds, reason, self.seconds(time) if time else 0)
            elif name == "EvictedAt":
                read["conditions"]["WorkloadEvicted"] = (True, "", 0)
            elif name not in (
                "Label", "JobUID", "AdmittedAt", "SchedulingStatsEviction", "ResourceRequests", "ResourceVersion",
                "Conditions", "RequeueState", "Generation", "PastAdmittedTime",
            ):
                raise ValueError(f"a workload's {name}")
        if simple:
            read["cq"] = simple[0]
            read["assigned"] = [(kind, simple[1], amount) for kind, amount in read["requests"].items()]
        reserved = read["conditions"].get("WorkloadQuotaReserved")
        if reserved and reserved[0] and "reserved" not in read:
            read["reserved"] = reserved[2]
        return read

    def pod_sets(self, values):
        """What all pods ask for."""
        total = {}
        for value in values:
            count, asks = 1, {}
            for name, arguments in self.calls(value):
                if name == "MakePodSet":
                    count = self.number(arguments[1])
                elif name == "Request":
                    asks[self.text(arguments[0])] = self.text(arguments[1])
            for kind, amount in asks.items():
                total[kind] = plain(total.get(kind, 0)) + count * plain(amount)
        return {kind: written(amount) for kind, amount in total.items()}

    def admission(self, value, read):
        """`MakeAdmission("cq").PodSets(MakePodSetAssignment("main").Assignment("cpu", "default", "1"))`."""
        for name, arguments in self.calls(value):
            if name == "MakeAdmission":
                read["cq"] = self.text(arguments[0])
            elif name == "PodSets":
                for argument in arguments:
                    for step, given in self.calls(argument):
                        if step == "Assignment":
                            read["assigned"].append(tuple(self.text(one) for one in given))
            elif name == "Assignment":
                read["assigned"].append(tuple(self.text(one) for one in arguments))

    def admitted(self, read, uid=False):
        """A workload that runs, as a case describes it."""
        case = {"name": read["name"], "cq": read["cq"]}
        if read.get("priority"):
            case["priority"] = read["priority"]
        for time in ("created", "reserved"):
            if read.get(time):
                case[time] = read[time]
        if read["conditions"].get("WorkloadEvicted", (False,))[0]:
            case["evicted"] = True
        if uid and read.get("uid"):
            case["uid"] = read["uid"]
        flavors, amounts_of = {}, {}
        for kind, flavor, amount in read["assigned"]:
            if flavors.setdefault(kind, flavor) != flavor:
                raise ValueError(f"{read['name']}: two flavors of {kind}")
            amounts_of[kind] = plain(amounts_of.get(kind, 0)) + plain(amount)
        case.update({kind: written(amount) for kind, amount in amounts_of.items()})
        case["flavor"] = flavors
        return case

    def pending(self, read):
        """A workload that waits, as a case describes it."""
        case = {"name": read["name"], **read["requests"]}
        if read.get("priority"):
            case["priority"] = read["priority"]
        if read.get("created"):
            case["created"] = read["created"]
        return case


def plain(quantity):
    """A quantity as a number of units."""
    if not isinstance(quantity, str):
        return quantity
    for suffix, units in (("Gi", 2**30), ("Mi", 2**20), ("Ki", 2**10), ("m", 0.001), ("k", 1000)):
        if quantity.endswith(suffix):
            return float(quantity.removesuffix(suffix)) * units
    return float(quantity)


def written(amount):
    return f"{amount:g}" if abs(amount) < 1e6 else str(int(amount))


def shares(table):
    """Dominant resource shares."""
    for name, case in table.cases.items:
        queues = [case.get(field) for field in ("clusterQueue", "lendingClusterQueue")]
        cqs = dict(table.node(queue) for queue in queues if queue is not None)
        uses, flavors = amounts(table, case.get("usage"))
        admitted = [
            {"name": f"w{at}", "cq": "cq", kind: amount, "flavor": {kind: flavor}}
            for at, (kind, flavor, amount) in enumerate(uses)
        ]
        read = {"name": name, "cqs": cqs, "cohorts": table.nodes(case.get("cohorts")), "admitted": admitted}
        request = case.get("flvResQ")
        if request:
            uses, flavors = amounts(table, request)
            read["incoming"] = {kind: amount for kind, _, amount in uses} | {"flavor": flavors}
            read["target"] = "cq"
        want = {}
        for result in case.get("want").values():
            largest = isinstance(result.get("DrValue"), Name)
            share = None if largest else result.get("DrValue")
            resource = table.text(result.get("DrName")) or None
            want[table.text(result.get("Name"))] = [share, resource, result.get("Borrowing")]
        read["shares"] = sorted(want)
        read["want"] = want
        yield read


def borrowing(table):
    """Whether a queue borrows, and whether it does what a request asks for."""
    for name, case in table.cases.items:
        uses, _ = amounts(table, case.get("usage"))
        requested = case.get("requestedFRs")
        yield {
            "name": name,
            "cqs": dict(table.node(table.known[queue]) for queue in ("cq", "lendingCQ")),
            "admitted": [
                {"name": f"w{at}", "cq": "cq", kind: amount, "flavor": {kind: flavor}}
                for at, (kind, flavor, amount) in enumerate(uses)
            ],
            "shares": ["cq"],
            "borrowsOn": [kind for kind, _, _ in amounts(table, requested)[0]] if requested else [],
            "want": {"cq": [case.get("wantBorrowing"), case.get("wantBorrowingOnRequested")]},
        }


def weighted(table):
    """Shares from ratios and weights."""
    for name, case in table.cases.items:
        share = case.get("drs")
        want = {"weight": share.get("fairWeight"), "ratio": share.get("unweightedRatio"), "want": case.get("want")}
        yield {"name": name} | want


def amounts(table, usage):
    """`{{Flavor, Resource}: NewAmount(n)}`: n counts thousandths of a processor, or units."""
    uses, flavors = [], {}
    for key, value in usage.items:
        key = table.resolve(key)
        kind, flavor = table.text(key.get("Resource")), table.text(key.get("Flavor"))
        amount = table.number(value)
        uses.append((kind, flavor, f"{amount}m" if kind == "cpu" else str(amount)))
        flavors[kind] = flavor
    return uses, flavors


def fair(table):
    """Victims by fair sharing. Names are UIDs there."""
    for name, case in table.cases.items:
        admitted = [table.admitted(table.workload(value)) for value in case.get("admitted").values()]
        incoming = table.pending(table.workload(case.get("incoming")))
        flavor = case.get("assignmentFlavor")
        incoming["flavor"] = table.text(flavor) if flavor is not None else "default"
        read = {
            "name": name,
            "cqs": table.nodes(case.get("clusterQueues")),
            "cohorts": table.nodes(case.get("cohorts")),
            "admitted": admitted,
            "incoming": incoming,
            "target": table.text(case.get("targetCQ")),
        }
        strategies = case.get("strategies")
        if strategies:
            read["strategies"] = [table.text(value) for value in strategies.values()]
        wanted = case.get("wantPreempted")
        pairs = wanted.calls[-1][1] if isinstance(wanted, Chain) else []
        victims = [[table.text(one) for one in pair.calls[-1][1]] for pair in pairs]
        read["want"] = in_order(admitted, {key.lstrip("/"): reason for key, reason in victims})
        yield read


def infinite(table):
    """The same, where a share may be infinite. Which comparisons are saved there is not part of the data."""
    for name, case in table.cases.items:
        table.case = case
        yield {
            "name": name,
            "cqs": table.nodes(table.known["clusterQueues"]),
            "admitted": [table.admitted(table.workload(value)) for value in table.known["admitted"].values()],
            "incoming": table.pending(table.workload(table.known["wlInfo"].calls[-1][1][0])) | {"flavor": "default"},
            "target": "a",
            "want": [],
        }


def classical(table):
    """Victims without fair sharing."""
    for name, case in table.cases.items:
        workloads = [table.workload(value) for value in case.get("admitted").values()]
        admitted = [table.admitted(read, uid=True) for read in workloads]
        incoming = table.pending(table.workload(case.get("incoming")))
        flavors, contested, uses = {}, set(), []
        pods = table.workload(case.get("incoming"))["pods"]
        for at, assigned in enumerate(pod_assignments(table, case.get("assignment"))):
            for kind, assignment in assigned:
                kind, flavor = table.text(kind), table.text(assignment.get("Name"))
                if table.text(assignment.get("Mode")) == "Preempt":
                    contested.add(kind)
                flavors.setdefault(kind, set()).add(flavor)
                if pods:
                    uses.append({"resource": kind, "flavor": flavor, "amount": pods[at][kind]})
        if any(len(of_kind) > 1 for of_kind in flavors.values()):
            incoming = {key: value for key, value in incoming.items() if key not in flavors} | {"uses": uses}
        else:
            incoming["flavor"] = {kind: flavor for kind, (flavor,) in flavors.items()}
        wanted = [table.workload(value) for value in case.get("wantWorkloads").values()]
        victims = {
            read["name"]: read["conditions"]["WorkloadPreempted"][1] + "Reason"
            for read in wanted
            if "WorkloadPreempted" in read["conditions"]
        }
        read = {
            "name": name,
            "fairSharing": False,
            "cqs": table.nodes(case.get("clusterQueues")),
            "cohorts": table.nodes(case.get("cohorts")),
            "admitted": admitted,
            "incoming": incoming,
            "target": table.text(case.get("targetCQ")),
            "contested": sorted(contested),
            "want": in_order(admitted, victims),
        }
        count = (case.get("wantPreempted") or 0) - len(victims)
        if count:
            # Those that were evicted before are victims again, and the table does not tell why.
            again = [one["name"] for one in admitted if one.get("evicted")]
            if len(again) != count:
                raise ValueError(f"{name}: {count} victims are not marked")
            read["want"] = in_order(admitted, victims | dict.fromkeys(again))
        yield read


def pod_assignments(table, value):
    """For every set of pods, pairs of resource and flavor."""
    value = table.resolve(value)
    if isinstance(value, Chain):
        yield value.calls[-1][1][0].items
        return
    for pods in value.get("PodSets").values():
        yield pods.get("Flavors").items


def in_order(admitted, victims):
    """Victims in the order of those that run."""
    ordered = [[one["name"], victims[one["name"]]] for one in admitted if one["name"] in victims]
    if len(ordered) != len(victims):
        raise ValueError(f"victims that do not run: {victims}")
    return ordered


def cycles(table):
    """One scheduling cycle."""
    of_local = {}

    def locals_of(listed):
        for value in listed.values() if listed else []:
            called = {name: arguments for name, arguments in table.calls(value)}
            key = tuple(table.text(one) for one in called["MakeLocalQueue"][::-1])
            yield key, table.text(called["ClusterQueue"][0])

    base = dict(locals_of(table.resolve(table.known["queues"])))
    for name, case in table.cases.items:
        of_local = base | dict(locals_of(case.get("additionalLocalQueues")))
        workloads = [table.workload(value) for value in case.get("workloads").values()]
        admitted, pending = [], []
        for read in workloads:
            if "cq" in read:
                admitted.append(table.admitted(read, uid=True))
            else:
                queue = of_local[(read["namespace"], read["local"])]
                pending.append(table.pending(read) | {"cq": queue})
        reserves, victims = {}, {}
        for value in case.get("wantWorkloads").values():
            read = table.workload(value)
            if "WorkloadPreempted" in read["conditions"]:
                victims[read["name"]] = read["conditions"]["WorkloadPreempted"][1] + "Reason"
        assignments = case.get("wantAssignments")
        running = {one["name"] for one in admitted}
        for key, value in assignments.items if assignments else []:
            read = {"assigned": []}
            table.admission(value, read)
            short = key.rpartition("/")[2]
            if short not in running:
                reserves[short] = {kind: flavor for kind, flavor, _ in read["assigned"]}
        left = case.get("wantLeft")
        left = sorted(
            table.text(one).rpartition("/")[2] for names in (left.values() if left else []) for one in names.values()
        )
        gates = case.get("featureGates")
        read = {
            "name": name,
            "fairSharing": bool(case.get("enableFairSharing")),
            "cqs": table.nodes(table.known["clusterQueues"], case.get("additionalClusterQueues")),
            "cohorts": table.nodes(case.get("cohorts")),
            "admitted": admitted,
            "pending": pending,
            "want": {"admitted": reserves, "victims": in_order(admitted, victims), "left": left},
        }
        for key, value in gates.items if gates else []:
            if key.name != "features.RecomputeAssignmentUponPreemptionTargetsOverlap":
                raise ValueError(f"gate {key}")
            read["recomputes"] = value
        yield read


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=PATHS)
    parser.add_argument("go_file")
    parser.add_argument("--snapshot", default=str(date.today()), help="the day of the copy")
    given = parser.parse_args()
    with open(given.go_file, encoding="utf-8") as file:
        table = Table(file.read(), given.table)
    convert = {
        "TestDominantResourceShare": shares,
        "TestIsBorrowingOn": borrowing,
        "TestPreciseWeightedShareSerialized": weighted,
        "TestFairPreemptions": fair,
        "TestFairPreemptionSkipsUnsatisfiableTournament": infinite,
        "TestHierarchicalPreemptions": classical,
        "TestPreemption": classical,
        "TestScheduleForFairSharing": cycles,
    }[given.table]
    source = f"github.com/kubernetes-sigs/kueue, {PATHS[given.table]}, {given.table}, Apache-2.0, "
    source += f"snapshot of {given.snapshot}"
    cases = [{key: value for key, value in case.items() if value != {}} for case in convert(table)]
    queues = [json.dumps(case.get("cqs")) for case in cases]
    most = max(queues, key=queues.count)
    base = ""
    if queues.count(most) > 2 and most != "null":
        # Most cases have the same queues.
        cases = [{key: value for key, value in case.items() if json.dumps(value) != most} for case in cases]
        base = f'"base": {{"cqs": {most}}},\n'
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
    print(f'{{\n"source": {json.dumps(source)},\n{base}"cases": [\n{lines}\n]\n}}')


if __name__ == "__main__":
    main()
