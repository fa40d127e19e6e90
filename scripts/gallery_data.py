#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gallery_data - the data that scripts/gallery draws; all of it made, none of it measured.

    gallery_data.py         runs.csv, series.sqlite3 and metrics.lines in this directory
    gallery_data.py grey    standard input with its colours as their luminance
"""
import datetime
import math
import re
import sqlite3
import sys


class Chance:
    """Numbers that are the same everywhere: splitmix64."""

    def __init__(self, seed):
        self.state = seed

    def draw(self):
        mask = (1 << 64) - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return ((z ^ (z >> 31)) >> 11) / 2.0**53

    def around(self, width):
        return 1 + width * (self.draw() + self.draw() + self.draw() - 1.5)


def season(day):
    """Fullness of the targets: it grows until a purge, twice a year."""
    return 45 + 40 * ((day % 183) / 183)


def write_runs():
    """A probe a day of four kinds on two file systems; from autumn on the north one is
    crowded by a neighbour, and the day of p0301 is the worst of them."""
    chance = Chance(1)
    start = datetime.datetime(2021, 2, 14, 6, 0)
    kinds = {"ior_fpp_write": 90, "ior_shared_read": 40, "hacc_io_write": 70, "vpic_write": 55}
    with open("runs.csv", "w", encoding="utf-8") as out:
        print("id,start,fs,kind,gib_per_s,coverage,mds_cpu,oss_cpu,opens,fullest,failed_over", file=out)
        for day in range(365):
            at = start + datetime.timedelta(days=day)
            for fs in ("north", "south"):
                crowd = 0.10 + 0.08 * chance.draw()
                if fs == "north" and 210 <= day < 260:
                    crowd += 0.25 * chance.draw()
                if chance.draw() < 0.06:
                    crowd += 0.45 * chance.draw()
                if fs == "north" and day == 301:
                    crowd = 0.72
                opens = 900 * chance.around(0.5) * (6 if chance.draw() < 0.05 else 1)
                fullest = season(day + (90 if fs == "south" else 0)) + 3 * chance.draw()
                failed = 1 if chance.draw() < 0.03 else 0
                mds = 6 + opens / 250 * chance.around(0.2)
                for kind, peak in kinds.items():
                    speed = peak * (1 - crowd) * (1 - max(0, fullest - 70) / 90)
                    speed *= (1 - 0.25 * failed) * chance.around(0.06)
                    coverage = (1 - crowd) * chance.around(0.03)
                    oss = 20 + 45 * crowd * chance.around(0.2)
                    row = [f"p{day:04d}", f"{at:%Y-%m-%dT%H:%M:%SZ}", fs, kind, f"{speed:.2f}",
                           "" if chance.draw() < 0.02 else f"{min(1, coverage):.3f}", f"{mds:.1f}",
                           f"{oss:.1f}", f"{opens:.0f}", f"{fullest:.1f}", str(failed)]
                    print(",".join(row), file=out)


STEP = 60  # seconds
SCHEMA = """
CREATE TABLE TIMESTAMP_INFO (TS_ID, TIMESTAMP, PRIMARY KEY(TS_ID));
CREATE TABLE OST_INFO (OST_ID, OSS_ID, OST_NAME, PRIMARY KEY(OST_ID));
CREATE TABLE OSS_INFO (OSS_ID, HOSTNAME, PRIMARY KEY(OSS_ID));
CREATE TABLE MDS_INFO (MDS_ID, MDS_NAME, HOSTNAME, PRIMARY KEY(MDS_ID));
CREATE TABLE OPERATION_INFO (OPERATION_ID, OPERATION_NAME);
CREATE TABLE OST_DATA (OST_ID, TS_ID, READ_BYTES, WRITE_BYTES, KBYTES_FREE,
    KBYTES_USED, INODES_FREE, INODES_USED, PRIMARY KEY(OST_ID, TS_ID));
CREATE TABLE OSS_DATA (OSS_ID, TS_ID, PCT_CPU, PCT_MEMORY, PRIMARY KEY(OSS_ID, TS_ID));
CREATE TABLE MDS_DATA (MDS_ID, TS_ID, PCT_CPU, PRIMARY KEY(MDS_ID, TS_ID));
CREATE TABLE MDS_OPS_DATA (MDS_ID, TS_ID, OPERATION_ID, SAMPLES,
    PRIMARY KEY(MDS_ID, TS_ID, OPERATION_ID));
