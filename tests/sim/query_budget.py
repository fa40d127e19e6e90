#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""query_budget - what queries are charged, and whom they are for, as TAP.

    query_budget.py [--hosts N] [--metrics N]

A barod with the smallest query_budget has many series: one /v1/query selects more of
them than the budget has bytes.  A query that never fits is refused as such.  A client
that has shut down its sending side is waited for.
"""
import argparse
import json
import os
import socket
import sys
import time
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import served  # noqa: E402


RESPONSES = 'baro_budget_used_bytes{account="responses"}'
HELD = 'baro_budget_used_bytes{account="queries"}'


class Tap:
    def __init__(self):
        self.count, self.failed = 0, 0

    def ok(self, sentence, holds, detail=""):
        self.count += 1
        self.failed += not holds
        print("%sok %d - %s" % ("" if holds else "not ", self.count, sentence))
        if not holds and detail:
            print("# " + str(detail)[:400])


def value_of(host, metric, options):
    return (host * 7919 + metric * 104729) % 1000003


def write_all(barod, options, now):
    for host in range(options.hosts):
        lines = ["m%03d,cluster=c,hostname=h%04d,type=node value=%d %d"
                 % (metric, host, value_of(host, metric, options), now)
                 for metric in range(options.metrics)]
        status, text = barod.local("/api/write", body="\n".join(lines), method="POST")
        if status not in (200, 204):
            raise SystemExit("write: %d %r" % (status, text))


def query(barod, now, **more):
    words = dict(component="*/*", metric="m*", to="@%d" % (now + 60), **more)
    words["from"] = "@%d" % (now - 60)
    return barod.local("/v1/query?" + urllib.parse.urlencode(words), timeout=120)


def is_given_back(barod, metric):
    """Soon after the response was read."""
    end = time.monotonic() + 60
    while barod.metric(metric) != 0:
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


def query_jobs(barod, tap, now):
    """A long list out of the database is charged to the same account."""
    jobs = "".join(json.dumps({"cluster": "c", "id": str(i), "user": "ann", "name": "n" * 400,
                               "start": now - i, "end": now}) + "\n" for i in range(4000))
    status, text = barod.local("/v1/jobs", body=jobs, method="POST", timeout=120,
                               headers={"Content-Type": "application/x-ndjson"})
    tap.ok("jobs are stored", status == 200, (status, text))
    status, text = barod.local("/v1/jobs?limit=100000&format=lines", timeout=120)
    ids = [json.loads(line)["id"] for line in text.splitlines()] if status == 200 else []
    tap.ok("a list of more of them than fit is cut",
           100 < len(ids) < 4000 and ids == [str(i) for i in range(len(ids))],
           (status, len(ids), text))
    status, text = barod.local("/v1/jobs?limit=100000", timeout=120)
    table = json.loads(text) if status == 200 else {}
    tap.ok("and says so", 100 < len(table.get("rows", [])) < 4000
           and any("more than a response may hold" in note for note in table.get("notes", [])),
           (status, text))
    status, text = barod.local("/v1/jobs?limit=200", timeout=120)
    tap.ok("a shorter one is answered", status == 200, (status, text))
    tap.ok("and nothing is held afterwards", is_given_back(barod, HELD))


def half_closed(barod, path):
    """The status that a client gets which closes its side after its request."""
    s = barod.tcp(60)
    s.sendall(b"GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
              b"Authorization: Bearer %s\r\n\r\n"
              % (path.encode(), barod.tokens["reader"].encode()))
    s.shutdown(socket.SHUT_WR)
    text = b""
    while True:
        piece = s.recv(65536)
        if not piece:
            break
        text += piece
    s.close()
    return int(text.split()[1]) if text else 0


def read_slowly(barod, path):
    """How much of a response a client gets that reads 128 KiB/s; and whether all of it."""
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16384)
    s.settimeout(60)
    s.connect(("127.0.0.1", barod.port))
    s.sendall(b"GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
              b"Authorization: Bearer %s\r\n\r\n"
              % (path.encode(), barod.tokens["reader"].encode()))
    size, last = 0, b""
    try:
        while True:
            piece = s.recv(65536)
            if not piece:
                break
            size, last = size + len(piece), (last + piece)[-5:]
            time.sleep(len(piece) / 131072)
    except OSError:
        pass
    s.close()
    return size, last == b"0\r\n\r\n"


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--hosts", type=int, default=500)
    options.add_argument("--metrics", type=int, default=80)
    options = options.parse_args()
    tap = Tap()
    now = int(time.time())
    pairs = ["c/h%04d m%03d" % (h, m) for h in range(options.hosts)
             for m in range(options.metrics)]
    values = {"c/h%04d m%03d" % (h, m): value_of(h, m, options)
              for h in range(options.hosts) for m in range(options.metrics)}
    with served.Served(net="idle_timeout = 10s\nbody_rate_min = 1MiB\n",
                       more="[barod]\nquery_budget = 1MiB\n[store]\ndirectory = none\nown_metrics = 0s\n"
                            "[write]\nmetrics = open\nstep = 60s\n"
                            "series_share = 100\nmetrics_share = 100\n") as barod:
        write_all(barod, options, now)
        status, text = query(barod, now)
        tap.ok("a query about all series is answered within a small budget", status == 200,
               (status, text))
        got = json.loads(text).get("results", []) if status == 200 else []
        tap.ok("with each series once, in order",
               ["%s %s" % (r["component"], r["metric"]) for r in got] == sorted(pairs),
               len(got))
        status, text = query(barod, now, top=25, by="max")
        got = json.loads(text).get("results", []) if status == 200 else text
        best = sorted(pairs, key=lambda p: (-values[p], p))[:25]
        tap.ok("the largest of all are the largest, in order",
               status == 200 and ["%s %s" % (r["component"], r["metric"]) for r in got] == best,
               got)
        tap.ok("and hold nothing afterwards",
               is_given_back(barod, HELD))
        many = json.dumps({"cluster": "c", "from": now - 60, "to": now,
                           "queries": [{"metric": "m000", "host": "h0000"}] * 20000})
        status, text = barod.local("/api/query", body=many, method="POST")
        tap.ok("a query that never fits is refused as such",
               status == 400 and b"query_budget" in text, (status, text))
        query_jobs(barod, tap, now)
        statuses = [half_closed(barod, "/v1/query?component=c/h0000&metric=m000")
                    for _ in range(20)]
        tap.ok("a client that has shut down its sending side has its response",
               statuses == [200] * 20, statuses)
        path = "/v1/query?component=*/*&metric=m*&from=@%d&to=@%d" % (now - 60, now + 60)
        size, is_whole = read_slowly(barod, path)
        tap.ok("a client that reads a stream too slowly is cut off, however many pieces",
               size > 65536 and not is_whole, (size, is_whole))
        tap.ok("and holds nothing afterwards", is_given_back(barod, RESPONSES))
        statuses = [half_closed(barod, "/v1/jobstats/top") for _ in range(20)]
        tap.ok("from the database, too", statuses == [200] * 20, statuses)
    tap.ok("barod ends well", barod.status == 0, barod.said[-400:])
    print("1..%d" % tap.count)
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main())
