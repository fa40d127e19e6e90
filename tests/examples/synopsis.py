# SPDX-License-Identifier: Apache-2.0
"""synopsis - the commands that a SYNOPSIS allows: the least, and each of its options and
alternatives once, with operands that exist (the file operands)."""
import os
import re

import pages

HERE = os.path.dirname(os.path.abspath(__file__))
TOKEN = re.compile(r"\.\.\.|[][|]|[^][|\s.]+(?:\.(?!\.\.)[^][|\s.]+)*")


def operands():
    """(page or *, word) -> what stands for the word."""
    table = {}
    for line in open(f"{HERE}/operands", encoding="utf-8"):
        if line.strip() and not line.startswith("#"):
            page, word, value = line.rstrip("\n").split(None, 2)
            table[page, word] = value
    return table


OPERANDS = operands()


def parse(tokens, is_in_brackets=False):
    """A sequence of items up to ] or the end: a word, ("?", branches) for what stands in
    brackets, or ("|", alternatives) for words with a bar between them.  In brackets a bar
    divides all that stands there, and the result is the list of these branches."""
    branches, items, joined = [], [], False
    while tokens:
        token = tokens.pop(0)
        if token == "]":
            break
        if token == "[":
            item = ("?", parse(tokens, True))
        elif token == "|" and is_in_brackets:
            branches.append(items)
            items = []
            continue
        elif token == "|":
            joined = True
            continue
        elif token == "...":
            continue
        else:
            item = token
        if joined and items:
            last = items.pop()
            last = list(last[1]) if isinstance(last, tuple) and last[0] == "|" else [last]
            items.append(("|", last + [item]))
        else:
            items.append(item)
        joined = False
    return branches + [items] if is_in_brackets else items


def forms(items):
    """Lists of words: first the least, then one for each choice that can be made."""
    least, others = [], []

    def add(variants):
        nonlocal least, others
        first, rest = variants[0], variants[1:]
        others = [o + first for o in others] + [least + r for r in rest]
        least = least + first

    for item in items:
        if isinstance(item, str):
            add([[item]])
        elif item[0] == "|":
            add([f for choice in item[1] for f in forms([choice])])
        else:
            add([[]] + [f for branch in item[1] if branch != ["OPTION"] for f in forms(branch)])
    return [least] + others


def value(page, word):
    if word.startswith("-") or re.fullmatch(r"[a-z_]+(-[a-z]+)*", word):
        return OPERANDS.get((page, word), word)
    for key in ((page, word), ("*", word)):
        if key in OPERANDS:
            return OPERANDS[key]
    raise SystemExit(f"synopsis of {page}: tests/examples/operands has nothing for {word}")


def examples(path):
    page = pages.page_name(path)
    found = []
    for line in pages.man_synopsis(path):
        for words in forms(parse(TOKEN.findall(line))):
            text = " ".join(value(page, word) for word in words)
            if (page, "+") in OPERANDS:
                text += " " + OPERANDS[page, "+"]
            example = pages.Example(page + " synopsis", text)
            for word in words:
                example.not_run = OPERANDS.get((page, "!" + word), example.not_run)
            if example.command not in [e.command for e in found]:
                found.append(example)
    return found