INSERT INTO MDS_INFO VALUES (1, 'north-MDT0000', 'mds1');
INSERT INTO OPERATION_INFO VALUES (1, 'open');
"""


def written(ost, minute, chance):
    """MiB/s: everybody's checkpoints every half hour, one job on four targets for
    fifty minutes, and one target that is hammered for twenty."""
    rate = 20 * chance.around(0.6)
    if minute % 30 < 4:
        rate += 420 * chance.around(0.2)
    if 4 <= ost < 8 and 35 <= minute < 85:
        rate += 260 * chance.around(0.2)
    if ost == 9 and 60 <= minute < 80:
        rate += 900 * chance.around(0.1)
    return rate


def read(ost, minute, chance):
    """MiB/s: somebody looks at something, and one job reads its restart from all."""
    rate = 6 * chance.around(0.6)
    if 44 <= minute < 52:
        rate += 180 * chance.around(0.2)
    if ost in (1, 2) and minute >= 95:
        rate += 140 * chance.around(0.3)
    return rate


def write_series():
    """Two hours of twelve targets, as LMT keeps them; a server is silent for a while."""
    chance = Chance(2)
    db = sqlite3.connect("series.sqlite3")
    db.executescript(SCHEMA)
    osts = 12
    for ost in range(osts):
        db.execute("INSERT INTO OST_INFO VALUES (?, ?, ?)", (ost + 1, ost // 3 + 1, f"north-OST{ost:04x}"))
    for oss in range(osts // 3):
        db.execute("INSERT INTO OSS_INFO VALUES (?, ?)", (oss + 1, f"oss{oss + 1:02d}"))
    sums = [[0, 0] for _ in range(osts)]
    start = datetime.datetime(2022, 11, 21, 7, 0)
    for step in range(2 * 3600 // STEP + 1):
        at = start + datetime.timedelta(seconds=STEP * step)
        db.execute("INSERT INTO TIMESTAMP_INFO VALUES (?, ?)", (step + 1, f"{at:%Y-%m-%d %H:%M:%S}"))
        for ost in range(osts):
            silent = 3 <= ost < 6 and 3480 <= step * STEP < 4140
            if step * STEP == 4140 and 3 <= ost < 6:
                sums[ost] = [0, 0]  # its server was started anew
            if not silent:
                db.execute("INSERT INTO OST_DATA VALUES (?, ?, ?, ?, 700, 300, 90, 10)",
                           (ost + 1, step + 1, 1000 + sums[ost][0], 5000 + sums[ost][1]))
            sums[ost][0] += int(read(ost, step * STEP / 60, chance) * STEP * 1048576)
            sums[ost][1] += int(written(ost, step * STEP / 60, chance) * STEP * 1048576)
    db.commit()
    db.close()


def write_metrics():
    """The power that three nodes take over two hours; one of them was away for ten minutes."""
    chance = Chance(3)
    with open("metrics.lines", "w", encoding="utf-8") as out:
        for minute in range(121):
            t_ns = (1669014000 + 60 * minute) * 10**9
            for node in range(3):
                load = 8 + 6 * math.sin(minute / (9 + 4 * node) + node) + 2 * chance.draw()
                if node == 1 and minute >= 70:
                    load = 24 + 2 * chance.draw()
                if node == 2 and 40 <= minute < 50:
                    continue
                print(f"node_power,cluster=alex,hostname=a{node + 1:02d},type=node "
                      f"value={120 + 18 * load:.1f} {t_ns}", file=out)


def grey(match):
    digits = match.group(1)
    if len(digits) == 3:
        digits = "".join(c * 2 for c in digits)
    red, green, blue = (int(digits[i:i + 2], 16) for i in (0, 2, 4))
    level = round(0.2126 * red + 0.7152 * green + 0.0722 * blue)
    return f"#{level:02x}{level:02x}{level:02x}"


if sys.argv[1:] == ["grey"]:
    sys.stdout.write(re.sub(r"#([0-9A-Fa-f]{6}|[0-9A-Fa-f]{3})\b", grey, sys.stdin.read()))
else:
    write_runs()
    write_series()
    write_metrics()
