#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""http_oracle: the same samples in barod and in Prometheus, the same requests to /api/v1 of both.

    http_oracle.py SCRATCH SOCKET      barod listens on SOCKET; Prometheus is started in SCRATCH

Samples are written to barod as line protocol, and to Prometheus by remote write with the labels that
barod gives components.  Answers are compared by oracle.verdict(); prints a line for each that differs.
"""
import http.client
import json
import math
import random
import socket
import sys
import time
import urllib.parse

import oracle

HOSTS, CPUS, LENGTH_S = 12, 4, 3600


class Barod(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("barod")
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.connect(self.path)

    def request_form(self, method, path, form):
        text = urllib.parse.urlencode(form)
        if method == "GET":
            self.request("GET", path + "?" + text)
        else:
            self.request("POST", path, text, {"Content-Type": "application/x-www-form-urlencoded"})
        response = self.getresponse()
        return response.status, response.read()


class Peer(oracle.Prometheus):
    def request_form(self, method, path, form):
        text = urllib.parse.urlencode(form)
        if method == "GET":
            self.connection.request("GET", path + "?" + text)
        else:
            self.connection.request("POST", path, text, {"Content-Type": "application/x-www-form-urlencoded"})
        response = self.connection.getresponse()
        return response.status, response.read()


def played(begin_s):
    """(labels, [(time_ms, value)]): gauges and counters of hosts and their CPUs, with gaps and resets."""
    rng, series = random.Random(11), []
    for h in range(HOSTS):
        host = {"cluster": "alex" if h % 3 else "fritz", "hostname": f"n{h:03d}"}
        for name, is_counter in (("cpu_load", False), ("net_bytes", True), ("mem_used", False)):
            value, samples, t = rng.random() * 50, [], begin_s * 1000 + rng.randrange(15000)
            while t <= (begin_s + LENGTH_S) * 1000:
                value = value + rng.randrange(1000) if is_counter else rng.choice([rng.gauss(40, 9), 0.0, value])
                if is_counter and rng.random() < 0.01:
                    value = 0.0
                if not (h == 5 and 1000 < t / 1000 - begin_s < 1900):
                    samples.append((t, float(value)))
                t += 15000 + rng.choice([0, 0, 1, -1, 7])
            series.append(({"__name__": name, **host}, samples))
        for c in range(CPUS):
            samples = [((begin_s + i * 60) * 1000, float(rng.randrange(4000)) / 8) for i in range(LENGTH_S // 60)
                       if rng.random() > 0.05]
            series.append(({"__name__": "clock", **host, "type": "hwthread", "type_id": str(c)}, samples))
    series.append(({"__name__": "nfs4.read", "cluster": "alex", "hostname": "n001"},
                   [((begin_s + i * 60) * 1000, float(i)) for i in range(60)]))
    return sorted(series, key=lambda s: sorted(s[0].items()))


TAGS = {"cluster": "cluster", "hostname": "hostname", "type": "type", "type_id": "type-id"}


def write_lines(barod, series):
    lines = []
    for labels, samples in series:
        tags = "".join(f",{tag}={labels[name]}" for name, tag in TAGS.items() if name in labels)
        lines += [f"{labels['__name__']}{tags} value={value!r} {t}" for t, value in samples]
    for i in range(0, len(lines), 5000):
        barod.request("POST", "/api/write?precision=ms", "\n".join(lines[i:i + 5000]) + "\n")
        response = barod.getresponse()
        text = response.read()
        if response.status != 200 or text:
            sys.exit(f"write: {response.status} {text[:300]}")


EXPRESSIONS = r"""
cpu_load
{__name__="nfs4.read"}
{__name__=~"cpu_.*|mem_.*",cluster="alex",hostname="n001"}
cpu_load{cluster="fritz"}
cpu_load{hostname=~"n00[1-3]"}
cpu_load{hostname!~"n00.*",cluster!="fritz"}
clock{type="hwthread",type_id="2"}
clock{type_id=~"0|1"} > 250
rate(net_bytes[5m])
irate(net_bytes{cluster="alex"}[2m])
increase(net_bytes[10m] offset 5m)
sum by (cluster) (rate(net_bytes[5m]))
avg without (type_id) (clock)
max by (hostname) (clock) / on (hostname) group_left () avg by (hostname) (clock)
topk(3, max_over_time(cpu_load[10m]))
quantile by (cluster) (0.9, cpu_load)
count_values("v", clock > bool 250)
stddev_over_time(cpu_load[15m])
absent(cpu_load{hostname="nobody"})
absent(nothing)
cpu_load and on (hostname) mem_used > 40
cpu_load unless on (hostname) (mem_used > 40)
label_replace(cpu_load, "node", "$1", "hostname", "n0*(.+)")
label_join(clock, "core", "/", "hostname", "type_id")
max_over_time(sum by (cluster) (rate(net_bytes[2m]))[20m:1m])
deriv(mem_used[10m])
predict_linear(mem_used[10m], 600)
changes(cpu_load[10m])
resets(net_bytes[30m])
sort_desc(sum by (hostname) (clock))
histogram_quantile(0.5, clock)
clamp(cpu_load, 10, 30)
time() - timestamp(clock)
vector(1)
scalar(count(cpu_load))
1 + 1
"a text"
count({cluster="alex"})
last_over_time(clock[5m])
present_over_time(cpu_load{hostname="n005"}[5m])
cpu_load @ end()
sum(
rate(net_bytes)
cpu_load{hostname=~"("}
nosuch(1)
{}
cpu_load + on (cluster) mem_used
cpu_load[5m]
-cpu_load ^ 2
"""


def requests(begin_s):
    """(kind, method, path, form)"""
    end_s = begin_s + LENGTH_S
    for n, line in enumerate(EXPRESSIONS.strip().split("\n")):
        method = ("GET", "POST")[n % 2]
        for k in range(3):
            yield "instant", method, "/api/v1/query", {"query": line, "time": begin_s + 700 + 911 * k + n / 8}
        for step in ("15", "60s", "7m"):
            yield "range", method, "/api/v1/query_range", {"query": line, "start": begin_s + 300.5, "end": end_s - n,
                                                           "step": step}
        yield "exact", method, "/api/v1/format_query", {"query": line}
    yield "instant", "POST", "/api/v1/query", {"query": "1+1", "time": "4"}  # a data source's health check
    for form in ({}, {"query": "x", "time": "soon"}, {"query": ""}, {"query": "x", "time": "1e400"}):
        yield "instant", "GET", "/api/v1/query", form
    at = {"query": "cpu_load", "start": begin_s, "end": end_s, "step": 15}
    for change in ({"step": 0}, {"step": "x"}, {"step": -1}, {"end": begin_s - 1}, {"step": 0.1}, {"start": ""}):
        yield "range", "GET", "/api/v1/query_range", {**at, **change}
    when = {"start": begin_s, "end": end_s}
    iso = {k: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(v)) for k, v in when.items()}
    for method in ("GET", "POST"):
        for form in ({}, when, iso, {"match[]": "clock", **when}, {"match[]": 'x{a="b"}'}, {"match[]": "rate(x[1m])"}):
            yield "exact", method, "/api/v1/labels", form
        for form in ({}, {"match[]": "clock", **when}, {"match[]": 'cpu_load{hostname=~"n00[12]"}'},
                     {"match[]": '{__name__=~"clock|nfs.*",hostname="n001"}'}, {"match[]": "{}"}, {"match[]": "x["}):
            yield "exact", method, "/api/v1/series", form
    for name in ("__name__", "cluster", "hostname", "type", "type_id", "nothing", "a-b"):
        for form in ({}, {"match[]": "clock"}, {"match[]": 'cpu_load{cluster="fritz"}', **when}):
            yield "exact", "GET", f"/api/v1/label/{name}/values", form


def verdict(kind, form, ours, theirs):
    (status, text), (their_status, their_text) = ours, theirs
    if status != their_status:
        return f"status {status}, not {their_status}"
    mine, their = json.loads(text), json.loads(their_text)
    if mine["status"] == "error" or their["status"] == "error":
        same = mine.get("errorType") == their.get("errorType") and mine.get("error")
        return "error" if same else f"errorType {mine.get('errorType')}, not {their.get('errorType')}"
    if kind == "exact":
        a, b = mine["data"], their["data"]
        if a and isinstance(a[0], dict):
            a, b = (sorted(x, key=lambda s: json.dumps(s, sort_keys=True)) for x in (a, b))
        return "equal" if a == b else "unequal"
    return oracle.verdict(form.get("query", ""), kind == "range", mine, their)


def main():
    scratch, path = sys.argv[1:]
    oracle.START_S = begin_s = int(time.time()) // 60 * 60 - LENGTH_S - 120
    oracle.LENGTH_S = LENGTH_S
    series = played(begin_s)
    barod = Barod(path)
    write_lines(barod, series)
    peer, counts, fine = Peer(scratch), {}, {"equal", "order", "libm", "summation", "ties", "error"}
    try:
        oracle.remote_write(peer.port, series)
        for kind, method, where, form in requests(begin_s):
            ours, theirs = barod.request_form(method, where, form), peer.request_form(method, where, form)
            result = verdict(kind, form, ours, theirs)
            counts[result if result in fine else "unequal"] = counts.get(result if result in fine else "unequal", 0) + 1
            if result not in fine:
                print(f"{result}\t{kind}\t{method} {where}\t{form}\n  ours   {ours[0]} {ours[1][:500]!r}\n"
                      f"  theirs {theirs[0]} {theirs[1][:500]!r}")
    finally:
        peer.close()
    print("total", sum(counts.values()), " ".join(f"{k}={v}" for k, v in sorted(counts.items())))
    return 1 if counts.get("unequal") or math.isclose(counts.get("equal", 0), 0) else 0


if __name__ == "__main__":
    sys.exit(main())
