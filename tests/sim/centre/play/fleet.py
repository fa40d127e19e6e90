# SPDX-License-Identifier: Apache-2.0
"""fleet - what the checks of ten thousand nodes find, trigger by trigger, with the truth.

A line of plan.txt is a change: of what a check finds, of who is silent, of the scheduler.

    nodes COUNT | triggers COUNT | period SECONDS | start TIME      at the beginning
    T check NODE CHECK up|degraded|down|unknown
    T silent NODE, T sends NODE
    T opinion NODE             a user states that it is down
    T admin NODE               an administrator drains it in the scheduler
    T controller away|back
"""
import json
import os
import random

PERIOD_S = 60
START = 1700000000
CHECKS = ("node", "mounts")


class Fleet:
    def __init__(self, seed, nodes, triggers):
        self.random = random.Random(f"fleet {seed}")
        self.seed, self.nodes, self.triggers = seed, nodes, triggers
        self.changes = []
        self.truth = []
        self.free = list(range(nodes))
        self.random.shuffle(self.free)
        self.away = []

    def take(self, share, least=1):
        count = max(least, round(self.nodes * share))
        taken, self.free = self.free[:count], self.free[count:]
        return taken

    def change(self, at, *words):
        if at < self.triggers:
            self.changes.append((at, len(self.changes), " ".join(str(w) for w in words)))

    def check(self, at, node, check, health):
        self.change(at, "check", name(node), check, health)

    def tell(self, node, kind, begin, end=None):
        self.truth.append({"node": name(node), "kind": kind, "from": begin, "to": end})

    def moment(self, least=3, before_end=20):
        return self.random.randrange(least, max(least + 1, self.triggers - before_end))

    # ---- kinds ----

    def broken(self):
        """Down for good, or until it is mended; most at a moment of their own."""
        for n, node in enumerate(self.take(0.001)):
            begin = self.moment()
            mended = None
            self.check(begin, node, "node", "down")
            if n % 3 == 2 and begin + 40 < self.triggers - 20:
                mended = begin + self.random.randrange(15, 40)
                self.check(mended, node, "node", "up")
            self.tell(node, "broken", begin, mended)

    def flapping(self):
        """Up and down by turns of one to three triggers.  The first time is one trigger: nobody can
        tell a node that is down for two for the first time from a broken one."""
        for node in self.take(0.01):
            at, is_down, is_first = self.moment(2), True, True
            self.tell(node, "flapping", at)
            while at < self.triggers:
                self.check(at, node, "node", "down" if is_down else "up")
                at += 1 if is_first else self.random.randint(1, 3)
                is_down, is_first = not is_down, False

    def blips(self):
        """One false alarm of one trigger."""
        for node in self.take(0.005):
            at = self.moment()
            self.check(at, node, "node", "down")
            self.check(at + 1, node, "node", "up")
            self.tell(node, "blip", at, at + 1)

    def hung_checks(self):
        """A check that does not end: nothing is known, now and then or for long."""
        for node in self.take(0.01):
            at = self.moment(2)
            self.tell(node, "hung check", at)
            while at < self.triggers:
                self.check(at, node, "node", "unknown")
                at += self.random.choice((1, 2, 5, 30))
                self.check(at, node, "node", "up")
                at += self.random.randint(2, 40)

    def hung_mounts(self):
        """A file server is away: the mounts of some hundred nodes hang."""
        for _ in range(self.random.randint(2, 4)):
            at, length = self.moment(), self.random.randint(3, 25)
            for node in self.take(0.02):
                self.check(at + self.random.randint(0, 1), node, "mounts", "unknown")
                self.check(at + length, node, "mounts", "up")
                self.tell(node, "hung mount", at, at + length)

    def cut_off(self):
        """A switch fails: a rack of nodes is silent."""
        for _ in range(self.random.randint(1, 3)):
            at, length = self.moment(), self.random.randint(5, 30)
            for node in self.take(0.0064):
                self.change(at, "silent", name(node))
                self.change(at + length, "sends", name(node))
                self.tell(node, "cut off", at, at + length)

    def worn(self):
        """A part that is degraded makes the node degraded, and no more."""
        for node in self.take(0.005):
            at = self.moment()
            self.check(at, node, "dimm:A1", "degraded")
            self.tell(node, "worn", at)

    def opinions(self):
        for node in self.take(0.003):
            at = self.moment()
            self.change(at, "opinion", name(node))
            self.tell(node, "opinion", at)

    def administrators(self):
        for node in self.take(0.001):
            at = self.moment()
            self.change(at, "admin", name(node))
            self.tell(node, "administrator", at)

    def controller(self):
        """Away for some triggers, also while nodes break."""
        for _ in range(2):
            begin, length = self.moment(), self.random.randint(2, 12)
            self.away.append((begin, begin + length))
        self.away = merged(self.away)
        for begin, end in self.away:
            self.change(begin, "controller", "away")
            self.change(end, "controller", "back")

    def play(self):
        self.broken()
        self.flapping()
        self.blips()
        self.hung_checks()
        self.hung_mounts()
        self.cut_off()
        self.worn()
        self.opinions()
        self.administrators()
        self.controller()
        return self

    def write(self, folder):
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "plan.txt"), "w") as file:
            file.write(f"nodes {self.nodes}\ntriggers {self.triggers}\nperiod {PERIOD_S}\nstart {START}\n")
            for at, _, words in sorted(self.changes):
                file.write(f"{at} {words}\n")
        with open(os.path.join(folder, "truth.json"), "w") as file:
            json.dump({"seed": self.seed, "nodes": self.nodes, "triggers": self.triggers,
                       "away": self.away, "kinds": self.truth}, file, indent=0, sort_keys=True)


