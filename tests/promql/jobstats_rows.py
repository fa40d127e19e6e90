# SPDX-License-Identifier: Apache-2.0
"""jobstats_rows - rows as an agent sends them, out of lines.

    jobstats_rows.py T0 SOCKET <rows

A line: TARGET ENTRY T SINCE PREVIOUS RESET SAMPLES BYTES; times are minutes after T0, "-"
is none.  Batches go to barod's socket.
"""
import http.client
import json
import socket
import sys
import time

t0, path = int(sys.argv[1]), sys.argv[2]


def stamp(minute):
    if minute == "-":
        return None
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(t0 + 60 * int(minute)))


class Unix(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(path)


rows = [line.split() for line in sys.stdin]
agent = "c0ffee00-0000-4000-8000-%012x" % (hash(tuple(map(tuple, rows))) & 0xFFFFFFFFFFFF)
for sequence, begin in enumerate(range(0, len(rows), 5000)):
    targets = []
    for target, entry, t, since, previous, reset, samples, size in rows[begin : begin + 5000]:
        count = {"samples": int(samples), "unit": "bytes", "min": 1, "max": 1, "sum": int(size)}
        targets.append({
            "target": "scratch-" + target, "kind": "ost", "timestamp": stamp(t),
            "entries": [{"entry_id": entry, "exact": True, "since": stamp(since),
                         "previous": stamp(previous), "reset": reset == "yes",
                         "snapshot_time": t0 + 60 * int(t), "start_time": None,
                         "ops": {"write_bytes": count}}]})
    body = json.dumps({"format": "baro-jobstats-1", "agent": agent, "sequence": sequence + 1,
                       "server": "oss1", "targets": targets})
    link = Unix("x")
    link.request("POST", "/v1/jobstats", body, {"Content-Type": "application/json"})
    response = link.getresponse()
    text = response.read().decode()
    if response.status != 200 or json.loads(text).get("refused"):
        sys.exit("%d %s" % (response.status, text[:400]))
