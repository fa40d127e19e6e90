#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# fabric_rows - the runs of one system, with what others on its fabric moved meanwhile.
#
#   fabric_rows.py RUNS.csv[.gz] >RUNS-with.csv
#
# For file systems that share a network and have probes of their own at about the same time,
# as Edison's three: what another one moved is what its servers counted in the window of its
# own nearest probe, at most half an hour away.  Other days are, of each of the 14 days
# before and after, the probe nearest to that hour, at most three hours away.
import bisect
import csv
import gzip
import math
import statistics
import sys

NEAR_S, HOURS_S, DAYS, DAY_S = 1800, 3 * 3600, 14, 86400
COLUMNS = ["fabric_times_usual", "fabric_other_days", "fabric_other_days_as_much"]


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return math.nan


def read(path):
    with (gzip.open(path, "rt") if path.endswith(".gz") else open(path)) as f:
        rows = list(csv.reader(f))
    header = rows[0]
    if len(rows[1]) == len(header) + 1:  # a nameless column of row numbers
        header = ["row"] + header
    return header, rows[1:]


def windows(header, rows):
    at = {name: header.index(name) for name in header}
    found = {}
    for row in rows:
        start, end = (number(row[at[n]]) for n in ("_datetime_start", "_datetime_end"))
        moved = sum(number(row[at[n]]) for n in ("fs_tot_bytes_read", "fs_tot_bytes_written"))
        if end > start and moved >= 0:
            found.setdefault(row[at["_file_system"]], []).append((start, moved / (end - start)))
    return {name: sorted(of) for name, of in found.items()}


def nearest(of, t, within):
    i = bisect.bisect(of, (t, 0))
    near = min(of[max(0, i - 1):i + 1], key=lambda w: abs(w[0] - t), default=(math.inf, 0))
    return near[1] if abs(near[0] - t) <= within else math.nan


def around(found, name, start):
    others = [of for other, of in found.items() if other != name]
    rates = [nearest(of, start, NEAR_S) for of in others]
    others = [of for of, rate in zip(others, rates) if not math.isnan(rate)]
    rate = sum(r for r in rates if not math.isnan(r))
    if not others:
        return ["", "", ""]
    days = [sum(nearest(of, start + day * DAY_S, HOURS_S) for of in others)
            for day in range(-DAYS, DAYS + 1) if day != 0]
    days = [d for d in days if not math.isnan(d)]
    usual = statistics.median(days) if days else 0
    return [rate / usual if usual > 0 else "", len(days), sum(d >= rate for d in days)]


def main():
    header, rows = read(sys.argv[1])
    found = windows(header, rows)
    out = csv.writer(sys.stdout)
    out.writerow(header + COLUMNS)
    name, start = header.index("_file_system"), header.index("_datetime_start")
    for row in rows:
        t = number(row[start])
        out.writerow(row + (["", "", ""] if math.isnan(t) else around(found, row[name], t)))


if __name__ == "__main__":
    main()
