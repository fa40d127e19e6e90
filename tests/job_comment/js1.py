#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""js1 - a reader of AdminComments in Princeton's form, written from its description.

    js1.py nodes < COMMENT    NODE CPUS CPU-SECONDS USED-MEMORY TOTAL-MEMORY a line
    js1.py gpus < COMMENT     NODE GPU UTILIZATION USED-MEMORY TOTAL-MEMORY a line
    js1.py job < COMMENT      SECONDS GPUS CPU% MEMORY%, as means over the nodes
"""
import base64
import gzip
import json
import sys

text = sys.stdin.read().strip()
if not text.startswith("JS1:"):
    sys.exit(f"not JS1: {text[:20]}")
if text[4:] in ("Short", "None"):
    print(text[4:])
    sys.exit(0)
job = json.loads(gzip.decompress(base64.b64decode(text[4:], validate=True)))
assert set(job) == {"nodes", "total_time", "gpus"}, job.keys()
nodes = job["nodes"]


def mean(values):
    values = list(values)
    return round(sum(values) / len(values), 1)


if sys.argv[1] == "nodes":
    for name, n in nodes.items():
        print(name, n["cpus"], n["total_time"], n["used_memory"], n["total_memory"])
elif sys.argv[1] == "gpus":
    for name, n in nodes.items():
        for gpu in sorted(n.get("gpu_utilization", {})):
            print(name, gpu, n["gpu_utilization"][gpu],
                  n.get("gpu_used_memory", {}).get(gpu), n.get("gpu_total_memory", {}).get(gpu))
else:
    print(job["total_time"], job["gpus"],
          mean(n["total_time"] / n["cpus"] / job["total_time"] * 100 for n in nodes.values()),
          mean(n["used_memory"] / n["total_memory"] * 100 for n in nodes.values()))
