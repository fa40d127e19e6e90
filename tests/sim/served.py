# SPDX-License-Identifier: Apache-2.0
"""served - a barod of $BUILD with tokens, for the attacks of tests/abuse.

    with served.Served(more="[store]\\n") as barod:
        barod.tcp()                     a connected socket
        barod.get("/healthz")           status, body; by TCP with the reader's token
        barod.local("/metrics")         the same by the unix socket
        barod.rss_bytes()
"""
import http.client
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

START_S = 60


class Unix(http.client.HTTPConnection):
    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Served:
    def __init__(self, net="", more="", has_key=True, directory=None):
        self.build = os.environ.get("BUILD", "build")
        self.owned = directory is None
        self.directory = directory or tempfile.mkdtemp(prefix="baro-abuse.")
        self.socket = os.path.join(self.directory, "sock")
        self.log = os.path.join(self.directory, "log")
        self.tokens = {}
        config = "[net]\nlisten = 127.0.0.1:0\nsocket = %s\nrate_requests = 0\n" % self.socket
        if has_key:
            key = os.path.join(self.directory, "key")
            self.baro("token", "key", "new", key)
            for role in "reader", "agent", "admin":
                more_args = ["--host", "n1"] if role == "agent" else []
                self.tokens[role] = self.new_token(role, *more_args)
            config += "key = %s.pub\n" % key
        config += net + "\n[records]\npath = %s/records.db\n" % self.directory
        config += more.format(directory=self.directory)
        self.config = os.path.join(self.directory, "barod.conf")
        with open(self.config, "w") as f:
            f.write(config)

    def baro(self, *words):
        return subprocess.run([os.path.join(self.build, "src/cmd/baro"), *words],
                              check=True, capture_output=True, text=True).stdout

    def new_token(self, role, *more_args):
        return self.baro("token", "new", "--role", role, "--key",
                         os.path.join(self.directory, "key"), *more_args).strip()

    def __enter__(self):
        self.process = subprocess.Popen(
            [os.path.join(self.build, "src/cmd/barod"), "--config", self.config],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=open(self.log, "w"))
        end = time.monotonic() + START_S
        while True:
            with open(self.log) as f:
                found = re.search(r"127\.0\.0\.1:(\d+)", f.read())
            if found and os.path.exists(self.socket):
                self.port = int(found.group(1))
                return self
            if self.process.poll() is not None or time.monotonic() > end:
                with open(self.log) as f:
                    raise SystemExit("barod does not start:\n" + f.read())
            time.sleep(0.05)

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.status = self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.status = self.process.wait()
        with open(self.log) as f:
            self.said = f.read()
        if self.owned:
            shutil.rmtree(self.directory, ignore_errors=True)

    def tcp(self, timeout=10):
        return socket.create_connection(("127.0.0.1", self.port), timeout)

    def unix(self, timeout=10):
        s = socket.socket(socket.AF_UNIX)
        s.settimeout(timeout)
        s.connect(self.socket)
        return s

    def request(self, connection, method, path, body=None, headers=None):
        """Status and body; status 0: no response."""
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            return response.status, response.read()
        except (OSError, http.client.HTTPException) as e:
            return 0, str(e).encode()
        finally:
            connection.close()

    def get(self, path, role="reader", body=None, timeout=30, method="GET"):
        headers = {}
        if role in self.tokens:
            headers["Authorization"] = "Bearer " + self.tokens[role]
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        return self.request(connection, method, path, body, headers)

    def local(self, path, body=None, timeout=30, method="GET", headers=None):
        return self.request(Unix(self.socket, timeout), method, path, body, headers)

    def metric(self, name):
        """The value of one metric, labels included in its name; None: there is none."""
        status, text = self.local("/metrics")
        for line in text.decode().splitlines() if status == 200 else []:
            if line.startswith(name + " "):
                return float(line.split()[-1])
        return None

    def status_of(self, key):
        with open("/proc/%d/status" % self.process.pid) as f:
            return 1024 * int(re.search(key + r":\s*(\d+)", f.read()).group(1))

    def rss_bytes(self):
        return self.status_of("VmRSS")

    def is_sanitized(self):
        with open("/proc/%d/maps" % self.process.pid) as f:
            text = f.read()
        return "libasan" in text or "libtsan" in text
