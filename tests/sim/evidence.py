# SPDX-License-Identifier: Apache-2.0
# evidence - which of the dumps that were served count, as the agents themselves say.
#
# An agent whose log_level is debug writes a line for every read that came to its end:
# kept, or why not.  A read that was under way when its agent ended left none; then the
# state file, looked at when the process was gone, tells whether it was committed.  So
# nothing is guessed from rows that are there or are not: a dump counts because its agent
# said so, and every one that does not count has a cause, or is complained of.
import json
import os
import re

MS = 1_000_000
READ = re.compile(rb"debug: read of (\S+) at (\d+) ms: (.*)")
LIST = re.compile(rb"debug: list of targets at (\d+) ms: (.*)")
FULL = "No space left on device"
HEADER_BYTES = RECORD_BYTES = 40


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def time_of(data, at):
    """time(0) of doc/formats/agent-state.md: None, or milliseconds."""
    value, at = varint(data, at)
    if value == 0:
        return None, at
    value -= 1
    return (value >> 1) ^ -(value & 1), at


def state_begun(path):
    """(target, the time of its last read that was committed)."""
    with open(path, "rb") as f:
        data = f.read()
    if data[:8] != b"baroagtg":
        raise ValueError(f"{path} is no state of a target")
    at = HEADER_BYTES + RECORD_BYTES
    _, at = varint(data, at)
    size, at = varint(data, at)
    name = data[at:at + size].decode()
    _, at = varint(data, at + size)
    return name, time_of(data, at)[0]


def states(directory):
    begun = {}
    for entry in os.listdir(directory) if os.path.isdir(directory) else []:
        if entry.endswith(".state"):
            target, t_ms = state_begun(os.path.join(directory, entry))
            begun[target] = t_ms
    return begun


class Run:
    """One process of an agent, from its start to its end."""

    def __init__(self, server, pid, log, state, begun=None):
        self.server, self.pid, self.log, self.state = server, pid, log, state
        self.begun = begun or {}  # {target: its last committed read}, at the end

    def ended(self):
        self.begun = states(self.state)

    def told(self):
        """{target: [(t_ms, what became of it)]} of reads, and the same of lists."""
        reads, lists = {}, []
        with open(self.log, "rb") as f:
            for line in f:
                match = READ.search(line)
                if match:
                    reads.setdefault(match[1].decode(), []).append(
                        (int(match[2]), match[3].decode().strip()))
                match = LIST.search(line)
                if match:
                    lists.append((int(match[1]), match[2].decode().strip()))
        return reads, lists


class Evidence:
    def __init__(self):
        self.runs = []
        self.late_ms = []  # how long after it was asked for each dump was made
        self.dropped = {}  # {cause: how many dumps}

    def start(self, server, pid, log, state):
        self.runs.append(Run(server, pid, log, state))
        return self.runs[-1]

    def save(self, path):
        with open(path, "w") as f:
            json.dump([[r.server, r.pid, r.log, r.state, r.begun] for r in self.runs], f)

    @staticmethod
    def load(path):
        evidence = Evidence()
        with open(path) as f:
            evidence.runs = [Run(*fields) for fields in json.load(f)]
        return evidence

    def judge(self, journal, small_disk, complain):
        """The lines of the journal, dumps with the time at which their agent asked; one
        that does not count is made a mere look."""
        told = self.gather()
        out, index = [], {}
        for line in journal:
            f = line.split()
            key = (f[2], int(f[3]), f[4] if f[0] == "dump" else f[0])
            if f[0] != "look":
                at = index[key] = index.get(key, -1) + 1
                said = told.get(key, [])
                t_ms, what = said[at] if at < len(said) else (None, "killed")
                line = self.judge_one(f, t_ms, what, small_disk, complain)
            out.append(line)
        for key, said in told.items():
            for t_ms, what in said[index.get(key, -1) + 1:]:
                if what == "stored":
                    complain(f"{key[0]} {key[2]}: what was read at {t_ms} ms is said to"
                             " be kept, but nothing was served")
        return out

    def gather(self):
        """{(server, pid, target or "list"): [(t_ms, what)]}.  A process has one read of a
        target at a time: its n-th word is about the n-th dump."""
        told, committed = {}, {}
        for run in self.runs:
            reads, told[run.server, run.pid, "list"] = run.told()
            for target, t_ms in run.begun.items():
                known = [t for t, what in reads.get(target, []) if what == "stored"]
                before = committed.get((run.server, target), -1)
                # Committed, and killed before it could be said.
                if t_ms is not None and t_ms > max(known + [before]):
                    reads.setdefault(target, []).append((t_ms, "stored"))
                    known.append(t_ms)
                committed[run.server, target] = max(known + [before])
            for target, said in reads.items():
                # Of what failed there was no dump.
                told[run.server, run.pid, target] = [
                    s for s in said if s[1] != "stored in part"]
        return told

    def judge_one(self, f, t_ms, what, small_disk, complain):
        look = " ".join(["look"] + f[1:4]) + "\n"
        if f[0] == "list":
            return " ".join(f) + "\n" if what == "stored" else look
        if what == "stored":
            late_ms = int(f[1]) // MS - t_ms
            self.late_ms.append(late_ms)
            # Rounds of one target are a millisecond apart at least (observe.h), also
            # while the played clock stands.
            if late_ms < -100:
                complain(f"{f[2]} {f[4]}: what was asked for at {t_ms} ms was dumped"
                         f" {-late_ms} ms before")
            return " ".join(f + [str(t_ms * MS)]) + "\n"
        if what == FULL:
            cause = "full disk"
        else:
            cause = what
        if cause != "killed" and (cause != "full disk" or f[2] != small_disk):
            complain(f"{f[2]} {f[4]}: the read at {t_ms} ms was not kept: {what}")
        self.dropped[cause] = self.dropped.get(cause, 0) + 1
        return look
