#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""plan.py make SEED DIRECTORY: what plugins of sessions publish and state, and what is killed and cut meanwhile.
plan.py want DIRECTORY HOST[=COUNT]...: of what was released, or the first so many, what the site is to have of
these hosts, a line each.
plan.py got EVENTS HOST...: the same out of `baro session show NAME --events -o json`.
plan.py numbers EVENTS: how many there are, if their numbers are 1 to that.

DIRECTORY/HOST.STEP has the lines that the plugin on HOST reads in this step, DIRECTORY/HOST.released those that it has
so far, DIRECTORY/steps the steps in their order: the plan. What follows from it is computed here, not by the product.
"""
import json
import random
import sys

HOSTS = ["h1", "h2", "h3", "h4", "h5", "h6", "h7"]
STEPS = ["net", "agent", "agent_ends", "barod", "child", "mute", "reset", "all", "inner", "member", "doomed", "torn",
         "silent"]
BURSTS = {"inner": ("h3", 8), "member": ("h1", 6), "doomed": ("h4", 12), "torn": ("h6", 30),
          "silent": ("h7", 12)}
AT_SITE = ("low", "alarm")  # as --site-event has them
WORSE = ["up", "unknown", "degraded", "down"]
TEXTS = ["plain", "a \"quoted\" word", "back\\slash", "gr\u00fc\u00dfe \u20ac", "{\"k\":[1]}", "%s%n", "a  b", "'"]


def statements(rng):
    """Of a host, in this order: no two checks are equally bad, and none is bad again once it was well."""
    number = rng.randrange(1000)
    yield "fan:2", "up", ""
    yield "dimm:1", "degraded", f"{number} errors \"{rng.choice('abc')}\""
    yield "fan:2", "down", f"{number} rpm"
    if rng.random() < 0.7:
        yield "host", "unknown", "no value"
        yield "fan:2", "up", ""
        if rng.random() < 0.5:
            yield "dimm:1", "up", ""
            yield "host", "up", ""


def make(seed, directory):
    rng = random.Random(int(seed))
    steps = STEPS[:]
    rng.shuffle(steps)
    # Those that are not heard of any more are lost some time later.
    steps.sort(key=lambda step: rng.random() - 0.5 * (step in ("inner", "doomed", "silent")))
    # What was killed is not there to be cut.
    for first, then in (("child", "member"),):
        a, b = steps.index(first), steps.index(then)
        steps[min(a, b)], steps[max(a, b)] = first, then
    steps = ["quiet"] + steps + ["last"]
    with open(f"{directory}/steps", "w", encoding="ascii") as out:
        out.write("\n".join(steps) + "\n")
    for host in HOSTS:
        left, number = list(statements(rng)), 0
        for step in steps:
            lines = []
            burst = BURSTS.get(step)
            count = burst[1] if burst and burst[0] == host else 0 if host in ("h4", "h6", "h7") else 1
            if step == "quiet":
                count = 2
            for i in range(count):
                number += 1
                if left and (i > 0 or rng.random() < 0.5):
                    lines.append("\t".join((str(number), "health") + left.pop(0)))
                else:
                    name = rng.choice(AT_SITE + AT_SITE + ("own",))
                    lines.append("\t".join((str(number), "event", name, f"{host} {number} {rng.choice(TEXTS)}")))
            with open(f"{directory}/{host}.{step}", "w", encoding="utf-8") as out:
                out.writelines(line + "\n" for line in lines)


def released(directory, wanted):
    host, _, count = wanted.partition("=")
    with open(f"{directory}/{host}.released", encoding="utf-8") as text:
        lines = [line.rstrip("\n").split("\t") for line in text]
    return host, lines[:int(count)] if count else lines


def opinions(lines):
    """The worst of what the checks of a node state, each time that it is another one."""
    checks, last = {}, ("up", "")
    for line in lines:
        if line[1] != "health":
            yield line, None
            continue
        part, state, reason = (line + [""])[2:5]
        text = f"plan: {reason}" if state != "up" else ""
        checks[part] = (WORSE.index(state), text if part == "host" or not text else f"{part}: {text}")
        rank, text = max(checks.values())
        opinion = (WORSE[rank], text if rank else "")
        yield line, opinion if opinion != last else None
        last = opinion


def shown(text):
    """A plugin's text is printable ASCII: each other byte is a question mark."""
    return "".join(chr(byte) if 32 <= byte < 127 else "?" for byte in text.encode())


def want(directory, *hosts):
    for wanted in hosts:
        host, lines = released(directory, wanted)
        for line, opinion in opinions(lines):
            if opinion:
                yield f"{host} health {' '.join(opinion).strip()}"
            elif line[1] == "event" and line[2] in AT_SITE:
                yield f"{host} plan.{line[2]} {shown(line[3])}"


def lines_of(events):
    """(host, line) of each: a plugin's text begins with its host."""
    for name, payload in events:
        value = json.loads(payload)
        if name == "health":
            host = value["component"].split("/")[1]
            yield host, f"{host} health {value['health']} {value.get('reason', '')}".strip()
        else:
            yield value["text"].split(" ")[0], f"{value['text'].split(' ')[0]} {name} {value['text']}"


def events_of(path):
    with open(path, encoding="utf-8") as text:
        return sorted(json.load(text), key=lambda e: e["sequence"])


def got(path, *hosts):
    lines = list(lines_of((e["name"], e["payload"]) for e in events_of(path)))
    strange = [line for host, line in lines if host not in HOSTS]
    return [line for wanted in hosts for host, line in lines if host == wanted] + strange


def numbers(path):
    found = [e["sequence"] for e in events_of(path)]
    return str(len(found)) if found == list(range(1, len(found) + 1)) else f"not 1 to {len(found)}: {found}"


verb, arguments = sys.argv[1], sys.argv[2:]
if verb == "make":
    make(*arguments)
elif verb == "numbers":
    print(numbers(*arguments))
else:
    for printed in {"want": want, "got": got}[verb](*arguments):
        print(printed)
