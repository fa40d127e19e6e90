# SPDX-License-Identifier: Apache-2.0
"""centre - who runs where and when: the jobs of the kind, and what else goes on."""
from . import ordinary, site as S, trouble
from .draw import Draw
from .job import Job

EPOCH = 1700006400
DAY = 86400


class Centre:
    def __init__(self, seed, kind, count):
        self.seed, self.kind = seed, kind
        self.begin = EPOCH + seed % 200 * DAY
        self.draw = Draw(seed, kind, "centre")
        self.site = S.Site(f"{seed}:{kind}", self.begin, 4 * DAY)
        numbers = list(range(500000, 500000 + 8 * count + 400))
        self.draw.shuffle(numbers)
        self.numbers = iter(numbers)
        self.jobs, self.others, self.aggressors = [], [], []
        if kind == "full-ost":
            for slot in range(3):
                ost = self.draw.choice(range(slot, S.OSTS, 3))
                self.site.fullness[ost] = self.draw.uniform(0.965, 0.997)
                self.site.slow_osts[ost] = self.draw.uniform(2.5, 6)
        self.plant(count)
        self.end = int(max(j.busy_until or j.end for j in self.jobs) // 600 + 2) * 600
        self.fill()

    def new_job(self, variety, slot, start, hosts_min=1):
        number = next(self.numbers)
        draw = Draw(self.seed, self.kind, number)
        pool = [f"g{i:02d}" for i in S.POOLS["gpu"][slot]] if variety == "gpu" else \
            [f"c{i:03d}" for i in S.POOLS["cpu"][slot]]
        count = ordinary.host_count(draw, variety, len(pool))
        count = min(max(count, hosts_min), len(pool))
        first = draw.randrange(len(pool) - count + 1)
        nodes = pool[first:first + count]
        per_node = draw.choice([2, 4, 4, 8]) if count <= 8 else 2 if count > 16 else 4
        if variety == "serial":
            per_node = 1
        job = Job(self.site, draw, number, variety, nodes, per_node, start)
        job.length_s = draw.log(420, 4200) if variety != "wide" else draw.log(600, 2400)
        if variety == "serial" and draw.chance(0.3):
            job.length_s = draw.log(150, 900)
        job.profile = ordinary.Profile(draw, variety, job.partition)
        job.has_log = not draw.chance(0.5 if variety == "serial" else 0.15)
        return job

    def plant(self, count):
        kind, draw = self.kind, self.draw
        slots = 2 if kind == "failover" else 3
        free = [self.begin + 1800 + draw.randrange(300) for _ in range(slots)]
        for _ in range(count):
            slot = min(range(slots), key=lambda k: free[k])
            varieties = trouble.VARIETIES[kind] or ordinary.SHARES
            variety = draw.pick(varieties)
            job = self.new_job(variety, slot, round(free[slot]), trouble.HOSTS_MIN.get(kind, 1))
            job.mdt = slot
            if kind in trouble.POOLED:
                job.osts = [o for o in range(S.OSTS) if o % 3 == slot]
            if kind == "failover":
                job.osts = list(range(8 * slot, 8 * slot + 8))
                job.length_s = min(job.length_s, 1800)
            job.visible_in = list(trouble.VISIBLE[kind])
            odd = ordinary.odd_ones(job.draw, variety, len(job.nodes), 0.3)
            job.kind = kind
            trouble.PLAY[kind](job, odd)
            if not job.has_log and job.visible_in == ["darshan"]:
                job.has_log = True  # without a log there is nothing to see
            if not job.has_log:
                job.visible_in = [e for e in job.visible_in if e != "darshan"]
            self.jobs.append(job)
            if job.aggression:
                self.aggressors.append(self.aggressor(job, slot))
            free[slot] = max(job.busy_until or 0, job.end + 240) + draw.uniform(60, 300)

    def aggressor(self, job, slot):
        """The neighbour that takes what an OST can give; on old nodes that report nothing."""
        begin, end, ost, factor = job.aggression
        begin, end = round(begin), round(end)
        number = next(self.numbers)
        draw = Draw(self.seed, self.kind, number)
        nodes = [f"o{i:03d}" for i in range(8 * slot + 1, 8 * slot + 1 + draw.randrange(2, 9))]
        other = Job(self.site, draw, number, "bulk", nodes, 8, begin)
        other.partition, other.has_log, other.written_more, other.read_part = "old", False, 1.0, 1.0
        direction = draw.choice(["read", "write", "write"])
        busy_with = [(b, e) for b, e, what in job.segments if what == "io"]
        for minute in range(int(begin), int(end), 60):
            until = min(minute + 60, end)
            left = S.OST_BYTES_S * (1 - self.site.ost_busy[ost].at(minute))
            contested = sum(max(0.0, min(e, until) - max(b, minute)) for b, e in busy_with)
            amount = left * (contested * (1 - 1 / factor) + (until - minute - contested)) * draw.uniform(0.9, 0.97)
            other.server_saw(direction, ost, minute, until, int(amount), 1 << 22)
        other.metadata(begin, end, open=200, close=200, getattr=200)
        other.t = end
        other.finish()
        job.neighbour = other.id
        return other

    def fill(self):
        """Ordinary jobs on what is left: two on CPUs and one on GPUs at a time."""
        for lane in range(3):
            t = self.begin + self.draw.randrange(900)
            while t < self.end - 1800:
                variety = "gpu" if lane == 2 else self.draw.pick({"bulk": 4, "farm": 2, "serial": 2, "io": 2})
                job = self.new_job(variety, 3, round(t))
                if variety != "gpu":
                    job.nodes = [f"c{i:03d}" for i in range(113 + 8 * lane, 121 + 8 * lane)][:len(job.nodes)]
                    job.processes = len(job.nodes) * job.per_node
                job.length_s = min(job.length_s, 2400)
                ordinary.play(job, ordinary.odd_ones(job.draw, variety, len(job.nodes), 0.3))
                job.has_log = False
                if job.end < self.end - 60:
                    self.others.append(job)
                t = job.end + self.draw.uniform(60, 2400)

    def steady(self):
        """What keeps the file system busy: (identifier, OST, direction, begin, end, bytes, requests)
        and (identifier, MDT, begin, end, {operation: count})."""
        draw = Draw(self.seed, self.kind, "steady")
        for ost in range(S.OSTS):
            slow = self.site.slow_osts.get(ost, 1)
            for minute in range(self.begin, self.end, 60):
                if self.site.server_of(ost, minute) is None or self.site.server_of(ost, minute + 60) is None:
                    continue
                amount = S.OST_BYTES_S * self.site.ost_busy[ost].at(minute) * 60 / slow
                who = LONG[ost % 2] if ost % 5 or minute % 14400 > 3600 else MOVER
                reads = int(amount * draw.uniform(0.2, 0.6))
                writes = int(amount) - reads
                yield "bytes", who, ost, "read", minute, minute + 60, reads, reads >> 21 | 1
                yield "bytes", who, ost, "write", minute, minute + 60, writes, writes >> 21 | 1
        for mdt in range(S.MDTS):
            for minute in range(self.begin, self.end, 60):
                n = int(self.site.mdt_busy[mdt].at(minute) * S.MDT_OPS_S * 60)
                yield "operations", LONG[mdt % 2], mdt, minute, minute + 60, {
                    "open": n // 4, "close": n // 4, "getattr": n // 2 + 1, "mknod": n // 40}

    def long_jobs(self):
        return [(identifier, f"u{50 + i}", f"o{33 + 16 * i:03d}-o{48 + 16 * i:03d}")
                for i, identifier in enumerate(LONG)]


LONG, MOVER = ("499990", "499991"), "rsync.0"
