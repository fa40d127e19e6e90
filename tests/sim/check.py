#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# check - the rows of a database against the reference observer of a played Lustre.
#
#   check.py --sim baro-sim --fs DIR --until T_S (--path FILE | --connection TEXT)
#            [--evidence FILE --small-disk SERVER]     of a run that whole.py has kept
#
# Counts every entry's total out of the rows, by the rule of doc/formats written down
# here once more, and compares it with what `baro-sim reference` says, to the unit.
# Shares no code with what it checks: rows are read as SQL.
import argparse
import csv
import io
import json
import os
import sqlite3
import subprocess
import sys
from datetime import datetime

import evidence

NS = 1_000_000_000


# ---- rows into totals: the rule of the format's page, written once more ----

def counter(value):
    """Signed bigint of the database to the 64 bits they are."""
    return None if value is None else int(value) % (1 << 64)


def milliseconds(value):
    if value is None:
        return None
    if isinstance(value, int) or str(value).lstrip("-").isdigit():
        return int(value)
    text = str(value).replace(" ", "T")
    if text.endswith("+00"):
        text += ":00"
    return round(datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000)


def read_rows(sql):
    """sql(text) gives (names, rows).  Returns the operations, and each series' rows."""
    header, rows = sql("SELECT * FROM jobstats")
    index = {name: i for i, name in enumerate(header)}
    ops = [name for name in header if name + "_sum" in index]
    series = {}
    for row in rows:
        key = (row[index["target"]], row[index["entry_id"]])
        series.setdefault(key, []).append({
            "t": milliseconds(row[index["timestamp"]]),
            "since": milliseconds(row[index["since"]]),
            "previous": milliseconds(row[index["previous"]]),
            "reset": str(row[index["reset"]]) in ("1", "t", "true"),
            "start": row[index["start_time"]],
            "snapshot": row[index["snapshot_time"]],
            "server": row[index["server"]],
            "samples": {op: counter(row[index[op]]) for op in ops},
            "sum": {op: counter(row[index[op + "_sum"]]) for op in ops},
        })
    for rows in series.values():
        rows.sort(key=lambda r: r["t"])
    return ops, series


def is_zero(row):
    return not any(v for v in row["samples"].values()) and not any(
        v for v in row["sum"].values())


def decreased(before, row):
    for op, value in row["samples"].items():
        old = before["samples"][op]
        if value is not None and old is not None and value < old:
            return True
    for op in ("read_bytes", "write_bytes"):
        value, old = row["sum"].get(op), before["sum"].get(op)
        if value is not None and old is not None and value < old:
            return True
    return False


def predecessor(row, last_of_server, counted):
    """The row that `row` goes on from, or None where it begins anew.

    Rows of two servers may stand mixed: the zero record of a target that came back is
    set at its server's last round without it, when the other one still counted.  So a
    row goes on from the last row of its own server, unless another server has counted
    in between."""
    before = last_of_server.get(row["server"], counted)
    if before is None or row["reset"] or decreased(before, row):
        return None
    if counted is not None and counted["server"] != row["server"] \
            and counted["t"] > before["t"]:
        return None
    if before["start"] and row["start"] and before["start"] != row["start"]:
        return None
    return before


def total_of(rows, ops):
    """Per operation: what is certain, what it is at most, and what it is when a counter
    that the row before did not have adds nothing; then: was anything uncertain?"""
    low = {(op, kind): 0 for op in ops for kind in ("samples", "sum")}
    high, least = dict(low), dict(low)
    last_of_server, counted, uncertain = {}, None, False
    for row in rows:
        if is_zero(row):
            last_of_server[row["server"]] = row
            continue
        base = predecessor(row, last_of_server, counted)
        # Nothing is known before: how much of it is older nobody can say.
        unknown = (counted is None and base is None and not row["start"]
                   and not (row["reset"] and row["since"] is not None))
        for op, kind in low:
            value = row[kind][op]
            if value is None:
                continue
            added = value - ((base[kind][op] or 0) if base else 0)
            high[op, kind] += added
            low[op, kind] += 0 if unknown else added
            is_missing = base is not None and base[kind][op] is None
            least[op, kind] += 0 if unknown or is_missing else added
        uncertain |= unknown and row["since"] is not None
        last_of_server[row["server"]] = counted = row
    return low, high, least, uncertain


