#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""captured.py - answers that a cc-metric-store gave, asked of barod again.

    captured.py [--mode better|strict] [--config FILE] [--differences N] [--restart]
                FILE[.gz]

FILE holds cases: {"cases": [{"name", "now", "written": [line, ...], "path",
"requests": [{"body", "status", "answer"}]}]}; or a case has "writes":
[{"written", "status", "answer", "then", "then_status", "then_answer"}], or requests
with a "method", a "path" and a "token" of their own.  For each case a barod of its own
is started ($BUILD/src/cmd/barod), its clock stands at "now", what was written is
written, and each request is made; what is answered otherwise is printed.

The metrics are those of a cc-metric-store's configuration (--config, json: "metrics":
name -> frequency, aggregation), else those of its example, at 60 s.

Prints a line for each case, "same N of M NAME", and at most N differences a case.
Exit 0: everything is the same.  1: something differs.  2: misused.
"""
import argparse, base64, gzip, json, os, re, shutil, signal, socket, struct
import subprocess, sys, tempfile, time

SUMS = """acc_mem_used acc_power flops_any flops_dp flops_sp ib_recv ib_xmit
ib_recv_pkts ib_xmit_pkts cpu_power core_power mem_power mem_bw net_bytes_in
net_bytes_out nfs4_read nfs4_total nfs3_read nfs3_total file_bw file_read file_write
ipc_sum""".split()
AVERAGES = """debug_metric clock cpu_idle cpu_iowait cpu_irq cpu_system cpu_user
nv_mem_util nv_temp nv_sm_clock acc_utilization ipc""".split()
NONE = "cpu_load mem_used disk_free".split()


def metrics_of(path):
    """name -> (seconds, aggregation)"""
    if not path:
        table = {name: (60, "none") for name in NONE}
        table.update({name: (60, "avg") for name in AVERAGES})
        table.update({name: (60, "sum") for name in SUMS})
        return table
    with open(path) as f:
        found = json.load(f)["metrics"]
    return {name: (m["frequency"], m.get("aggregation") or "none")
            for name, m in found.items()}


class Barod:
    """One server with an empty store and a clock that stands."""

    def __init__(self, mode, metrics, now, key=None):
        self.dir = tempfile.mkdtemp(prefix="baro-captured.")
        self.socket = os.path.join(self.dir, "sock")
        clock = os.path.join(self.dir, "clock")
        with open(clock, "wb") as f:
            f.write(b"baroclk1" + struct.pack("=q", now * 10**9))
        lines = ["[net]", f"socket = {self.socket}", "rate_requests = 0",
                 "rate_bytes = 1TiB"]
        self.port = None
        if key:
            with socket.socket() as s:
                s.bind(("127.0.0.1", 0))
                self.port = s.getsockname()[1]
            lines += [f"listen = 127.0.0.1:{self.port}", f"jwt_public_key = {key}"]
        else:
            lines.append("listen = none")
        lines += ["[records]", f"path = {self.dir}/records.db", "[store]",
                  f"directory = {self.dir}/store", f"compat = {mode}",
                  "retention = 30d"]
        for name, (step, how) in sorted(metrics.items()):
            lines += [f"[metric {name}]", f"step = {step}s", f"aggregation = {how}"]
        with open(os.path.join(self.dir, "barod.conf"), "w") as f:
            f.write("\n".join(lines) + "\n")
        self.log = open(os.path.join(self.dir, "log"), "wb")
        self.start()

    def start(self):
        program = os.path.join(os.environ["BUILD"], "src/cmd/barod")
        clock = os.path.join(self.dir, "clock")
        self.process = subprocess.Popen(
            [program, "--config", f"{self.dir}/barod.conf"],
            stdout=self.log, stderr=self.log, env={**os.environ, "BARO_CLOCK": clock})
        deadline = time.monotonic() + 60
        while True:
            try:
                if self.ask("GET", "/healthz")[0] == 200:
                    return
            except OSError:
                pass
            if self.process.poll() is not None or time.monotonic() > deadline:
                with open(os.path.join(self.dir, "log")) as f:
                    sys.exit("captured.py: barod does not start: " + f.read())
            time.sleep(0.02)

    def ask(self, method, path, body="", tcp=False, headers=()):
        if tcp:
            s = socket.create_connection(("127.0.0.1", self.port), 60)
        else:
            s = socket.socket(socket.AF_UNIX)
            s.settimeout(60)
            s.connect(self.socket)
        with s:
            data = body.encode("utf-8", "surrogateescape")
            head = [f"{method} {path} HTTP/1.0", "Host: localhost",
                    f"Content-Length: {len(data)}", *headers]
            s.sendall("\r\n".join(head).encode() + b"\r\n\r\n" + data)
            answer = b""
            while piece := s.recv(1 << 20):
                answer += piece
        head, _, text = answer.partition(b"\r\n\r\n")
        return int(head.split()[1]), text.decode("utf-8", "replace")

    def restart(self, how):
        self.process.send_signal(how)
        self.process.wait()
        self.start()

    def end(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.log.close()
        shutil.rmtree(self.dir)


class Case:
    def __init__(self, name, limit):
        self.name, self.limit = name, limit
        self.same = self.count = 0

    def compare(self, what, got, want):
        """got and want are (status, answer)"""
        self.count += 1
        if got == want:
            self.same += 1
            return
        if self.count - self.same > self.limit:
            return
        print(f"differs: {self.name}: {what[:600]}")
        if got[0] != want[0]:
            print(f"  status {got[0]}, there {want[0]}")
        at = next((i for i, (a, b) in enumerate(zip(got[1], want[1])) if a != b),
                  min(len(got[1]), len(want[1])))
        begin = max(0, at - 60)
        print(f"  at byte {at}: ...{got[1][begin:at + 100]!r}")
        print(f"  there:     ...{want[1][begin:at + 100]!r}")

    def end(self):
        print(f"same {self.same} of {self.count} {self.name}")
        return self.same == self.count


def write_all(barod, lines):
    """As many lines a request as a collector sends, in their order."""
    for i in range(0, len(lines), 1000):
        status, answer = barod.ask("POST", "/api/write/", "\n".join(lines[i:i + 1000])
                                   + "\n")
        if status != 200:
            sys.exit(f"captured.py: a write was answered {status}: {answer}")


def play_writes(barod, case, seen):
    for w in case["writes"]:
        path = w.get("path", "/api/write/")
        got = barod.ask("POST", path, w["written"])
        seen.compare("write " + json.dumps(w["written"]), got,
                     (w["status"], w["answer"]))
        if "then" in w:
            got = barod.ask("GET", w.get("then_path", "/api/query/"), w["then"])
            seen.compare(w["then"], got, (w["then_status"], w["then_answer"]))


def play_requests(barod, case, seen, token):
    for r in case["requests"]:
        method, path = r.get("method", "GET"), r.get("path", case.get("path"))
        tcp = "token" in r
        headers = [f"Authorization: Bearer {token}"] if r.get("token") else []
        got = barod.ask(method, path, r.get("body", ""), tcp, headers)
        seen.compare(f"{method} {path} {r.get('body', '')}", got,
                     (r["status"], r["answer"]))


def make_token():
    """A key of ClusterCockpit's kind and a token that it signed; by openssl."""
    def text(data):
        return base64.urlsafe_b64encode(data).decode().rstrip("=")
    directory = tempfile.mkdtemp(prefix="baro-captured.")
    try:
        key, message = os.path.join(directory, "key"), os.path.join(directory, "m")
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", key],
                       check=True, capture_output=True)
        public = subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-outform",
                                 "DER"], check=True, capture_output=True).stdout[-32:]
        head = text(json.dumps({"alg": "EdDSA", "typ": "JWT"}).encode())
        claims = text(json.dumps({"user": "admin", "roles": ["ROLE_ADMIN", "ROLE_API"],
                                  "sub": "admin", "exp": 1 << 40}).encode())
        with open(message, "w") as f:
            f.write(f"{head}.{claims}")
        signature = subprocess.run(
            ["openssl", "pkeyutl", "-sign", "-inkey", key, "-rawin", "-in", message],
            check=True, capture_output=True).stdout
    finally:
        shutil.rmtree(directory)
    return base64.b64encode(public).decode(), f"{head}.{claims}.{text(signature)}"


