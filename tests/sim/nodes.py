#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""nodes - an hour of a cluster whose bad nodes are known.

    nodes.py play END [clean]  lines of line protocol, an hour up to END (seconds)
    nodes.py jobs END          its jobs, as they are posted to /v1/jobs
    nodes.py truth END         node, problem, metric, since: what is planted, a line each
    nodes.py check END         the same, against the JSON of baro node on standard input

Cluster alex: job 1 on a[001-060] uses memory, job 2 on a[061-100] computes, a[101-120]
have no job, and g[01-12] have GPUs.
"""
import json
import random
import sys

MINUTES = 60
WINDOW = 300
NODES = [f"a{i:03d}" for i in range(1, 121)] + [f"g{i:02d}" for i in range(1, 13)]
BANDWIDTH = {1: 150.0, 2: 40.0, 0: 0.8}
LOAD = {1: 64.0, 2: 60.0, 0: 0.05}


def job_of(node):
    number = int(node[1:])
    return 0 if node[0] == "g" or number > 100 else 1 if number <= 60 else 2


def planted(begin):
    """node, problem, metric -> since when; a window's beginning where it is one."""
    return {
        ("alex/a017", "silent", ""): begin + 39 * 60,
        ("alex/a033", "low", "mem_bw"): begin + 5 * WINDOW,
        ("alex/a040", "low", "clock"): begin,
        ("alex/a050", "low", "cpu_load"): begin,
        ("alex/a050", "low", "mem_bw"): begin,
        ("alex/a070", "high", "swap_used"): begin + 6 * WINDOW,
        ("alex/a075", "stuck", "cpu_temp"): begin,
        ("alex/a090", "stopped", "cpu_temp"): begin + 29 * 60,
    }


def values_of(node, minute, draw, level):
    job = job_of(node)
    noise = lambda share: 1 + share * draw.gauss(0, 1)
    values = {
        "cpu_load": LOAD[job] * noise(0.03),
        "mem_bw": BANDWIDTH[job] * level * noise(0.04),
        "clock": 2.4 * noise(0.01),
        "cpu_temp": round(55 + 2 * level + draw.gauss(0, 1.5)),
        "swap_used": 0.0,
    }
    if node[0] == "g":
        values["gpu_power"] = 250 * noise(0.1)
        values["gpu_temp"] = 60 * noise(0.05)
    return values


def plant(node, minute, values):
    if node == "a033" and minute >= 25:
        values["mem_bw"] *= 0.6
    elif node == "a040":
        values["clock"] = 1.6
    elif node == "a050":
        values.update(cpu_load=0.02, mem_bw=0.7)
    elif node == "a070" and minute >= 30:
        values["swap_used"] = 4.25e9
    elif node == "a075":
        values["cpu_temp"] = 57
    elif node == "a090" and minute >= 30:
        del values["cpu_temp"]
    elif node == "a017" and minute >= 40:
        values.clear()


def play(begin, is_clean):
    draw = random.Random(1620)
    for node in NODES:
        level = draw.gauss(1, 0.03)
        sent = draw.uniform(0, 1e12)
        for minute in range(MINUTES):
            values = values_of(node, minute, draw, level)
            sent += 60 * 1e6 * draw.uniform(0.8, 1.2)
            values["net_bytes"] = sent
            if not is_clean:
                plant(node, minute, values)
            for name, value in values.items():
                print(f"{name},cluster=alex,hostname={node},type=node value={value!r} "
                      f"{begin + 60 * minute}")


def jobs(begin):
    for job, hosts in ((1, "a[001-060]"), (2, "a[061-100]")):
        start = begin - 7200 * job
        print(json.dumps({"cluster": "alex", "id": str(job), "user": "alice",
                          "start": start, "nodes": hosts}))


def check(begin, text):
    rows = json.loads(text)
    found = {(r["node"], r["problem"], r["metric"] or ""): r["since"] for r in rows}
    wanted = {key: stamp(since) for key, since in planted(begin).items()}
    for key in sorted(set(found) | set(wanted)):
        if found.get(key) != wanted.get(key):
            print(*key, "found", found.get(key), "planted", wanted.get(key))
    return found == wanted


def stamp(t):
    import datetime
    return datetime.datetime.fromtimestamp(t, datetime.timezone.utc).strftime(
        "%Y-%m-%dT%H:%M:%S.000Z")


def main():
    what, begin = sys.argv[1], int(sys.argv[2]) - 3600
    if what == "play":
        play(begin, "clean" in sys.argv)
    elif what == "jobs":
        jobs(begin)
    elif what == "truth":
        for key, since in planted(begin).items():
            print(*key, since)
    else:
        sys.exit(0 if check(begin, sys.stdin.read()) else 1)


main()
