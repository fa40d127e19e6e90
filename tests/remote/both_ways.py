#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""both_ways: Prometheus -> barod -> Prometheus and VictoriaMetrics, each killed and restarted at random.

    both_ways.py SCRATCH BAROD CONF SOCKET SECONDS SEED

CONF is a barod.conf that listens on SOCKET and 127.0.0.1:PORT (PORT= in the environment as BAROD_PORT).  Two senders
write to barod: Prometheus, which scrapes itself, and a sender of our own that repeats a request until it has a 2xx, of
samples that it writes down.  barod forwards to another Prometheus and to VictoriaMetrics.  barod and the second
Prometheus get SIGKILL, so does the first one; VictoriaMetrics, which acknowledges samples that it still has in memory
alone, gets SIGTERM.  At the end every sample of every one is compared.  The first Prometheus sends nothing from before
its own start (its documentation: "remote write tails the WAL from its start"), so what it had not sent when it was
killed is missing at barod: those of the last seconds before a kill are counted apart.

Prints lines "name: count"; status 1 if a sample is lost, or is there twice.
"""
import bisect
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import remote  # noqa: E402
from oracle import snappy  # noqa: E402

GRACE_MS = 15000  # what a Prometheus that is killed may not have sent


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def get(address, path, timeout=60):
    connection = remote.connect(address)
    connection.timeout = timeout
    connection.request("GET", path)
    response = connection.getresponse()
    return response.status, response.read()


class Program:
    def __init__(self, name, command, address, ready, scratch, env=None):
        self.name, self.command, self.address, self.ready, self.env = name, command, address, ready, env
        self.log = open(os.path.join(scratch, name + ".log"), "ab")
        self.kills = []
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stdout=self.log, stderr=self.log, env=self.env)
        for _ in range(1200):
            try:
                if get(self.address, self.ready)[0] == 200:
                    return
            except OSError:
                pass
            except http.client.HTTPException:
                pass
            if self.process.poll() is not None:
                sys.exit(f"{self.name} ended: {self.process.returncode}")
            time.sleep(0.1)
        sys.exit(f"{self.name} did not start")

    def end(self, number):
        self.process.send_signal(number)
        self.process.wait()
        self.kills.append(int(time.time() * 1000))


class Sender(threading.Thread):
    """Samples of 40 series, four times a second, until stop; each request again until it is accepted."""

    def __init__(self, address, seed):
        super().__init__()
        self.address, self.rng, self.sent, self.stopping = address, random.Random(seed), {}, False
        self.repeats = 0

    def run(self):
        while not self.stopping:
            t, lines = int(time.time() * 1000), []
            for i in range(40):
                name = "own_total" if i % 2 else "own_gauge"
                labels = {"__name__": name, "cluster": "c", "hostname": f"n{i % 5}", "shard": str(i)}
                value = self.rng.choice([self.rng.gauss(0, 1e6), float(self.rng.randrange(1 << 40)), 0.1 * i])
                lines.append({"labels": labels, "samples": [[t, value]]})
                self.sent.setdefault(key_of(labels), {})[t] = value
            self.deliver(snappy(remote.message(lines)))
            time.sleep(max(0, t / 1000 + 0.25 - time.time()))

    def deliver(self, body):
        while True:
            try:
                status, text, _ = remote.post(remote.connect(self.address), body)
                if status // 100 == 2:
                    return
                print(f"sender: {status} {text}")
            except (OSError, http.client.HTTPException):
                pass
            self.repeats += 1
            time.sleep(0.2)


def key_of(labels):
    return json.dumps(labels, sort_keys=True)


def api_samples(address, begin_s, end_s, matcher):
    """{labels: {ms: value}}, and how many times stood twice; a part at a time, as limits want it."""
    out, twice = {}, 0
    for begin in range(begin_s, end_s, 300):
        query = urllib.parse.urlencode({"query": matcher + "[300s]", "time": f"{begin + 299.999:.3f}"})
        status, text = get(address, "/api/v1/query?" + query, 300)
        if status != 200:
            sys.exit(f"{address}: {status} {text[:300]}")
        for series in json.loads(text)["data"]["result"]:
            samples = out.setdefault(key_of(series["metric"]), {})
            for t, value in series["values"]:
                ms = round(t * 1000)
                twice += ms in samples and ms // 1000 != begin - 1
                samples[ms] = float(value)
    return out, twice


def exported(address, matcher):
    """The same of VictoriaMetrics."""
    status, text = get(address, "/api/v1/export?" + urllib.parse.urlencode({"match[]": matcher}), 300)
    if status != 200:
        sys.exit(f"{address}: {status} {text[:300]}")
    out, twice = {}, 0
    for line in text.splitlines():
        series = json.loads(line)
        samples = out.setdefault(key_of(series["metric"]), {})
        for ms, value in zip(series["timestamps"], series["values"]):
            twice += ms in samples
            samples[ms] = float("nan") if value is None else float(value)
    return out, twice


def until(series, end_ms):
    """barod's own samples come every ten seconds, also between two of the readings here."""
    return {key: kept for key, samples in series.items() if (kept := {t: v for t, v in samples.items() if t < end_ms})}


