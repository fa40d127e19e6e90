#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""response_shares - one sender's long responses at the same time, as TAP.

    response_shares.py

A dashboard of one sender makes twelve queries at once whose responses begin short and
become long: what has begun is sent to its end.  Clients on loopback, without tokens, make
sixty queries with zstd at once: compression takes no more memory than there is, and all
of them are answered.
"""
import http.client
import os
import random
import socket
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import served  # noqa: E402
from query_budget import Tap  # noqa: E402

MORE = ("[store]\ndirectory = none\nown_metrics = 0s\n"
        "[write]\nmetrics = open\nstep = 1s\nseries_share = 100\nmetrics_share = 100\n")
POINTS = 60000
SHORT = 1000  # more than one piece of a response
LONG = ["z1", "z2"]
MANY = ["z%03d" % i for i in range(150)]
AT_ONCE = 12
CODED = 60


def write_all(barod, now, hosts, points):
    def write(lines):
        status, text = barod.local("/api/write", body="\n".join(lines), method="POST",
                                   timeout=120)
        if status not in (200, 204):
            raise SystemExit("write: %d %r" % (status, text))

    write(["m,cluster=c,hostname=a%03d,type=node value=1 %d" % (i, now) for i in range(SHORT)])
    chance = random.Random(1)
    for host in hosts:
        write(["m,cluster=c,hostname=%s,type=node value=%d %d"
               % (host, chance.randrange(10 ** 7), now - points + i) for i in range(points)])


def query_path(now):
    return "/v1/query?component=*/*&metric=m&from=@%d&to=@%d" % (now - POINTS, now + 60)


def query_at_once(barod, path):
    """Of each response the status, the size, and whether it was whole."""
    found = [None] * AT_ONCE
    ready = threading.Barrier(AT_ONCE)

    def run(i):
        connection = http.client.HTTPConnection("127.0.0.1", barod.port, timeout=240)
        ready.wait()
        try:
            connection.request("GET", path, headers={
                "Authorization": "Bearer " + barod.tokens["reader"]})
            response = connection.getresponse()
            found[i] = (response.status, len(response.read()), True)
        except (OSError, http.client.HTTPException) as e:
            found[i] = (0, str(e), False)
        connection.close()

    threads = [threading.Thread(target=run, args=(i,)) for i in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def begin(barod, path, coding):
    """A response that is begun and not read further: its status and coding."""
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    s.settimeout(240)
    s.connect(("127.0.0.1", barod.port))
    s.sendall(b"GET %s HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: %s\r\n\r\n"
              % (path.encode(), coding))
    text = b""
    while b"\r\n\r\n" not in text:
        piece = s.recv(512)
        if not piece:
            break
        text += piece
    head = text.split(b"\r\n\r\n")[0].lower()
    return s, int(head.split()[1]) if head else 0, b"content-encoding: zstd" in head


def main():
    tap = Tap()
    now = int(time.time())
    with served.Served(net="response_budget = 16MiB\nthreads = 2\n", more=MORE) as barod:
        write_all(barod, now, LONG, POINTS)
        found = query_at_once(barod, query_path(now))
        peak = barod.metric('baro_budget_peak_bytes{account="responses"}')
        print("# held at most %.1f MiB" % (peak / (1 << 20)))
        tap.ok("what has begun beside others of its sender is sent to its end",
               all(whole for _, _, whole in found) and
               {status for status, _, _ in found} <= {200, 429}, found)
        tap.ok("while three quarters are enough none of them is refused",
               [status for status, _, _ in found] == [200] * AT_ONCE, found)
    with served.Served(net="response_budget = 64MiB\nidle_timeout = 600s\n", more=MORE,
                       has_key=False) as barod:
        write_all(barod, now, MANY, 2000)
        begun = [begin(barod, query_path(now), b"zstd") for _ in range(CODED)]
        statuses = [status for _, status, _ in begun]
        coded = sum(is_coded for _, _, is_coded in begun)
        held = barod.metric('baro_budget_used_bytes{account="responses"}')
        print("# %d of %d coded, held %.1f MiB" % (coded, CODED, held / (1 << 20)))
        tap.ok("clients that take zstd are answered as those that do not",
               statuses == [200] * CODED, sorted(statuses))
        tap.ok("some with zstd, the rest plain", 0 < coded < CODED, coded)
        for s, _, _ in begun:
            s.close()
    tap.ok("barod ends well", barod.status == 0, barod.said[-400:])
    print("1..%d" % tap.count)
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main())
