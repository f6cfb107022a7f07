#!/usr/bin/env python3
"""Converts KAI-Scheduler's scenarios (jobs, nodes, queues, and where tasks should be afterwards) into data.

    python3 bench/queues/convert_kai_scenarios.py ORIGINALS core/queues/tests/cases

ORIGINALS is a checkout of github:kai-scheduler/KAI-Scheduler. Scenarios with parts of GPUs, MIG or DRA are left out.
Those with something else that is not modelled stand in a file of their own, with what it is. CPU counts in
thousandths of a core and memory in bytes, as there; −1 means no limit.
"""

import json
import re
import sys
from pathlib import Path

from go_tables import Call, Name, Record, Runner

ACTIONS = "pkg/scheduler/actions"
ALL = ["allocate", "consolidation", "reclaim", "preempt", "stalegangeviction"]
PRIORITIES = {"Inference": 125, "Build": 100, "InteractivePreemptible": 75, "Train": 50}


class Left(Exception):
    """Why a scenario is left out or not modelled."""


def text(value):
    return str(value).rsplit(".", 1)[-1] if isinstance(value, Name) else value


def plain(value):
    """A number behind a pointer, a constant or a call that makes a pointer."""
    if isinstance(value, Call):
        return plain(value.given[0])
    if isinstance(value, Name):
        if value.endswith("NoMaxAllowedResource") or value.endswith("UnlimitedResourceQuantity"):
            return -1
        raise Left(f"a constant that is not known: {value}")
    return value


SECONDS = {"time.Second": 1, "time.Minute": 60, "time.Hour": 3600}


def duration(value):
    if isinstance(value, Record):
        return duration(value.get("Duration"))
    if isinstance(value, Call):
        return duration(value.given[0])
    return value


def task(one, job):
    for field, what in (("RequiredMigInstances", "MIG"), ("IsLegacyMigTask", "MIG"), ("ResourceClaimNames", "DRA"),
                        ("ResourceClaimTemplates", "DRA"), ("GPUGroups", "parts of GPUs")):
        if one.get(field) and not (field == "GPUGroups" and float(job.get("RequiredGPUsPerTask", 0)).is_integer()):
            raise Left(what)
    for field, what in (("PodAffinityLabels", "affinity of pods"), ("PersistentVolumeClaimNames", "storage"),
                        ("Annotations", "annotations")):
        if one.get(field):
            raise Left(what)
    found = {"state": text(one.get("State", "Pending"))}
    if one.get("NodeName"):
        found["node"] = one["NodeName"]
    if one.get("NodeAffinityNames"):
        found["nodes"] = one["NodeAffinityNames"]
    if one.get("Priority") is not None:
        found["order"] = plain(one["Priority"])
    if one.get("RequiredGPUs") is not None:
        found["gpus"] = plain(one["RequiredGPUs"])
    return found


def job(one):
    gpus = plain(one.get("RequiredGPUsPerTask", 0))
    if not float(gpus).is_integer() or one.get("RequiredGpuMemory") or one.get("RequiredMultiFractionDevicesPerTask"):
        raise Left("parts of GPUs")
    found = {"name": one["Name"], "queue": one.get("QueueName", ""), "priority": plain(one.get("Priority", 0)),
             "gpus": gpus, "tasks": [task(each, one) for each in one.get("Tasks", [])]}
    if one.get("IsBestEffortJob"):
        found |= {"cpu": 0, "memory": 0, "gpus": 0}
    else:
        found |= {"cpu": plain(one.get("RequiredCPUsPerTask", 0)) * 1000 or 1000,
                  "memory": plain(one.get("RequiredMemoryPerTask", 0)) or 1e9}
    kind = text(one.get("Preemptibility") or "")
    found["preemptible"] = kind == "Preemptible" if kind else found["priority"] < 100
    root = one.get("RootSubGroupSet")
    if isinstance(root, Call) and root.name == "jobs_fake.DefaultSubGroup":
        found["minimum"] = plain(root.given[0])
    elif root:
        found["gang"] = gang(root, one.get("Tasks", []))
    elif any(each.get("SubGroupName") for each in one.get("Tasks", [])):
        raise Left("sub-groups that no group names")
    if one.get("JobAgeInMinutes"):
        found["age"] = one["JobAgeInMinutes"]
    if one.get("DeleteJobInTest"):
        found["deleted"] = True
    for field, name in (("StaleDuration", "stale"), ("PerJobStalenessGracePeriod", "grace")):
        if one.get(field) is not None:
            found[name] = duration(one[field])
    if one.get("PreemptionDelay"):
        found["delay"] = duration(one["PreemptionDelay"])
    if one.get("JobNotReadyForSsn"):
        raise Left("JobNotReadyForSsn")
    return found


DEFAULT = "default"


def name_of(value):
    return DEFAULT if isinstance(value, Name) else value


