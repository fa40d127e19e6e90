#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""half_sent_bodies - one sender's bodies that never end, and responses it does not read.

    half_sent_bodies.py [--bodies N] [--body MIB] [--budget MIB] [--queries N] [--names N]
                         [--patience SECONDS]

A client with a reader's token sends almost all of many large bodies, and then a byte of
each now and then; after that it makes requests with long responses and reads nothing.  Meanwhile another sender, and root
(or the daemon's own user) on the unix socket, send bodies and read long responses: none
of theirs may be refused.  The attacker is refused with 429 and named in the log, and
what it holds is given back soon after it stopped moving bytes.
"""
import argparse
import json
import os
import re
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../sim"))
import served  # noqa: E402

MIB = 1 << 20
WAIT_S = 120


def used(account):
    return 'baro_budget_used_bytes{account="%s"}' % account


def shares(account):
    return 'baro_budget_share_refusals_total{account="%s"}' % account


def wait_until(condition, seconds=WAIT_S):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


class Attack:
    """The attacker's connections."""

    def __init__(self, barod):
        self.barod, self.sockets = barod, []

    def send(self, path, length, pieces):
        s = self.barod.tcp(60)
        self.sockets.append(s)
        try:
            s.sendall(b"POST %s HTTP/1.1\r\nHost: localhost\r\n"
                      b"Authorization: Bearer %s\r\nContent-Length: %d\r\n\r\n"
                      % (path, self.barod.tokens["reader"].encode(), length))
            for piece in pieces:
                s.sendall(piece)
        except OSError:
            pass  # refused, and closed

    def trickle(self):
        for s in self.sockets:
            s.setblocking(False)
            try:
                s.send(b" ")
            except OSError:
                pass  # refused, and closed

    def statuses(self):
        """What the server has said so far, by status; 0: nothing, -1: closed."""
        found = {}
        for s in self.sockets:
            s.setblocking(False)
            try:
                text = s.recv(4096)
                status = int(text.split()[1]) if text else -1
            except BlockingIOError:
                status = 0
            except OSError:
                status = -1
            found[status] = found.get(status, 0) + 1
        return found

    def close(self):
        for s in self.sockets:
            s.close()
        self.sockets = []


def try_others(barod, failures, what, path, body, kinds):
    """Others send a body of a MiB, a small one, and get a long response."""
    for name, request in (("another sender", lambda p, b: barod.get(
            p, role="admin", body=b, method="POST", timeout=120)),
            ("the admin", lambda p, b: barod.local(p, body=b, method="POST", timeout=120))):
        for kind in kinds:
            status, text = request(path, body[kind])
            if status != 200:
                failures.append("beside %s: %s, %s: %d %r"
                                % (what, name, kind, status, text[:120]))


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--bodies", type=int, default=29)
    options.add_argument("--body", type=int, default=32)
    options.add_argument("--budget", type=int, default=256)
    options.add_argument("--queries", type=int, default=40)
    options.add_argument("--names", type=int, default=200000)
    options.add_argument("--patience", type=int, default=40, help="idle_timeout in seconds")
    options = options.parse_args()
    failures, figures = [], []
    net = ("body_max = %dMiB\nbody_budget = %dMiB\nresponse_budget = %dMiB\n"
           "rate_bytes = 0B\nbody_grace = 10s\nidle_timeout = %ds\n"
           % (options.body, options.budget, options.budget, options.patience))

    def question(count):
        names = ["h%d" % i for i in range(count)]
        return json.dumps({"cluster": "c", "metric-names": [], "nodes": names}).encode()

    bodies = {"small": question(10), "large": question(60000), "long": question(options.names)}
    with served.Served(net=net, more="[store]\ndirectory = none\n") as barod:
        attack = Attack(barod)
        quiet = time.monotonic()
        piece = b" " * MIB
        for _ in range(options.bodies):
            attack.send(b"/api/healthcheck", options.body * MIB, [piece] * (options.body - 1))
            quiet = time.monotonic()
        figures.append("bodies half sent %d, held %.0f of %d MiB" % (
            options.bodies, barod.metric(used("requests")) / MIB, options.budget))
        try_others(barod, failures, "half-sent bodies", "/api/healthcheck", bodies,
                   ("small", "large"))
        figures.append("responses to the attacker: %s" % attack.statuses())
        if not barod.metric(shares("requests")):
            failures.append("no body was refused for its sender's share")

        def is_given_back():
            attack.trickle()
            return barod.metric(used("requests")) == 0

        if not wait_until(is_given_back):
            failures.append("bodies: %s bytes still held" % barod.metric(used("requests")))
        figures.append("given back %.0f s after the last piece" % (time.monotonic() - quiet))
        attack.close()

        for _ in range(options.queries):
            attack.send(b"/api/healthcheck", len(bodies["long"]), [bodies["long"]])
        if not wait_until(lambda: barod.metric(shares("responses"))):
            failures.append("no response was refused for its sender's share")
        peak = barod.metric('baro_budget_peak_bytes{account="responses"}')
        try_others(barod, failures, "unread responses", "/api/healthcheck", bodies,
                   ("small", "long"))
        figures.append("unread responses %d, held at most %.0f of %d MiB" % (
            options.queries, peak / MIB, options.budget))
        if not wait_until(lambda: barod.metric(used("responses")) == 0):
            failures.append("responses: %s bytes still held"
                            % barod.metric(used("responses")))
        attack.close()
    if not re.search(r"net: \S+ has its share of the memory for requests and gets 429", barod.said):
        failures.append("the log does not name the sender")
    for figure in figures:
        print("figure: " + figure)
    if barod.status:
        failures.append("barod ended with %d" % barod.status)
    for failure in failures:
        print("failed: " + failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
