#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""unread_responses - clients ask for long responses and do not read them.

    unread_responses.py [--connections N] [--names N] [--budget MIB]

Each connection asks for the health of hosts that are not there, which makes a long
response out of a short request, and reads nothing.  The connections are of eight
senders: one alone has its share soon (half_sent_bodies.py).  barod may hold the budget of
responses of them and no more; beyond it the response is 429 or 503 with Retry-After, and
small requests are served all the while.  When the connections are closed everything is
given back.
"""
import argparse
import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../sim"))
import served  # noqa: E402

MIB = 1 << 20
USED = 'baro_budget_used_bytes{account="responses"}'
PEAK = 'baro_budget_peak_bytes{account="responses"}'
REFUSED = 'baro_budget_refusals_total{account="responses"}'


SENDERS = 8


def ask(barod, token, body):
    s = barod.tcp(60)
    request = (b"POST /api/healthcheck HTTP/1.1\r\nHost: localhost\r\n"
               b"Authorization: Bearer %s\r\nContent-Length: %d\r\n\r\n"
               % (token.encode(), len(body)))
    try:
        s.sendall(request + body)
    except OSError:
        pass  # refused amid its body, and closed
    return s


def wait_until(condition, seconds):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--connections", type=int, default=40)
    options.add_argument("--names", type=int, default=500000)
    options.add_argument("--budget", type=int, default=256)
    options = options.parse_args()
    names = ["h%d" % i for i in range(options.names)]
    body = json.dumps({"cluster": "c", "metric-names": [], "nodes": names}).encode()
    net = "response_budget = %dMiB\nidle_timeout = 600s\nrate_bytes = 0B" % options.budget
    failures = []
    with served.Served(net=net, more="[store]\ndirectory = none\n") as barod:
        before = barod.rss_bytes()
        status, whole = barod.get("/api/healthcheck", body=body, method="POST", timeout=120)
        if status != 200:
            failures.append("one response: %d" % status)
        idle = barod.rss_bytes()
        sockets, requests = [], barod.metric("baro_net_requests_total")
        tokens = [barod.tokens["reader"]]
        tokens += [barod.new_token("reader") for _ in range(SENDERS - 1)]
        for i in range(options.connections):
            sockets.append(ask(barod, tokens[i % SENDERS], body))
        # The second class of a status is counted when its response begins.
        answered = lambda: (barod.metric(USED) + len(whole) > options.budget * MIB or
                            barod.metric(REFUSED) > 0)
        if not wait_until(answered, 300):
            failures.append("the budget was never full")
        served_all = lambda: (barod.metric("baro_net_requests_total") >
                              requests + options.connections)
        wait_until(served_all, 300)
        rss, peak = barod.status_of("VmHWM"), barod.metric(PEAK)
        health = barod.get("/v1/whoami")[0]
        status, text = barod.get("/api/healthcheck", body=body, method="POST", timeout=300)
        for s in sockets:
            s.close()
        if status not in (429, 503):
            failures.append("a further long response: %d %r" % (status, text[:80]))
        if health != 200:
            failures.append("a small request: %d" % health)
        if peak > options.budget * MIB:
            failures.append("responses took %d bytes" % peak)
        if not wait_until(lambda: barod.metric(USED) == 0, 60):
            failures.append("not given back: %s bytes" % barod.metric(USED))
    print("figure: one response %d bytes, %d connections" % (len(whole), options.connections))
    print("figure: resident at start %.0f MiB, after one %.0f MiB, peak %.0f MiB"
          % (before / MIB, idle / MIB, rss / MIB))
    print("figure: responses held at most %.0f of %d MiB" % (peak / MIB, options.budget))
    if barod.status:
        failures.append("barod ended with %d" % barod.status)
    for failure in failures:
        print("failed: " + failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
