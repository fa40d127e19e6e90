# SPDX-License-Identifier: Apache-2.0
"""Recomputes what the page of a log states, out of the records that baro darshan show prints.

    outermost.py top LOG      the four most common access sizes of all records, and baro's totals
    outermost.py bytes LOG    bytes of each file by its outermost interface, and baro's measure

Prints nothing and exits with 0 where both are the same; else both, and 1.
"""
import collections
import json
import subprocess
import sys


def run(*words):
    return subprocess.run(("baro", *words), capture_output=True, timeout=120, check=False).stdout.decode("utf8", "replace")


def records(log):
    """(module, rank, record id) -> counter -> value"""
    found = collections.defaultdict(dict)
    for line in run("darshan", "show", log).splitlines():
        part = line.split("\t")
        if line.startswith(("POSIX\t", "MPI-IO\t", "MPIIO\t", "STDIO\t")) and len(part) > 5:
            found[part[0], part[1], part[2]][part[3]] = (float(part[4]), part[5])
    return found


def top(log):
    bad = 0
    totals = dict(line.split(": ", 1) for line in run("darshan", "show", "--total", log).splitlines()
                  if line.startswith("total_"))
    found = records(log)
    for name in ("POSIX", "MPIIO"):
        sums = collections.Counter()
        for (_, _, _), counters in found.items():
            for n in "1234":
                size = counters.get(f"{name}_ACCESS{n}_ACCESS", (0, ""))[0]
                count = counters.get(f"{name}_ACCESS{n}_COUNT", (0, ""))[0]
                if count > 0:
                    sums[size] += count
        want = sorted(sums.values(), reverse=True)[:4]
        got = [float(totals.get(f"total_{name}_ACCESS{n}_COUNT", 0)) for n in "1234"]
        sizes = [float(totals.get(f"total_{name}_ACCESS{n}_ACCESS", 0)) for n in "1234"]
        got_right = all(sums[size] == count for size, count in zip(sizes, got) if count > 0)
        if [x for x in got if x > 0] != want or not got_right:
            print(f"{name}: {got} of {sizes}, and of the records {want}")
            bad = 1
    return bad


def bytes_of(log):
    upper = {"MPI-IO": "MPIIO"}
    found = records(log)
    ids = {key[2] for key in found if key[0] in ("MPI-IO", "MPIIO")}
    total = 0
    for (module, _, record), counters in found.items():
        name = upper.get(module, module)
        if name not in ("POSIX", "MPIIO", "STDIO") or (name == "POSIX" and record in ids):
            continue
        moved = [counters.get(f"{name}_BYTES_{way}", (0, ""))[0] for way in ("READ", "WRITTEN")]
        times = [value for counter, (value, _) in counters.items() if "_F_" in counter and "TIME" in counter]
        if min(moved + times + [0]) < 0 and min(times + [0]) < -1:
            continue  # left out: it cannot be so
        total += sum(moved)
    page = json.loads(run("job", "show", "-o", "json", log))
    got = page["measures"]["bytes"]
    if got != total and not page["suspect_records"]:
        print(f"{got} bytes, and of the records {total}")
        return 1
    return 0


sys.exit({"top": top, "bytes": bytes_of}[sys.argv[1]](sys.argv[2]))