def reference(sim, fs, journal, until_s, interval_s):
    text = subprocess.run(
        [sim, "reference", "--fs", fs, "--journal", journal, "--period",
         f"{interval_s}s", "--until", f"@{until_s}", "series"],
        check=True, stdout=subprocess.PIPE).stdout.decode("utf-8", "surrogateescape")
    totals, causes = {}, {}
    for row in csv.reader(io.StringIO(text)):
        if row[0] == "total":
            causes.setdefault(row[1], {})[row[2]] = (int(row[3]), int(row[4]))
        else:
            totals.setdefault((row[0], row[1]), {})[row[2]] = (int(row[3]), int(row[4]))
    return totals, causes


def compare_all(ops, series, wanted):
    """(key, op, kind, got, at most, wanted) of all that differ; how many are known as an
    interval; how many were compared."""
    wrong, intervals, compared = [], 0, 0
    for key in sorted(set(series) | set(wanted)):
        low, high, _, is_interval = total_of(series.get(key, []), ops)
        intervals += is_interval
        for op in ops:
            for n, kind in enumerate(("samples", "sum")):
                want = wanted.get(key, {}).get(op, (0, 0))[n]
                compared += 1
                if low[op, kind] == want or (
                        is_interval and low[op, kind] <= want <= high[op, kind]):
                    continue
                wrong.append((key, op, kind, low[op, kind], high[op, kind], want))
    return wrong, intervals, compared


def write_differing(path, wrong, series, looks):
    """All that is known of each entry that differs: its totals, its rows, and when its
    target was read."""
    entries = {}
    for key, op, kind, got, most, want in wrong:
        entries.setdefault(key, []).append(
            {"op": op, "kind": kind, "got": got, "at_most": most, "wanted": want})
    with open(path, "w") as f:
        for (target, entry), totals in entries.items():
            rows = series.get((target, entry), [])
            json.dump({
                "target": target, "entry": entry,
                "servers": sorted({r["server"] for r in rows}), "differs": totals,
                "rows": [{**r, "samples": {k: v for k, v in r["samples"].items() if v},
                          "sum": {k: v for k, v in r["sum"].items() if v}}
                         for r in rows],
                "looks": [line.split() for line in looks
                          if line.startswith("dump") and line.split()[4] == target],
            }, f)
            f.write("\n")


def compare(sql, sim, fs, until_s, interval_s=120, said=None, small_disk=None,
            complain=print):
    ops, series = read_rows(sql)
    with open(os.path.join(fs, "journal")) as f:
        looks = f.readlines()
    if said:
        looks = said.judge(looks, small_disk, complain)
    journal = os.path.join(fs, "journal.kept")
    with open(journal, "w") as f:
        f.writelines(looks)
    wanted, causes = reference(sim, fs, journal, until_s, interval_s)
    wrong, intervals, compared = compare_all(ops, series, wanted)
    for key, op, kind, got, _, want in wrong[:20]:
        complain(f"{key[0]} {key[1]} {op} {kind}: {got} is not {want}")
    targets = {}
    for key, *_ in wrong:
        targets[key[0]] = targets.get(key[0], 0) + 1
    if wrong:
        complain("differing totals by target: "
                 + ", ".join(f"{t} {n}" for t, n in sorted(targets.items())))
        write_differing(os.path.join(fs, "differing.jsonl"), wrong, series, looks)
    return {
        "rows": sum(len(r) for r in series.values()),
        "series": len(series),
        "reads": sum(1 for line in looks if line.startswith("dump")),
        "reads_dropped": said.dropped if said else {},
        "late_ms_max": max(said.late_ms, default=0) if said else 0,
        "compared": compared,
        "wrong": len(wrong),
        "intervals": intervals,
        "causes": causes,
    }


