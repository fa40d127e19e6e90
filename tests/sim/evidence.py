# SPDX-License-Identifier: Apache-2.0
# evidence - which of the dumps that were served count, as the agents themselves say.
#
# An agent whose log_level is debug writes a line for every read that came to its end:
# kept, or why not.  A read that was under way when its agent ended left none; then the
# state file, looked at when the process was gone, tells whether it was committed.  So
# nothing is guessed from rows that are there or are not: a dump counts because its agent
# said so, and every one that does not count has a cause, or is complained of.
import bisect
import os
import re

MS = 1_000_000
READ = re.compile(rb"debug: read of (\S+) at (\d+) ms: (.*)")
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

    def __init__(self, server, pid, log, state):
        self.server, self.pid, self.log, self.state = server, pid, log, state
        self.begun = {}

    def ended(self):
        self.begun = states(self.state)

    def reads(self):
        """{target: [(t_ms, what became of it)]}, in time's order."""
        found = {}
        with open(self.log, "rb") as f:
            for line in f:
                match = READ.search(line)
                if match:
                    found.setdefault(match[1].decode(), []).append(
                        (int(match[2]), match[3].decode().strip()))
        for target, t_ms in self.begun.items():
            reads = found.setdefault(target, [])
            # Committed, and killed before it could be said.
            if t_ms is not None and (not reads or t_ms > reads[-1][0]):
                reads.append((t_ms, "kept"))
        return found


class Evidence:
    def __init__(self):
        self.runs = []
        self.late_ms = []
        self.dropped = []  # (t_s, server, target, cause)

    def start(self, server, pid, log, state):
        self.runs.append(Run(server, pid, log, state))
        return self.runs[-1]

    def judge(self, journal, small_disk, complain):
        """The lines of the journal, a dump that does not count made a mere look."""
        reads, used = {}, set()
        last_begun = {}
        for run in self.runs:
            of_run = run.reads()
            for target, done in of_run.items():
                # What an earlier process committed is not this one's.
                before = last_begun.get((run.server, target), -1)
                done = [r for r in done if r[0] > before]
                reads[run.server, run.pid, target] = done
                kept = [t for t, what in done if what == "kept"]
                if kept:
                    last_begun[run.server, target] = kept[-1]
        out = []
        for line in journal:
            f = line.split()
            if f[0] == "dump":
                cause = self.cause_of(f, reads, used, small_disk, complain)
                if cause:
                    self.dropped.append((int(f[1]) / 1e9, f[2], f[4], cause))
                    line = " ".join(["look"] + f[1:4]) + "\n"
            out.append(line)
        for key, done in reads.items():
            for t_ms, what in done:
                if what == "kept" and (key, t_ms) not in used:
                    complain(f"{key[0]} {key[2]}: a read at {t_ms} ms is said to be kept,"
                             " but no dump of that time was served")
        return out

    def cause_of(self, f, reads, used, small_disk, complain):
        """None: this dump counts."""
        t_ns, server, key = int(f[1]), f[2], (f[2], int(f[3]), f[4])
        done = reads.get(key, [])
        at = bisect.bisect_right(done, t_ns // MS, key=lambda r: r[0]) - 1
        if at < 0 or (key, done[at][0]) in used:
            return "killed"  # under way when its agent ended, and not in its state
        t_ms, what = done[at]
        used.add((key, t_ms))
        self.late_ms.append(t_ns // MS - t_ms)
        if what == "kept":
            return None
        if what == FULL and server == small_disk:
            return "full disk"
        complain(f"{server} {f[4]}: the read at {t_ms} ms was not kept: {what}")
        return what

    def counts(self):
        by_cause = {}
        for *_, cause in self.dropped:
            by_cause[cause] = by_cause.get(cause, 0) + 1
        return by_cause
