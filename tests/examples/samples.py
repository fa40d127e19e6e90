#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""samples - the configurations that pages and files under etc show, each as a file.

    samples.py DIRECTORY ROOT [CONNECTION]

writes DIRECTORY/N.PROGRAM.conf, and prints "FILE PROGRAM PAGE" a line each.  What the pages say
of a machine is below ROOT instead, addresses are of this machine, ports are free ones, and the
database is CONNECTION.  A file whose keys are all commented out, as /etc/barograph/barod.conf,
is written a second time with each default set."""
import glob
import os
import re
import sys

BOTH = {"session"}  # of barod's file and of an agent's
AGENT = {"agent", "fold", "totals", "gpfs", "node", "usage", "plugins"}
DATASETS = {"dataset", "jobs"}
RULES = {"rule"}  # of the kernel's messages: an agent reads them
OTHERS = {"poller", "bmc", "storage", "study", "table", "column", "measure", "drop", "actions", "action"}  # maps of tables: tests of climate read these; of BMCs 1861

REQUIRED = {"url": "http://n1:9100/metrics", "subscribe_to": "alex.metrics", "jobid_name": "%j", "cluster": "alex", "member": "a[0097-0112]",
            "flops": "9.2TF/s", "memory_bandwidth": "350GB/s",
            "address": "nats://127.0.0.1:4222", "executable": "vasp_*",
            "condition": "cpus > 1", "sentence": "x"}  # keys without a default that their section needs


def literal_blocks(text):
    """Blocks between ``` and, in Markdown, those indented by four."""
    found, current, is_fenced = [], [], False
    for line in text.split("\n") + [""]:
        is_fence = line.strip().startswith("```")
        is_in = is_fenced and not is_fence or (not is_fenced and line.startswith("    "))
        if is_in:
            current.append(line if is_fenced else line[4:])
        elif current and not is_fenced and not line.strip():
            current.append("")
        elif current:
            found.append("\n".join(current))
            current = []
        is_fenced ^= is_fence
    return found


def configuration(block):
    """The part of a block that is one: commands beneath it are none of it."""
    lines = block.split("\n")
    first = next((i for i, line in enumerate(lines) if re.match(r"\[[a-z]+[^\]]*\]\s*$", line)), None)
    if first is None:
        return None
    last = first
    for i in range(first, len(lines)):
        if re.match(r"\[[a-z]|#|[a-z_0-9]+ *=|\s*$", lines[i]):
            last = i
        else:
            break
    return "\n".join(lines[first : last + 1]).rstrip() + "\n"


def here(text, root, connection):
    text = text.replace("/etc/barograph/", root + "/").replace("/var/lib/barograph", root + "/var")
    text = text.replace("/run/barograph/", root + "/").replace("10.1.0.5", "127.0.0.2")
    text = re.sub(r"^(listen = [0-9.]+):\d+", r"\1:0", text, flags=re.M)
    if connection:
        text = re.sub(r"^connection = .*", "connection = " + connection, text, flags=re.M)
    return text


def main():
    out, root = sys.argv[1:3]
    connection = sys.argv[3] if len(sys.argv) > 3 else None
    pages = ["README.md"] + sorted(glob.glob("doc/*.md") + glob.glob("doc/formats/*.md"))
    pages += sorted(glob.glob("doc/man/*.scd")) + sorted(glob.glob("etc/**/*.conf", recursive=True))
    samples = []
    for page in pages:
        text = open(page).read()
        if not page.startswith("etc/"):
            samples += [(page, c) for c in map(configuration, literal_blocks(text)) if c]
            continue
        samples.append((page, text))
        defaults = re.sub(r"^# (\[[a-z_]+) NAME\]$", r"\1 sample]", text, flags=re.M)
        for key, value in REQUIRED.items():
            defaults = re.sub(f"^# {key} = ?$", f"{key} = {value}", defaults, flags=re.M)
        samples.append((page + " with all defaults", re.sub(r"^# ([a-z_]+ = \S)", r"\1", defaults, flags=re.M)))
    for n, (page, text) in enumerate(samples):
        sections = set(re.findall(r"^\[([a-z_]+)", text, flags=re.M))
        if sections & OTHERS or not sections:
            continue
        program = "baro-agent" if sections & AGENT and sections <= AGENT | BOTH else "barod"
        if sections <= DATASETS:
            program = "baro-datasetd"
        if sections <= RULES:
            program = "kernel_rules"
        if "engine = postgres" in text and not connection:
            continue
        path = os.path.join(out, f"{n}.{program}.conf")
        with open(path, "w") as f:
            f.write(here(text, root, connection))
        print(path, program, page)


main()
