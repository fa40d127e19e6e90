# SPDX-License-Identifier: Apache-2.0
"""accounts - what the scheduler recorded: sacct -P, with steps."""
from . import site as S

COLUMNS = ("JobID|JobIDRaw|User|UID|Group|GID|Account|Partition|Cluster|State|Submit|Start|End|NNodes|"
           "NodeList|NCPUS|ReqMem|ReqTRES|AllocTRES|Timelimit|TotalCPU|MaxRSS|ExitCode|JobName")


def hostset(nodes):
    """c001,c002,c003 -> c[001-003]; each is one range of one letter."""
    if len(nodes) == 1:
        return nodes[0]
    return f"{nodes[0][0]}[{nodes[0][1:]}-{nodes[-1][1:]}]"


def clock_text(seconds):
    return f"{int(seconds) // 86400}-{int(seconds) // 3600 % 24:02d}:{int(seconds) // 60 % 60:02d}:{int(seconds) % 60:02d}"


def lines_of(job):
    draw, n = job.draw, len(job.nodes)
    cores = S.CORES.get(job.partition, 48)
    submit = job.start - int(draw.log(10, 10800))
    memory = int(S.MEM_GB.get(job.partition, 190) * 1000) // 1000 * 1000
    tres = f"billing={n * cores},cpu={n * cores},mem={memory * n}M,node={n}"
    if job.partition == "gpu":
        tres += f",gres/gpu={n * len(S.GPUS)}"
    limit = (int((job.end - job.start) / 60 * draw.uniform(1.05, 4)) // 10 + 1) * 10
    computed = sum(e - b for b, e, what in job.segments if what == "compute")
    load = job.profile.load if job.profile else 8
    cpu_s = computed * load * max(1, n - len(job.named_nodes) * (job.kind == "idle-node"))
    peak = (job.rss_gb if job.rss_gb is not None else 0) or (job.profile.memory if job.profile else 20)
    per_task = int(peak * 1e6 / max(1, min(job.per_node, 8)) * draw.uniform(0.93, 1.0))
    rss = "" if job.is_oom and job.rss_gb is None else f"{per_task}K"
    code = {"OUT_OF_MEMORY": "0:125", "FAILED": "1:0"}.get(job.state, "0:0")
    who = f"{job.user}|{job.uid}|{job.account}|{500 + job.user_number % 9}|{job.account}"
    head = f"{job.id}|{job.id}|{who}|{job.partition}|{S.CLUSTER}|{job.state}|{submit}|{job.start}|{job.end}"
    nodes = hostset(job.nodes)
    yield (f"{head}|{n}|{nodes}|{n * cores}|{memory}M|{tres}|{tres}|{clock_text(limit * 60)}|"
           f"{clock_text(cpu_s)}||{code}|{job.variety}")
    for step, hosts, where, cpu, most in (("batch", 1, job.nodes[0], 3, "14000K"),
                                          ("extern", n, nodes, 0, "1000K"), ("0", n, nodes, cpu_s, rss)):
        state = job.state if step != "extern" else "COMPLETED"
        yield (f"{job.id}.{step}|{job.id}.{step}|||||{job.account}||{S.CLUSTER}|{state}|{job.start}|{job.start}|"
               f"{job.end}|{hosts}|{where}|{hosts * cores}|||cpu={hosts * cores},mem={memory * hosts}M,node={hosts}"
               f"||{clock_text(cpu)}|{most}|{code}|{step}")


def lines(centre):
    yield COLUMNS
    out = []
    for job in centre.jobs + centre.others + centre.aggressors:
        out += [(job.start, job.id, text) for text in lines_of(job)]
    for identifier, user, nodes in centre.long_jobs():
        begin = centre.begin - 7200
        out.append((begin, identifier, f"{identifier}|{identifier}|{user}|{2000 + int(user[1:])}|p9|509|p9|old|"
                    f"{S.CLUSTER}|RUNNING|{begin - 60}|{begin}|Unknown|16|{nodes[0]}[{nodes[1:4]}-{nodes[6:]}]|768|"
                    "190000M|cpu=768,node=16|cpu=768,node=16|7-00:00:00|00:00:00||0:0|stream"))
    out.sort(key=lambda row: (row[0], row[1]))
    for _, _, text in out:
        yield text
