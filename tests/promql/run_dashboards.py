# SPDX-License-Identifier: Apache-2.0
"""run_dashboards - each query of dashboards, as Grafana sends it, to a barod.

    run_dashboards.py SOCKET FILE.json...

Values of variables are those that a barod lists; of several the first with which every
query brings data.  Prints a line of TAP a panel, without a plan; a query that is refused or
brings nothing fails.
"""
import http.client
import itertools
import json
import re
import socket
import sys
import time
import urllib.parse

PATH = sys.argv[1]
TRIES_MAX = 400


class Unix(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(PATH)


def send(path, form=None):
    link = Unix("x")
    if form is None:
        link.request("GET", path)
    else:
        link.request("POST", path, urllib.parse.urlencode(form),
                     {"Content-Type": "application/x-www-form-urlencoded"})
    response = link.getresponse()
    body = json.loads(response.read())
    return body if body["status"] == "success" else {"data": {"result": []}, "error": body["error"]}


def fill(text, values, window):
    own = {"__rate_interval": "10s", "__interval": "1s", "__range": "%ds" % window, "__range_s": str(window)}
    return re.sub(r"\$(\w+)", lambda found: {**own, **values}.get(found.group(1), found.group(0)), text)


def values_of(variable, values, start, end):
    selector, label = re.fullmatch(r"label_values\((?:(.*),)?\s*(\w+)\)", variable["definition"]).groups()
    query = [("start", start), ("end", end)]
    if selector:
        query.append(("match[]", fill(selector, values, end - start)))
    return send("/api/v1/label/%s/values?%s" % (label, urllib.parse.urlencode(query)))["data"]


def combinations(variables, values, start, end):
    if not variables:
        yield dict(values)
        return
    for value in values_of(variables[0], values, start, end):
        yield from combinations(variables[1:], {**values, variables[0]["name"]: value}, start, end)


def run(target, values, start, end):
    expression = fill(target["expr"], values, end - start)
    if target.get("instant"):
        result = send("/api/v1/query", {"query": expression, "time": end})
    else:
        result = send("/api/v1/query_range", {"query": expression, "start": start, "end": end, "step": 1})
    return expression, len(result["data"]["result"]), result.get("error")


def missing(dashboard, values, start, end):
    lines = []
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            expression, count, error = run(target, values, start, end)
            if count == 0:
                lines.append((panel["title"], expression, error))
    return lines


def main():
    number = int(sys.argv[2])
    for name in sys.argv[3:]:
        with open(name, encoding="utf-8") as file:
            dashboard = json.load(file)
        end = int(time.time()) - 1
        start = end - 20
        variables = [v for v in dashboard["templating"]["list"] if v["type"] == "query"]
        best, used = None, {}
        for values in itertools.islice(combinations(variables, {}, start, end), TRIES_MAX):
            lines = missing(dashboard, values, start, end)
            if best is None or len(lines) < len(best):
                best, used = lines, values
            if not lines:
                break
        if best is None:
            best = [(panel["title"], "no values of variables", None) for panel in dashboard["panels"]]
        for panel in dashboard["panels"]:
            number += 1
            bad = [line for line in best if line[0] == panel["title"]]
            print("%s %d - %s: %s brings data" % ("not ok" if bad else "ok", number, dashboard["uid"], panel["title"]))
            for _, expression, error in bad:
                print("# %s\n# %s\n# with %s" % (expression, error or "no data", json.dumps(used)))


main()
