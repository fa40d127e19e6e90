# SPDX-License-Identifier: Apache-2.0
"""ordinary - jobs in which nothing is the matter, odd ones among them."""
from . import site as S
from .darshan_log import BLOCK

SHARES = {"bulk": 34, "farm": 12, "serial": 14, "io": 14, "gpu": 20, "wide": 6}


class Profile:
    """What a node of a job shows while it computes."""

    def __init__(self, draw, variety, partition):
        self.cores = S.CORES[partition]
        self.load = float(self.cores)
        self.flops = S.FLOPS_PEAK * draw.log(0.01, 0.35)
        self.bw = S.BW_PEAK * draw.uniform(0.1, 0.85)
        self.net = draw.log(20, 3000)
        self.memory = S.MEM_GB[partition] * draw.log(0.06, 0.55)
        self.clock = draw.uniform(2150, 2500)
        self.gpu_use, self.gpu_memory, self.gpu_power = 0.0, 0.0, 55.0
        self.waits_spinning = draw.chance(0.7)
        self.master_load = None
        if variety == "serial":
            cores = draw.choice([1, 1, 4, 8, 16, self.cores])
            share = cores / self.cores
            self.load, self.flops, self.bw = float(cores), self.flops * share, self.bw * share ** 0.6
            self.net = draw.log(0.1, 5)
        if variety == "farm":
            self.net = draw.log(1, 50)
        if variety == "gpu":
            self.load = draw.uniform(4, 24)
            self.flops, self.bw = draw.log(2, 60), draw.uniform(5, 40)
            self.gpu_use = draw.uniform(40, 98)
            self.gpu_memory = draw.uniform(10, 76)
            self.gpu_power = 60 + 3.2 * self.gpu_use * draw.uniform(0.7, 1.1)


def host_count(draw, variety, most):
    if variety == "serial":
        return 1
    if variety == "gpu":
        return draw.choice([1, 1, 1, 2, 2, 4])
    if variety == "wide":
        return min(most, draw.choice([32, 64]))
    return min(most, int(draw.pick({"1": 10, "2": 26, "4": 26, "8": 20, "12": 8, "16": 10})))


def layout_of(draw, job):
    """How it writes: own files or a shared one, by MPI-IO or not, in which blocks."""
    return {"is_shared": job.processes > 1 and draw.chance(0.45), "is_collective": draw.chance(0.5),
            "size": draw.choice([1, 1, 2, 4, 8, 16]) * BLOCK if draw.chance(0.8)
            else draw.randrange(1200, 9000) * 1000,
            "stripes": draw.choice([4, 8, 8, 16])}


def stripe_set(job, count):
    count = min(count, len(job.osts))
    return [job.osts[(job.first_ost + i) % len(job.osts)] for i in range(count)]


def write_all(job, layout, total, name="out", direction="write"):
    """Every process moves its part of total bytes."""
    size = layout["size"]
    if layout["is_shared"]:
        job.io_shared(direction, int(total), size, name, stripe_set(job, layout["stripes"]),
                      layout["is_collective"])
    else:
        each = max(size, int(total / job.processes))
        job.io_own(direction, {r: each for r in range(job.processes)}, size, name)


def rate_of(job, layout):
    """Bytes a second that such an access of all processes would get now."""
    if layout["is_shared"]:
        osts = stripe_set(job, layout["stripes"])
        return 1e10 / job.shared_s(1e10, osts, job.t)
    return job.processes * min(job.own_rates(range(job.processes), job.t, 60).values())


def begin_job(job, odd):
    """Binaries, input, and perhaps a part that only process 0 does."""
    draw = job.draw
    job.spend(draw.uniform(2, 15), "serial")
    job.io_own("read", {0: int(draw.log(1, 400)) * 8 * BLOCK}, 4 * BLOCK, "input")
    if "serial part" in odd:
        job.spend(draw.uniform(0.03, 0.12) * job.length_s, "serial")


def cycles(job, length_s, share, layout, count, burst=False):
    """Computing and I/O by turns; share of the time is I/O, as far as one can plan it."""
    for i in range(count):
        job.compute(length_s * (1 - share) / count)
        seconds = length_s * share / count
        if burst and i == count - 1:
            seconds *= job.draw.uniform(3, 6)
        reads = job.variety == "io" and job.draw.chance(0.4)
        write_all(job, layout, max(BLOCK, rate_of(job, layout) * seconds),
                  direction="read" if reads else "write")


def odd_ones(draw, variety, nodes, often):
    """Which oddities this job has."""
    fitting = {"serial part": nodes > 1, "master": variety == "farm" and nodes > 1,
               "tail": variety == "farm" and nodes > 1, "burst": variety in ("bulk", "io", "wide"),
               "few threads": variety in ("bulk", "wide"), "much memory": variety != "farm",
               "low GPU": variety == "gpu", "rank 0 logs": True}
    names = [name for name, fits in fitting.items() if fits]
    if not draw.chance(often):
        return []
    return draw.sample(names, min(len(names), draw.choice([1, 1, 2])))


def shape(job, odd):
    """What of the profile the oddities change."""
    draw, p = job.draw, job.profile
    if "few threads" in odd:
        p.load, p.bw = float(p.cores // 2), max(p.bw, 0.7 * S.BW_PEAK)
    if "much memory" in odd:
        p.memory = S.MEM_GB[job.partition] * draw.uniform(0.70, 0.88)
    if "low GPU" in odd:
        p.gpu_use = draw.uniform(12, 30)
        p.gpu_power = 60 + 2.6 * p.gpu_use
    if "master" in odd:
        p.master_load = draw.uniform(1, 2)
    if "rank 0 logs" in odd:
        odd.remove("rank 0 logs")
        job.will_log = True
    job.odd += odd


def io_share_of(draw, variety):
    return draw.uniform(0.16, 0.4) if variety == "io" else draw.log(0.003, 0.08)


def end_job(job, odd):
    if "tail" in odd:
        job.tail_s = draw_tail(job)
        job.spend(job.tail_s, "tail")
    if job.will_log:
        job.log_of_rank_0()
    job.spend(job.draw.uniform(1, 6), "serial")
    job.finish()


def draw_tail(job):
    return job.draw.uniform(0.04, 0.12) * job.since(job.t)


def play(job, odd):
    """The whole of an ordinary job."""
    draw = job.draw
    shape(job, odd)
    begin_job(job, job.odd)
    layout = layout_of(draw, job)
    share = io_share_of(draw, job.variety)
    if job.variety == "gpu" and draw.chance(0.5):
        read_images(job)
    count = draw.randrange(3, 9)
    cycles(job, job.length_s, share, layout, count, "burst" in job.odd)
    end_job(job, job.odd)


def read_images(job):
    """A data set of files of some hundred KB, read at the beginning of an epoch."""
    draw = job.draw
    for _ in range(2):
        each = draw.randrange(100, 600) << 10
        count = draw.randrange(300, 3000)
        job.io_own("read", {r: each * count for r in range(job.processes)}, each, "images", request=BLOCK)
        job.compute(job.length_s * 0.1)
