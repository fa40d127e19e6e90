#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kills - a barod that is written to is killed, again and again, and asked what it has.

    kills.py BUILD [--kills N] [--seed N] [--directory DIR]

One history of a metric store: three senders write into a barod of BUILD, SIGKILL comes at
any moment (each fifth time while it starts), it is started again and asked for everything.
A played clock hurries, so that checkpoints, retention and archives fall among the kills.
Every sample that was acknowledged must be there, its 64 bits, at its time, and nothing
else; of a request without an answer all samples of a host, or none.

After each fourth kill every log gets a torn tail.  After each fourth a bit is flipped in
a copy: a barod on it may miss samples only where it says so, and never answers a wrong
one.

Standard output says at the end what was done; what is wrong is said at once, and the
directory is kept.  Exit status 1: something was wrong.
"""
import argparse
import http.client
import json
import mmap
import os
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

BEGIN_S = 1_700_000_000
STEP_S = 10
SENDERS = 3
HOSTS = 2  # of each sender
LATE_BY = 40
BATCHES_MAX = 8  # in a request
LAG_MAX = 12  # batches that a sender may be ahead of another
START_S = 60

CONFIG = """[net]
socket = {socket}
listen = none
rate_requests = 0
[records]
path = {records}
[store]
directory = {store}
shards = 3
sync = 10ms
checkpoint = 60s
retention = 10m
archive_after = 5m
own_metrics = 0s
[metric grid]
step = 10s
aggregation = sum
[metric free]
step = none
"""


def bits(value):
    return struct.pack("<d", value)


def mixed_value(rng):
    """Integers, decimals, and now and then any 64 bits that have a word."""
    kind = rng.random()
    if kind < 0.4:
        return float(rng.randrange(1000))
    if kind < 0.9:
        return rng.randrange(100000) / 100
    if kind < 0.92:
        return rng.choice((-0.0, 5e-324, -2.2250738585072014e-308, 1.7976931348623157e308))
    while True:
        value = struct.unpack("<d", rng.randbytes(8))[0]
        if value - value == 0:
            return value


def text_of(t_ns):
    """RFC 3339, as short as barod prints it."""
    text = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(t_ns // 10**9))
    rest = t_ns % 10**9
    return text + (f".{rest:09d}".rstrip("0") if rest else "") + "Z"


def ns_of(text, known={}):
    second, _, rest = text.rstrip("Z").partition(".")
    if second not in known:
        import calendar
        known[second] = calendar.timegm(time.strptime(second, "%Y-%m-%dT%H:%M:%S")) * 10**9
    return known[second] + int(rest.ljust(9, "0") if rest else 0)


class Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("barod", timeout=START_S)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Clock:
    """The page that BARO_CLOCK names."""

    def __init__(self, path):
        with open(path, "wb") as f:
            f.write(b"baroclk1" + struct.pack("=q", BEGIN_S * 10**9))
        with open(path, "r+b") as f:
            self.page = mmap.mmap(f.fileno(), 16)
        self.lock = threading.Lock()
        self.t_s = BEGIN_S

    def show(self, t_s):
        with self.lock:
            if t_s > self.t_s:
                self.t_s = t_s
                self.page[8:16] = struct.pack("=q", t_s * 10**9)


class Model:
    """What of the samples of one sender must be there."""

    def __init__(self):
        self.sure = {}  # (component, metric) -> {t_ns: bits}
        self.unsure = []  # of one request without an answer and one host: [(key, t, bits)]
        self.samples = 0

    def take(self, samples):
        for key, t_ns, value in samples:
            self.sure.setdefault(key, {})[t_ns] = value
        self.samples += len(samples)

    def settle(self, found, finds):
        """What was in flight when the kill came is there as a whole, or not at all."""
        for samples in self.unsure:
            new = [s for s in samples if self.sure.get(s[0], {}).get(s[1]) != s[2]]
            there = [s for s in new if found.get(s[0], {}).get(s[1]) == s[2]]
            if there and len(there) < len(new):
                finds.append(f"half of a request is there: {there[0]} of {len(new)}")
            if there:
                self.take(new)
            finds.settled[bool(there)] += 1
        self.unsure = []


class Finds(list):
    """What is wrong, and counts of what was seen."""

    def __init__(self):
        super().__init__()
        self.settled = [0, 0]  # absent, there


class Sender(threading.Thread):
    def __init__(self, run, number):
        super().__init__(daemon=True)
        self.run_ = run
        self.number = number
        self.model = Model()
        self.next = 0
        self.acks = self.refused = 0

    def samples_of(self, n):
        """By host: [((component, metric), t_ns, value)]."""
        rng = random.Random(f"{self.run_.seed} {self.number} {n}")
        by_host = []
        for host in range(self.number * HOSTS, (self.number + 1) * HOSTS):
            name = f"c/h{host}"
            t_ns = (BEGIN_S + n * STEP_S) * 10**9 + host * 10**9 + 7
            samples = [((name, "grid"), t_ns, mixed_value(rng)),
                       ((name, "free"), t_ns + rng.randrange(10**9), mixed_value(rng)),
                       ((name + "/hwthread:0", "grid"), t_ns, mixed_value(rng)),
                       ((name + "/hwthread:1", "grid"), t_ns, float(n // 50))]
            if n >= LATE_BY and n % 5 == host % 5:
                samples.append(((name, "grid"), t_ns - LATE_BY * STEP_S * 10**9,
                                mixed_value(rng)))
            by_host.append(samples)
        return by_host

    @staticmethod
    def line(sample):
        (component, metric), t_ns, value = sample
        host, _, part = component.partition("/hwthread:")
        kind = f"hwthread,type-id={part}" if part else "node"
        return f"{metric},cluster=c,hostname={host[2:]},type={kind} value={value!r} {t_ns}"

    def send(self, connection, by_host):
        """The word for what became of it; "away": nobody knows."""
        body = "\n".join(self.line(s) for samples in by_host for s in samples)
        try:
            connection.request("POST", "/api/write?precision=ns", body.encode())
            answer = connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException):
            connection.close()
            return "away"
        if answer.status == 200 and not text:
            return "taken"
        if answer.status == 503 and self.run_.may_refuse:
            self.refused += 1
            return "refused"
        self.run_.finds.append(f"a write is answered {answer.status} {text[:200]!r}")
        return "wrong"

    def batch(self, connection):
        """One request: of a few seconds, so that the kill finds some under way."""
        count = random.randrange(1, BATCHES_MAX + 1)
        parts = [self.samples_of(self.next + i) for i in range(count)]
        by_host = [sum(of_host, []) for of_host in zip(*parts)]
        self.run_.clock.show(BEGIN_S + (self.next + count) * STEP_S)
        word = self.send(connection, by_host)
        is_taken = word == "taken"
        for samples in by_host:
            packed = [(key, t_ns, bits(value)) for key, t_ns, value in samples]
            if is_taken:
                self.model.take(packed)
            else:
                self.model.unsure.append(packed)
        if is_taken:
            self.acks += 1
        # What had no answer is sent again, or never.
        if is_taken or (word == "away" and random.random() < 0.5):
            self.next += count
        return word

    def run(self):
        connection = Connection(self.run_.socket)
        while not self.run_.is_over.is_set():
            if self.next > min(s.next for s in self.run_.senders) + LAG_MAX:
                time.sleep(0.0005)
                continue
            word = self.batch(connection)
            if word == "refused":
                time.sleep(0.02)
            elif word != "taken":
                return


class Daemon:
    def __init__(self, run, name, store):
        self.run = run
        self.socket = os.path.join(run.dir, name + ".sock")
        self.log = os.path.join(run.dir, name + ".log")
        self.config = os.path.join(run.dir, name + ".conf")
        self.process = None
        self.more = []  # arguments
        with open(self.config, "w") as f:
            f.write(CONFIG.format(socket=self.socket, store=store,
                                  records=os.path.join(run.dir, name + ".db")))

    def spawn(self):
        if os.path.exists(self.socket):
            os.unlink(self.socket)
        self.log_at = os.path.getsize(self.log) if os.path.exists(self.log) else 0
        with open(self.log, "a") as log:
            self.process = subprocess.Popen([self.run.barod, "--config", self.config]
                                            + self.more, stdout=log, stderr=log, env=self.run.env)

    def start(self):
        begun = time.monotonic()
        self.spawn()
        while time.monotonic() < begun + START_S:
            if self.process.poll() is not None:
                break
            try:
                self.ask("/healthz")
                return True
            except (OSError, http.client.HTTPException):
                time.sleep(0.005)
        self.run.finds.append(f"barod does not start: {self.said()[-400:]}")
        return False

    def ask(self, target):
        connection = Connection(self.socket)
        connection.request("GET", target)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        if answer.status != 200:
            raise http.client.HTTPException(f"{target}: {answer.status} {text[:300]!r}")
        return text.decode()

    def said(self):
        """Since the last start."""
        with open(self.log, errors="replace") as f:
            f.seek(self.log_at)
            return f.read()

    def kill(self):
        """False: it had died before."""
        was_alive = self.process.poll() is None
        if was_alive:
            self.process.kill()
        status = self.process.wait()
        said = self.said()
        if not was_alive or "Sanitizer" in said or "runtime error" in said:
            self.run.finds.append(f"barod ended by itself ({status}): {said[-2000:]}")
        return was_alive

    def everything(self, t_s):
        """{(component, metric): {t_ns: bits}}, where it came from, unreadable blocks."""
        found, sources, unreadable = {}, set(), 0
        for component in ("c/*", "c/*/hwthread:*"):
            text = self.ask(f"/v1/query?metric=grid,free&component={component}"
                            f"&from={text_of(BEGIN_S * 10**9)}&to={text_of(t_s * 10**9)}"
                            f"&format=json")
            for item in json.loads(text, parse_int=float)["results"]:
                if "values" not in item:
                    self.run.finds.append(f"no answer: {item}")
                    continue
                if item.get("times"):
                    times = [ns_of(t) for t in item["times"]]
                else:
                    first, step = ns_of(item["from"]), round(float(item["step"] or 0) * 1e9)
                    times = range(first, first + step * len(item["values"]), step or 1)
                found[item["component"], item["metric"]] = {
                    t: bits(v) for t, v in zip(times, item["values"]) if v is not None}
                sources.update(item["sources"])
                unreadable += int(item.get("unreadable_blocks", 0))
        return found, sources, unreadable


class Run:
    def __init__(self, options, directory):
        self.dir = directory
        self.seed = options.seed
        self.rng = random.Random(options.seed)
        self.barod = os.path.join(options.build, "src/cmd/barod")
        self.baro = os.path.join(options.build, "src/cmd/baro")
        self.finds = Finds()
        self.store = os.path.join(directory, "store")
        page = os.path.join(directory, "clock")
        self.clock = Clock(page)
        self.env = dict(os.environ, BARO_CLOCK=page)
        self.env["ASAN_OPTIONS"] = "detect_leaks=0:" + os.environ.get("ASAN_OPTIONS", "")
        self.daemon = Daemon(self, "barod", self.store)
        self.socket = self.daemon.socket
        self.is_over = threading.Event()
        self.senders = [Sender(self, i) for i in range(SENDERS)]
        self.may_refuse = False
        self.let_go = set()  # memory may have let go of them: late values are too old
        self.counts = dict.fromkeys(("load", "start", "looked", "compared", "tails",
                                     "flips", "flips_said", "flips_cost", "flips_missing"), 0)
        self.flipped = {}
        self.sources = {}
        self.start_s = 0.1
        self.begun_at = self.begun_kills = 0  # manifests, kills, when a half one was left

    # ---- under load ----

    def start_senders(self):
        old = self.senders
        self.senders = [Sender(self, s.number) for s in old]
        for new, was in zip(self.senders, old):
            new.model, new.next = was.model, was.next
        for sender in self.senders:
            sender.start()

    def wait_acks(self, count):
        """Until so many more requests have their answer."""
        want = sum(s.acks for s in self.senders) + count
        until = time.monotonic() + START_S
        while sum(s.acks for s in self.senders) < want:
            time.sleep(0.0005)
            if time.monotonic() > until or not any(s.is_alive() for s in self.senders):
                return False
        return True

    def kill_under_load(self):
        self.daemon.kill()
        self.stop_senders()
        self.counts["load"] += 1

    def stop_senders(self):
        self.is_over.set()
        for sender in self.senders:
            sender.join()
        self.is_over.clear()

    def load_and_kill(self):
        """The kill comes after some dozens of answers."""
        self.start_senders()
        self.wait_acks(self.rng.randrange(3, 200))
        time.sleep(self.rng.random() * 0.01)
        self.kill_under_load()

    def kill_at_start(self):
        self.daemon.spawn()
        time.sleep(self.rng.random() * self.start_s * 1.3)
        if self.daemon.kill():
            self.counts["start"] += 1

    # ---- damage ----

    def newest_logs(self):
        newest = {}
        for name in os.listdir(self.store):
            parts = name.split("-")
            if parts[0] == "log" and len(parts) == 3 and parts[2].isdigit():
                if int(parts[2]) >= newest.get(parts[1], (-1, ""))[0]:
                    newest[parts[1]] = (int(parts[2]), name)
        return [os.path.join(self.store, name) for _, name in newest.values()]

    def tear(self):
        """As when the machine dies within a write: a record that the file's end cuts, or
        one whose pages never came; or as the next log is begun.  A manifest is on its
        way, too."""
        self.begin_manifest()
        for path in self.newest_logs():
            with open(path, "rb") as f:
                data = f.read()
            record = b"torn"
            if len(data) >= 40 + 16:
                size = 16 + struct.unpack_from("<I", data, 40)[0]
                record = data[40:40 + size]
            # A whole one in a place that is not its own would be damage.
            tails = [record[:self.rng.randrange(1, len(record))], b"torn",
                     b"\0" * self.rng.randrange(1, 4096), None]
            # No record is written behind a header that is not whole.
            tail = self.rng.choice(tails if len(data) >= 40 else tails[2:])
            if tail is None:
                head, number = path.rsplit("-", 1)
                path = f"{head}-{int(number) + 1:08d}"
                tail = data[:self.rng.randrange(40)]
            with open(path, "ab") as f:
                f.write(tail)
            self.counts["tails"] += 1

    def kills(self):
        return self.counts["load"] + self.counts["start"]

    def newest_manifest(self):
        return max(int(n.split("-")[1]) for n in os.listdir(self.store)
                   if n.startswith("manifest-") and "." not in n)

    def begin_manifest(self):
        """The last one must be gone after more checkpoints than a kill can have spoilt."""
        path = os.path.join(self.store, "manifest-00000000.new")
        newest = self.newest_manifest()
        if os.path.exists(path):
            if newest - self.begun_at > self.kills() - self.begun_kills:
                self.finds.append("a manifest that was only begun stays")
            return
        self.begun_at, self.begun_kills = newest, self.kills()
        with open(path, "w") as f:
            f.write("baro-store-manifest 1\n")

    def check_words(self, torn):
        """A torn tail is said; damage is not where there is none."""
        said = sum(self.daemon.said().count(words)
                   for words in ("ends within a record", "was only begun"))
        if said < torn:
            self.finds.append(f"of {torn} torn tails {said} are said")
        damaged = [line for line in self.daemon.said().splitlines()
                   if "damaged" in line or "lost" in line or "passed over" in line]
        if damaged:
            self.finds.append(f"a death is taken for damage: {damaged[0]}")

    def flip(self):
        """One bit in a copy, by the byte: a file is hit as often as it is long."""
        copy = os.path.join(self.dir, "copy")
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.store, copy)
        names = sorted(n for n in os.listdir(copy) if n != "lock" and "." not in n
                       and os.path.getsize(os.path.join(copy, n)))
        kinds = {n.split("-")[0] for n in names}
        # Where the only checkpoint is damaged barod does not start, which is for a person.
        if sum(n.startswith("manifest-") for n in names) < 2:
            kinds -= {"manifest", "index"}
        kind = self.rng.choice(sorted(kinds))
        names = [n for n in names if n.split("-")[0] == kind]
        sizes = [os.path.getsize(os.path.join(copy, n)) for n in names]
        name = self.rng.choices(names, sizes)[0]
        path = os.path.join(copy, name)
        at = self.rng.randrange(os.path.getsize(path) * 8)
        with open(path, "r+b") as f:
            f.seek(at // 8)
            byte = f.read(1)[0]
            f.seek(at // 8)
            f.write(bytes([byte ^ 1 << at % 8]))
        self.flipped[kind] = self.flipped.get(kind, 0) + 1
        self.counts["flips"] += 1
        self.look_at_copy(copy, f"bit {at % 8} of byte {at // 8} of {name}")

    def look_at_copy(self, copy, what):
        before = len(self.finds)
        verify = subprocess.run([self.baro, "store", "verify", copy], env=self.env,
                                capture_output=True, text=True, check=False)
        verify_says = verify.returncode == 1 or "within a record" in verify.stdout
        if verify.returncode not in (0, 1):
            self.finds.append(f"{what}: verify ends with {verify.returncode}")
        daemon = Daemon(self, "copy", copy)
        if not daemon.start():
            self.finds.append(what)
            return
        found, _, unreadable = daemon.everything(self.clock.t_s + 3600)
        missing = self.compare(found, what, may_miss=True)
        said = daemon.said()
        barod_says = unreadable > 0 or any(
            word in said for word in ("damaged", "passed over", "lost", "within a record"))
        daemon.kill()
        self.counts["flips_said"] += verify_says or barod_says
        self.counts["flips_cost"] += missing > 0
        self.counts["flips_missing"] += missing
        if missing and not (verify_says and barod_says):
            self.finds.append(f"{what}: {missing} samples are missing, verify says "
                              f"{verify_says}, barod says {barod_says}")
        if len(self.finds) > before:
            shutil.copytree(copy, f"{copy}-{self.counts['flips']}")

    # ---- looking ----

    def compare(self, found, what, may_miss=False):
        """Returns how many are missing."""
        missing = wrong = extra = 0
        known, first = {}, ""
        for sender in self.senders:
            maybe = {(key, t, v) for samples in sender.model.unsure for key, t, v in samples}
            known.update(sender.model.sure)
            for key, want in sender.model.sure.items():
                have = found.get(key, {})
                self.counts["compared"] += len(want)
                for t_ns, value in want.items():
                    got = have.get(t_ns)
                    if got == value or (key, t_ns, got) in maybe:
                        continue
                    if got is None:
                        missing += 1
                    elif ((may_miss or key in self.let_go)
                          and self.is_older(sender, key, t_ns, got)):
                        continue
                    else:
                        wrong += 1
                    first = first or (f"; first: {key} {text_of(t_ns)} has "
                                      f"{got and got.hex()}, not {value.hex()}")
                extra += sum(t not in want and (key, t, v) not in maybe
                             for t, v in have.items())
        extra += sum(len(have) for key, have in found.items()
                     if key not in known and not self.is_unsure(key))
        if wrong or extra or (missing and not may_miss):
            self.finds.append(f"{what}: missing {missing} wrong {wrong} extra {extra}"
                              f"{first}")
        return missing

    def is_unsure(self, key):
        return any(key == k for s in self.senders for samples in s.model.unsure
                   for k, _, _ in samples)

    @staticmethod
    def is_older(sender, key, t_ns, got):
        """The value that a late one had replaced, or would have."""
        n = (t_ns // 10**9 - BEGIN_S) // STEP_S
        return any((k, t, bits(v)) == (key, t_ns, got)
                   for samples in sender.samples_of(n) for k, t, v in samples)

    def look(self, what=""):
        found, sources, unreadable = self.daemon.everything(self.clock.t_s + 3600)
        what = what or f"kill {self.kills()}"
        if unreadable:
            self.finds.append(f"{what}: {unreadable} blocks are unreadable")
        for sender in self.senders:
            sender.model.settle(found, self.finds)
        self.compare(found, what)
        for source in sources:
            self.sources[source] = self.sources.get(source, 0) + 1
        self.counts["looked"] += 1

    def kill_once(self, round_):
        """From a barod that runs to one that runs, killed in between."""
        self.load_and_kill()
        if round_ % 5 == 4:
            self.kill_at_start()
        torn = 0
        if round_ % 4 == 1:
            self.tear()
            torn = len(self.newest_logs())
        elif round_ % 4 == 3:
            self.flip()
        begun = time.monotonic()
        if not self.daemon.start():
            return False
        self.start_s = time.monotonic() - begun
        self.check_words(torn)
        self.look()
        return True

    def end(self):
        if self.daemon.process:
            self.daemon.process.kill()
            self.daemon.process.wait()

    def report(self, seconds):
        c = self.counts
        samples = sum(s.model.samples for s in self.senders)
        names = [name.split("-") for name in os.listdir(self.store) if "." not in name]
        checkpoint = max((int(n[1]) for n in names if n[0] == "manifest"), default=0)
        print(f"kills {c['load'] + c['start']}: under load {c['load']}, while it started "
              f"{c['start']}; {seconds:.0f} s, seed {self.seed}")
        print(f"samples acknowledged {samples}; requests without an answer, a host: there "
              f"{self.finds.settled[1]}, absent {self.finds.settled[0]}")
        print(f"looked {c['looked']} times, compared {c['compared']}; answered out of "
              + ", ".join(f"{k} {v} times" for k, v in sorted(self.sources.items())))
        print(f"torn tails {c['tails']}; flipped bits {c['flips']} ("
              + ", ".join(f"{k} {v}" for k, v in sorted(self.flipped.items()))
              + f"): said {c['flips_said']}, costing samples {c['flips_cost']} "
              f"({c['flips_missing']} in all)")
        print(f"checkpoint {checkpoint}, archives {sum(n[0] == 'archive' for n in names)}")
        print(f"wrong {len(self.finds)}")


def parse(doc, add=lambda parser: None):
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("build")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--directory")
    add(parser)
    try:
        return parser.parse_args()
    except SystemExit:
        sys.exit(doc)


def play(options, run_class, steps):
    """Takes what steps(run) says of how far it is; ends the program."""
    base = options.directory or ("/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    directory = tempfile.mkdtemp(prefix="baro-kills.", dir=base)
    begun = time.monotonic()
    run = run_class(options, directory)
    random.seed(options.seed)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
    is_whole = False
    try:
        for word in steps(run) if run.daemon.start() else ():
            if run.finds:
                break
            if sys.stderr.isatty():
                print(f"\r{word} ", end="", file=sys.stderr)
        run.report(time.monotonic() - begun)
        is_whole = not run.finds
    finally:
        run.end()
        if is_whole:
            shutil.rmtree(directory)
    for find in run.finds:
        print(f"WRONG: {find}")
    if not is_whole:
        print(f"kept: {directory}")
    sys.exit(not is_whole)


def main():
    options = parse(__doc__, lambda p: p.add_argument("--kills", type=int, default=50))

    def kills(run):
        for round_ in range(10 * options.kills):
            killed = run.kills()
            if killed >= options.kills or not run.kill_once(round_):
                return
            yield f"{killed} of {options.kills}"
    play(options, Run, kills)


if __name__ == "__main__":
    main()
