#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""space - what the targets of two file systems held in ten days, with what is planted.

    space.py play END      lines of line protocol, a sample each 10 minutes up to END (seconds)
    space.py check END     the JSON of baro space --by target on standard input, against it

scratch has an MDT and four OSTs; work has one OST that does not change.
    OST0000  grows by 1 % of its size a day, with errors; moves to another server on day 5
    OST0001  the same, but a fifth of its size is removed on day 6
    OST0002  begins empty on day 4
    OST0003  is silent since two days
"""
import json
import random
import sys

DAY = 86400
DAYS = 10
TB = 10 ** 12
# target -> size, used at the beginning (shares of it), growth a day
TARGETS = {
    "scratch-MDT0000": (1 * TB, 0.20, 0.002),
    "scratch-OST0000": (100 * TB, 0.80, 0.010),
    "scratch-OST0001": (100 * TB, 0.60, 0.010),
    "scratch-OST0002": (100 * TB, 0.00, 0.010),
    "scratch-OST0003": (100 * TB, 0.70, 0.010),
    "work-OST0000": (50 * TB, 0.40, 0.000),
}
INODES = 10 ** 9


def used_at(target, day, draw):
    size, begin, growth = TARGETS[target]
    if target == "scratch-OST0002":
        day -= 4
    used = begin + growth * day + draw.uniform(0, 0.002 if growth else 0)
    return size * (used - 0.2 * (target == "scratch-OST0001" and day >= 6))


def is_there(target, day):
    if target == "scratch-OST0002":
        return day >= 4
    return target != "scratch-OST0003" or day < DAYS - 2


def server_of(target, day):
    if target.endswith("MDT0000"):
        return "mds01"
    return "oss02" if target == "scratch-OST0000" and day >= 5 else "oss01"


def play(end):
    draw = random.Random(1622)
    for t in range(end - DAYS * DAY + 600, end + 1, 600):
        day = (t - end) / DAY + DAYS
        for target, (size, _, _) in TARGETS.items():
            if not is_there(target, day):
                continue
            used = used_at(target, day, draw)
            free = size - used
            values = {
                "capacity_bytes": size,
                "free_bytes": free,
                "available_bytes": free - 0.05 * size,
                "files_total": INODES,
                "files_free": INODES * (1 - 0.5 * used / size),
            }
            kind = "mdt" if "MDT" in target else "ost"
            for name, value in values.items():
                print(f"lustre_{name},cluster=lustre,hostname={server_of(target, day)},"
                      f"type={kind},type-id={target} value={value!r} {t}")


def check(end, rows):
    rows = {row["target"]: row for row in rows}
    bad = []

    def hold(what, is_so):
        if not is_so:
            bad.append(what)

    def days_left(row, column):
        import datetime
        at = datetime.datetime.fromisoformat(row[column].replace("Z", "+00:00"))
        return (at.timestamp() - end) / DAY

    hold("all targets", sorted(rows) == sorted(TARGETS))
    for target in ("scratch-OST0000", "scratch-OST0001", "scratch-OST0002"):
        row = rows[target]
        hold(target + " grows", row["outlook"] == "grows")
        hold(target + " growth", abs(row["growth"] / TB - 1) < 0.02)
        hold(target + " interval", 0.95 * TB < row["growth_low"] < row["growth"]
             < row["growth_high"] < 1.05 * TB)
    hold("OST0000 used", abs(rows["scratch-OST0000"]["used"] / TB - 90) < 0.3)
    hold("OST0000 available", abs(rows["scratch-OST0000"]["available"] / TB - 5) < 0.3)
    hold("OST0000 full in 5 days", 3 < days_left(rows["scratch-OST0000"], "full_at") < 6)
    hold("OST0001 cleaned", abs(rows["scratch-OST0001"]["cleaned"] / TB - 20) < 0.5)
    hold("work is unclear", rows["work-OST0000"]["outlook"] == "unclear")
    hold("work has no date", rows["work-OST0000"]["full_at"] is None)
    hold("inodes", abs(rows["scratch-MDT0000"]["inodes_used"] / INODES - 0.11) < 0.002)
    for what in bad:
        print("not so:", what)
    return not bad


def main():
    what, end = sys.argv[1], int(sys.argv[2])
    if what == "play":
        play(end)
    else:
        sys.exit(0 if check(end, json.load(sys.stdin)) else 1)


main()
