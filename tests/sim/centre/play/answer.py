# SPDX-License-Identifier: Apache-2.0
"""answer - of the page of a job the first thing that it says is the matter, and the score."""
import math
import os

HERE = os.path.dirname(os.path.abspath(__file__))
IO_SHARE_MIN = 0.05  # below, the page says that I/O is not the reason: no log's finding comes first


def kinds():
    """Code of a finding -> kind, of kinds.txt."""
    table = {}
    with open(os.path.join(HERE, "..", "kinds.txt")) as lines:
        for line in lines:
            words = line.split("#")[0].split()
            if words:
                table[words[0]] = words[1]
    return table


def first_finding(page):
    """The finding of a page's first sentence, or None."""
    if page is None:
        return None
    if "io" in page and "first" not in page:
        high, run_s = (page["io"] or {}).get("high_s"), page.get("run_time_s")
        if high is not None and run_s and high < IO_SHARE_MIN * run_s:
            return None
    findings = [f for f in page.get("findings") or [] if not f.get("because")]
    return findings[0] if findings else None


def kind_of(finding, table):
    """The kind that an answer names: one of the page, "none", or "other: CODE"."""
    if finding is None:
        return "none"
    code = finding.get("name") or finding.get("code") or finding.get("kind")
    return table.get(code, f"other: {code}")


def wilson(right, count):
    """The 95 % interval of a share."""
    if not count:
        return 0.0, 1.0
    z, p = 1.96, right / count
    middle = (p + z * z / (2 * count)) / (1 + z * z / count)
    half = z * math.sqrt(p * (1 - p) / count + z * z / (4 * count * count)) / (1 + z * z / count)
    return max(0.0, middle - half), min(1.0, middle + half)


def score(truths, answers, without=()):
    """{kind: {"count", "right", "none", "wrong": {answer: count}, "false": [...ids]}}

    truths: jobs of truth.json; answers: {id: answer of kind_of}.  false: what is said is not so.
    """
    table = {}
    for job in truths:
        row = table.setdefault(job["kind"], {"count": 0, "right": 0, "none": 0, "unseen": 0,
                                             "wrong": {}, "false": []})
        said = answers.get(job["id"], "no page")
        row["count"] += 1
        seen = [e for e in job["visible_in"] if e not in without]
        if job["visible_in"] and not seen:
            row["unseen"] += 1
        if said == job["kind"]:
            row["right"] += 1
        elif said in ("none", "no page"):
            row["none"] += 1
            if said == "no page":
                row["wrong"][said] = row["wrong"].get(said, 0) + 1
        else:
            row["wrong"][said] = row["wrong"].get(said, 0) + 1
            row["false"].append(job["id"])
    return table


def table_lines(table, without=()):
    """The score as a table of Markdown."""
    yield "| kind | jobs | right | 95 % | says nothing | says false | of it |\n|---|---|---|---|---|---|---|\n"
    for kind, row in table.items():
        low, high = wilson(row["right"], row["count"])
        wrong = ", ".join(f"{name} {count}" for name, count in sorted(row["wrong"].items(), key=lambda x: -x[1]))
        yield (f"| {kind} | {row['count']} | {row['right']} ({100 * row['right'] / row['count']:.0f} %) | "
               f"{100 * low:.0f} to {100 * high:.0f} % | {row['none'] if kind != 'none' else '-'} | "
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
