#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make - files of the names that the pages' examples use, in this directory.

    make.py study CONFIG OUT.csv     a table of runs whose columns a mapping file reads
    make.py lmt OUT.sqlite3 FROM TO  an LMT database of eight targets, a row each 30 s
    make.py health TIME...           df.txt and dl.txt with a sample at each time
    make.py metrics NOW              line protocol of the last hours, of a few nodes
"""
import datetime
import random
import re
import sqlite3
import sys

WORD = re.compile(r'"[^"]*"|[A-Za-z_]\w*')
OURS = {"if", "basename", "starts", "contains", "join", "missing", "not", "and", "or", "file"}


def columns(config):
    """What a mapping file reads of a table: the words of its expressions that it does not
    define itself."""
    used, made = [], set(OURS)
    for line in open(config, encoding="utf-8"):
        line = line.strip()
        if line.startswith("[column "):
            made.add(line[8:-1])
        key, _, value = line.partition(" = ")
        if key in ("value", "when", "time", "id", "performance", "require", "optional", "class"):
            used += [w for w in WORD.findall(value) if not w.startswith('"')]
    return [w for w in dict.fromkeys(used) if w not in made]


def study(config, out):
    rng = random.Random(config)
    names = columns(config)
    if "_file_system" not in names:
        names.append("_file_system")
    systems = ("mira-fs1", "mira-fs2") if out.startswith("mira") else ("scratch1", "scratch2")
    special = {
        "_file_system": lambda i: systems[i % 2],
        "_jobid": lambda i: str(4525600 + i),
        "darshan_app": lambda i: "/usr/bin/" + ("hacc_io", "ior")[i // 2 % 2],
        "darshan_nprocs": lambda i: "64",
        "darshan_biggest_write_api_files": lambda i: "64",
        "darshan_biggest_read_api_files": lambda i: "64",
        "darshan_biggest_read_api_bytes": lambda i: str(7 + 2 * (i // 4 % 2)),
        "darshan_biggest_write_api_bytes": lambda i: "8",
    }
    with open(out, "w", encoding="utf-8") as f:
        print(",".join(names), file=f)
        for i in range(240):
            at = datetime.datetime(2017, 3, 1) + datetime.timedelta(days=i // 4, hours=i % 4)
            row = []
            for name in names:
                if name in special:
                    row.append(special[name](i))
                elif "bytes" in name:
                    row.append(str(int(2**36 * (1 + rng.random()))))
                elif "time" in name or name == "start":
                    row.append(f"{at:%Y-%m-%dT%H:%M:%SZ}")
                else:
                    row.append(f"{50 + 40 * rng.random():.3f}")
            print(",".join(row), file=f)


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
INSERT INTO MDS_INFO VALUES (1, 'scratch-MDT0000', 'mds01');
INSERT INTO OPERATION_INFO VALUES (1, 'open');
"""
STEP_S = 30


def lmt(path, begin, end):
    rng = random.Random(path)
    db = sqlite3.connect(path)
    db.executescript(SCHEMA)
    for ost in range(8):
        db.execute("INSERT INTO OST_INFO VALUES (?, ?, ?)",
                   (ost + 1, ost // 2 + 1, f"scratch-OST{ost:04x}"))
    for oss in range(4):
        db.execute("INSERT INTO OSS_INFO VALUES (?, ?)", (oss + 1, f"oss{oss + 1:02d}"))
    sums = [[0, 0] for _ in range(8)]
    for step, at in enumerate(range(begin, end + 1, STEP_S)):
        text = datetime.datetime.fromtimestamp(at, datetime.timezone.utc)
        db.execute("INSERT INTO TIMESTAMP_INFO VALUES (?, ?)", (step + 1, f"{text:%Y-%m-%d %H:%M:%S}"))
        db.execute("INSERT INTO MDS_DATA VALUES (1, ?, ?)", (step + 1, rng.random() * 30))
        db.execute("INSERT INTO MDS_OPS_DATA VALUES (1, ?, 1, ?)", (step + 1, step * 900))
        for ost, (read, written) in enumerate(sums):
            db.execute("INSERT INTO OST_DATA VALUES (?, ?, ?, ?, 700000, 300000, 90, 10)",
                       (ost + 1, step + 1, read, written))
            sums[ost][0] += int(rng.random() * 2**30)
            sums[ost][1] += int(rng.random() * 2**32)
    db.commit()
    db.close()


def health(times):
    with open("df.txt", "w", encoding="utf-8") as df, open("dl.txt", "w", encoding="utf-8") as dl:
        for at in times:
            print(f"BEGIN {at}", file=df)
            print("UUID 1K-blocks Used Available Use% Mounted on", file=df)
            print(f"BEGIN {at}", file=dl)
            for ost in range(8):
                used = 40000 + 5000 * ost
                print(f"scratch-OST{ost:04x}_UUID 100000 {used} {100000 - used} {used // 1000}% "
                      f"/scratch[OST:{ost}]", file=df)
                print(f"{ost:3d} UP osc scratch-OST{ost:04x}-osc-ffff88 8dbd 5 "
                      f"oss{ost // 2 + 1:02d}@tcp", file=dl)


HOSTS = [f"a{n:04d}" for n in (*range(101, 109), *range(901, 905))] + \
    [f"r30c{n:02d}" for n in range(9, 13)]
COUNTERS = ("ib_recv",)


def metrics(now):
    rng = random.Random(1)
    now -= now % 60
    names = sys.argv[3:]
    for at in range(now - 4 * 3600, now + 1, 60):
        for node in HOSTS:
            for name in names:
                if name in COUNTERS:
                    print(f"{name},cluster=alex,hostname={node},type=node "
                          f"value={at * 1000} {at}000000000")
                    continue
                value = 20 + 10 * rng.random() + (200 if node == "a0105" else 0)
                print(f"{name},cluster=alex,hostname={node},type=node "
                      f"value={value:.2f} {at}000000000")


if __name__ == "__main__":
    what, rest = sys.argv[1], sys.argv[2:]
    if what == "study":
        study(*rest)
    elif what == "lmt":
        lmt(rest[0], int(rest[1]), int(rest[2]))
    elif what == "health":
        health([int(t) for t in rest])
    elif what == "metrics":
        metrics(int(rest[0]))
