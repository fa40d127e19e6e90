#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A history of components' health, and what a report of it has to state.

    oracle.py history SEED NOW_S           SQL that stores the history; on standard output
    oracle.py check SEED NOW_S FROM_S TO_S [class=C] [host=H]  <report.json
                                          compares every figure; prints what differs

Worked out apart from the programs: second by second over all states of a component, not from
change to change, and with fractions.
"""
import json
import random
import sys
from fractions import Fraction

STEP = 600  # seconds between two moments at which something may change
MOMENTS = 900
RANK = {"up": 0, "unknown": 1, "degraded": 2, "down": 3}


def components(seed):
    """component -> source -> [(moment, health)]"""
    rnd = random.Random(seed)
    found = {}
    for host in range(40):
        path = f"alex/a{host:02d}" + ("-x" if host % 9 == 4 else "")
        found[path] = {"system:presence": states(rnd, 0.01, ["up", "unknown"]),
                       "system:ping": states(rnd, 0.02, ["up", "up", "down", "degraded", "unknown"])}
        if host % 3 == 0:
            found[path]["admin"] = states(rnd, 0.01, ["up", "drained", "drained", "down"])
        if host % 7 == 0:
            found[path]["user:carol"] = states(rnd, 0.02, ["up", "down"])
        for part in range(rnd.randrange(4)):
            kind = rnd.choice(["dimm", "disk", "GPU"])
            found[f"{path}/{kind}:{part}"] = {
                "system:edac": states(rnd, 0.02, ["up", "degraded", "down"]),
                "system:other": states(rnd, 0.005, ["up", "down"])}
    for target in range(6):
        found[f"scratch/scratch-OST{target:04x}"] = {"system:target@login1": states(rnd, 0.01, ["up", "degraded", "down"])}
    found["scratch/scratch-MDT0000"] = {"system:target@login1": [(0, "up")]}
    found["alex/quiet"] = {"system:ping": [(500, "up")]}
    return found


def states(rnd, chance, healths):
    at, found = rnd.choice([0, 0, 0, rnd.randrange(MOMENTS)]), []
    while at < MOMENTS:
        health = rnd.choice(healths)
        if not found or found[-1][1] != health:
            found.append((at, health))
        at += 1 + int(rnd.expovariate(chance))
    return found or [(MOMENTS - 1, "up")]


def held_only(path, source):
    """What was stated before the history begins: what holds is all there is of it."""
    return path == "alex/quiet" or (source == "system:other" and hash_of(path) % 5 == 0)


def hash_of(path):
    return sum(path.encode())


def second_of(moment, now):
    return now - (MOMENTS - moment) * STEP


def history(seed, now):
    print("BEGIN;")
    for path, sources in components(seed).items():
        for source, changes in sources.items():
            if held_only(path, source):
                changes = changes[-1:]
            for table in "resource_changes", "resource_statements":
                if table == "resource_changes" and held_only(path, source):
                    continue
                for moment, health in changes if table == "resource_changes" else changes[-1:]:
                    t = second_of(moment, now)
                    reason = "NULL" if health == "up" else f"'it is {health}'"
                    print(f"INSERT INTO {table} (component, source, start_ns, end_ns, health, reason, told_ms) VALUES "
                          f"('{path}', '{source}', {t}000000000, {t}000000000, '{health}', {reason}, {t}000);")
    print("COMMIT;")


def class_of(path):
    levels = path.split("/")
    if len(levels) > 2:
        return levels[-1].split(":")[0].lower()
    return {"OST": "ost", "MDT": "mdt"}.get(path[-7:-4], "host")


def walk(path, all_of, now):
    """At each moment: None (nothing is stated), or the health and whether it is drained."""
    sources = {s: ([c[-1]] if held_only(path, s) else c) for s, c in all_of[path].items() if not s.startswith("user:")}
    host = "/".join(path.split("/")[:2])
    silence = all_of.get(host, {}).get("system:presence", []) if host != path else []
    for moment in range(MOMENTS + 1):
        now_of = {s: [h for m, h in c if m <= moment][-1:] for s, c in sources.items()}
        stated = [h[0] for h in now_of.values() if h]
        if not stated:
            yield None
            continue
        others = [h for h in stated if h != "drained"]
        health = max(others, key=RANK.get) if others else "unknown"
        if health == "up" and [h for m, h in silence if m <= moment][-1:] == ["unknown"]:
            health = "unknown"
        yield health, "drained" in stated


def figures(path, all_of, now, begin, end):
    """One component, None where it was not there."""
    f = dict(components=1, failures=0, degraded=0, drains=0, repairs_unknown=0, failed_at=[], repair=[],
             time=dict.fromkeys(["up", "degraded", "down", "unknown", "drained"], 0), down_at_end=0)
    open_since, was_unknown, worn, drained, seen = None, False, False, False, False
    for moment, state in enumerate(walk(path, all_of, now)):
        t = second_of(moment, now)
        if t >= end:
            break
        if state is None:
            continue
        health, is_drained = state
        passed = min(t + STEP, end) - max(t, begin)
        if passed > 0:
            seen = True
            f["time"]["drained" if is_drained else health] += passed
        inside = t >= begin
        f["drains"] += inside and is_drained and not drained
        drained = is_drained
        if health == "unknown":
            was_unknown = True
        elif health == "down":
            if open_since is None and not is_drained:
                open_since, was_unknown = t, False
                if inside:
                    f["failures"] += 1
                    f["failed_at"].append(t)
        elif open_since is not None:
            if inside and was_unknown:
                f["repairs_unknown"] += 1
            elif inside:
                f["repair"].append(t - open_since)
            open_since = None
        if health == "degraded" and not worn and not is_drained:
            worn = True
            f["degraded"] += inside
        worn = {"up": False, "down": True}.get(health, worn)
    f["down_at_end"] = int(open_since is not None)
    f["interval"] = [b - a for a, b in zip(f["failed_at"], f["failed_at"][1:])]
    return f if seen else None


def percentile(lengths, p):
    lengths = sorted(lengths)
    if not lengths:
        return None
    at = Fraction(len(lengths) - 1) * p / 100
    low = int(at)
    high = min(low + 1, len(lengths) - 1)
    return lengths[low] + (lengths[high] - lengths[low]) * (at - low)


def row_of(of):
    time = {k: sum(f["time"][k] for f in of) for k in of[0]["time"]}
    observed = time["up"] + time["degraded"] + time["down"]
    repair = [x for f in of for x in f["repair"]]
    interval = [x for f in of for x in f["interval"]]
    row = {k: sum(f[k] for f in of) for k in ["components", "failures", "degraded", "drains", "repairs_unknown", "down_at_end"]}
    hours = {"observed": observed,
             "mtbf": Fraction(observed, row["failures"]) if row["failures"] else None,
             "repair_mean": Fraction(sum(repair), len(repair)) if repair else None,
             "repair_median": percentile(repair, 50), "interval_p10": percentile(interval, 10),
             "interval_p50": percentile(interval, 50), "interval_p90": percentile(interval, 90)}
    hours.update({f"{k}_time": time[k] for k in ["down", "degraded", "unknown", "drained"]})
    row.update({k: None if v is None else Fraction(v) / 3600 for k, v in hours.items()})
    row["availability"] = Fraction(100 * (observed - time["down"]), observed) if observed else None
    row["repairs"], row["intervals"] = len(repair), len(interval)
    return row


def check(seed, now, begin, end, only):
    all_of, by_class = components(seed), {}
    for path in sorted(all_of):
        if only.get("class", class_of(path)) != class_of(path) or only.get("host", path.split("/")[1]) != path.split("/")[1]:
            continue
        one = figures(path, all_of, now, begin, end)
        if one:
            by_class.setdefault(class_of(path), []).append((path, one))
    wanted = []
    for name in sorted(by_class):
        of = by_class[name]
        wanted.append((name, None, row_of([f for _, f in of])))
        bad = [(p, f) for p, f in of if f["failures"] or f["degraded"] or f["time"]["down"]]
        bad.sort(key=lambda x: (-x[1]["failures"], -x[1]["time"]["down"], -x[1]["degraded"], x[0]))
        wanted += [(name, p, row_of([f])) for p, f in bad[:3]]
    got = json.load(sys.stdin)
    wrong = [] if len(got) == len(wanted) else [f"{len(got)} rows, not {len(wanted)}"]
    for row, (name, path, figures_of) in zip(got, wanted):
        if (row["class"], row.get("component")) != (name, path):
            wrong.append(f"{row['class']} {row.get('component')}, not {name} {path}")
        for key, want in figures_of.items():
            have = row.get(key)
            same = have == want if want is None or have is None else abs(have - want) <= 1e-9 * abs(want)
            if not same:
                wrong.append(f"{name} {path} {key}: {have}, not {want if want is None else float(want)}")
    print("\n".join(wrong[:12]) if wrong else f"{len(wanted)} rows")


if sys.argv[1] == "history":
    history(int(sys.argv[2]), int(sys.argv[3]))
else:
    check(*(int(x) for x in sys.argv[2:6]), dict(x.split("=") for x in sys.argv[6:]))
