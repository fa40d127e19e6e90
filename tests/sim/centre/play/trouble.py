# SPDX-License-Identifier: Apache-2.0
"""trouble - the eleven kinds of trouble, each as ../README.md describes it.

VARIETIES: which varieties can have a kind; hosts: of how many nodes.  Each function plays a
whole job with the trouble in it.
"""
from . import site as S
from .darshan_log import BLOCK, File
from .ordinary import (begin_job, cycles, end_job, io_share_of, layout_of, play, rate_of, shape,
                       stripe_set, write_all)

VARIETIES = {
    "idle-node": {"bulk": 40, "farm": 25, "io": 15, "gpu": 15, "wide": 5},
    "slow-node": {"bulk": 55, "farm": 40, "wide": 5},
    "memory-limit": {"bulk": 40, "farm": 20, "serial": 25, "io": 15},
    "gpu-unused": {"gpu": 1},
    "small-io": {"bulk": 55, "io": 45},
    "metadata-storm": {"bulk": 50, "farm": 50},
    "contended-ost": {"bulk": 50, "io": 50},
    "full-ost": {"bulk": 50, "io": 50},
    "failover": {"bulk": 50, "io": 50},
    "imbalance": {"bulk": 60, "io": 40},
    "wrong-stripe": {"bulk": 50, "io": 50},
    "none": None,
}
HOSTS_MIN = {"idle-node": 2, "slow-node": 4, "imbalance": 4, "wrong-stripe": 4, "small-io": 1,
             "contended-ost": 2, "full-ost": 2, "failover": 2}
POOLED = ("contended-ost", "full-ost", "wrong-stripe")  # files on OSTs of their own
VISIBLE = {
    "idle-node": ["metrics"], "slow-node": ["metrics"], "memory-limit": ["metrics", "scheduler"],
    "gpu-unused": ["metrics"], "small-io": ["darshan", "jobstats"],
    "metadata-storm": ["darshan", "jobstats"], "contended-ost": ["servers", "jobstats", "darshan"],
    "full-ost": ["health", "servers"], "failover": ["health", "servers"], "imbalance": ["darshan"],
    "wrong-stripe": ["darshan", "jobstats"], "none": [],
}


def mark(job, begin, end, magnitude, cause):
    job.trouble_from, job.trouble_to, job.magnitude, job.cause = begin, end, magnitude, cause


# ---- nodes ----

def idle_values(draw):
    def change(v):
        v.update(cpu_load=draw.uniform(0, 0.4), flops_any=draw.uniform(0, 0.01),
                 mem_bw=draw.uniform(0.1, 0.6), net_bw=draw.uniform(0.01, 0.9),
                 clock=v["clock"] * draw.uniform(0.35, 0.95))
        v["busy"] = 0.0
        v["gpu_busy"] = 0.0
    return change


def idle_node(job, odd):
    draw, n = job.draw, len(job.nodes)
    count = draw.choice([2, 3]) if n >= 8 and draw.chance(0.25) else 1
    first = 1 if "master" in odd else 0
    who = sorted(draw.sample(range(first, n), min(count, n - first)))
    from_start = job.variety != "farm" or draw.chance(0.3)
    part = 0.0 if from_start else draw.uniform(0.1, 0.5)
    if from_start:
        job.processes -= len(who) * job.per_node
    play(job, odd)
    since = job.start + part * (job.end - job.start)
    memory = draw.uniform(3, 6) if from_start or draw.chance(0.5) else None
    change = idle_values(draw)

    def changed(v):
        change(v)
        if memory:
            v["mem_used"] = memory
    for i in who:
        job.node_changes.append((i, since, job.end, changed))
    job.named_nodes = [job.nodes[i] for i in who]
    mark(job, since, job.end, len(who), "from the start" if from_start else "a worker ended")


