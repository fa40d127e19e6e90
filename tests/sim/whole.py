#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# whole - the whole way from a played Lustre to the rows of a database, with faults.
#
#   whole.py --build DIR [--hours 6] [--engine sqlite|postgres] [--seed N]
#            [--faults LIST|all|none] [--report FILE] [--keep WHEN] [KEY=VALUE ...]
#
# Starts baro-agent for every server and barod on a played clock, plays the hours with
# kills of agent, barod and PostgreSQL, a full spool disk, a cut network, a failover and
# an upgrade; then counts every entry's total out of the database's rows and compares it
# with the reference observer's, to the unit.  KEY=VALUE goes to baro-sim init.
#
# This file shares no code with what it tests: rows are read as SQL, and what they add
# up to is computed here once more.
import argparse
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

import check
import evidence

INTERVAL_S = 120
EPOCH_S = 1669010400
NS = 1_000_000_000


class Clock:
    """The page that BARO_CLOCK names."""

    def __init__(self, path, t_s):
        with open(path, "wb") as f:
            f.write(b"baroclk1" + struct.pack("=q", int(t_s * NS)))
        self.file = open(path, "r+b")
        self.page = mmap.mmap(self.file.fileno(), 16)
        self.path = path
        self.now_s = t_s

    def set(self, t_s):
        self.now_s = t_s
        self.page[8:16] = struct.pack("=q", int(round(t_s * NS)))


class Way:
    """A unix socket in front of barod's, which can be cut or made to hang."""

    def __init__(self, path, to):
        self.path, self.to, self.mode = path, to, "open"
        self.open_pairs = set()
        self.lock = threading.Lock()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen(64)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            if self.mode == "cut":
                client.close()
                continue
            threading.Thread(target=self.join, args=(client,), daemon=True).start()

    def join(self, client):
        server = socket.socket(socket.AF_UNIX)
        try:
            server.connect(self.to)
        except OSError:
            client.close()
            return
        with self.lock:
            self.open_pairs.add((client, server))
        back = threading.Thread(target=self.pump, args=(server, client), daemon=True)
        back.start()
        self.pump(client, server)
        back.join()
        with self.lock:
            self.open_pairs.discard((client, server))
        client.close()
        server.close()

    def pump(self, source, sink):
        try:
            while True:
                data = source.recv(65536)
                while self.mode == "held":
                    time.sleep(0.005)
                if not data:
                    break
                sink.sendall(data)
        except OSError:
            pass
        for s in (source, sink):
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def set(self, mode):
        self.mode = mode
        if mode != "cut":
            return
        with self.lock:
            pairs = list(self.open_pairs)
        for pair in pairs:
            for s in pair:
                try:
                    s.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass


class Daemon:
    """A program that is started again and again, each time with a log of its own."""

    def __init__(self, world, name, argv, state=None):
        self.world, self.name, self.argv, self.process = world, name, argv, None
        self.state, self.run = state, None  # of an agent: what it says of its reads
        self.kills = self.starts = 0
        self.log = None

    def start(self):
        env = dict(os.environ, BARO_CLOCK=self.world.clock.path)
        self.starts += 1
        self.log = os.path.join(self.world.dir, "logs", f"{self.name}.{self.starts}")
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=env)
        if self.state:
            server = self.name.removeprefix("agent-")
            self.run = self.world.evidence.start(server, self.process.pid, self.log,
                                                 self.state)

    def alive(self):
        return self.process is not None and self.process.poll() is None

    def ended(self):
        if self.run:
            self.run.ended()
            self.run = None

    def kill(self):
        if self.alive():
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.kills += 1
        self.ended()

    def stop(self):
        status = None
        if self.alive():
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.world.complain(f"{self.name} did not stop")
                self.kill()
            status = self.process.returncode
        self.ended()
        return status


