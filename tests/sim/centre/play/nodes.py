# SPDX-License-Identifier: Apache-2.0
"""nodes - the metrics of nodes and GPUs, as lines of line protocol."""
from . import site as S
from .draw import Draw

IDLE_W, BUSY_W = 190.0, 620.0
AROUND_S = 360


def shares(job, begin, end):
    """What a job did between two times: {what: share}."""
    out = {}
    for b, e, what in job.segments:
        if b < end and e > begin:
            out[what] = out.get(what, 0.0) + (min(e, end) - max(b, begin)) / (end - begin)
    return out


def idle(draw, node, partition):
    return {"cpu_load": abs(draw.gauss(0.05, 0.05)), "flops_any": abs(draw.gauss(0, 0.003)),
            "mem_bw": draw.uniform(0.1, 0.5), "net_bw": draw.uniform(0.01, 0.5), "mem_used": 4.2,
            "swap_used": 0.0, "clock": draw.uniform(800, 2400), "busy": 0.0, "gpu_busy": 0.0}


def working(job, i, now, part, moved):
    """Means of a minute of node i, without noise."""
    p, n = job.profile, len(job.nodes)
    load = flops = bw = net = busy = 0.0
    gpu = 0.0
    for what, share in part.items():
        spins = p.waits_spinning and job.variety not in ("farm", "serial")
        if what == "compute":
            l, f, b, x, w, g = p.load, p.flops, p.bw, p.net, min(1.0, p.load / p.cores), 1.0
        elif what in ("io", "hang"):
            l, f, b, x, w, g = p.load, 0.01 * p.flops, 0.05 * p.bw, 0.05 * p.net, 0.45, 0.05
        elif what == "serial":
            l, w = (p.load, 0.5) if spins else (1.0 if i == 0 else 0.1, 0.05)
            f, b, x, g = (8.0 if i == 0 else 0.0), (9.0 if i == 0 else 0.3), 0.5, 0.0
        else:  # the tail: nodes fall idle one after the other
            left = max(0.0, 1 - (now - (job.end - job.tail_s)) / job.tail_s)
            l, f, b, x, w, g = (p.load, p.flops, p.bw, p.net, 1.0, 1.0) \
                if i / n < left or i == 0 else (0.05, 0.0, 0.3, 0.2, 0.0, 0.0)
        if p.master_load and i == 0 and what in ("compute", "tail"):
            l, f, b, x, w = p.master_load, 0.4, 1.5, max(60.0, p.net * n * 0.6), 0.06
        load, flops, bw, net, busy = (load + share * l, flops + share * f, bw + share * b,
                                      net + share * x, busy + share * w)
        gpu += share * g
    grown = min(1.0, (now - job.start) / max(120.0, 0.05 * (job.end - job.start)))
    memory = 4.5 + (p.memory - 4.5) * (0.25 + 0.75 * grown) if not (p.master_load and i == 0) else 9.0
    return {"t": now, "cpu_load": load, "flops_any": flops, "mem_bw": bw, "net_bw": net + moved,
            "mem_used": memory, "swap_used": 0.0, "clock": p.clock, "busy": busy, "gpu_busy": gpu}


NOISE = {"cpu_load": 0.01, "flops_any": 0.03, "mem_bw": 0.03, "net_bw": 0.15, "clock": 0.008, "mem_used": 0.004}


def line_of(node, t, v, power, total_gb):
    tags = f",cluster={S.CLUSTER},hostname={node},type=node value="
    return [f"{name}{tags}{value:.6g} {t}\n" for name, value in (
        ("cpu_load", v["cpu_load"]), ("flops_any", v["flops_any"]), ("mem_bw", v["mem_bw"]),
        ("net_bw", v["net_bw"]), ("mem_used", v["mem_used"]), ("mem_total", total_gb),
        ("swap_used", v["swap_used"]), ("clock", v["clock"]), ("cpu_power", power))]


