#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""crowd - everybody comes to one barod at once, for a build that watches its threads.

    crowd.py BUILD [--seconds N] [--seed N] [--directory DIR]

The senders of kills.py; others that bring hosts nobody knew; agents with rows of
jobstats of many hours; a batch system that reports jobs; an exporter that is scraped, a
NATS server that is subscribed to (where there is one); readers of every route, one of which
lets memory go; a monitor that checks health and scrapes barod's own metrics.  A played clock
hurries, so that checkpoints, retention, archives and roll-ups happen all the while.  Then SIGTERM
under load: barod ends with status 0, no sanitizer has said a word, and started again it
has all that was acknowledged.
"""
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

import kills

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
END_S = 120

MORE = """
[barod]
rollup_every = 1s
maintain_every = 1s
[write]
cluster = site
[scrape exporter]
url = http://127.0.0.1:{exporter}/metrics
interval = 1s
timeout = 1s
host = n9
[scrape gpu]
url = http://127.0.0.1:{exporter}/gpu
interval = 1s
timeout = 1s
host_label = Hostname
"""
NATS = """
[nats]
address = nats://127.0.0.1:{nats}
[nats_subscription telegraf]
subscribe_to = telegraf.>
cluster_tag = office
form = influx
[nats_subscription alex]
subscribe_to = alex
cluster_tag = alex
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Run(kills.Run):
    def __init__(self, options, directory):
        super().__init__(options, directory)
        self.may_refuse = True
        self.let_go = {("c/h0", "grid")}  # POST /api/free: decision 0107
        self.helpers = []
        self.answers, self.seen = {}, {}
        self.lock = threading.Lock()
        self.guests = []
        self.is_late = threading.Event()
        exporter, self.nats = free_port(), 0
        self.help(sys.executable, os.path.join(TOP, "tests/sim/exporter.py"),
                  str(exporter), "5")
        more = MORE.format(exporter=exporter)
        if shutil.which("nats-server"):
            self.nats = free_port()
            self.help("nats-server", "-a", "127.0.0.1", "-p", str(self.nats))
            more += NATS.format(nats=self.nats)
        with open(self.daemon.config) as f:
            config = f.read().replace("own_metrics = 0s", "own_metrics = 1s")
        with open(self.daemon.config, "w") as f:
            f.write(config + more)
        self.env["TSAN_OPTIONS"] = "second_deadlock_stack=1:exitcode=66"
        with open(os.path.join(TOP, "tests/batches/agent-0.1.0.json")) as f:
            self.jobstats = f.read()

    def help(self, *command):
        self.helpers.append(subprocess.Popen(command, stdout=subprocess.DEVNULL,
                                             stderr=subprocess.DEVNULL))

    # ---- guests, each a thread: one request after another ----

    def request(self, connection, method, target, body=None):
        """False: barod is away."""
        kinds = {"/v1/jobstats": "application/json", "/v1/jobs": "application/x-ndjson"}
        headers = {"Content-Type": kinds[target]} if body and target in kinds else {}
        try:
            connection.request(method, target, body, headers)
            answer = connection.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException):
            connection.close()
            return False
        route = target.partition("?")[0].rstrip("/")
        with self.lock:
            key = f"{method} {route} {answer.status}"
            self.answers[key] = self.answers.get(key, 0) + 1
        if answer.status >= 500 and answer.status not in (503, 504):
            self.finds.append(f"{method} {target} is answered {answer.status}")
        return True

    def newcomers(self, number):
        """Hosts, and metrics, that nobody knew."""
        connection, n = kills.Connection(self.socket), 0
        while not self.is_late.is_set():
            lines = [f"new{n % 7},cluster=d,hostname=g{number}x{n + i},type=hwthread,"
                     f"type-id={i} value={i} {self.clock.t_s}" for i in range(40)]
            target = ("/api/v2/write?bucket=d&precision=s" if n % 2
                      else "/write?db=d&precision=s")
            if not self.request(connection, "POST", target, "\n".join(lines)):
                return
            n += 1

    def agents(self, number):
        """Rows of the last hours, in no order: hours are rolled up, and again when late
        rows touch them."""
        connection, n = kills.Connection(self.socket), 0
        agent = f"{number:08x}-0d6c-4f5e-9a58-0d8f6f1f0b11"
        while not self.is_late.is_set():
            n += 1
            t_s = self.clock.t_s - 900 * (n * 7 % 24)
            body = re.sub(r'"agent":"[^"]*","sequence":\d+',
                          f'"agent":"{agent}","sequence":{n}', self.jobstats)
            body = re.sub(r'"reset":true,"snapshot_time":null,"start_time":[0-9.]+',
                          '"reset":true,"snapshot_time":null,"start_time":null', body)
            for word, back_s in (("2022-11-21T05:36:40.987Z", 1520),
                                 ("2022-11-21T06:00:00.000Z", 120),
                                 ("2022-11-21T06:02:00.000Z", 0)):
                body = body.replace(word, kills.text_of((t_s - back_s) * 10**9))
            body = re.sub(r"1669\d{6}(\.\d+)?", str(t_s - 1), body)
            body = body.replace("11317854", str(number * 1000 + n % 50))
            if not self.request(connection, "POST", "/v1/jobstats", body):
                return

    def batch_systems(self, number):
        """Reports of jobs; each is amended over and over."""
        connection, n = kills.Connection(self.socket), 0
        while not self.is_late.is_set():
            n += 1
            t_s = self.clock.t_s - 600
            lines = [json.dumps({"cluster": "c", "id": str(number * 1000 + (n + i) % 50),
                                 "user": f"u{i % 5}", "state": "RUNNING", "submit": t_s,
                                 "start": t_s + i, "nodes": f"h[0-{i % 6}]"})
                     for i in range(10)]
            if not self.request(connection, "POST", "/v1/jobs", "\n".join(lines) + "\n"):
                return
            time.sleep(0.02)

    def monitors(self, number):
        connection, n = kills.Connection(self.socket), number
        while not self.is_late.is_set():
            target = ("/metrics", "/healthz", "/v1/status")[n % 3]
            if not self.request(connection, "GET", target):
                return
            n += 1
            time.sleep(0.01)

    def questions(self):
        now_s = self.clock.t_s
        begin, to = (kills.text_of(t * 10**9) for t in (kills.BEGIN_S, now_s + 60))
        ask = {"cluster": "c", "from": kills.BEGIN_S, "to": now_s + 60, "with-stats": True,
               "queries": [{"metric": "grid", "host": "h0"},
                           {"metric": "grid", "host": "h1", "aggreg": True,
                            "type": "hwthread", "type-ids": ["0", "1"]},
                           {"metric": "free", "host": "h2"}]}
        health = json.dumps({"cluster": "c", "nodes": ["h0", "h1"],
                             "metric-names": ["grid", "free"]})
        span = f"from={begin}&to={to}"
        return (("POST", "/api/query", json.dumps(ask)),
                ("GET", f"/v1/query?metric=grid&component=c/*&{span}&format=json", None),
                ("GET", f"/v1/query?metric=grid&component=c&aggregate=sum&{span}", None),
                ("GET", f"/v1/query?metric=*&component=*/*&{span}&step=60s", None),
                ("GET", f"/v1/query?metric=grid&component=c/*&{span}&top=3", None),
                ("GET", "/v1/series?metric=*&component=*/*", None),
                ("GET", "/v1/metrics", None),
                ("GET", "/v1/status", None),
                ("GET", "/metrics", None),
                ("GET", "/healthz", None),
                ("GET", "/api/debug/?selector=c:h0", None),
                ("GET", "/api/healthcheck/", health),
                ("POST", f"/api/free/?to={now_s - 300}", '[["d"],["c","h0"]]'),
                ("GET", "/v1/whoami", None),
                ("GET", "/v1/openapi.json", None),
                ("GET", "/v1/jobstats/top?last=1h", None),
                ("GET", "/v1/jobstats/rates?last=6h&by=job", None),
                ("GET", "/v1/jobstats/rates?last=6h&step=1h&by=target", None),
                ("GET", "/v1/jobstats/series", None),
                ("GET", "/v1/jobstats/job/7", None),
                ("GET", "/v1/jobs?cluster=c", None),
                ("GET", "/v1/summaries?cluster=c", None))

    def readers(self, number):
        connection, n = kills.Connection(self.socket), number
        while not self.is_late.is_set():
            questions = self.questions()
            if not self.request(connection, *questions[n % len(questions)]):
                return
            n += 1

    def publishers(self, number):
        try:
            with socket.create_connection(("127.0.0.1", self.nats), 10) as s:
                s.sendall(b'CONNECT {"verbose":false,"pedantic":false}\r\n')
                n = number
                while not self.is_late.is_set():
                    n += 1
                    text = (f"cpu_load,hostname=n{n % 20},type=node value={n} "
                            f"{self.clock.t_s}\ngrid,hostname=n{n % 20},type=node "
                            f"value={n} {self.clock.t_s}\n").encode()
                    subject = ("alex", "telegraf.cpu")[n % 2]
                    s.sendall(f"PUB {subject} {len(text)}\r\n".encode() + text + b"\r\n")
                    time.sleep(0.005)
        except OSError:
            pass

    def invite(self):
        kinds = [(self.newcomers, 1), (self.agents, 1), (self.readers, 3),
                 (self.batch_systems, 1), (self.monitors, 1)]
        if self.nats:
            kinds.append((self.publishers, 1))
        for what, count in kinds:
            for number in range(count):
                guest = threading.Thread(target=what, args=(number,), daemon=True)
                guest.start()
                self.guests.append(guest)

    # ---- the evening ----

    def stay(self, seconds):
        until = time.monotonic() + seconds
        while time.monotonic() < until and self.daemon.process.poll() is None:
            time.sleep(0.1)

    def idle(self):
        """What has not happened yet; without all of it nothing was watched."""
        text = self.daemon.ask("/metrics")
        wanted = {"checkpoint": r'store_worker_runs_total{worker="checkpoint"}',
                  "retention": r'store_worker_runs_total{worker="retention"}',
                  "archive": r'store_worker_runs_total{worker="archive"}',
                  "scrape": r'ingest_scrape_samples_total{scrape="exporter"}',
                  "jobstats": "ingest_batches_total",
                  "jobs": "ingest_jobs_accepted_total",
                  "roll-ups": "records_rollup_hours_total",
                  "requests": "net_requests_total"}
        if self.nats:
            wanted["nats"] = "ingest_nats_messages_total"
        for word, name in wanted.items():
            found = re.search(r"^baro_" + re.escape(name) + r"\S* (\S+)$", text, re.M)
            self.seen[word] = int(float(found.group(1))) if found else 0
        return [word for word, count in self.seen.items() if not count]

    def stay_until_all_happened(self):
        idle = []
        for _ in range(END_S):
            if self.daemon.process.poll() is not None:
                return
            idle = self.idle()
            if not idle:
                return
            self.stay(1)
        self.finds.append(f"nothing of it happened: {', '.join(idle)}")

    def told_to_end(self):
        """Under load; the guests see it go."""
        self.daemon.process.send_signal(signal.SIGTERM)
        try:
            status = self.daemon.process.wait(END_S)
        except subprocess.TimeoutExpired:
            status = "never"
        self.stop_senders()
        self.is_late.set()
        for guest in self.guests:
            guest.join()
        said = self.daemon.said()
        if status != 0 or "Sanitizer" in said or "runtime error" in said:
            at = max(said.find("Sanitizer") - 300, 0)
            self.finds.append(f"barod ends with {status}: {said[at:at + 6000]}")

    def end(self):
        self.is_late.set()
        for helper in self.helpers:
            helper.kill()
            helper.wait()
        super().end()

    def report(self, seconds):
        print(f"{seconds:.0f} s, seed {self.seed}; "
              + ", ".join(f"{k} {v}" for k, v in self.seen.items()))
        print("answers: " + ", ".join(f"{k}: {v}" for k, v in sorted(self.answers.items())))
        samples = sum(s.model.samples for s in self.senders)
        print(f"samples acknowledged {samples}, compared {self.counts['compared']}")
        print(f"wrong {len(self.finds)}")


def main():
    options = kills.parse(__doc__, lambda p: p.add_argument("--seconds", type=float,
                                                            default=60))

    def evening(run):
        run.start_senders()
        run.invite()
        run.stay(options.seconds)
        yield "everybody was there"
        run.stay_until_all_happened()
        run.told_to_end()
        yield "barod has ended"
        if run.daemon.start():
            run.check_words(0)
            run.look()
            run.daemon.kill()
        yield "and was looked at"
    kills.play(options, Run, evening)


if __name__ == "__main__":
    main()
