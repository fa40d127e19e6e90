#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""redfish - plays BMCs by Redfish, well and ill.

    redfish.py --port PORT [--tls CERT KEY] [--count N] [--user NAME:PASSWORD] DIRECTORY

DIRECTORY/state is a JSON document that is read before each response:

    {"power": "On", "health": "OK", "log": [{"Id": "1", ...}], "temperature": 41.5,
     "fan_health": "OK", "fault": "", "delay": 0.0, "pages": 0, "fan": null}

fault, how it is ill:
    endless     a body without an end         long     one of 8 MiB
    deep        40 levels of arrays           loris    a byte every 0.2 s
    lying       Content-Length over the body  loop     each page's next is itself
    foreign     links to another host         redirect 302 to another host
    types       every value of a wrong type   cut      JSON that ends in its middle
    refuse      401                           binary   bytes that are no text
    wide        100,000 members               silent   accepts, and does not respond
    names       ids and names with control characters, quotes and 4 KiB
    partly      503 of a second chassis and a second log

With --count N it listens on N ports from PORT on, one a BMC, that share the state.
DIRECTORY/requests has a line a request, DIRECTORY/foreign one for each that came to the
port PORT + N, which is the other host.
"""
import argparse
import base64
import json
import os
import selectors
import socket
import ssl
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from socketserver import ThreadingMixIn

ROOT = "/redfish/v1"
SYSTEM = ROOT + "/Systems/1"
LOG = SYSTEM + "/LogServices/SEL"


def link(path):
    return {"@odata.id": path}


def wrong(value):
    """The same document, with values of other types."""
    if isinstance(value, dict):
        return {key: wrong(item) for key, item in value.items()}
    if isinstance(value, list):
        return {"0": [wrong(item) for item in value]}
    if isinstance(value, str):
        return [value] if value.startswith("/") else 17
    return {"value": str(value)}


class Player:
    def __init__(self, args):
        self.args = args
        self.lock = threading.Lock()

    def state(self):
        with open(os.path.join(self.args.directory, "state")) as file:
            return json.load(file)

    def note(self, name, text):
        with self.lock, open(os.path.join(self.args.directory, name), "a") as file:
            file.write(text + "\n")

    def entries(self, state, path):
        log, pages = state.get("log", []), state.get("pages", 0)
        page = int(path.partition("?page=")[2] or 0)
        document = {"@odata.id": path, "Members@odata.count": len(log), "Members": log}
        if pages:
            document["Members"] = log[page * pages:(page + 1) * pages]
            if (page + 1) * pages < len(log):
                document["Members@odata.nextLink"] = f"{LOG}/Entries?page={page + 1}"
        if state.get("fault") == "loop":
            document["Members@odata.nextLink"] = path
        if state.get("fault") == "wide":
            document["Members"] = [{"Id": str(n), "Message": "x"} for n in range(100000)]
        return document

    def document(self, state, path):
        health = {"Health": state.get("health", "OK"), "State": "Enabled"}
        fan = {"Health": state.get("fan_health", "OK"), "State": "Enabled"}
        documents = {
            ROOT + "/": {"Systems": link(ROOT + "/Systems"), "Chassis": link(ROOT + "/Chassis")},
            ROOT + "/Systems": {"Members": [link(SYSTEM)], "Members@odata.count": 1},
            SYSTEM: {"@odata.id": SYSTEM, "Id": "1", "PowerState": state.get("power", "On"),
                     "Status": health, "LogServices": link(SYSTEM + "/LogServices")},
            SYSTEM + "/LogServices": {"Members": [link(LOG)]},
            LOG: {"Id": "SEL", "Entries": link(LOG + "/Entries")},
            ROOT + "/Chassis": {"Members": [link(ROOT + "/Chassis/1")]},
            ROOT + "/Chassis/1": {"Id": "1", "Thermal": link(ROOT + "/Chassis/1/Thermal"),
                                  "Power": link(ROOT + "/Chassis/1/Power")},
            ROOT + "/Chassis/1/Thermal": {
                "Temperatures": [{"Name": "CPU1 Temp", "ReadingCelsius": state.get("temperature", 41.5),
                                  "Status": {"Health": "OK", "State": "Enabled"}},
                                 {"Name": "Absent", "ReadingCelsius": None, "Status": {"State": "Absent"}}],
                "Fans": [{"MemberId": "0", "Name": "FAN1", "Reading": 5400, "ReadingUnits": "RPM", "Status": fan}]},
            ROOT + "/Chassis/1/Power": {
                "PowerControl": [{"Name": "System Power", "PowerConsumedWatts": 344}],
                "PowerSupplies": [{"Name": "PSU1", "PowerInputWatts": 180,
                                   "Status": {"Health": "OK", "State": "Enabled"}}]},
        }
        if path.startswith(LOG + "/Entries"):
            return self.entries(state, path)
        document = documents.get(path)
        fault = state.get("fault")
        if document and fault == "foreign":
            other = f"https://127.0.0.1:{self.args.port + self.args.count}"
            text = json.dumps(document).replace('"@odata.id": "/', f'"@odata.id": "{other}/')
            return json.loads(text)
        if document and fault == "partly" and path in (ROOT + "/Chassis", SYSTEM + "/LogServices"):
            document["Members"].insert(0, link(path + "/ill"))
        if document and fault == "types":
            return wrong(document)
        if document and fault == "names" and "Fans" in document:
            document["Fans"] = [{"Name": "a\n<3>b\x1b[31m,=\\ \"" + "x" * 10, "Reading": 1,
                                 "Status": {"Health": "Critical"}},
                                {"Name": "n" * 4096, "Reading": 2}, {"MemberId": "m" * 4096, "Reading": 3}]
        return document


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    player = None
    is_foreign = False

    def log_message(self, *_):
        pass

    def body(self, status, bytes_, headers=()):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(bytes_)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(bytes_)

    def unbounded(self, fault):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        if fault == "lying":
            self.send_header("Content-Length", "1000000")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        if fault == "lying":
            self.wfile.write(b'{"PowerState": "On"}')
        elif fault == "loris":
            for byte in b'{"PowerState": "On", "Status": {}}' * 1000:
                self.wfile.write(bytes([byte]))
                time.sleep(0.2)
        else:
            self.wfile.write(b'{"Members": [')
            while fault == "endless":
                self.wfile.write(b'{"Name": "x"},' * 4096)

    def ill(self, fault):
        """Whether that was the response."""
        if fault in ("endless", "loris", "lying"):
            self.unbounded(fault)
        elif fault == "silent":
            time.sleep(60)
        elif fault == "long":
            self.body(200, b'{"a": "' + b"x" * (8 << 20) + b'"}')
        elif fault == "deep":
            self.body(200, b'{"Status": ' + b"[" * 40 + b"]" * 40 + b"}")
        elif fault == "cut":
            self.body(200, b'{"PowerState": "O')
        elif fault == "binary":
            self.body(200, bytes(range(256)))
        elif fault == "refuse":
            self.body(401, b"{}")
        elif fault == "redirect":
            other = self.player.args.port + self.player.args.count
            self.body(302, b"", [("Location", f"https://127.0.0.1:{other}{self.path}")])
        else:
            return False
        return True

    def do_GET(self):
        player = self.player
        if self.is_foreign:
            player.note("foreign", self.path)
            self.body(200, b"{}")
            return
        state = player.state()
        player.note("requests", f"{self.server.server_port} {self.path}")
        wanted = "Basic " + base64.b64encode(player.args.user.encode()).decode()
        if self.headers.get("Authorization") != wanted:
            self.body(401, b"{}")
            return
        time.sleep(state.get("delay", 0))
        try:
            if self.ill(state.get("fault", "")):
                return
            document = player.document(state, self.path)
            if document is None:
                self.body(503 if self.path.endswith("/ill") else 404, b"{}")
            else:
                self.body(200, json.dumps(document).encode())
        except OSError:
            self.close_connection = True


class Server(ThreadingMixIn, HTTPServer):
    daemon_threads = True
    request_queue_size = 64
    allow_reuse_address = True

    def handle_error(self, *_):
        pass

    def finish_request(self, request, address):
        if self.tls:
            request.settimeout(30)
            request = self.tls.wrap_socket(request, server_side=True)
        super().finish_request(request, address)


def main(player_type=Player):
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--tls", nargs=2)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--user", default="root:secret")
    parser.add_argument("directory")
    args = parser.parse_args()
    tls = None
    if args.tls:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(*args.tls)
    player = player_type(args)
    selector = selectors.DefaultSelector()
    for offset in range(args.count + 1):
        handler = type("Bound", (Handler,), {"player": player, "is_foreign": offset == args.count})
        server = Server(("127.0.0.1", args.port + offset), handler)
        server.tls = tls
        selector.register(server.socket, selectors.EVENT_READ, server)
    print("ready", flush=True)
    while True:
        for key, _ in selector.select():
            key.data._handle_request_noblock()


if __name__ == "__main__":
    socket.setdefaulttimeout(None)
    sys.exit(main())
