#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""exporter - exporters for Prometheus, good and bad, on one port of the loopback.

    exporter.py PORT SECONDS [ADDRESS]

    /metrics   as node_exporter prints: what it says of one host, counters that grow
    /gpu       as dcgm-exporter prints: two GPUs of two hosts
    /slow      a byte now and then, for SECONDS
    /huge      a good text without an end
    /garbage   bytes, with status 200
    /page      a page of HTML, with status 200
    /half      a good text, one bad line
    /cut       promises more than it sends
    /gone      404
    /secret    401 without the token "open sesame"
"""
import http.server
import random
import socketserver
import sys
import time

asked = 0


def node():
    return f"""# HELP node_cpu_seconds_total Seconds the CPUs spent in each mode.
# TYPE node_cpu_seconds_total counter
node_cpu_seconds_total{{cpu="0",mode="idle"}} {1000 + asked}
node_cpu_seconds_total{{cpu="0",mode="user"}} 12.25
node_cpu_seconds_total{{cpu="1",mode="idle"}} 1.00125e+03
# HELP node_filesystem_avail_bytes Filesystem space available.
# TYPE node_filesystem_avail_bytes gauge
node_filesystem_avail_bytes{{device="/dev/sda1",fstype="ext4",mountpoint="/"}} 1.050892e+11
# TYPE node_load1 gauge
node_load1 0.21
# TYPE node_hwmon_temp_celsius gauge
node_hwmon_temp_celsius{{chip="platform_coretemp_0",sensor="temp1"}} NaN
# TYPE go_goroutines gauge
go_goroutines 8
"""


def gpu():
    lines = ["# HELP DCGM_FI_DEV_GPU_TEMP GPU temperature (in C).",
             "# TYPE DCGM_FI_DEV_GPU_TEMP gauge"]
    for host in "n1", "n2":
        for n in 0, 1:
            lines.append(f'DCGM_FI_DEV_GPU_TEMP{{gpu="{n}",UUID="GPU-{host}-{n}",'
                         f'device="nvidia{n}",modelName="A 40",Hostname="{host}"}} {40 + n}')
    return "\n".join(lines) + "\n"


class Exporter(http.server.BaseHTTPRequestHandler):
    def send(self, text, status=200, size=None):
        data = text if isinstance(text, bytes) else text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.send_header("Content-Length", str(size or len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        global asked
        asked += 1
        path = self.path.split("?")[0]
        if path == "/metrics":
            self.send(node())
        elif path == "/gpu":
            self.send(gpu())
        elif path == "/slow":
            self.send("slow 1\n", size=1000)
            for _ in range(int(float(sys.argv[2]) * 10)):
                time.sleep(0.1)
                self.wfile.write(b"#")
                self.wfile.flush()
        elif path == "/huge":
            self.send("huge 1\n", size=1 << 40)
            while True:
                self.wfile.write(b"huge 1\n" * 10000)
        elif path == "/garbage":
            self.send(random.Random(7).randbytes(100000))
        elif path == "/page":
            self.send("<!DOCTYPE html>\n<html><body>\nHello\n</body></html>\n")
        elif path == "/half":
            self.send("good 1\nbad one\nalso_good 2\n")
        elif path == "/cut":
            self.send("cut 12\n", size=1000)
        elif path == "/secret" and self.headers["Authorization"] == "Bearer open sesame":
            self.send("secret 42\n")
        elif path == "/secret":
            self.send("no\n", 401)
        else:
            self.send("no\n", 404)

    def handle(self):
        try:
            super().handle()
        except OSError:
            pass

    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 64


Server((sys.argv[3] if len(sys.argv) > 3 else "127.0.0.1", int(sys.argv[1])), Exporter).serve_forever()