def play(case, mode, metrics, limit, restarts):
    seen = Case(case["name"], limit)
    key = token = None
    if any("token" in r for r in case.get("requests", ())):
        key, token = make_token()
    barod = Barod(mode, metrics, case.get("now") or int(time.time()), key)
    try:
        lines = case.get("written", [])
        for i, how in enumerate(restarts):
            write_all(barod, lines[i * len(lines) // 4:(i + 1) * len(lines) // 4])
            barod.restart(how)
        write_all(barod, lines[len(restarts) * len(lines) // 4:])
        if "writes" in case:
            play_writes(barod, case, seen)
        if "requests" in case:
            play_requests(barod, case, seen, token)
    finally:
        barod.end()
    return seen.end()


def main():
    parser = argparse.ArgumentParser(description="captured answers against barod")
    parser.add_argument("file")
    parser.add_argument("--mode", choices=["better", "strict"], default="strict")
    parser.add_argument("--config")
    parser.add_argument("--differences", type=int, default=5)
    parser.add_argument("--restart", action="store_true",
                        help="while lines are written, killed, ended and killed")
    parser.add_argument("--case", help="only those whose name holds this")
    args = parser.parse_args()
    if "BUILD" not in os.environ:
        sys.exit("captured.py: BUILD is not set: the build directory")
    opened = gzip.open if args.file.endswith(".gz") else open
    with opened(args.file, "rt") as f:
        cases = json.load(f)["cases"]
    if args.case:
        cases = [c for c in cases if args.case in c["name"]]
    metrics = metrics_of(args.config)
    restarts = [signal.SIGKILL, signal.SIGTERM, signal.SIGKILL] if args.restart else []
    good = [play(case, args.mode, metrics, args.differences, restarts)
            for case in cases]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
