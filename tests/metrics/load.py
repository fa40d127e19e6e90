#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""load - sends metrics to barod without end, and looks what of them is there.

    load.py send SOCKET BEGIN ACKS      batches from the first that ACKS does not have,
                                        until SIGTERM
    load.py check SOCKET BEGIN ACKS     everything that ACKS says was acknowledged

A batch is one second: of each host one sample of metric "grid" (a step of 1 s) and one of
"free" (no step, each its own time).  What it holds follows from its number, so the order
of arrival does not matter: every third batch comes one late.  ACKS is a line for each
answer: "ack N", "refused N STATUS RETRY-AFTER", "away N".  What was not acknowledged is
sent until it is.

Where BARO_CLOCK names a page, the sender plays that clock: it is as late there as in the
batch, and so many seconds later as the file PAGE.offset says.
"""
import calendar
import http.client
import json
import mmap
import os
import signal
import socket
import struct
import sys
import time

HOSTS = 5
PAUSE_S = 0.03


class Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("barod", timeout=60)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Clock:
    def __init__(self, path, begin):
        self.path = path
        self.begin = begin
        if path:
            if not os.path.exists(path):
                with open(path, "wb") as f:
                    f.write(b"baroclk1" + struct.pack("=q", begin * 10**9))
            self.file = open(path, "r+b")
            self.page = mmap.mmap(self.file.fileno(), 16)

    def show(self, number):
        if not self.path:
            return
        offset = 0
        if os.path.exists(self.path + ".offset"):
            with open(self.path + ".offset") as f:
                offset = int(f.read() or 0)
        self.page[8:16] = struct.pack("=q", (self.begin + number + offset) * 10**9)


def value(number, host, metric):
    """Three decimals, which the short form of answers has."""
    mixed = (number * 2654435761 + host * 40503 + (metric == "free") * 977) & 0xFFFFFFFF
    return (mixed >> 7) % 10_000_000 / 1000


def free_ns(begin, number, host):
    return (begin + number) * 10**9 + (number * 7919 + host) % 399 * 10**6 + 1


def body(begin, number):
    lines = []
    for host in range(HOSTS):
        head = f",cluster=c,hostname=h{host},type=node value="
        lines.append(f"grid{head}{value(number, host, 'grid')!r} {(begin + number) * 10**9}")
        lines.append(f"free{head}{value(number, host, 'free')!r} {free_ns(begin, number, host)}")
    return "\n".join(lines).encode()


def acknowledged(path):
    with open(path, "a+") as f:
        f.seek(0)
        return {int(line.split()[1]) for line in f.read().splitlines(True)
                if line.startswith("ack ") and line.endswith("\n")}


def order(first):
    """first, then by threes, the last two of which have changed places."""
    yield first
    first += 1
    while True:
        yield from (first, first + 2, first + 1)
        first += 3


def send(path, begin, acks_path):
    known = acknowledged(acks_path)
    connection = None
    clock = Clock(os.environ.get("BARO_CLOCK"), begin)
    stopping = []
    signal.signal(signal.SIGTERM, lambda *_: stopping.append(1))
    with open(acks_path, "a", buffering=1) as acks:
        holes = sorted(set(range(max(known, default=-1) + 1)) - known)
        numbers = iter(holes)
        rest = order(max(known, default=-1) + 1)
        number = next(numbers, None)
        while not stopping:
            if number is None:
                number = next(numbers, None)
            if number is None:
                number = next(rest)
            clock.show(number)
            try:
                connection = connection or Connection(path)
                connection.request("POST", "/api/write?precision=ns", body(begin, number))
                answer = connection.getresponse()
                text = answer.read()
            except (OSError, http.client.HTTPException):
                connection = None
                acks.write(f"away {number}\n")
                time.sleep(PAUSE_S)
                continue
            if answer.status == 200 and not text:
                acks.write(f"ack {number}\n")
                number = None
                continue
            acks.write(f"refused {number} {answer.status} {answer.getheader('Retry-After')}\n")
            if answer.will_close:
                connection = None
            time.sleep(PAUSE_S)


def ask(path, method, target, text=None):
    connection = Connection(path)
    connection.request(method, target, text)
    answer = connection.getresponse()
    text = answer.read()
    if answer.status != 200:
        sys.exit(f"{target}: {answer.status} {text[:200]!r}")
    return text.decode()


def stored_grid(path, begin, last, host):
    question = {"cluster": "c", "from": begin, "to": begin + last + 2,
                "queries": [{"metric": "grid", "host": f"h{host}"}]}
    answer = json.loads(ask(path, "GET", "/api/query", json.dumps(question)))["results"][0]
    if not answer or "data" not in answer[0]:
        return {}
    return {answer[0]["from"] - begin + i: v
            for i, v in enumerate(answer[0]["data"]) if v is not None}


def stored_free(path, begin, last, host):
    def text(t):
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(t))
    target = (f"/v1/query?metric=free&component=c/h{host}&from={text(begin - 1)}"
              f"&to={text(begin + last + 2)}&format=csv&step=1s")
    found = {}
    for line in ask(path, "GET", target).splitlines()[1:]:
        fields = line.split(",")
        at = time.strptime(fields[-2][:19], "%Y-%m-%dT%H:%M:%S")
        fraction = float(fields[-2][19:].rstrip("Z") or 0)
        found[calendar.timegm(at) - begin + round(fraction)] = float(fields[-1])
    return found


def check(path, begin, acks_path):
    known = acknowledged(acks_path)
    last = max(known)
    missing = wrong = 0
    for host in range(HOSTS):
        grid = stored_grid(path, begin, last, host)
        free = stored_free(path, begin, last, host)
        for number in range(last + 1):
            for metric, found in (("grid", grid.get(number)),
                                  ("free", free.get(number))):
                missing += found is None and number in known
                wrong += found is not None and found != value(number, host, metric)
    print(f"missing {missing} wrong {wrong}", flush=True)
    print(f"of {len(known)} batches", file=sys.stderr)


def main():
    if len(sys.argv) != 5 or sys.argv[1] not in ("send", "check"):
        sys.exit(__doc__)
    {"send": send, "check": check}[sys.argv[1]](sys.argv[2], int(sys.argv[3]), sys.argv[4])


if __name__ == "__main__":
    main()
