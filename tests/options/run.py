#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run - each option of each program: in --help, in its man page, completed, and doing
something (TAP).

    run.py ROWS [COMMAND]

ROWS is the table beside this file, whose head explains it.  tests/lib-examples.sh has
prepared EXAMPLES_HOME; a command runs in a directory of its own, in which the files of
EXAMPLES_HOME stand as links.  What it did is its status, its output and the files it made.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

TOP = os.environ["TOP"]
HOME = os.environ["EXAMPLES_HOME"]
LIMIT_S = int(os.environ.get("LIMIT_S", 120))
PROGRAMS = ["barod", "baro-agent", "baro-datasetd", "baro-dataset-agent", "baro-abc"]
# What differs from run to run: times of log lines, identifiers of processes and runs.
FIGURES = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[-\d.:+▁▂▃▄▅▆▇█]+(?:e[-+]?\d+)?|\b[0-9a-f-]{8,}\b|\b(?:[kKMGTP]i?)?B?/?s?\b")
NOISE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z|(?<=\[)\d+(?=\])")


def lines_of(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()


def words_of(command):
    """[job list] is "baro job list", [barod] itself."""
    return [command] if command in PROGRAMS else ["baro", *command.split()]


class Row:
    def __init__(self, text):
        self.test = self.match = None
        self.is_none = text.startswith("none ")
        if text.startswith("by tests/"):
            self.test = text[3:]
        elif "||" in text:
            self.without, self.line = (part.strip() for part in text.split("||"))
        else:
            self.without, self.line = None, text
        if not self.test and not self.is_none and " ~ " in self.line:
            self.line, self.match = (part.strip() for part in self.line.split(" ~ "))


def read_rows(path):
    """{command: (base, {option: Row})}; "*" has the rows of all."""
    sections, last = {}, None
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        if not line or line.startswith("#"):
            continue
        head = re.fullmatch(r"\[(.+?)\] ?(.*)", line)
        if head:
            last = sections[head.group(1)] = (head.group(2), {})
        else:
            option, text = line.split(": ", 1)
            last[1][option] = Row(text)
    return sections


def run(line):
    """What a command line does: (status, output, errors, files made)."""
    with tempfile.TemporaryDirectory(dir=os.environ["SCRATCH"]) as place:
        for name in os.listdir(HOME):
            os.symlink(os.path.join(HOME, name), os.path.join(place, name))
        try:
            done = subprocess.run(line, shell=True, cwd=place, capture_output=True,
                                  timeout=LIMIT_S, stdin=subprocess.DEVNULL,
                                  env=dict(os.environ, HOME=HOME))
        except subprocess.TimeoutExpired:
            return None
        files = {}
        for top, _, names in os.walk(place):
            for name in names:
                path = os.path.join(top, name)
                if not os.path.islink(path) and os.path.isfile(path):
                    with open(path, "rb") as file:
                        files[os.path.relpath(path, place)] = file.read()
        texts = [t.decode(errors="replace").replace(place, ".") for t in (done.stdout, done.stderr)]
        return done.returncode, texts[0], NOISE.sub("T", texts[1]), files


def outline(result):
    """A result without its figures and times: of binary files the names."""
    status, output, errors, files = result
    texts = {}
    for name, content in files.items():
        is_text = b"\0" not in content and len(content) < 100000
        texts[FIGURES.sub("", name)] = FIGURES.sub("", content.decode(errors="replace")) if is_text else ""
    lines = [re.sub(r"\s+", " ", FIGURES.sub("", text)) for text in (output, errors)]
    return status, *lines, texts, len(files)


def shown(result):
    return result and (*result[:3], sorted(result[3]))


class Command:
    """One command with all its options; each check is a line of problems or none."""

    def __init__(self, name, section, common):
        self.name, self.words = name, words_of(name)
        self.base, self.rows = section if section else (None, {})
        self.common, self.done, self.problems = common, {}, []
        self.options = lines_of(*self.words, "--dump-options")
        self.operands = {}
        page = "baro-" + name.replace(" ", "-") if self.words[0] == "baro" else name
        self.page = "".join(open(p, encoding="utf-8").read()
                            for p in glob.glob(f"{TOP}/doc/man/{page}.[18].scd"))
        self.offered = [line.split("\t")[0] for line in
                        lines_of(self.words[0], "--complete", *self.words[1:], "--")]
        self.help = "\n".join(lines_of(*self.words, "--help"))
        for option, operand in re.findall(r"^ +(?:-., )?(--[a-z-]+)(?: (\S+))?", self.help, re.M):
            self.operands[option] = operand

    def wrong(self, option, text):
        self.problems.append(f"{self.name} {option}: {text}")

    def line(self, arguments):
        return " ".join(self.words) + " " + arguments

    def run(self, arguments, again=0):
        key = arguments, again
        if key not in self.done:
            result = self.done[key] = run(self.line(arguments))
            if result and (result[0] < 0 or result[0] > 128 or "AddressSanitizer" in result[2]):
                self.wrong("", f"crashes: {self.line(arguments)}: {result[2]}")
        return self.done[key]

    def check_named(self, option):
        if option not in self.operands:
            self.wrong(option, "is not in --help")
        if not re.search(r"\*(-[A-Za-z], )?" + option + r"\*", self.page):
            self.wrong(option, "is not in the man page")
        if option not in self.offered:
            self.wrong(option, "is not completed")

    def check_choices(self, option, base):
        """Of "table|json|csv" each is accepted, one differs, and what is none of them is refused."""
        choices = [c for c in self.operands[option].split("|") if not re.search("[A-Z]", c)]
        results = {c: self.run(f"{base} {option} {c}") for c in choices}
        if not any(self.differs(base, f"{base} {option} {c}") for c in choices):
            self.wrong(option, "no value of it differs from " + self.line(base))
        refused = self.run(f"{base} {option} zzz")
        if refused is None or refused[0] != 2:
            self.wrong(option, f"zzz is not refused: {refused and refused[2]}")
            return
        if not all(choice in refused[2] for choice in choices):
            self.wrong(option, f"the refusal does not name its values: {refused[2]}")
        for choice, result in results.items():
            if result is None or result[2] == refused[2].replace("zzz", choice):
                self.wrong(option, f"{choice} is refused: {result and result[2]}")

    def differs(self, without, line):
        """Whether the second does another thing, beyond what two runs of the first do."""
        first, again, other = self.run(without), self.run(without, 1), self.run(line)
        if first == again:
            return other != first
        return outline(first) == outline(again) != outline(other)

    def check_row(self, option, row):
        if row.is_none:
            return
        if row.test:
            text = "".join(open(p, encoding="utf-8").read() for p in glob.glob(f"{TOP}/{row.test}"))
            if option not in text:
                self.wrong(option, f"{row.test} does not have it")
            return
        without = self.base if row.without is None else row.without.replace("{base}", self.base)
        line = (f"{without} {row.line}" if row.without is None
                else row.line.replace("{base}", self.base))
        if not re.search(r"(^|\s)" + option + r"\b", line):
            self.wrong(option, "its row does not have it")
        before, after = self.run(without), self.run(line)
        if before is None or after is None:
            self.wrong(option, "does not end: " + self.line(line if before else without))
        elif row.match:
            if re.search(row.match, str(before)) or not re.search(row.match, str(after)):
                self.wrong(option, f"without it: {shown(before)}\n#   {self.line(line)}: {shown(after)}")
        elif not self.differs(without, line):
            self.wrong(option, f"changes nothing: {self.line(without)} || {self.line(line)}: "
                               f"{shown(before)} || {shown(after)}")

    def check(self):
        if self.base is None:
            self.wrong("", "has no section")
            return self
        for option in self.options:
            self.check_named(option)
            row = self.rows.get(option)
            if not row and option in self.operands and (self.operands[option] or "Z").islower() \
                    and "|" in self.operands[option]:
                self.check_choices(option, self.base)
                continue
            row = row or self.common.get(option)
            if row:
                self.check_row(option, row)
            else:
                self.wrong(option, "has no row")
        for option in self.rows:
            if option not in self.options:
                self.wrong(option, "has a row, and does not exist")
        return self


def main():
    sections = read_rows(sys.argv[1])
    names = sys.argv[2:] or lines_of("baro", "--dump-options") + PROGRAMS
    common = sections.pop("*")[1]
    commands = []
    with ThreadPoolExecutor(int(os.environ.get("JOBS", 2))) as pool:
        for command in pool.map(lambda n: Command(n, sections.get(n), common).check(), names):
            commands.append(command)
            state = "not ok" if command.problems else "ok"
            print(f"{state} {len(commands)} - {command.name}: {len(command.options)} options")
            for problem in command.problems:
                print("# " + problem[:900].replace("\n", "\n#   "), flush=True)
    count = sum(len(command.options) for command in commands)
    runs = sum(len(command.done) for command in commands)
    print(f"# {count} options of {len(commands)} commands, {runs} runs")
    print(f"1..{len(commands)}")
    sys.exit(any(command.problems for command in commands))


main()
