#!/usr/bin/env python3
"""Converts tables of Volcano's own tests of its plugins proportion and capacity into cases as data.

    convert_volcano.py SOURCES [--snapshot DATE] > core/queues/tests/cases/volcano.json

SOURCES is the folder pkg/scheduler/plugins of a copy of github.com/volcano-sh/volcano (Apache-2.0). Of
proportion/proportion_test.go the tables TestEnqueueAndAllocable and TestAllocate are converted, of
capacity/capacity_test.go the two of sessions (without and with a hierarchy) and TestEnqueueAndAllocatable, and
Test_updateQueueAttrShare.

A case has nodes, queues, groups of pods (jobs) and pods, what is switched on, the actions, and what is expected. Amounts are in
cores, GiB and things; the count of pods is left out. What cannot be converted is an error.
"""

import argparse
import json
import re
from datetime import date
from pathlib import Path

from go_literals import Composite, Name, NoExpression, Reader, definitions

TABLES = [
    ("proportion", "TestEnqueueAndAllocable"),
    ("proportion", "TestAllocate"),
    ("capacity", "Test_capacityPlugin_OnSessionOpenWithoutHierarchy"),
    ("capacity", "TestEnqueueAndAllocatable"),
    ("capacity", "Test_capacityPlugin_OnSessionOpenWithHierarchy"),
]
UNITS = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "m": 1e-3}
LEFT_OUT = "pods"
SWITCHES = {
    "EnabledAllocatable": "allocatable",
    "EnabledOverused": "overused",
    "EnabledJobEnqueued": "enqueue",
    "EnablePreemptive": "preemptive",
    "EnabledReclaimable": "reclaimable",
    "EnabledQueueOrder": "order",
    "EnabledHierarchy": "hierarchy",
}


def quantity(text):
    match = re.fullmatch(r"([\d.]+)(\w*)", text)
    return float(match[1]) * UNITS[match[2]]


