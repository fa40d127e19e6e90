#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""node_attack - hostile queries to GET /v1/nodes, and an honest client beside them.

    node_attack.py SOCKET FROM TO

Each line that it prints is a check: "good|name|", or "bad|name|what came instead".
"""
import http.client
import json
import socket
import sys
import threading
import urllib.parse

SOCKET, FROM, TO = sys.argv[1], sys.argv[2], sys.argv[3]
RANGE = [("from", "@" + FROM), ("to", "@" + TO)]


class Unix(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(300)
        self.sock.connect(SOCKET)


def get(path):
    client = Unix("x")
    client.request("GET", path)
    response = client.getresponse()
    body = response.read()
    client.close()
    return response.status, body.decode("utf-8", "surrogateescape")


def nodes(params):
    return get("/v1/nodes?" + urllib.parse.urlencode(params, errors="surrogateescape"))


def check(name, good, shown=""):
    print("%s|%s|%s" % ("good" if good else "bad", name, "" if good else ascii(shown)[:600]))


def one(params):
    return RANGE + params


LONG = "a" * 5000
# name, parameters, statuses, what the detail names
REFUSED = [
    ("a component over its length", one([("component", LONG)]), [400], "component"),
    ("a metric over its length", one([("metric", LONG)]), [400], "metric"),
    ("a set whose bracket stays open", one([("component", "alex/a[01-")]), [400], "component"),
    ("a range that counts down", one([("component", "alex/a[9-1]")]), [400], "component"),
    ("twenty components", one([("component", "alex/a%d" % i) for i in range(20)]), [400],
     "component"),
    ("a hundred components", one([("component", "alex/a%d" % i) for i in range(100)]), [400],
     "query"),
    ("a NUL in a component", one([("component", "alex/a\0b")]), [400], "query"),
    ("control bytes in a component", one([("component", "alex/\x1b[31m\n\r")]), [400, 404],
     "component"),
    ("bytes that are no UTF-8", one([("component", "alex/\udcff\udcfe")]), [400, 404],
     "component"),
    ("control bytes in a metric", one([("metric", "\x1b[31m\x07")]), [400, 404], "metric"),
    ("a pattern of two thousand stars", one([("metric", "*" * 2000)]), [400], "metric"),
    ("a window that is no number", one([("window", "NaN")]), [400], "window"),
    ("an endless window", one([("window", "inf")]), [400], "window"),
    ("a negative window", one([("window", "-5m")]), [400], "window"),
    ("a window of nothing", one([("window", "0s")]), [400], "window"),
    ("a window without a unit", one([("window", "60")]), [400], "window"),
    ("a window that overflows", one([("window", "99999999999999999999d")]), [400], "window"),
    ("a last that overflows", [("last", "9999999999999999d")], [400], "last"),
    ("a last that is no number", [("last", "nan")], [400], "last"),
    ("a thousand years in windows of ten seconds",
     [("from", "1970-01-01T00:00Z"), ("to", "2970-01-01T00:00Z"), ("window", "10s")], [400],
     ""),
    ("a range from before all clocks",
     [("from", "0001-01-01T00:00Z"), ("to", "9999-12-31T00:00Z"), ("window", "10s")], [400],
     ""),
    ("seconds at the ends of 64 bits",
     [("from", "@-9223372036854775808"), ("to", "@9223372036854775807")], [400], ""),
    ("nanoseconds at the ends of 64 bits",
     [("from", "@-9223372036"), ("to", "@9223372036"), ("window", "10s")], [400], ""),
    ("a time that is none", [("from", "NaN")], [400], "from"),
    ("a range that ends before it begins", [("from", "@" + TO), ("to", "@" + FROM)], [400],
     "from"),
    ("no limit", one([("limit", "0")]), [400], "limit"),
    ("a negative limit", one([("limit", "-1")]), [400], "limit"),
    ("a limit of 2^64", one([("limit", "18446744073709551616")]), [400], "limit"),
    ("a limit that is no number", one([("limit", "NaN")]), [400], "limit"),
    ("an unknown parameter", one([("steps", "1")]), [400], "steps"),
    ("an empty window", one([("window", "")]), [400], "window"),
]

for name, params, statuses, named in REFUSED:
    status, body = nodes(params)
    try:
        detail = json.loads(body).get("detail", "")
    except ValueError:
        detail = ""
    check(name + " is refused with its name",
          status in statuses and 0 < len(detail) < 520 and named in detail
          and all(c == "\n" or c >= " " for c in body),
          (status, body))

# Legal and harmless: a set is compared with the names that there are, never listed.
for name, component in (("a set of 10^9 hosts", "alex/a[000-999999999]"),
                        ("brackets that multiply to 10^12", "alex/a[0-9999][0-9999][0-9999]")):
    status, body = nodes(one([("component", component)]))
    check(name + " is answered with what there is", status == 200 and len(body) < 100000,
          (status, body))

# Legal and dear: eight clients want the finest windows of all nodes, again and again.
attackers_end = threading.Event()
seen = []


def attack():
    while not attackers_end.is_set():
        seen.append(nodes([("from", "@%d" % (int(TO) - 9990)), ("to", "@" + TO),
                           ("window", "10s"), ("limit", "100000")])[0])


threads = [threading.Thread(target=attack) for _ in range(8)]
for thread in threads:
    thread.start()
honest = []
while len(honest) < 20 or len(seen) < 8:
    honest.append(get("/healthz")[0])
    honest.append(get("/v1/query?metric=cpu_load&component=alex/a033&from=@%s&to=@%s"
                      % (FROM, TO))[0])
attackers_end.set()
for thread in threads:
    thread.join()
check("other clients are served meanwhile", set(honest) == {200}, honest)
check("each costly query has a response, or is refused with a status to try again",
      200 in seen and set(seen) <= {200, 429, 503, 504}, seen)
