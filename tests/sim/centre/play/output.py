# SPDX-License-Identifier: Apache-2.0
"""output - writes a centre into the files that Barograph reads, and the truth beside them."""
import json
import os

from . import accounts, darshan_log, health, nodes, servers
from . import site as S

EVIDENCE = ("scheduler", "metrics", "servers", "jobstats", "health", "darshan")
METRICS = {"cpu_load": "", "mem_used": "GB", "mem_total": "GB", "swap_used": "GB", "flops_any": "GF/s",
           "mem_bw": "GB/s", "net_bw": "MB/s", "cpu_power": "W", "clock": "MHz",
           "acc_utilization": "%", "acc_mem_used": "GB", "acc_power": "W"}


def write_text(path, pieces):
    with open(path, "w") as out:
        out.writelines(pieces)


def conf():
    yield f"[filesystem {S.FS}]\njobid_name = %j\n"
    for name, unit in METRICS.items():
        yield f"[metric {name}]\nstep = 60s\naggregation = avg\n" + (f"unit = {unit}\n" if unit else "")


def truth_of(job):
    read = sum(f.bytes_read() for f in job.files)
    written = sum(f.bytes_written() for f in job.files)
    saw = {d: sum(x[4] for x in job.transfers if x[1] == d) for d in ("read", "write")}
    return {"id": job.id, "kind": job.kind, "cause": job.cause, "nodes": job.named_nodes,
            "osts": job.named_osts, "gpus": job.named_gpus, "ranks": job.named_ranks,
            "mdt": S.mdt_name(job.mdt) if job.kind == "metadata-storm" else None,
            "neighbour": job.neighbour,
            "from": job.trouble_from and round(job.trouble_from), "to": job.trouble_to and round(job.trouble_to),
            "magnitude": job.magnitude, "visible_in": job.visible_in, "variety": job.variety,
            "odd": job.odd, "host_count": len(job.nodes), "user": job.user, "start": job.start,
            "end": job.end, "state": job.state,
            "log": f"darshan/{job.id}.darshan" if job.has_log else None,
            "played": {"log_read": read, "log_written": written, "server_read": saw["read"],
                       "server_written": saw["write"], "paged": job.paged}}


def write(centre, out, without=()):
    for folder in ("jobstats", "health", "darshan"):
        os.makedirs(os.path.join(out, folder), exist_ok=True)
    at = lambda *names: os.path.join(out, *names)
    have = lambda evidence: evidence not in without
    write_text(at("sacct.txt"), (line + "\n" for line in accounts.lines(centre)) if have("scheduler") else [])
    write_text(at("metrics.lp"), nodes.lines(centre) if have("metrics") else [])
    cells = servers.Cells(centre) if have("servers") or have("jobstats") else None
    write_text(at("servers.lp"), servers.total_lines(centre, cells) if have("servers") else [])
    for n, body in enumerate(servers.batches(centre, cells) if have("jobstats") else []):
        write_text(at("jobstats", f"{n:05d}.json"), [body])
    for name, lines in (("df", health.df), ("dl", health.dl)):
        write_text(at("health", f"{name}.txt"), lines(centre) if have("health") else [])
    for job in centre.jobs:
        if job.has_log and have("darshan"):
            darshan_log.write(job, at("darshan", f"{job.id}.darshan"))
    write_text(at("barod.conf"), conf())
    write_text(at("clock"), [f"{centre.end}\n"])
    truth = {"seed": centre.seed, "trouble": centre.kind, "from": centre.begin, "to": centre.end,
             "without": sorted(without)}
    text = json.dumps(truth)[:-1] + ',\n "jobs":[\n' + ",\n".join(json.dumps(truth_of(j)) for j in centre.jobs) + "]}\n"
    write_text(at("truth.json"), [text])
