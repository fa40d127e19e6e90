#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""slow_questions - questions about metrics that take long, beside writes.

    slow_questions.py [--series N] [--questions N] [--timeout S]

Each question wants the sum of all series of a host some thousand times over, which takes
minutes.  As many are asked as there are HTTP threads, and more; meanwhile one client
writes.  The writes go on, the questions are answered with 504 at the deadline, and health
is answered all the while.
"""
import argparse
import json
import os
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../sim"))
import served  # noqa: E402

STORE = "[metric m]\nstep = 10s\naggregation = sum\n[store]\ndirectory = none\nown_metrics = 0s\n"
POINTS = 360
REPEATED = 20000
CUT = 0  # its first piece was sent before the deadline: it ends in the middle


def line(i, t_s):
    return "m,cluster=c,hostname=n1,type=hwthread,type-id=%d value=1 %d\n" % (i, t_s)


def write(barod, text):
    return barod.get("/api/write?cluster=c", "agent", text.encode(), method="POST")[0]


def fill(barod, series, begin_s):
    for k in range(0, POINTS, 10):
        text = "".join(line(i, begin_s + 10 * (k + j)) for j in range(10) for i in range(series))
        if write(barod, text) not in (200, 204):
            raise SystemExit("filling: not written")


class Questions:
    def __init__(self, barod, count, begin_s, end_s):
        query = {"metric": "m", "host": "n1"}
        self.body = json.dumps({"cluster": "c", "from": begin_s, "to": end_s,
                                "with-data": False, "queries": [query] * REPEATED}).encode()
        self.barod, self.statuses = barod, []
        self.threads = [threading.Thread(target=self.ask) for _ in range(count)]
        for t in self.threads:
            t.start()

    def ask(self):
        self.statuses.append(self.barod.get("/api/query", body=self.body, method="POST",
                                            timeout=600)[0])

    def are_running(self):
        return not self.statuses

    def wait(self):
        for t in self.threads:
            t.join()


def latencies(barod, goes_on):
    """Of writes, as long as goes_on; and how many of them failed, or health did."""
    times, bad, now_s = [], 0, int(time.time())
    while goes_on(len(times)):
        begin = time.monotonic()
        bad += write(barod, line(0, now_s + len(times))) not in (200, 204)
        times.append(time.monotonic() - begin)
        bad += barod.get("/healthz")[0] != 200
    return sorted(times), bad


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--series", type=int, default=2000)
    options.add_argument("--questions", type=int, default=8)
    options.add_argument("--timeout", type=int, default=20)
    options = options.parse_args()
    begin_s = int(time.time()) // 10 * 10 - 10 * POINTS
    more = "[barod]\nquery_timeout = %ds\n" % options.timeout + STORE
    failures = []
    with served.Served(net="rate_bytes = 0B", more=more) as barod:
        fill(barod, options.series, begin_s)
        idle, _ = latencies(barod, lambda done: done < 200)
        questions = Questions(barod, options.questions, begin_s, begin_s + 10 * POINTS)
        busy, bad = latencies(barod, lambda done: questions.are_running())
        questions.wait()
        if bad:
            failures.append("%d writes or health checks were refused" % bad)
        if len(busy) < 20:
            failures.append("%d writes before the first question ended" % len(busy))
        if not set(questions.statuses) <= {504, CUT} or 504 not in questions.statuses:
            failures.append("questions: %s" % questions.statuses)
        if not barod.is_sanitized() and busy[-1] > 0.5:
            failures.append("a write took %.2f s" % busy[-1])
    for name, times in ("idle", idle), ("beside the questions", busy):
        print("figure: writes %s: %d, median %.1f ms, 99 of 100 %.1f ms, slowest %.1f ms"
              % (name, len(times), 1000 * times[len(times) // 2],
                 1000 * times[len(times) * 99 // 100], 1000 * times[-1]))
    print("figure: questions %s" % questions.statuses)
    for failure in failures:
        print("failed: " + failure)
    return 1 if failures or barod.status else 0


if __name__ == "__main__":
    sys.exit(main())
