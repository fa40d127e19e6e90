# SPDX-License-Identifier: Apache-2.0
"""answer - of the page of a job the first thing that it says is the matter, and the score."""
import json
import math
import os

HERE = os.path.dirname(os.path.abspath(__file__))
IO_SHARE_MIN = 0.05  # below, the page says that I/O is not the reason: no log's finding comes first


def kinds():
    """Code of a finding -> (kind, whether it is of I/O), of kinds.txt."""
    table = {}
    with open(os.path.join(HERE, "..", "kinds.txt")) as lines:
        for line in lines:
            words = line.split("#")[0].split()
            if words:
                table[words[0]] = words[1], "io" in words[2:]
    return table


def code_of(finding):
    return finding.get("name") or finding.get("code") or finding.get("kind")


def is_of_little_io(page):
    """Whether the page states that I/O was not the reason for the run time."""
    high, run_s = (page.get("io") or {}).get("high_s"), page.get("run_time_s")
    return high is not None and bool(run_s) and high < IO_SHARE_MIN * run_s


def first_finding(page, table):
    """The finding of a page's first sentence, or None."""
    if page is None:
        return None
    if "headline" in page:  # what the first sentence is about, by the page itself
        return next((f for f in page["findings"] if page["headline"] in (code_of(f), f.get("kind"))), None)
    little = is_of_little_io(page)
    for finding in page.get("findings") or []:
        is_io = table.get(code_of(finding), ("", False))[1]
        if not finding.get("because") and not (little and is_io):
            return finding
    return None


def answer_of(page, table):
    """{"kind": one of the page, "none", "no page" or "other: CODE", "text": the finding's JSON,
    "made": the names of all its findings}"""
    if page is None:
        return {"kind": "no page", "text": "", "made": []}
    finding = first_finding(page, table)
    made = sorted({code_of(f) for f in page.get("findings") or []})
    if finding is None:
        return {"kind": "none", "text": "", "made": made}
    kind = table.get(code_of(finding), ("other", False))[0]
    return {"kind": f"other: {code_of(finding)}" if kind == "other" else kind, "text": json.dumps(finding),
            "made": made}


def names(job, said):
    """Whether what is said has a name of the truth in it: a node, a target, a GPU, a rank."""
    text, finding = said["text"], json.loads(said["text"] or "{}")
    wanted = job.get("nodes", []) + job.get("osts", []) + job.get("gpus", [])
    if any(name in text for name in wanted):
        return True
    numbers = [int(name[-4:], 16) for name in job.get("osts", [])] + job.get("ranks", [])
    return finding.get("which") is not None and finding["which"] in numbers


def wilson(right, count):
    """The 95 % interval of a share."""
    if not count:
        return 0.0, 1.0
    z, p = 1.96, right / count
    middle = (p + z * z / (2 * count)) / (1 + z * z / count)
    half = z * math.sqrt(p * (1 - p) / count + z * z / (4 * count * count)) / (1 + z * z / count)
    return max(0.0, middle - half), min(1.0, middle + half)


def score(truths, answers, without=()):
    """{kind: {"count", "right", "named", "nameless", "none", "wrong": {answer: count}, "false": [...ids],
    "made": {name of a finding: pages}}}

    truths: jobs of truth.json; answers: {id: kind, or an object of answer_of}.  false: what is
    said is not so.  named: of those right whose truth has a name (not nameless), what has it.
    """
    table = {}
    for job in truths:
        row = table.setdefault(job["kind"], {"count": 0, "right": 0, "named": 0, "nameless": 0, "none": 0,
                                             "unseen": 0, "wrong": {}, "false": [], "made": {}})
        said = answers.get(job["id"], "no page")
        said = {"kind": said, "text": ""} if isinstance(said, str) else said
        kind = said["kind"]
        row["count"] += 1
        for name in said.get("made", []):
            row["made"][name] = row["made"].get(name, 0) + 1
        if job["visible_in"] and not [e for e in job["visible_in"] if e not in without]:
            row["unseen"] += 1
        if kind == job["kind"]:
            row["right"] += 1
            if any(job.get(key) for key in ("nodes", "osts", "gpus", "ranks")):
                row["named"] += names(job, said)
            else:
                row["nameless"] += 1
        elif kind in ("none", "no page"):
            row["none"] += 1
        else:
            row["false"].append(job["id"])
        if kind not in (job["kind"], "none"):
            row["wrong"][kind] = row["wrong"].get(kind, 0) + 1
    return table


def added(scores):
    """Scores of several runs as one."""
    total = {}
    for kind, row in ((kind, row) for score_ in scores for kind, row in score_.items()):
        sums = total.setdefault(kind, {})
        for key, value in row.items():
            if isinstance(value, dict):
                counts = sums.setdefault(key, {})
                for name, count in value.items():
                    counts[name] = counts.get(name, 0) + count
            else:
                sums[key] = sums[key] + value if key in sums else value
    return total


def finding_lines(scores, table):
    """Each finding that any page has: on how many of healthy jobs, and of those with its trouble."""
    healthy = scores.get("none", {"count": 0, "made": {}})
    yield f"| finding | of {healthy['count']} healthy jobs | of the jobs with its trouble |\n|---|---|---|\n"
    for name in sorted({name for row in scores.values() for name in row["made"]}):
        kind = table.get(name, ("other", False))[0]
        cell = "-"
        if kind in scores:
            cell = f"{kind}: {scores[kind]['made'].get(name, 0)} of {scores[kind]['count']}"
        yield f"| {name} | {healthy['made'].get(name, 0)} | {cell} |\n"


def named_of(row):
    """Of those right that have a name, those that give it."""
    nameable = row["right"] - row["nameless"]
    return f"{row['named']} of {nameable}" if nameable else "-"


def table_lines(table, without=()):
    """The score as a table of Markdown."""
    yield ("| kind | jobs | right | 95 % | with its name | says nothing | says false | of it |\n"
           "|---|---|---|---|---|---|---|---|\n")
    for kind, row in table.items():
        low, high = wilson(row["right"], row["count"])
        wrong = ", ".join(f"{name} {count}" for name, count in sorted(row["wrong"].items(), key=lambda x: -x[1]))
        yield (f"| {kind} | {row['count']} | {row['right']} ({100 * row['right'] / row['count']:.0f} %) | "
               f"{100 * low:.0f} to {100 * high:.0f} % | {named_of(row)} | {row['none'] if kind != 'none' else '-'} | "
               f"{len(row['false'])} | {wrong or '-'} |\n")
    seen = sum(row["unseen"] for row in table.values())
    if without:
        yield f"\nWithout {', '.join(sorted(without))}: {seen} jobs whose trouble nothing left shows by itself.\n"


def turns_lines(scores):
    """Scores with each evidence left out in turn: right, silent (less) and false, of each kind."""
    yield "| kind, right / less / false | " + " | ".join(scores) + " |\n|---" + "|---" * len(scores) + "|\n"
    for kind in next(iter(scores.values())):
        cells = [f"{row['right']} / {row['none']} / {len(row['false'])}"
                 for row in (table[kind] for table in scores.values())]
        yield f"| {kind} | " + " | ".join(cells) + " |\n"