def without_nan(series):
    return {key: {t: v for t, v in samples.items() if v == v} for key, samples in series.items()}


def same(a, b, tolerance, largest):
    """Of VictoriaMetrics: a block has 18 digits from its largest number down."""
    return a == b or (a != a and b != b) or abs(a - b) <= max(tolerance * max(abs(a), abs(b)), tolerance * 1e-7 * largest)


def compare(name, want, got, tolerance=0.0, excused=()):
    """Prints what is missing, more or different; returns how many of these are a loss."""
    missing = more = different = pardoned = total = 0
    for key, samples in want.items():
        others = got.get(key, {})
        largest = max((abs(v) for v in samples.values() if abs(v) < float("inf")), default=0.0) if tolerance else 0.0
        for ms, value in samples.items():
            total += 1
            if ms not in others:
                at = bisect.bisect_left(excused, ms)
                if at < len(excused) and excused[at] - ms <= GRACE_MS:
                    pardoned += 1
                    continue
                missing += 1
                if missing <= 5:
                    print(f"# {name}: missing {key} {ms}")
            elif not same(value, others[ms], tolerance, largest):
                different += 1
                if different <= 5:
                    print(f"# {name}: {key} {ms}: {value!r}, not {others[ms]!r}")
    for key, samples in got.items():
        extra = [ms for ms in samples if ms not in want.get(key, {})]
        more += len(extra)
        if extra and more <= 5:
            print(f"# {name}: more {key} {extra[:3]}")
    print(f"{name}: {total} samples, {missing} missing, {more} more, {different} different"
          + (f", {pardoned} not sent by a Prometheus that was killed" if excused else ""))
    return missing + more + different + (total == 0)


def wait_until_sent(address, seconds):
    for _ in range(seconds * 2):
        text = get(address, "/metrics")[1].decode()
        waiting = [float(line.rsplit(" ", 1)[1]) for line in text.splitlines()
                   if line.startswith("baro_forward_queue_samples{")]
        if waiting and not any(waiting):
            return text
        time.sleep(0.5)
    print("# the queues did not run empty")
    return text


def total(text, name):
    return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.startswith(name + "{"))


