#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# check - the rows of a database against the reference observer of a played Lustre.
#
#   check.py --sim baro-sim --fs DIR --until T_S (--path FILE | --connection TEXT)
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


def filtered_journal(fs, series, uncertain, path):
    """The journal without the reads whose rows a kill or a full disk took away: those
    in the uncertain spans (server or None, from_s, to_s) that left no row."""
    seen = set()
    for (target, _), rows in series.items():
        for row in rows:
            if not is_zero(row): # which may stand at any time before
                seen.add((target, row["server"], row["t"] // 1000))
    dropped = 0
    with open(os.path.join(fs, "journal")) as source, open(path, "w") as sink:
        for line in source:
            f = line.split()
            t_s = int(f[1]) // NS
            if f[0] == "dump" and any(
                    (s is None or s == f[2]) and a <= t_s <= b for s, a, b in uncertain):
                # A row has the time at which its agent asked; the dump may come later.
                if not any((f[4], f[2], t_s + d) in seen for d in range(-20, 3)):
                    dropped += 1
                    line = " ".join(["look"] + f[1:4]) + "\n"
            sink.write(line)
    return dropped


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


def compare(sql, sim, fs, until_s, interval_s=120, uncertain=(), complain=print):
    ops, series = read_rows(sql)
    journal = os.path.join(fs, "journal.kept")
    dropped = filtered_journal(fs, series, uncertain, journal)
    wanted, causes = reference(sim, fs, journal, until_s, interval_s)
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
                wrong.append((key, op, kind, low[op, kind], want))
    for key, op, kind, got, want in wrong[:20]:
        complain(f"{key[0]} {key[1]} {op} {kind}: {got} is not {want}")
    targets = {}
    for key, *_ in wrong:
        targets[key[0]] = targets.get(key[0], 0) + 1
    if wrong:
        complain("differing totals by target: "
                 + ", ".join(f"{t} {n}" for t, n in sorted(targets.items())))
    return {
        "rows": sum(len(r) for r in series.values()),
        "series": len(series),
        "reads": sum(1 for line in open(journal) if line.startswith("dump")),
        "reads_dropped": dropped,
        "compared": compared,
        "wrong": len(wrong),
        "intervals": intervals,
        "causes": causes,
    }


def print_result(result, out):
    print(f"{result['reads']} reads, {result['rows']} rows, {result['series']} series;"
          f" {result['compared']} totals compared with the reference:"
          f" {result['wrong']} differ; {result['intervals']} series are known as an"
          f" interval; {result['reads_dropped']} reads were lost with their agent",
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
    parser.add_argument("--baro", help="also hold what this program answers against it")
    args = parser.parse_args()
    sql = sqlite_reader(args.path) if args.path else postgres_reader(args.connection)
    result = compare(sql, args.sim, args.fs, args.until, args.interval)
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
