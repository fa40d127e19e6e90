# SPDX-License-Identifier: Apache-2.0
"""run_sql_panels - each SQL query of dashboards, as Grafana's PostgreSQL data source sends it.

    run_sql_panels.py FIRST FROM TO INTERVAL OUT FILE.json...

Queries go to psql, whose database and role are those of its environment, in a transaction
that only reads.  Variables have the first value that their own query brings; macros are written as
Grafana writes them.  Prints a line of TAP a query, numbered after FIRST; a query fails that
is refused, that brings no row, or whose columns are not those of a time series.  Rows go to
OUT: dashboard, title, then time, metric and value.
"""
import csv
import io
import json
import re
import subprocess
import sys
import time

number, begin, end = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
interval, out = sys.argv[4], open(sys.argv[5], "w", encoding="utf-8")
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def stamp(t):
    return "'%s'" % time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(t))


def macro(found):
    name, arguments = found.group(1), [a.strip() for a in found.group(2).split(",")]
    if name == "__timeFilter":
        return "%s BETWEEN %s AND %s" % (arguments[0], stamp(begin), stamp(end))
    if name == "__timeGroup":
        step = arguments[1].strip("'")
        seconds = int(step[:-1]) * SECONDS[step[-1]]
        return "floor(extract(epoch from %s)/%d)*%d" % (arguments[0], seconds, seconds)
    raise ValueError("Grafana's macro %s is not known here" % name)


def filled(text, values):
    text = re.sub(r"\$(?!__)(\w+)", lambda found: values[found.group(1)].replace("'", "''"), text)
    return re.sub(r"\$(__\w+)\(([^)]*)\)", macro, text.replace("$__interval", interval))


def query(text):
    """(rows with their names first, "") or ([], what psql complained of)."""
    done = subprocess.run(["psql", "-XqAt", "--csv", "-P", "tuples_only=off", "-v", "ON_ERROR_STOP=1", "-c",
                           "BEGIN READ ONLY", "-c", text, "-c", "COMMIT"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return [], done.stderr.strip()
    return list(csv.reader(io.StringIO(done.stdout))), ""


def result(title, is_good, *lines):
    global number
    number += 1
    print("%s %d - %s" % ("ok" if is_good else "not ok", number, title))
    for line in [] if is_good else lines:
        print("# %s" % str(line).replace("\n", "\n# "))


def run_dashboard(dashboard):
    values = {}
    for variable in dashboard["templating"]["list"]:
        if variable["type"] != "query":
            continue
        text = filled(variable["query"], values)
        rows, error = query(text)
        result("%s: variable %s has values" % (dashboard["uid"], variable["name"]), len(rows) > 1, text, error)
        values[variable["name"]] = rows[1][0] if len(rows) > 1 else ""
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            text = filled(target["rawSql"], values)
            rows, error = query(text)
            with_value = [row for row in rows[1:] if row[2] and float(row[2]) > 0]
            is_series = rows[:1] == [["time", "metric", "value"]] and rows[1:] == sorted(
                rows[1:], key=lambda row: float(row[0]))
            result("%s: %s brings data" % (dashboard["uid"], panel["title"]), with_value and is_series, text, error)
            for row in [row for row in rows[1:] if row[2]]:
                out.write("\t".join([dashboard["uid"], panel["title"]] + row) + "\n")


for name in sys.argv[6:]:
    with open(name, encoding="utf-8") as source:
        run_dashboard(json.load(source))