def slow_node(job, odd):
    draw = job.draw
    is_farm = job.variety == "farm"
    cause = draw.pick({"throttled": 60, "memory": 20 if is_farm else 0, "left-over process": 20})
    first = 1 if "master" in odd else 0
    who = draw.randrange(first, len(job.nodes))
    part = 0.0 if draw.chance(0.7) else draw.uniform(0.1, 0.4)
    extra = 0.0
    if cause == "throttled":
        factor = draw.uniform(0.45, 0.75)
    elif cause == "memory":
        factor = draw.uniform(0.45, 0.7)
    else:
        extra = draw.uniform(8, 40)
        factor = job.profile.cores / (job.profile.cores + extra)

    def slow(v):
        if is_farm:
            v["flops_any"] *= factor
            v["mem_bw"] *= factor
        if cause == "throttled":
            v["clock"] *= factor
            v["busy"] *= factor ** 1.5
        v["cpu_load"] += extra

    def waits(v):
        v["flops_any"] *= factor
        v["mem_bw"] *= factor
    # In lockstep everything after it lasts longer.
    if not is_farm:
        job.slower = part + (1 - part) / factor
    play(job, odd)
    since = job.start + part * (job.end - job.start)
    job.node_changes.append((who, since, job.end, slow))
    if not is_farm:
        job.node_changes.append((None, since, job.end, waits))
    job.named_nodes = [job.nodes[who]]
    mark(job, since, job.end, round(factor, 3), cause)


def memory_limit(job, odd):
    draw = job.draw
    what = draw.pick({"killed": 45, "swaps": 25, "fits": 30})
    gathers = len(job.nodes) > 1 and draw.chance(0.35)
    who = [0] if gathers else range(len(job.nodes))
    play(job, [o for o in odd if o != "much memory"])
    if what == "killed":
        cut = job.start + (job.end - job.start) * draw.uniform(0.35, 0.95)
        job.cut_at(round(cut))
        job.state, job.is_oom = "OUT_OF_MEMORY", True
        job.has_log = draw.chance(0.5) and job.has_log
    length = job.end - job.start
    full = job.start + length * (draw.uniform(0.96, 0.995) if what == "killed" else draw.uniform(0.45, 0.75))
    top = S.MEM_GB[job.partition] * draw.uniform(0.965, 0.998)
    base, steps = min(job.profile.memory, 0.5 * top), draw.chance(0.4)
    swap, lost = draw.uniform(2, 30), draw.uniform(0.15, 0.5)

    def grows(v):
        part = min(1.0, (v["t"] - job.start) / (full - job.start))
        part = int(part * 6) / 6 if steps and part < 1 else part
        v["mem_used"] = (base + (top - base) * part) * (1 + 0.0004 * draw.gauss(0, 1))
        if what == "swaps" and v["t"] > full:
            v["swap_used"] = swap * min(1.0, (v["t"] - full) / 600) + 0.1
            v["flops_any"] *= lost
            v["mem_bw"] *= lost
            v["busy"] *= 0.6
    for i in who:
        job.node_changes.append((i, job.start, job.end, grows))
    job.named_nodes = [job.nodes[i] for i in who]
    job.rss_gb = None if what == "killed" and draw.chance(0.2) else top
    mark(job, full, job.end, round(top / S.MEM_GB[job.partition], 4), what)


def gpu_unused(job, odd):
    draw, n = job.draw, len(job.nodes)
    cause = draw.pick({"all": 40, "one used": 40, "one node": 20 if n > 1 else 0})
    odd = [o for o in odd if o != "low GPU"]
    all_of = [(node, gpu) for node in range(n) for gpu in range(len(S.GPUS))]
    if cause == "all":
        unused = all_of
        p = job.profile
        p.load, p.flops, p.bw = float(p.cores), 1500 * draw.log(0.02, 0.3), 250 * draw.uniform(0.1, 0.8)
    elif cause == "one used":
        unused = [(node, gpu) for node, gpu in all_of if gpu > 0]
    else:
        node = draw.randrange(n)
        unused = [(node, gpu) for gpu in range(len(S.GPUS))]
    job.unused_gpus = set(unused)
    play(job, odd)
    job.named_nodes = sorted({job.nodes[node] for node, _ in unused})
    job.named_gpus = [f"{job.nodes[node]}/accelerator:{S.GPUS[gpu]}" for node, gpu in unused]
    mark(job, job.start, job.end, len(unused) / len(all_of), cause)


# ---- I/O of the job's own ----

def with_io(job, odd, share, parts, do):
    """Computing and do(seconds of I/O) by turns."""
    shape(job, odd)
    begin_job(job, job.odd)
    since = job.t
    for _ in range(parts):
        job.compute(job.length_s * (1 - share) / parts)
        do(job.length_s * share / parts)
    mark(job, since, job.t, round(share, 3), "")
    end_job(job, job.odd)