def gang(root, tasks):
    """Groups of tasks: sets with a minimum, and groups of them. Tasks without a set's name are a set of their own."""
    known = set()

    def part(one):
        if one["constraint"]:
            raise Left("topologies")
        if "members" in one:
            return {"name": name_of(one["name"]), "minimum": one["minimum"], "members": [part(each) for each in one["members"]]}
        name = name_of(one["name"])
        known.add(name)
        of_set = [at for at, each in enumerate(tasks) if name_of(each.get("SubGroupName") or DEFAULT) == name]
        return {"name": name, "minimum": plain(one["minimum"]), "tasks": of_set}

    found = part(root)
    left = [at for at, each in enumerate(tasks) if name_of(each.get("SubGroupName") or DEFAULT) == DEFAULT]
    if left and DEFAULT not in known:
        found["members"].append({"name": DEFAULT, "minimum": len(tasks), "tasks": left})
    return found


def group_calls():
    """What makes groups in Go."""
    def add(on, part):
        on["members"].append(part)

    def limit(on, minimum):
        on["minimum"] = minimum

    return {
        "subgroup_info.NewSubGroupSet": lambda _, name, constraint: Record(
            name=name, constraint=constraint, minimum=None, members=[]),
        "subgroup_info.NewPodSet": lambda _, name, minimum, constraint: Record(
            name=name, constraint=constraint, minimum=minimum),
        "AddPodSet": add, "AddSubGroup": add, "SetMinSubGroup": limit,
    }


def node(one):
    if one.get("MigStrategy") or one.get("MigInstances"):
        raise Left("MIG")
    for field, what in (("NumaTopology", "NUMA"), ("MaxTaskNum", "a limit to tasks of a node")):
        if one.get(field):
            raise Left(what)
    return {"gpus": plain(one.get("GPUs", 0)), "cpu": plain(one.get("CPUMillis", 0)) * 1000 or 20e6,
            "memory": plain(one.get("CPUMemory", 0)) or 20e9}


def unlimited(value, factor=1):
    return -1 if value is None else max(-1, plain(value) * factor)


def queues(scenario):
    listed = scenario.get("Queues", [])
    parents = scenario.get("Departments", [])
    default = not parents and not scenario.get("DisableDefaultDepartment")
    found = []
    for one in listed:
        if one.get("V1"):
            raise Left("queues of an older version")
        queue = {"name": one["Name"], "parent": "default" if default else one.get("ParentQueue", "")}
        queue["deserved"] = {"GPU": plain(one.get("DeservedGPUs", 0)), "CPU": unlimited(one.get("DeservedCPUs")),
                             "Memory": unlimited(one.get("DeservedMemory"), 1e6)}
        queue["max"] = {"GPU": plain(one.get("MaxAllowedGPUs", 0)) or -1, "CPU": unlimited(one.get("MaxAllowedCPUs")),
                        "Memory": unlimited(one.get("MaxAllowedMemory"), 1e6)}
        queue["weight"] = {"GPU": plain(one.get("GPUOverQuotaWeight", 0)), "CPU": 1, "Memory": 1}
        queue["priority"] = 100 if one.get("Priority") is None else plain(one["Priority"])
        if one.get("ReclaimMinRuntime"):
            queue["reclaim_min_runtime"] = duration(one["ReclaimMinRuntime"])
        found.append(queue)
    if default:
        parents = [{"Name": "default", "DeservedGPUs": -1, "MaxAllowedGPUs": -1}]
    for one in parents:
        deserved = plain(one.get("DeservedGPUs", 0))
        found.append({
            "name": one["Name"], "parent": "", "priority": 100,
            "deserved": {"GPU": deserved, "CPU": -1, "Memory": -1},
            "max": {"GPU": plain(one.get("MaxAllowedGPUs", 0)) or -1, "CPU": unlimited(one.get("MaxAllowedCPUs")),
                    "Memory": unlimited(one.get("MaxAllowedMemory"), 1e6)},
            "weight": {"GPU": deserved, "CPU": 1, "Memory": 1}})
    return found


def expected(one):
    found = {"state": text(one.get("Status", 0)), "gpus": plain(one.get("GPUsRequired", 0))}
    if one.get("NodeName"):
        found["node"] = one["NodeName"]
    return found


def scenario(whole):
    one = whole.get("TestTopologyBasic", whole)
    for field, what in (("ResourceClaims", "DRA"), ("TestDRAObjects", "DRA"), ("Topologies", "topologies")):
        if one.get(field):
            raise Left(what)
    found = {"nodes": {name: node(each) for name, each in one.get("Nodes", {}).items()},
             "queues": queues(one), "jobs": [job(each) for each in one.get("Jobs", [])],
             "expect": {"jobs": {str(name): expected(each) for name, each in one.get("JobExpectedResults", {}).items()}}}
    if (one.get("Mocks") or {}).get("SchedulerConf"):
        raise Left("settings of plug-ins")
    if one.get("TaskExpectedResults"):
        found["expect"]["tasks"] = {name: expected(each) for name, each in one["TaskExpectedResults"].items()}
    if one.get("ExpectedNodesResources"):
        found["expect"]["nodes"] = {
            name: {"idle": plain(each.get("IdleGPUs", 0)), "releasing": plain(each.get("ReleasingGPUs", 0))}
            for name, each in one["ExpectedNodesResources"].items()}
    if "RoundsUntilMatch" in whole or "RoundsAfterMatch" in whole:
        found["rounds"] = {"until": whole.get("RoundsUntilMatch", 0) or 2, "after": whole.get("RoundsAfterMatch", 0) or 5}
    return found


