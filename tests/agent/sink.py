#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# sink - stands in for barod where a test must say what the server answers.
#
#   sink.py DIR PORT_FILE
#
# Takes POST /v1/jobstats.  Answers with the status in DIR/status (200 when there is
# none; "hang" never answers; "limit N" answers 413 to bodies over N bytes; "N other"
# answers as a program that is not barod); what was answered with 200 is kept as DIR/NNNN.json.zst, in order of arrival.
import http.server
import os
import sys
import time

DIR, PORT_FILE = sys.argv[1:3]
count = 0


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        global count
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            with open(os.path.join(DIR, "status")) as f:
                words = f.read().split()
        except FileNotFoundError:
            words = ["200"]
        while words[0] == "hang":
            time.sleep(0.1)
        status = 200 if words[0] == "limit" else int(words[0])
        if words[0] == "limit" and len(body) > int(words[1]):
            status = 413
        if status == 200 and body == b"{}":
            status = 400  # no batch: baro-agent --check asks so whether it may send
        with open(os.path.join(DIR, "asked"), "a") as f:
            f.write(f"{status} {self.headers.get('Authorization')}\n")
        if status == 200 and "other" not in words:
            count += 1
            path = os.path.join(DIR, f"{count:04}.json.zst")
            with open(path + ".new", "wb") as f:
                f.write(body)
            os.rename(path + ".new", path)
        answer = b'{"accepted":1,"duplicate":0,"refused":0}'
        if status >= 400:
            answer = b'{"type":"about:blank","title":"So","status":%d}' % status
        if "other" in words:
            answer = b"<html>It works!</html>"
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(PORT_FILE + ".new", "w") as f:
    f.write(str(server.server_address[1]))
os.rename(PORT_FILE + ".new", PORT_FILE)
server.serve_forever()
