#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""refused_bodies - clients without a token trickle bodies that were refused.

    refused_bodies.py [--connections N] [--seconds S] [--requests N]

Every connection sends the head of a POST that wants a token and has none, and then a byte
of its body now and then; one that is closed is opened again at once.  Meanwhile a client
with a token makes requests over TCP, each on a connection of its own, and root (or the
daemon's own user) does so on the unix socket.  All of them must be answered with 200.
"""
import argparse
import os
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../sim"))
import served  # noqa: E402

HEAD = (b"POST /v1/jobstats HTTP/1.1\r\nHost: localhost\r\n"
        b"Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n")


class Attack:
    def __init__(self, connect, count):
        self.connect, self.sockets = connect, [None] * count
        self.is_over = False
        self.opened = self.closed = 0

    def trickle(self, i):
        s = self.sockets[i]
        try:
            if s is None:
                s = self.sockets[i] = self.connect(2)
                s.sendall(HEAD)
                s.setblocking(False)
                self.opened += 1
            s.send(b" ")
            if s.recv(4096) == b"":
                raise ConnectionResetError
        except BlockingIOError:
            pass
        except OSError:
            self.closed += 1
            if s is not None:
                s.close()
            self.sockets[i] = None

    def run(self):
        while not self.is_over:
            for i in range(len(self.sockets)):
                self.trickle(i)
            time.sleep(0.05)
        for s in self.sockets:
            if s is not None:
                s.close()


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--connections", type=int, default=600)
    options.add_argument("--places", type=int, default=512)
    options.add_argument("--requests", type=int, default=200)
    options = options.parse_args()
    refused = {"tcp": 0, "unix": 0}
    net = "connections_max = %d\nbody_grace = 60s" % options.places
    with served.Served(net=net) as barod:
        attack = Attack(barod.tcp, options.connections)
        thread = threading.Thread(target=attack.run)
        thread.start()
        while attack.opened < options.connections:
            time.sleep(0.05)
        worst_s = 0
        for _ in range(options.requests):
            begin = time.monotonic()
            refused["tcp"] += barod.get("/v1/whoami")[0] != 200
            refused["unix"] += barod.local("/v1/whoami")[0] != 200
            worst_s = max(worst_s, time.monotonic() - begin)
        attack.is_over = True
        thread.join()
    print("figure: connections opened %d closed %d" % (attack.opened, attack.closed))
    print("figure: valid requests by TCP %d refused %d" % (options.requests, refused["tcp"]))
    print("figure: valid requests by unix socket %d refused %d"
          % (options.requests, refused["unix"]))
    print("figure: slowest pair %.0f ms" % (1000 * worst_s))
    return 1 if refused["tcp"] or refused["unix"] or barod.status else 0


if __name__ == "__main__":
    sys.exit(main())