def runner():
    found = Runner(group_calls() | {"pointer.Duration": lambda _, value: value, "pointer.Int": lambda _, value: value, "ptr.To": lambda _, value: value,
                    "pointer.Int32": lambda _, value: value, "pointer.Float64": lambda _, value: value,
                    "fmt.Sprintf": lambda _, form, *given: form.replace("%v", "%s") % given},
                   ("TestTopologyBasic",))
    found.top.values["constants"] = Record({f"Priority{name}Number": value for name, value in PRIORITIES.items()})
    found.top.values["common_info"] = Record(NoMaxAllowedResource=-1)
    found.top.values["commonconstants"] = Record(DefaultQueuePriority=100, UnlimitedResourceQuantity=-1)
    found.top.values["time"] = Record({name.split(".")[1]: value for name, value in SECONDS.items()})
    return found


def played(source):
    """Scenarios of a file that has no function for its table: those that its tests compare after a cycle."""
    found = []

    def built(_, topology, controller):
        return Record(topology=topology)

    def grace(cycle, seconds):
        cycle["grace"] = seconds

    def compared(_, test, number, topology, cycle):
        whole = Record(TestTopologyBasic=topology, Name=names[-1] if names else "")
        if isinstance(cycle, Record) and "grace" in cycle:
            whole["grace"] = cycle["grace"]
        found.append(whole)

    names = []

    def inner(_, name, body):
        names.append(name)
        reading.apply(body, [Name("t")])
        names.pop()

    tests = re.findall(r"^func (Test\w*)\(t \*testing\.T\)", source, re.M)
    if "MatchExpectedAndRealTasks" not in source:
        return found
    reading = runner()
    reading.calls |= {"BuildSession": built, "MatchExpectedAndRealTasks": compared, "Run": inner,
                      "OverrideGlobalDefaultStalenessGracePeriod": grace}
    reading.load(source)
    for test in tests:
        try:
            reading.call(test, Name("t"))
        except Exception as why:
            print("unread:", test, type(why).__name__, str(why)[:120], file=sys.stderr)
    return found


def main():
    originals, folder = Path(sys.argv[1]), Path(sys.argv[2])
    cases, not_modelled, left_out = [], [], {}
    for path in sorted((originals / ACTIONS).glob("**/*_test.go")):
        file = str(path.relative_to(originals / ACTIONS))
        source = path.read_text()
        getters = re.findall(r"^func (get\w*)\(\) \[\](?:integration_tests_utils\.TestTopologyMetadata|"
                             r"test_utils\.TestTopologyBasic)", source, re.M)
        if not getters:
            listed = played(source)
            getters = [] if not listed else [None]
        integrated = file.startswith("integration_tests/")
        actions = ALL if integrated else [file.split("/")[0]]
        for getter in getters:
            try:
                if getter:
                    reading = runner()
                    reading.load(source)
                    listed = reading.call(getter)
            except Exception as why:  # a file that this small interpreter cannot read is named
                print("unread:", file, getter, type(why).__name__, str(why)[:120], file=sys.stderr)
                not_modelled.append({"file": file, "name": getter, "why": "the table is built by code"})
                continue
            for number, whole in enumerate(listed):
                name = whole.get("TestTopologyBasic", whole).get("Name") or whole.get("Name") or ""
                case = {"name": name, "file": file, "number": number}
                if len(getters) > 1:
                    case["getter"] = getter
                try:
                    found = scenario(whole)
                    if whole.get("grace") is not None:
                        found["grace"] = whole["grace"]
                    cases.append(case | {"actions": actions} | ({"integrated": True} if integrated else {}) | found)
                except Left as why:
                    if str(why) in ("parts of GPUs", "MIG", "DRA"):
                        left_out[str(why)] = left_out.get(str(why), 0) + 1
                    else:
                        not_modelled.append(case | {"why": str(why)})
    source = {"repository": "https://github.com/kai-scheduler/KAI-Scheduler", "files": f"{ACTIONS}/**/*_test.go",
              "licence": "Apache-2.0, NVIDIA CORPORATION", "snapshot": "2026-08-07",
              "made_by": "bench/queues/convert_kai_scenarios.py", "left_out": left_out}
    one = lambda values: ",\n".join("    " + json.dumps(value, ensure_ascii=False) for value in values)
    for name, listed in (("kai-scenarios", cases), ("kai-scenarios-not-modelled", not_modelled)):
        written = f'{{\n  "source": {json.dumps(source)},\n  "cases": [\n{one(listed)}\n  ]\n}}\n'
        (folder / f"{name}.json").write_text(written)
    print(len(cases), "cases,", len(not_modelled), "not modelled, left out:", left_out)


if __name__ == "__main__":
    main()
