#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""failing_disk - a barod that is written to has a disk that does not sync, or rename.

    failing_disk.py BUILD [--points N] [--seed N] [--directory DIR]

strace is put to a barod under the load of kills.py, and lets the first, second, third ...
fdatasync, fsync or rename of each of its threads fail with EIO, or all for a while: so
every step of a checkpoint fails once, and every kind of log.  Then barod is killed, or
told to end, or goes on with a disk that is well again and is killed later.  Started
again, it must have every sample that was acknowledged, its 64 bits, and of a request that
was refused all samples of a host, or none; refused is only by 503.  It says in its log
and in /metrics that something failed.

N of the points, spread evenly; default all.  Exit status 77: strace may not.
"""
import os
import re
import signal
import subprocess
import sys
import time

import kills

CALLS = (("fdatasync", 10), ("fsync", 12), ("/^rename", 2))
ENDS = ("kill", "heal", "kill", "term")
WAIT_S = 40


def all_points():
    """(system calls, which of a thread's)."""
    points = []
    for call, count in CALLS:
        points += [(call, str(n)) for n in range(1, count + 1)]
        points += [(call, "1+"), (call, "2+3")]
    return points


class Run(kills.Run):
    def __init__(self, options, directory):
        super().__init__(options, directory)
        self.may_refuse = True
        self.strace = None
        self.hits = {}
        self.refused = 0
        self.done = dict.fromkeys(ENDS, 0)

    def attach(self, call, when):
        self.trace = os.path.join(self.dir, "trace")
        if os.path.exists(self.trace):
            os.unlink(self.trace)
        self.strace = subprocess.Popen(
            ["strace", "-f", "-y", "-p", str(self.daemon.process.pid), "-o", self.trace,
             "-e", "trace=" + call, "-e", f"inject={call}:error=EIO:when={when}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def detach(self):
        if self.strace:
            self.strace.send_signal(signal.SIGINT)
            self.strace.wait()
            self.strace = None

    def injected(self):
        """What of the store was hit: log, index, the directory ..."""
        try:
            with open(self.trace, errors="replace") as f:
                lines = [line for line in f if "(INJECTED)" in line]
        except FileNotFoundError:
            return []
        names = []
        for line in lines:
            call = re.search(r"(\w+)(?:\(| resumed)", line).group(1)
            place = re.search(re.escape(self.store) + r"/?([a-z]*)", line)
            if place or "resumed" in line:
                names.append(f"{call} {(place and place.group(1)) or 'directory'}")
        return names

    def wait_injected(self):
        until = time.monotonic() + WAIT_S
        while not self.injected():
            time.sleep(0.02)
            if time.monotonic() > until or self.daemon.process.poll() is not None:
                return False
        time.sleep(self.rng.random() * 0.3)
        return True

    def failures(self):
        """By the daemon's own count."""
        count = 0
        for line in self.daemon.ask("/metrics").splitlines():
            if re.match(r"baro_store_(log_failures|batches_refused|worker_failures)_total",
                        line):
                count += float(line.split()[-1])
        return count

    def told_to_end(self):
        """With a disk that fails: it ends all the same."""
        self.stop_senders()
        self.daemon.process.terminate()
        try:
            self.daemon.process.wait(WAIT_S)
        except subprocess.TimeoutExpired:
            self.finds.append("told to end with a failing disk it goes on")
        self.daemon.process.kill()
        self.daemon.process.wait()

    def fail_once(self, call, when, end):
        what = f"{call} {when}, then {end}"
        self.start_senders()
        self.wait_acks(20)
        self.attach(call, when)
        is_hit = self.wait_injected()
        failures = self.failures() if is_hit else 0
        if end == "heal":
            self.detach()
            if not self.wait_acks(60):
                self.finds.append(f"{what}: with a disk that is well it takes nothing")
        if end == "term":
            self.told_to_end()
        else:
            self.kill_under_load()
        said = self.daemon.said()
        self.detach()
        for name in self.injected():
            self.hits[name] = self.hits.get(name, 0) + 1
        self.refused += sum(s.refused for s in self.senders)
        self.done[end] += 1
        if not is_hit:
            self.finds.append(f"{what}: nothing was hit")
        elif not failures:
            self.finds.append(f"{what}: {self.injected()[0]}: /metrics has no failure")
        elif "Input/output error" not in said:
            self.finds.append(f"{what}: {self.injected()[0]}: the log does not say it")
        # Every other time only rotation syncs a log.
        self.daemon.more = ["--set", "store.sync=60s"] if not self.daemon.more else []
        if self.daemon.start():
            self.check_words(0)
            self.look(what)

    def end(self):
        self.detach()
        super().end()

    def report(self, seconds):
        print(f"failures {sum(self.hits.values())} ("
              + ", ".join(f"{k} {v}" for k, v in sorted(self.hits.items())) + ")")
        print("then " + ", ".join(f"{k} {v}" for k, v in self.done.items())
              + f"; requests refused {self.refused}")
        super().report(seconds)


def may_trace(options):
    """Whether strace may be put to a process of ours that runs."""
    sleep = subprocess.Popen(["sleep", "60"])
    try:
        strace = subprocess.Popen(["strace", "-p", str(sleep.pid), "-o", os.devnull],
                                  stderr=subprocess.PIPE, text=True)
        word = strace.stderr.readline()
        strace.send_signal(signal.SIGINT)
        strace.wait()
        return "attached" in word
    except FileNotFoundError:
        return False
    finally:
        sleep.kill()
        sleep.wait()


def main():
    options = kills.parse(__doc__, lambda p: p.add_argument("--points", type=int))
    if not may_trace(options):
        print("strace may not be put to a process here")
        sys.exit(77)
    points = all_points()
    count = min(options.points or len(points), len(points))
    chosen = [points[i * len(points) // count] for i in range(count)]

    def failures(run):
        for i, (call, when) in enumerate(chosen):
            run.fail_once(call, when, ENDS[(i + options.seed) % len(ENDS)])
            yield f"{i + 1} of {count}"
    kills.play(options, Run, failures)


if __name__ == "__main__":
    main()