class Table:
    """One table, with what its function defines before it."""

    def __init__(self, text, plugin, function):
        self.plugin, self.function = plugin, function
        start = text.index(f"func {function}(")
        self.body = text[start : text.index("\n}\n", start)]
        self.known = definitions(text, function)
        # What is set after a thing has been made.
        self.set = {}
        for match in re.finditer(r"^\t(\w+)\.Spec\.(\w+) = ", self.body, re.M):
            try:
                value = Reader(self.body, match.end()).expression()
            except NoExpression:
                continue
            self.set[match[1], match[2]] = value

    def resolve(self, value):
        while isinstance(value, Name) and value.name in self.known:
            value = self.known[value.name]
        return value

    def call(self, value):
        value = self.resolve(value)
        return value.calls[-1]

    def last(self, value):
        """The last part of a constant's name, or a text."""
        return value if isinstance(value, str) else value.name.rpartition(".")[2]

    def amounts(self, value):
        value = self.resolve(value)
        if value is None:
            return {}
        if isinstance(value, Composite):
            return self.listed(value)
        name, arguments = value.calls[-1]
        assert name == "BuildResourceList", name
        found = {}
        if arguments[0] != "":
            found["cpu"] = quantity(arguments[0])
        if arguments[1] != "":
            found["memory"] = quantity(arguments[1]) / 2**30
        for scalars in arguments[2:]:
            for scalar in scalars.values():
                if scalar.get("Name") != LEFT_OUT:
                    found[scalar.get("Name")] = quantity(scalar.get("Value"))
        return found

    def listed(self, value):
        """`ResourceList{corev1.ResourceCPU: resource.MustParse("4"), …}`."""
        found = {}
        for key, amount in value.items:
            number = quantity(amount.calls[-1][1][0])
            kind = {"ResourceCPU": "cpu", "ResourceMemory": "memory"}[self.last(key)]
            found[kind] = number / 2**30 if kind == "memory" else number
        return found

    def queue(self, reference):
        name, of = self.call(reference)
        queue = {"name": of[0], "weight": 1, "priority": 0, "deserved": {}, "capability": {}, "guarantee": {}}
        if name == "BuildQueue":
            queue |= {"weight": of[1], "capability": self.amounts(of[2])}
        elif name == "BuildQueueWithState":
            queue |= {"weight": of[1], "capability": self.amounts(of[2]), "state": self.last(of[3])}
        elif name == "BuildQueueWithResourcesQuantity":
            queue |= {"deserved": self.amounts(of[1]), "capability": self.amounts(of[2])}
        elif name == "BuildQueueWithPriorityAndResourcesQuantity":
            queue |= {"priority": of[1], "deserved": self.amounts(of[2]), "capability": self.amounts(of[3])}
        elif name == "buildQueueWithParents":
            queue |= {"deserved": self.amounts(of[2]), "capability": self.amounts(of[3])}
            if of[0] != "root":
                queue["parent"] = of[1]
        else:
            raise ValueError(name)
        guarantee = self.set.get((reference.name, "Guarantee"))
        if guarantee is not None:
            queue["guarantee"] = self.amounts(guarantee.get("Resource"))
        return queue

    def group(self, reference):
        name, of = self.call(reference)
        group = {"name": of[0], "queue": of[2], "min": of[3], "phase": self.last(of[-1])}
        if name == "BuildPodGroupWithMinResources":
            group["asks"] = self.amounts(of[5])
        elif name != "BuildPodGroup":
            raise ValueError(name)
        if (reference.name, "MinResources") in self.set:
            group["asks"] = self.amounts(self.set[reference.name, "MinResources"])
        return group

    def pod(self, reference):
        name, of = self.call(reference)
        if name != "BuildPod":
            raise ValueError(name)
        pod = {"name": f"{of[0]}/{of[1]}", "node": of[2], "asks": self.amounts(of[4]), "group": of[5]}
        labels, selector = self.words(of[6]), self.words(of[7])
        pod["selector"] = selector
        if labels.get("PodPreemptable") == "false":
            pod["stays"] = True
        return pod

    def words(self, value):
        if not isinstance(value, Composite):
            return {}
        return {self.last(key): word for key, word in value.items}

    def node(self, reference):
        name, of = self.call(reference)
        if name != "BuildNode":
            raise ValueError(name)
        return {"name": of[0], "has": self.amounts(of[1]), "labels": self.words(of[2])}

    def switches(self, tiers):
        tiers = self.resolve(tiers)
        plugin = tiers.values()[0].get("Plugins").values()[0]
        names = {self.last(key): value for key, value in plugin.items}
        on = [word for name, word in SWITCHES.items() if name in names and names[name].name == "trueValue"]
        unknown = set(names) - set(SWITCHES) - {"Name", "EnabledPredicate"}
        if unknown:
            raise ValueError(unknown)
        return on

    def actions(self):
        found = re.search(r"framework\.Action\{([^}]*)\}", self.body)[1]
        return re.findall(r"(\w+)\.New\(\)", found)

    def case(self, composite):
        tiers = composite.get("tiers", Name("tiers"))
        common = composite.get("TestCommonStruct", composite)
        many = lambda field, convert: [convert(one) for one in common.get(field, Composite("", [])).values()]
        expect = {}
        binds = common.get("ExpectBindMap")
        if binds is not None:
            expect["binds"] = {key: node for key, node in binds.items}
        if common.get("ExpectBindsNum") is not None:
            expect["bound"] = common.get("ExpectBindsNum")
        if common.get("ExpectEvicted") is not None:
            expect["evicted"] = common.get("ExpectEvicted").values()
        if common.get("ExpectPipeLined") is not None:
            expect["pipelined"] = {
                key.partition("/")[2]: nodes.values() for key, nodes in common.get("ExpectPipeLined").items
            }
        if common.get("ExpectStatus") is not None:
            expect["phases"] = {
                key.partition("/")[2]: self.last(phase) for key, phase in common.get("ExpectStatus").items
            }
        return {
            "name": f"{self.function}: {common.get('Name')}",
            "plugin": self.plugin,
            "on": self.switches(tiers),
            "actions": self.actions(),
            "nodes": many("Nodes", self.node),
            "queues": many("Queues", self.queue),
            "groups": many("PodGroups", self.group),
            "pods": many("Pods", self.pod),
            "expect": expect,
        }

    def cases(self):
        return [self.case(case) for case in self.known["tests"].values()]


def shares(text):
    """Of Test_updateQueueAttrShare: what is deserved and had, and the share."""
    table = Table(text, "capacity", "Test_updateQueueAttrShare")

    def resource(value):
        if value is None or value.calls[-1][0] == "EmptyResource":
            return {}
        name, arguments = value.calls[-1]
        assert name == "NewResource", name
        return table.amounts(arguments[0])

    return [
        {
            "name": case.get("name"),
            "deserved": resource(case.get("deserved")),
            "allocated": resource(case.get("allocated")),
            "share": case.get("wantShare"),
        }
        for case in table.known["tests"].values()
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", type=Path)
    parser.add_argument("--snapshot", default=date.today().isoformat())
    given = parser.parse_args()
    texts = {
        plugin: (given.sources / plugin / f"{plugin}_test.go").read_text().replace("make(map[string]string)", "nil")
        for plugin in ("proportion", "capacity")
    }
    cases = []
    for plugin, function in TABLES:
        cases += Table(texts[plugin], plugin, function).cases()
    source = {
        "repository": "https://github.com/volcano-sh/volcano",
        "files": [f"pkg/scheduler/plugins/{plugin}/{plugin}_test.go" for plugin in texts],
        "licence": "Apache-2.0",
        "snapshot": given.snapshot,
    }
    lines = lambda all: ",\n".join(json.dumps(case, ensure_ascii=False) for case in all)
    print('{"source": ' + json.dumps(source) + ',\n"cases": [')
    print(lines(cases) + '\n],\n"shares": [')
    print(lines(shares(texts["capacity"])) + "\n]}")


main()
