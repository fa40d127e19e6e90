#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""stale: series with stale markers in barod and in Prometheus, the same queries to both.

    stale.py SCRATCH SOCKET

Prints what differs; status 1 if anything does, or if nothing was compared.
"""
import http.client
import json
import os
import random
import sys
import time
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import remote  # noqa: E402
from oracle import Prometheus, snappy  # noqa: E402

EXPRESSIONS = """
staled
staled offset 1m
sum(staled)
count(staled)
rate(staled[2m])
count_over_time(staled[3m])
last_over_time(staled[5m])
sum by (kind) (staled)
absent(staled{kind="ends"})
max_over_time(count(staled)[5m:15s])
staled @ 1700000000
changes(staled[10m])
present_over_time(staled[1m])
staled > 3
staled unless staled{kind="gap"}
""".strip().split("\n")


def played(begin_ms):
    """One that goes on, one that ends, one with a gap, one that ends twice, one of nothing but markers."""
    rng = random.Random(3)
    times = [begin_ms + i * 15000 + rng.randrange(3) for i in range(200)]
    lines = []
    for kind, is_stale in (("goes", lambda i: False), ("ends", lambda i: i == 100), ("gap", lambda i: 60 <= i < 80),
                           ("twice", lambda i: i in (50, 51, 120)), ("never", lambda i: True)):
        samples = []
        for i, t in enumerate(times):
            if kind == "ends" and i > 100:
                break
            samples.append([t, "stale" if is_stale(i) else float(i % 17)])
        lines.append({"labels": {"__name__": "staled", "kind": kind}, "samples": samples})
    return lines


def fetch(connection, path, form):
    connection.request("POST", path, urllib.parse.urlencode(form),
                       {"Content-Type": "application/x-www-form-urlencoded"})
    return json.loads(connection.getresponse().read())


def main():
    scratch, path = sys.argv[1:]
    now = int(time.time())
    begin = now - 3600
    body = snappy(remote.message(played(begin * 1000)))
    barod = remote.Unix(path)
    status, text, _ = remote.post(barod, body)
    if status != 204:
        sys.exit(f"barod: {status} {text}")
    peer = Prometheus(scratch)
    try:
        other = http.client.HTTPConnection("127.0.0.1", peer.port)
        status, text, _ = remote.post(other, body)
        if status // 100 != 2:
            sys.exit(f"prometheus: {status} {text}")
        compared = differing = 0
        for expression in EXPRESSIONS:
            forms = [("/api/v1/query_range", {"query": expression, "start": begin - 60, "end": now, "step": 15})]
            forms += [("/api/v1/query", {"query": expression, "time": begin + i * 97.25}) for i in range(0, 40)]
            for where, form in forms:
                ours, theirs = fetch(barod, where, form), fetch(other, where, form)
                for answer in (ours, theirs):
                    if isinstance(answer.get("data", {}).get("result"), list):
                        answer["data"]["result"].sort(key=lambda r: json.dumps(r["metric"], sort_keys=True))
                compared += 1
                if ours.get("data") != theirs.get("data"):
                    differing += 1
                    print(form, json.dumps(ours)[:300], json.dumps(theirs)[:300])
        print(f"{compared} queries, {differing} differ")
        sys.exit(differing > 0 or compared < 100)
    finally:
        peer.close()


if __name__ == "__main__":
    main()