def small_access(job, cause, size, seconds):
    """Accesses of a few bytes for so long, of every process."""
    draw, n, begin, at = job.draw, job.processes, job.t, job.since(job.t)
    each_s = draw.uniform(5e-5, 1.5e-4) if cause == "own records" else draw.uniform(4e-4, 1.5e-3)
    count = max(200, int(seconds / each_s))
    direction = "read" if cause == "random reads" else "write"
    took = [count * each_s * draw.factor(0.06) for _ in range(n)]
    longest, osts = max(took), job.osts
    if cause == "strided writes":
        osts = stripe_set(job, 8)
        f = File(f"/scratch/{job.account}/{job.user}/field.{job.phase:03d}", -1, osts)
        f.meta(n, n, n * 0.001, at, at + 0.001)
        f.moved(direction, size, count * n, sum(took), each_s * 30, at, at + longest)
        f.seeks, f.in_order, f.is_aligned = count * n, 0.7, False
        f.fast = (took.index(min(took)), count * size, min(took))
        f.slow = (took.index(longest), count * size, longest)
        mean = sum(took) / n
        f.variance_s = sum((x - mean) ** 2 for x in took) / n
        job.files.append(f)
    else:
        for rank in range(n):
            f = File(f"/scratch/{job.account}/{job.user}/table.{rank:05d}", rank, [job.place(rank, job.phase)])
            f.meta(1, 1, 0.001, at, at + 0.001)
            f.moved(direction, size, count, took[rank], each_s * 30, at, at + took[rank])
            f.is_aligned = False
            if cause == "random reads":
                f.seeks, f.in_order = count, 0.45
            job.files.append(f)
    # What a client cannot gather goes over the wire in pages.
    pages = -(-size // 4096) * 4096
    for k, o in enumerate(osts):
        mine = n * count // len(osts) + (k < n * count % len(osts))
        if cause == "own records":
            job.server_saw(direction, o, begin, begin + longest, mine * size, 2 * BLOCK)
        else:
            job.server_saw(direction, o, begin, begin + longest, mine * pages, max(pages, 4096))
            job.paged += mine * (pages - size)
    job.metadata(begin, begin + 1, open=n, close=n, getattr=n)
    job.spend(longest, "io")
    job.phase += 1


def small_io(job, odd):
    draw = job.draw
    cause = draw.pick({"random reads": 45, "strided writes": 35, "own records": 20})
    size = int(draw.log(200, 48 << 10))
    share = draw.uniform(0.2, 0.7)
    with_io(job, odd, share, draw.randrange(3, 8), lambda s: small_access(job, cause, size, s))
    job.cause, job.magnitude = cause, size
    job.visible_in = ["darshan"] if cause == "own records" else ["darshan", "jobstats"]


def storm(job, cause, count, seconds):
    """count operations of metadata by all processes, in so many seconds."""
    draw, n, begin, at = job.draw, job.processes, job.t, job.since(job.t)
    turns = max(1, count // (4 if cause == "own files" else 3) // n)
    size = draw.randrange(1, 12) << 10
    longest = 0.0
    for rank in range(n):
        took = seconds * draw.factor(0.05)
        seen = 0.92 if cause == "own files" else 0.4  # what fails leaves no trace in a log
        for k in range(4):
            f = File(f"/scratch/{job.account}/{job.user}/tmp/{job.phase:03d}.{rank:05d}.{k}", rank,
                     [job.place(rank + k, job.phase)])
            mine = max(1, turns // 4)
            begins = at + took * k / 4
            f.meta(mine, mine, took * seen / 4, begins, begins + took / 4)
            direction = "write" if cause == "own files" else "read"
            f.moved(direction, size, mine, took * 0.05 / 4, 0.002, begins, begins + took / 4)
            f.is_aligned = True
            job.files.append(f)
            job.server_saw(direction, job.place(rank + k, job.phase), begin, begin + took, mine * size, size)
        longest = max(longest, took)
    ops = max(1, turns // 4) * 4 * n
    if cause == "own files":
        job.metadata(begin, begin + longest, open=ops, close=ops, mknod=ops, unlink=ops)
    else:
        job.metadata(begin, begin + longest, open=ops, close=ops, getattr=2 * ops)
    job.spend(longest, "io")
    job.phase += 1


def metadata_storm(job, odd):
    draw = job.draw
    cause = draw.pick({"own files": 60, "path search": 40})
    rate = min(draw.uniform(2e4, 6e4), job.processes / 3e-4)
    share = draw.uniform(0.25, 0.8)
    job.length_s = draw.log(240, 1800)
    parts = draw.randrange(3, 8)
    with_io(job, odd, share, parts, lambda s: storm(job, cause, int(rate * s), s))
    job.cause, job.magnitude = cause, int(rate * job.length_s * share)


# ---- what the file system did ----

def contended_ost(job, odd):
    draw = job.draw
    job.osts = sorted(draw.sample(job.osts, min(len(job.osts), 6)))
    ost = draw.choice(job.osts)
    factor = draw.uniform(3, 8)
    hot = (job.start - draw.uniform(60, 300), job.start + 14400, ost, factor)
    job.site.hot.append(hot)
    layout = layout_of(draw, job)
    layout["stripes"] = len(job.osts)
    share = draw.uniform(0.15, 0.6)

    def do(seconds):
        write_all(job, layout, rate_of(job, layout) * seconds,
                  direction=draw.choice(["read", "write", "write"]))
    with_io(job, odd, share, draw.randrange(3, 8), do)
    until = job.end + draw.uniform(10, 200)
    job.site.hot[job.site.hot.index(hot)] = (hot[0], until, ost, factor)
    job.named_osts, job.magnitude = [S.ost_name(ost)], round(factor, 2)
    job.cause, job.aggression = "a neighbour", (hot[0], until, ost, factor)


def full_ost(job, odd):
    draw, site = job.draw, job.site
    ost = next(o for o in job.osts if o in site.slow_osts)
    others = [o for o in job.osts if o != ost]
    job.osts = sorted(draw.sample(others, min(len(others), 5)) + [ost])
    layout = layout_of(draw, job)
    layout["stripes"] = len(job.osts)
    share = draw.uniform(0.12, 0.5)
    with_io(job, odd, share, draw.randrange(3, 8),
            lambda s: write_all(job, layout, rate_of(job, layout) * s))
    job.named_osts, job.magnitude = [S.ost_name(ost)], round(100 * site.fullness[ost], 2)
    job.cause = "slow"
    if draw.chance(0.25):
        job.state, job.cause = "FAILED", "no space left"


def failover(job, odd):
    draw = job.draw
    pair = job.osts[0] // 4 // 2 * 2
    server = pair + draw.randrange(2)
    gap, parts = draw.uniform(70, 320), draw.randrange(4, 9)
    hit, in_io = draw.randrange(1, parts - 1), draw.chance(0.5)
    layout = layout_of(draw, job)
    layout["stripes"] = len(job.osts)
    share = draw.uniform(0.1, 0.4)
    shape(job, odd)
    begin_job(job, job.odd)
    away = None
    for i in range(parts):
        seconds = job.length_s * (1 - share) / parts
        if i == hit:
            away = job.t + seconds * (1.0 if in_io else draw.uniform(0.1, 0.9)) - (1.0 if in_io else 0)
        wanted = rate_of(job, layout) * job.length_s * share / parts
        job.compute(seconds)
        if i == hit:
            away = min(away, job.t - 1.0)
            job.site.failovers.append((away, away + gap, away + gap + 1e5, server))
        write_all(job, layout, wanted)
    end_job(job, job.odd)
    until = max(job.end, away + gap) + draw.uniform(300, 1200)
    job.site.failovers[-1] = (away, away + gap, until, server)
    job.busy_until = until
    job.named_osts = [S.ost_name(o) for o in range(4 * server, 4 * server + 4)]
    job.named_nodes = [S.OSS[server]]
    mark(job, away, min(job.end, until), round(gap, 1), "in I/O" if in_io else "while it computed")


# ---- uneven work ----

def imbalance(job, odd):
    draw, n = job.draw, job.processes
    if draw.chance(0.4):
        return uneven_computing(job, [o for o in odd if o != "few threads"])
    few = [0] if draw.chance(0.7) else list(range(0, n, 16))
    factor, size = draw.uniform(5, 12), draw.choice([1, 2, 4, 8]) * BLOCK
    share = draw.uniform(0.15, 0.55)
    alone = few == [0] and draw.chance(0.6)

    def do(seconds):
        heavy = int(seconds * min(job.own_rates(few, job.t, seconds).values()))
        each = {r: heavy for r in few}
        if not alone:
            each.update({r: int(heavy / factor) for r in range(n) if r not in each})
        job.io_own("write", each, size, "gather")
    with_io(job, odd, share, draw.randrange(3, 7), do)
    job.named_ranks, job.cause = few[:64], "process 0 alone" if alone else "few processes"
    job.magnitude = round(n if alone else factor, 2)
    job.visible_in = ["darshan"]


def uneven_computing(job, odd):
    draw, n = job.draw, len(job.nodes)
    most = draw.uniform(1.5, 3)
    most = min(most, 0.9 * n)
    if draw.chance(0.5):  # a ramp of work over the nodes
        shares = [1 + (most - 1) * (2 * i / (n - 1) - 1) for i in range(n)]
        shares = [max(0.05, s) for s in shares]
        if draw.chance(0.5):
            shares.reverse()
    else:
        shares = [(n - most) / (n - 1)] * n
        shares[draw.randrange(n)] = most
    heaviest = max(shares)

    def part(share):
        def change(v):
            v["flops_any"] *= share / heaviest
            v["mem_bw"] *= 0.1 + 0.9 * share / heaviest
            v["busy"] *= 0.75 + 0.25 * share / heaviest
        return change
    job.profile.waits_spinning = True
    play(job, odd)
    for i, share in enumerate(shares):
        job.node_changes.append((i, job.start, job.end, part(share)))
    job.named_nodes = [job.nodes[i] for i, share in enumerate(shares) if share == heaviest]
    mark(job, job.start, job.end, round(heaviest / (sum(shares) / n), 3), "computing")
    job.visible_in = ["metrics"]


def wrong_stripe(job, odd):
    draw = job.draw
    if draw.chance(0.25):
        return too_wide(job, odd)
    ost = draw.choice(job.osts)
    layout = {"is_shared": True, "is_collective": draw.chance(0.5),
              "size": draw.choice([1, 2, 4, 8]) * BLOCK, "stripes": 1}
    job.osts, job.first_ost = [ost], 0
    share, parts = draw.uniform(0.2, 0.7), draw.randrange(3, 8)
    job.length_s = draw.log(240, 1800)
    with_io(job, odd, share, parts, lambda s: write_all(job, layout, rate_of(job, layout) * s))
    job.named_osts, job.magnitude = [S.ost_name(ost)], 1
    job.cause = "one stripe"


def too_wide(job, odd):
    draw, n = job.draw, job.processes
    job.osts = list(range(S.OSTS))
    per_process = max(20, 2400 // n)
    names = [[f"/scratch/{job.account}/{job.user}/small/{r:04d}.{k:04d}" for k in range(per_process)]
             for r in range(n)]
    files = [[File(path, r, job.osts) for path in mine] for r, mine in enumerate(names)]
    open_s, size = draw.uniform(0.008, 0.020), draw.randrange(1, 5) * BLOCK

    def do(seconds):
        begin, at, longest = job.t, job.since(job.t), 0.0
        move_s = size / S.PROCESS_BYTES_S + 0.003
        turns = max(1, int(seconds / ((open_s + move_s) * per_process)))
        for r in range(n):
            slow = draw.factor(0.06)
            took = turns * per_process * (open_s + move_s) * slow
            for k, f in enumerate(files[r]):
                here = at + took * k / per_process
                f.meta(turns, turns, turns * open_s * slow, here, here + took / per_process)
                f.moved("write", size, turns, turns * move_s * slow, move_s * 3, here,
                        here + took / per_process)
            longest = max(longest, took)
        count = n * turns * per_process
        for o in job.osts:
            job.server_saw("write", o, begin, begin + longest, count * size // len(job.osts), size // len(job.osts))
        job.metadata(begin, begin + longest, open=count, close=count, getattr=count, setattr=count)
        job.spend(longest, "io")
        job.phase += 1
    with_io(job, odd, draw.uniform(0.2, 0.7), draw.randrange(3, 8), do)
    job.files += [f for mine in files for f in mine]
    job.magnitude, job.cause = S.OSTS, "too wide"


def none(job, odd):
    play(job, odd)


PLAY = {"idle-node": idle_node, "slow-node": slow_node, "memory-limit": memory_limit,
        "gpu-unused": gpu_unused, "small-io": small_io, "metadata-storm": metadata_storm,
        "contended-ost": contended_ost, "full-ost": full_ost, "failover": failover,
        "imbalance": imbalance, "wrong-stripe": wrong_stripe, "none": none}
KINDS = list(PLAY)