def main():
    scratch, barod, conf, path, seconds, seed = sys.argv[1:]
    rng, own = random.Random(int(seed)), "unix:" + path
    ports = {name: free_port() for name in ("first", "second", "vm")}
    at = {name: f"127.0.0.1:{port}" for name, port in ports.items()}
    tcp = "127.0.0.1:" + os.environ["BAROD_PORT"]
    with open(conf, "a", encoding="utf-8") as f:
        for name in ("second", "vm"):
            f.write(f"[forward {name}]\nurl = http://{at[name]}/api/v1/write\n")
    with open(os.path.join(scratch, "first.yml"), "w", encoding="utf-8") as f:
        f.write(f"global:\n  scrape_interval: 1s\nscrape_configs:\n- job_name: self\n  static_configs:\n"
                f"  - targets: ['{at['first']}']\nremote_write:\n- url: http://{tcp}/api/v1/write\n"
                "  queue_config:\n    max_backoff: 1s\n    batch_send_deadline: 1s\n")
    with open(os.path.join(scratch, "second.yml"), "w", encoding="utf-8") as f:
        f.write("global:\n  scrape_interval: 1h\n")
    begin_s = int(time.time())
    programs = {"barod": Program("barod", [barod, "--config", conf], own, "/healthz", scratch)}
    for name in ("first", "second"):
        programs[name] = Program(name, [
            "prometheus", f"--config.file={scratch}/{name}.yml", f"--storage.tsdb.path={scratch}/{name}",
            "--web.enable-remote-write-receiver", f"--web.listen-address={at[name]}"], at[name], "/-/ready", scratch)
    programs["vm"] = Program("vm", [
        "victoria-metrics", f"-storageDataPath={scratch}/vm", f"-httpListenAddr={at['vm']}", "-dedup.minScrapeInterval=1ms",
        "-search.latencyOffset=0s", "-search.disableCache"], at["vm"], "/health", scratch)
    sender = Sender(tcp, seed)
    sender.start()
    end = time.time() + int(seconds)
    order = sorted(programs)
    rng.shuffle(order)  # each of them once, then any
    while time.time() < end or order:
        time.sleep(rng.uniform(1, 4))
        victim = programs[order.pop() if order else rng.choice(["barod", "barod", "first", "second", "vm"])]
        victim.end(signal.SIGTERM if victim.name == "vm" else signal.SIGKILL)
        time.sleep(rng.uniform(0, 2))
        victim.start()
    for name, program in programs.items():
        print(f"{name}: ended {len(program.kills)} times")
    time.sleep(3)
    sender.stopping = True
    sender.join()
    time.sleep(8)  # what the first one has still to send
    os.kill(programs["first"].process.pid, signal.SIGSTOP)
    time.sleep(2)
    stopped_ms = int(time.time() * 1000)
    text = wait_until_sent(own, 120)
    print(f"barod: {total(text, 'baro_forward_samples_refused_total'):.0f} samples refused, "
          f"{total(text, 'baro_forward_samples_lost_total'):.0f} lost, sender repeated {sender.repeats} requests")
    end_s = int(time.time()) + 1
    everything = '{__name__!=""}'
    ours, twice = api_samples(own, begin_s, end_s, everything)
    ours = until(ours, stopped_ms - 1000)
    bad = twice
    print(f"barod: {twice} samples twice")
    bad += compare("sender to barod", sender.sent, {k: v for k, v in ours.items() if '"own_' in k})
    second, twice = api_samples(at["second"], begin_s, end_s, everything)
    bad += twice + compare("barod to prometheus", ours, until(second, stopped_ms - 1000))
    time.sleep(2)
    vm, twice = exported(at["vm"], everything)
    print(f"victoria-metrics: {twice} samples twice")
    # It stores no NaN, and 12 digits of a number.
    numbers, vm = without_nan(ours), without_nan(until(vm, stopped_ms - 1000))
    bad += twice + compare("barod to victoria-metrics", numbers, vm, 1e-10)
    os.kill(programs["first"].process.pid, signal.SIGCONT)
    time.sleep(1)
    first, twice = api_samples(at["first"], begin_s, end_s, '{job="self"}')
    first = {k: {t: v for t, v in s.items() if t < stopped_ms - 5000} for k, s in first.items()}
    theirs = {k: {t: v for t, v in s.items() if t < stopped_ms - 5000} for k, s in ours.items() if '"job": "self"' in k}
    bad += twice + compare("prometheus to barod", first, theirs, 0.0, sorted(programs["first"].kills))
    for program in programs.values():
        program.process.kill()
        program.process.wait()
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