def gpu_lines(job, i, node, t, v, draw):
    p, out = job.profile, []
    for k, gpu in enumerate(S.GPUS):
        used = (i, k) not in job.unused_gpus and p.gpu_use > 0
        share = v["gpu_busy"] if used else 0.0
        use = min(100.0, max(0.0, p.gpu_use * share + draw.gauss(0, 6) * share))
        if not used and draw.chance(0.01):
            use = 1.0
        memory = p.gpu_memory * (0.98 + 0.02 * share) if used and v["gpu_busy"] > 0 else draw.uniform(0.3, 0.6)
        power = 55 + draw.gauss(0, 2.5) + (p.gpu_power - 55) * share
        tags = f",cluster={S.CLUSTER},hostname={node},type=accelerator,type-id={gpu} value="
        out += [f"acc_utilization{tags}{use:.0f} {t}\n", f"acc_mem_used{tags}{memory:.4g} {t}\n",
                f"acc_power{tags}{max(45.0, min(power, 420.0)):.4g} {t}\n"]
    return out


def moved_rates(job, minutes):
    """MB/s a node of file system traffic, by minute."""
    total = {}
    for _, _, begin, end, amount, _ in job.transfers:
        for m in range(int(begin // 60), int(end // 60) + 1):
            share = (min(end, 60 * m + 60) - max(begin, 60 * m)) / max(end - begin, 1e-9)
            total[m] = total.get(m, 0.0) + amount * max(0.0, min(1.0, share))
    return {m: amount / 60 / 1e6 / len(job.nodes) for m, amount in total.items()}


def of_node(job, i, site, parts, moved, draw):
    """All lines of one node of one job, with what was before and after it."""
    node, out = job.nodes[i], []
    level, late = site.level[node], round(site.clock[node])
    total_gb = S.MEM_GB[job.partition]
    never = draw.choice(list(NOISE)) if draw.chance(1 / 60) else None
    hole = 0, 0
    if draw.chance(1 / 40):
        length = draw.uniform(240, 900)
        at = draw.uniform(job.start, max(job.start, job.end - length))
        hole = at, at + length
    changes = [(b, e, f) for who, b, e, f in job.node_changes if who in (None, i)]
    first, last = int((job.start - AROUND_S) // 60) + 1, int((job.end + AROUND_S) // 60)
    for m in range(first, last + 1):
        begin, end = 60 * (m - 1), 60 * m
        part = parts.get(m)
        if part is None:
            v = idle(draw, node, job.partition)
        else:
            v = working(job, i, begin + 30, part, moved.get(m - 1, 0.0))
            for b, e, change in changes:
                if b < end and e > begin:
                    if b <= begin and e >= end:
                        change(v)
                    elif min(e, end) - max(b, begin) > 30:
                        change(v)
            alone = 1 - sum(part.values())
            if alone > 0.02:
                rest = idle(draw, node, job.partition)
                for name in ("mem_used",):
                    v[name] = v[name] * (1 - alone) + rest[name] * alone
        v["flops_any"] *= level
        v["mem_bw"] *= level
        v["clock"] *= level
        for name, noise in NOISE.items():
            v[name] = abs(v[name] * (1 + noise * draw.gauss(0, 1)))
        v["mem_used"] = min(v["mem_used"], total_gb)
        power = (IDLE_W + (BUSY_W - IDLE_W) * v["busy"]) * level * (1 + 0.03 * draw.gauss(0, 1))
        lines = line_of(node, end + late, v, power, total_gb)
        if job.partition == "gpu":
            lines += gpu_lines(job, i, node, end + late, v, draw)
        if hole[0] <= end < hole[1]:
            continue
        for line in lines:
            if draw.random() >= 0.005 and not (never and line.startswith(never)):
                out.append(line)
    return out


def lines(centre):
    for job in centre.jobs + centre.others:
        parts = {}
        for m in range(int(job.start // 60), int(job.end // 60) + 2):
            part = shares(job, 60 * (m - 1), 60 * m)
            if part:
                parts[m] = part
        moved = moved_rates(job, parts)
        for i in range(len(job.nodes)):
            yield from of_node(job, i, centre.site, parts, moved, Draw(centre.seed, "node", job.id, i))