def name(node):
    return f"n{node + 1:05d}"


def merged(ranges):
    result = []
    for begin, end in sorted(ranges):
        if result and begin <= result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((begin, end))
    return result


# ---- the score ----

def reachable(away, at):
    """The first trigger from at on at which the controller is there."""
    for begin, end in away:
        if begin <= at < end:
            return end
    return at


def second(away, at):
    """The second trigger at which a node can be drained: a drain needs two at which it is down."""
    return reachable(away, reachable(away, at) + 1) if reachable(away, at) == at else reachable(away, at) + 1


def score(truth, actions, nodes_max):
    """actions: (trigger, verb, node).  Returns the faults as text, and what was counted."""
    kinds = {one["node"]: one for one in truth["kinds"]}
    away, faults = truth["away"], []
    drained, most, times = {}, 0, {}
    for at, verb, node in actions:
        kind = kinds.get(node, {"kind": "healthy"})["kind"]
        if any(begin <= at < end for begin, end in away):
            faults.append(f"{at}: {verb} {node} while the controller is away")
        if verb == "drain":
            if kind != "broken":
                faults.append(f"{at}: {node} is drained, and is {kind}")
            if node in drained:
                faults.append(f"{at}: {node} is drained twice")
            drained[node] = at
            times.setdefault(node, at)
            most = max(most, len(drained))
        if verb == "resume":
            one = kinds.get(node)
            if not one or one["kind"] != "broken" or one["to"] is None or at < one["to"]:
                faults.append(f"{at}: {node} is resumed, and is {kind}")
            drained.pop(node, None)
    if most > nodes_max:
        faults.append(f"{most} nodes are drained at a time, {nodes_max} may be")
    broken = [one for one in truth["kinds"] if one["kind"] == "broken"]
    late = 0
    for one in broken:
        at = times.get(one["node"])
        due = second(away, one["from"])
        if one["to"] is not None and one["to"] <= due:
            continue  # it was mended while the controller was away
        if at is None or at > due:
            late += 1
            if len(broken) <= nodes_max:
                faults.append(f"{one['node']} is broken from {one['from']} on, drained at {at}, due at {due}")
        if one["to"] is not None and at is not None and one["node"] in drained \
                and reachable(away, one["to"] + 11) < truth["triggers"] - 1:
            faults.append(f"{one['node']} is mended at {one['to']}, and not resumed")
    return faults, {"broken": len(broken), "drained": len(times), "late": late, "most": most,
                    "healthy": truth["nodes"] - len(broken)}