def print_result(result, out):
    print(f"{result['reads']} reads, {result['rows']} rows, {result['series']} series;"
          f" {result['compared']} totals compared with the reference:"
          f" {result['wrong']} differ; {result['intervals']} series are known as an"
          f" interval",
          file=out)
    if result["late_ms_max"]:
        print(f"  the longest time from asking to dump: {result['late_ms_max'] / 1000:g} s"
              " of the played clock", file=out)
    for cause, count in sorted(result["reads_dropped"].items()):
        print(f"  {count} reads do not count, by their agent's own word: {cause}",
              file=out)
    for cause in ("truth", "reference", "before_first_look", "unpolled_tail",
                  "hidden_reset", "unseen_entry", "counted_again"):
        ops = result["causes"].get(cause, {})
        print(f"  {cause:18} write_bytes {ops.get('write_bytes', (0, 0))[1]:20}"
              f"  read_bytes {ops.get('read_bytes', (0, 0))[1]:20}"
              f"  open {ops.get('open', (0, 0))[0]:12}", file=out)


def ask_baro(baro, arguments, ops, series, complain):
    """What `baro jobstats rates` says of every target and operation, against the same
    rows added up here.  Returns how many sums were compared, and how many differ."""
    first = min(rows[0]["t"] for rows in series.values()) // 1000 - 86400
    last = max(rows[-1]["t"] for rows in series.values()) // 1000 + 60
    mine = {}
    for (target, _), rows in series.items():
        low, _, least, _ = total_of(rows, ops)
        for op in ops:
            kind = "sum" if op.endswith("_bytes") else "samples"
            least_of, low_of = mine.get((target, op), (0, 0))
            mine[target, op] = (least_of + least[op, kind], low_of + low[op, kind])
    compared = wrong = 0
    for op in ops:
        out = subprocess.run(
            [baro, "jobstats", "rates", "--by", "target", "--op", op, "--from",
             f"@{first}", "--to", f"@{last}", "--output", "json", "--limit", "1000",
             *arguments], check=True, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL).stdout
        said = {row["target"]: row[op] or 0 for row in json.loads(out)}
        for target in sorted({t for t, _ in series}):
            compared += 1
            answer = said.get(target, 0)
            least_of, low_of = mine.get((target, op), (0, 0))
            if not least_of <= answer <= low_of:
                wrong += 1
                complain(f"baro jobstats rates: {target} {op}: {answer} is not {low_of}")
    return compared, wrong


def sqlite_reader(path):
    def sql(text):
        db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        db.text_factory = lambda b: b.decode("utf-8", "surrogateescape")
        cursor = db.execute(text)
        rows = cursor.fetchall()
        header = [d[0] for d in cursor.description]
        db.close()
        return header, rows
    return sql


def postgres_reader(connection):
    def sql(text):
        out = subprocess.run(["psql", "-X", "-q", "--csv", "-d", connection, "-c", text],
                             check=True, stdout=subprocess.PIPE).stdout
        rows = csv.reader(io.StringIO(out.decode("utf-8", "surrogateescape")))
        header = next(rows)
        return header, [[None if v == "" else v for v in row] for row in rows]
    return sql


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sim", required=True)
    parser.add_argument("--fs", required=True)
    parser.add_argument("--until", type=float, required=True)
    parser.add_argument("--interval", type=int, default=120)
    parser.add_argument("--path")
    parser.add_argument("--connection")
    parser.add_argument("--evidence", help="evidence.json: which reads count")
    parser.add_argument("--small-disk", help="the server whose spool may be full")
    parser.add_argument("--baro", help="also hold what this program answers against it")
    args = parser.parse_args()
    sql = sqlite_reader(args.path) if args.path else postgres_reader(args.connection)
    said = evidence.Evidence.load(args.evidence) if args.evidence else None
    result = compare(sql, args.sim, args.fs, args.until, args.interval, said,
                     args.small_disk)
    print_result(result, sys.stdout)
    asked = wrong = 0
    if args.baro:
        ops, series = read_rows(sql)
        asked, wrong = ask_baro(args.baro, ["--records", args.path or args.connection],
                                ops, series, print)
        print(f"{asked} answers of baro compared: {wrong} differ")
    return 1 if wrong or result["wrong"] or not result["rows"] else 0


if __name__ == "__main__":
    sys.exit(main())