class Postgres:
    """A cluster of its own on a socket in the scratch directory."""

    def __init__(self, world):
        self.world = world
        self.dir = os.path.join(world.dir, "pg")
        self.bin = max(
            (d for d in (os.path.join("/usr/lib/postgresql", v, "bin")
                         for v in sorted(os.listdir("/usr/lib/postgresql")))
             if os.path.exists(os.path.join(d, "postgres"))))
        os.makedirs(self.dir, exist_ok=True)
        self.prefix = []
        if os.geteuid() == 0:
            shutil.chown(self.dir, "postgres", "postgres")
            os.chmod(world.dir, 0o755)
            self.prefix = ["setpriv", "--reuid", "postgres", "--regid", "postgres",
                           "--clear-groups"]
        self.run("initdb", "-D", self.dir + "/data", "-A", "trust", "-U", "baro",
                 "--no-sync")
        self.process = None
        self.connection = f"host={self.dir} user=baro dbname=postgres"
        self.kills = 0
        self.start()

    def run(self, program, *args):
        subprocess.run(self.prefix + [os.path.join(self.bin, program), *args],
                       check=True, stdout=subprocess.DEVNULL, cwd="/")

    def start(self):
        # Behind a kill -9 a new one refuses to start until the last backend of the old
        # one has gone: it is tried again.
        for _ in range(1200):
            if self.process is None or self.process.poll() is not None:
                self.launch()
            if self.query("SELECT 1", quiet=True) is not None:
                return
            time.sleep(0.05)
        raise RuntimeError("PostgreSQL did not start")

    def launch(self):
        # A kill of processes loses nothing that was written: fsync may be off.
        with open(os.path.join(self.world.dir, "postgres.log"), "ab") as log:
            self.process = subprocess.Popen(
                self.prefix + [os.path.join(self.bin, "postgres"), "-D",
                               self.dir + "/data", "-k", self.dir, "-h", "",
                               "-c", "fsync=off", "-c", "shared_buffers=64MB"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/")

    def query(self, sql, quiet=False):
        done = subprocess.run(
            ["psql", "-X", "-q", "--csv", "-d", self.connection, "-c", sql],
            capture_output=True)
        if done.returncode:
            if not quiet:
                raise RuntimeError(done.stderr.decode())
            return None
        return done.stdout.decode("utf-8", "surrogateescape")

    def children(self):
        pids = []
        for entry in os.listdir("/proc"):
            if not entry.isdigit():
                continue
            try:
                with open(f"/proc/{entry}/stat") as f:
                    if int(f.read().rsplit(")", 1)[1].split()[1]) == self.process.pid:
                        pids.append(int(entry))
            except OSError:
                pass
        return pids

    def kill(self):
        pids = [self.process.pid] + self.children()
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()
        self.kills += 1

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60)


class World:
    def __init__(self, args):
        self.args = args
        self.dir = tempfile.mkdtemp(prefix="baro-whole.")
        os.mkdir(os.path.join(self.dir, "logs"))
        self.random = random.Random(args.seed)
        self.fs = os.path.join(self.dir, "fs")
        self.sim = os.path.join(args.build, "tests/sim/baro-sim")
        self.begin_s = EPOCH_S + 3600
        self.end_s = self.begin_s + int(args.hours * 3600)
        self.clock = Clock(os.path.join(self.dir, "clock"), self.begin_s - 5)
        self.complaints, self.story = [], []
        self.is_kept = True  # until it is known that nothing differs
        self.evidence = evidence.Evidence()
        self.mounts = []
        self.postgres = None
        self.barod = None
        self.agents = {}
        self.pending = []  # (played time, function)

    # ---- small things ----

    def complain(self, text):
        self.complaints.append(text)
        print(f"# {text}", flush=True)

    def tell(self, text):
        self.story.append(f"{(self.clock.now_s - self.begin_s) / 60:7.1f} min  {text}")
        if self.args.verbose:
            print("# " + self.story[-1], flush=True)

    def play(self, *args):
        return subprocess.run([self.sim, *args], check=True, capture_output=True).stdout

    def at(self, t_s, function, *args):
        self.pending.append((t_s, len(self.pending), function, args))
        self.pending.sort(key=lambda p: p[:2])

    # ---- building ----

    def build(self):
        self.play("init", "--fs", self.fs, "--clock", self.clock.path,
                  f"seed={self.args.seed}", *self.args.settings)
        self.servers = self.play("servers", "--fs", self.fs).decode().split()
        if self.args.engine == "postgres":
            self.postgres = Postgres(self)
        self.sql = (check.postgres_reader(self.postgres.connection) if self.postgres
                    else check.sqlite_reader(os.path.join(self.dir, "records.db")))
        self.write_barod_conf()
        socket_path = os.path.join(self.dir, "barod.sock")
        self.way = Way(os.path.join(self.dir, "way.sock"), socket_path)
        self.barod = Daemon(self, "barod", [
            os.path.join(self.args.build, "src/cmd/barod"), "--config",
            os.path.join(self.dir, "barod.conf")])
        self.barod.start()
        self.wait_for(lambda: os.path.exists(socket_path), "barod's socket")
        for server in self.servers:
            self.build_agent(server)

    def write_barod_conf(self):
        records = (f"engine = postgres\nconnection = {self.postgres.connection}\n"
                   if self.postgres else
                   f"engine = sqlite\npath = {self.dir}/records.db\n")
        with open(os.path.join(self.dir, "barod.conf"), "w") as f:
            f.write(f"[net]\nlisten = 127.0.0.1:0\nsocket = {self.dir}/barod.sock\n"
                    f"[records]\n{records}"
                    "[filesystem scratch]\njobid_name = %j:%u:%H\njobid_name = %e.%u\n")

    def build_agent(self, server):
        home = os.path.join(self.dir, "agent-" + server)
        os.makedirs(home)
        spool = os.path.join(home, "spool")
        os.makedirs(spool)
        if self.wants("disk") and server == self.disk_victim() and os.geteuid() == 0:
            done = subprocess.run(["mount", "-t", "tmpfs", "-o",
                                   f"size={self.args.disk_bytes}", "tmpfs", spool])
            if done.returncode == 0:
                self.mounts.append(spool)
        cap = 64 << 20
        if server == self.disk_victim() and spool not in self.mounts:
            cap = self.args.disk_bytes
        conf = os.path.join(home, "agent.conf")
        with open(conf, "w") as f:
            f.write(f"""[agent]
server = unix:{self.way.path}
host = {server}
interval = {INTERVAL_S}s
state = {home}/state
spool = {spool}
spool_bytes_max = {cap}B
lctl = {self.fs}/servers/{server}/lctl
source = lctl
deadline = 1h
log_level = debug
totals_interval = 0s
""")
        self.agents[server] = Daemon(self, "agent-" + server, [
            os.path.join(self.args.build, "src/cmd/baro-agent"), "--config", conf],
            os.path.join(home, "state"))
        self.agents[server].start()

    def disk_victim(self):
        return self.servers[-1]

    def wait_for(self, what, name, seconds=30):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if what():
                return True
            time.sleep(0.02)
        self.complain(f"waited in vain for {name}")
        return False

    # ---- faults ----

    def wants(self, fault):
        return self.args.faults == "all" or fault in self.args.faults.split(",")

    def plan(self):
        """Everything that will go wrong, spread over the played time."""
        r, begin, length = self.random, self.begin_s, self.end_s - self.begin_s
        quiet_s = 6 * INTERVAL_S  # the last rounds are undisturbed, so that all arrives

        def somewhere(first=3 * INTERVAL_S, last=quiet_s):
            # At, or soon after, the beginning of a round: where it hurts.
            rounds = int((length - first - last) // INTERVAL_S)
            return (begin + first + r.randrange(max(rounds, 1)) * INTERVAL_S
                    + r.choice((0, 0, 1, 2, 30, 75)))

        count = max(1, round(self.args.hours * 2))
        if self.wants("agent"):
            for _ in range(count * 2):
                self.at(somewhere(), self.kill_agent, r.choice(self.servers),
                        r.choice((0, 0, 20, 200, 900)))
        if self.wants("barod"):
            for _ in range(count * 2):
                self.at(somewhere(), self.kill_barod, r.choice((0, 0, 10, 300)))
        if self.wants("postgres") and self.postgres:
            for _ in range(count):
                self.at(somewhere(), self.kill_postgres, r.choice((0, 5, 60, 240)))
        if self.wants("network"):
            for _ in range(count):
                self.at(somewhere(), self.cut_network, r.choice(("cut", "cut", "held")),
                        r.choice((30, 150, 500)))
        if self.wants("disk"):
            self.at(begin + length * 0.45, self.cut_network, "cut",
                    min(1500, length * 0.25))
        osts = [s for s in self.servers if s.startswith("oss")]
        if self.wants("failover") and len(osts) > 1:
            t = begin + length * 0.3
            self.move("scratch-OST0000", osts[1], t, 70)
            self.move("scratch-OST0000", osts[0], t + min(2400, length * 0.3), 150)
        if self.wants("upgrade"):
            t = begin + length * 0.6
            for server, version in ((osts[0], "2.15.8"), (self.servers[0], "2.16.1")):
                self.play("upgrade", "--fs", self.fs, "--server", server, "--version",
                          version, "--at", f"@{t:.3f}", "--gap", "200s")
                self.story.append(
                    f"{(t - begin) / 60:7.1f} min  {server} is upgraded to {version}")

    def move(self, target, to, t_s, gap_s):
        self.play("move", "--fs", self.fs, "--target", target, "--to", to, "--at",
                  f"@{t_s:.3f}", "--gap", f"{gap_s}s")
        self.story.append(
            f"{(t_s - self.begin_s) / 60:7.1f} min  {target} fails over to {to}")

    def kill_agent(self, server, down_s):
        time.sleep(self.random.random() * 0.25)
        self.agents[server].kill()
        self.tell(f"kill -9 of the agent on {server}, down {down_s} s")
        self.at(self.clock.now_s + down_s, self.revive, self.agents[server])

    def kill_barod(self, down_s):
        time.sleep(self.random.random() * 0.25)
        self.barod.kill()
        self.tell(f"kill -9 of barod, down {down_s} s")
        self.at(self.clock.now_s + down_s, self.revive, self.barod)

    def kill_postgres(self, down_s):
        time.sleep(self.random.random() * 0.25)
        self.postgres.kill()
        self.tell(f"kill -9 of PostgreSQL, down {down_s} s")
        self.at(self.clock.now_s + down_s, self.revive_postgres)

    def revive_postgres(self):
        if self.postgres.process.poll() is not None:
            self.postgres.start()

    def revive(self, daemon):
        if not daemon.alive():
            daemon.start()

    def cut_network(self, mode, length_s):
        self.way.set(mode)
        self.tell(f"network {mode} for {length_s:.0f} s")
        self.at(self.clock.now_s + length_s, self.way.set, "open")

    # ---- playing ----

    def run_pending(self):
        while self.pending and self.pending[0][0] <= self.clock.now_s:
            _, _, function, args = self.pending.pop(0)
            function(*args)

    def journal_size(self):
        try:
            return os.stat(os.path.join(self.fs, "journal")).st_size
        except OSError:
            return 0

    def settle(self, quiet_s, most_s):
        """Wait, in real time, until nothing was read for a while."""
        until, size, since = time.monotonic() + most_s, -1, time.monotonic()
        while time.monotonic() < until:
            now_size = self.journal_size()
            if now_size != size:
                size, since = now_size, time.monotonic()
            elif time.monotonic() - since > quiet_s:
                return
            time.sleep(0.01)

    def play_all(self):
        pause = self.args.pause_ms / 1000
        while self.clock.now_s < self.end_s:
            into = (self.clock.now_s - self.begin_s) % INTERVAL_S
            step = 1 if into < 15 or into > INTERVAL_S - 3 else 6
            self.clock.set(self.clock.now_s + step)
            self.run_pending()
            time.sleep(pause)
            # Agents read in the first seconds of a round.  On a busy machine time waits
            # for them: a dump belongs to the second in which its agent asked for it.
            if self.args.rush:
                pass
            elif into <= 8:
                self.settle(pause, 5)
            elif into <= 12 < into + step or into == 12:
                self.settle(4 * pause, 10)
            self.check_alive()

    def check_alive(self):
        for daemon in [self.barod, *self.agents.values()]:
            if not daemon.alive() and daemon.process.returncode not in (None, -9):
                self.complain(f"{daemon.name} ended by itself: "
                              f"{daemon.process.returncode}, see {daemon.log}")
                daemon.ended()
                daemon.start()

    def spooled(self):
        total = 0
        for server in self.servers:
            spool = os.path.join(self.dir, "agent-" + server, "spool")
            for root, _, files in os.walk(spool):
                total += len(files)
        return total

    def drain(self):
        """Time goes on without rounds until everything that was kept has arrived."""
        self.way.set("open")
        if self.postgres:
            self.revive_postgres()
        for daemon in [self.barod, *self.agents.values()]:
            self.revive(daemon)
        last, since = -1, time.monotonic()
        until = time.monotonic() + self.args.drain_s
        limit = self.end_s + INTERVAL_S - 10
        while time.monotonic() < until:
            if self.clock.now_s < limit:
                self.clock.set(self.clock.now_s + 1)
            time.sleep(0.02)
            now = self.row_count()
            if now != last:
                last, since = now, time.monotonic()
            elif time.monotonic() - since > 3:
                return

    # ---- what came of it ----

    def row_count(self):
        try:
            return int(self.sql("SELECT count(*) FROM jobstats")[1][0][0])
        except Exception:  # the view is not there yet, or the database is busy
            return -1

    def finish(self):
        for daemon in [*self.agents.values(), self.barod]:
            status = daemon.stop()
            if status not in (0, None):
                self.complain(f"{daemon.name} ended with {status}, see {daemon.log}")

    def clean_up(self):
        for daemon in [*self.agents.values(), self.barod]:
            if daemon:
                daemon.kill()
        if self.postgres:
            self.postgres.kill()
        for mount in self.mounts:
            if self.is_kept:
                shutil.copytree(mount, mount + ".kept", dirs_exist_ok=True)
            subprocess.run(["umount", mount])
        if self.is_kept:
            print(f"# kept in {self.dir}")
        else:
            shutil.rmtree(self.dir, ignore_errors=True)


def print_story(world, result, out):
    a = world.args
    print(f"{a.hours:g} h played, {len(world.servers)} servers, {a.engine}, seed {a.seed}:"
          f" {result['reads']} reads, {result['rows']} rows, {result['series']} series",
          file=out)
    kills = sum(d.kills for d in world.agents.values())
    print(f"killed: agents {kills} times, barod {world.barod.kills},"
          f" PostgreSQL {world.postgres.kills if world.postgres else 0}", file=out)
    check.print_result(result, out)
    for line in world.story:
        print("  " + line, file=out)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--hours", type=float, default=6)
    parser.add_argument("--engine", choices=("sqlite", "postgres"), default="sqlite")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", default="all")
    parser.add_argument("--disk-bytes", type=int, default=262144)
    parser.add_argument("--pause-ms", type=float, default=25)
    parser.add_argument("--rush", action="store_true",
                        help="time does not wait for reads: as on a machine at its end")
    parser.add_argument("--drain-s", type=float, default=60)
    parser.add_argument("--report")
    parser.add_argument("--keep", choices=("always", "differing", "never"),
                        default="differing",
                        help="logs, spools, states, database, journal, differing.jsonl")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("settings", nargs="*")
    args = parser.parse_args()
    args.build = os.path.abspath(args.build)
    world = World(args)
    try:
        world.build()
        world.plan()
        world.play_all()
        world.drain()
        world.finish()
        world.evidence.save(os.path.join(world.dir, "evidence.json"))
        result = check.compare(world.sql, world.sim, world.fs, world.clock.now_s,
                               INTERVAL_S, world.evidence, world.disk_victim(),
                               world.complain)
        print_story(world, result, sys.stdout)
        if args.report:
            with open(args.report, "w") as f:
                json.dump(dict(result, complaints=world.complaints, story=world.story),
                          f, indent=1)
        failed = bool(result["wrong"] or world.complaints or not result["rows"])
        world.is_kept = args.keep == "always" or (failed and args.keep == "differing")
        return 1 if failed else 0
    finally:
        world.clean_up()


if __name__ == "__main__":
    sys.exit(main())
