#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run - runs what pages show, and reports each command as a test (TAP).

    run.py examples PART/PARTS     EXAMPLES of the man pages, and those that --help prints
    run.py synopsis PART/PARTS     every form that a SYNOPSIS allows, with operands that exist
    run.py texts FILE|DIRECTORY...    commands of README.md and other texts

tests/lib-examples.sh has prepared the place: EXAMPLES_HOME is where commands run, and
a copy of EXAMPLES_ROOT stands for / in their paths.  A command has to end with status 0, to print or
write something, and with a prompt before it to print what the page shows.  What is in
not-run is named with its reason; the options in it have to exist.
"""
import datetime
import glob
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import pages
import synopsis

HERE = os.path.dirname(os.path.abspath(__file__))
HOME = os.environ["EXAMPLES_HOME"]
ROOT = os.environ["EXAMPLES_ROOT"]
LIMIT_S = 120
ABSOLUTE = re.compile(r"(?<![\w./~$}*-])/(?=(?:etc/barograph|var/lib|run/barograph|usr|root|"
                      r"darshan-logs|scratch)\b)")
# What goes on until it is interrupted.
ENDLESS = re.compile(r"baro (jobstats|metric|node)\b.*--follow|baro top(?!.*(--rounds|--help))|"
                     r"baro gpfs record(?!.*--rounds)|baro event list.*(--follow|-f\b)|baro resource watch(?!.*--once)|baro jobstats capture(?!.*--rounds)|"
                     r"^baro-agent( --(config|set) \S+)*$|^baro-datasetd( --(config|set) \S+)*$|^barod\b(?!.*--check)")
# What says nothing when it is right.
SILENT = re.compile(r"--output none|^(sudo )?baro token (key )?new|--resume|baro health record|"
                    r"baro gpfs record|baro dataset (access|export|tag|unref|ref --renew)|baro dataset view (--remove|.* (set|prepend))|baro event publish|baro resource (drain|resume|check)|-o none|>|--check|--not-within|--into|--heatmap|"
                    r"series archive|--report|--out |--once|store shadow|baro session run|"
                    r"climate (correlate|regions) .*barod$|job import (?!--into)|job summarize --server|\.backup|^(chmod|mkdir)|openssl req")
# As diff: 1 where there is a difference.
COMPARES = re.compile(r"baro dataset diff|baro resource check")
# Files that a command names as what it writes: they are there afterwards, and not empty.
WRITTEN = re.compile(r"(?:--into|--heatmap|--svg|--output(?= \S+[./])|-o(?= \S+[./])|(?<!2)>)\s*"
                     r"(?!-\s)([\w./~-]+)")
# What would take too long as it stands.
SMALLER = {"--size 8GiB": "--size 1MiB"}


def not_run():
    rules = []
    for line in open(f"{HERE}/not-run", encoding="utf-8"):
        if line.strip() and not line.startswith("#"):
            pattern, reason = line.rstrip("\n").split("\t")
            rules.append((re.compile(pattern), reason))
    return rules


RULES = not_run()
USED = set()


def unknown_options(command):
    """Options of our programs in a command that does not run, which do not exist."""
    words = [w for w in shlex.split(command, comments=True) if w != "sudo"]
    if not words or not words[0].startswith("baro"):
        return []
    name = [words[0]]
    if words[0] == "baro":
        known = pages.command_names()
        for count in (1, 2, 3):
            if " ".join(words[1:1 + count]) in known:
                name = words[:1 + count]
    options = pages.options_of(name)
    if "--" in words:  # what follows is another program's
        words = words[:words.index("--")]
    return [w for w in words if w.startswith("--") and w.split("=")[0] not in (options or [])]


def root_of(directory):
    """What stands for / of the commands that run in a directory."""
    return os.path.join(os.path.dirname(directory), "root")


def in_place(command, root):
    """The command as it can run here: paths below a root, without sudo, PostgreSQL's
    host as it is here."""
    command = re.sub(r"\bsudo ", "", command)
    for long, short in SMALLER.items():
        command = command.replace(long, short)
    # The pages' days are today, or yesterday and today.
    today = datetime.datetime.now(datetime.timezone.utc).date()
    last = today + datetime.timedelta(days=1 if "2026-11-20" in command else 0)
    command = command.replace("2026-11-21", str(last)).replace("2026-11-20", str(today))
    connection = os.environ.get("PG_CONNECTION")
    if connection:
        command = re.sub(r"host=\S+ dbname=barograph( user=barod)?", connection, command)
        command = command.replace("postgres://barod@db1/barograph", f'postgres:{connection}')
    command = ABSOLUTE.sub(root + "/", command)
    # What a configuration leaves to defaults is in directories that a package makes.
    if "records.path" in command:
        return command
    return re.sub(r"(\bbarod\b[^|;&]* --check)\b", rf"\1 --set records.path={root}/var/check.db", command)


class Outcome:
    def __init__(self, example):
        self.example, self.skipped, self.wrong = example, None, None


def missing(command):
    """The first program of a pipe that is not installed."""
    for part in re.split(r"\|\|?|&&", re.sub(r"'[^']*'|\"[^\"]*\"", "x", command)):
        name = pages.program(part)
        if re.fullmatch(r"[\w-]+", name) and not shutil.which(name) and name not in ("export",):
            return name
    return None


def unwritten(command, directory):
    """The first file that the command should have written, and has not."""
    for name in WRITTEN.findall(in_place(command, root_of(directory))):
        path = os.path.join(directory, name.replace("~", directory))
        if name != "/dev/null" and not (os.path.isdir(path) or
                                        os.path.exists(path) and os.path.getsize(path)):
            return name
    return None


def run(example, directory):
    outcome = Outcome(example)
    command = example.command
    for pattern, reason in RULES:
        if pattern.match(command):
            USED.add(pattern.pattern)
            unknown = unknown_options(command)
            outcome.skipped = reason
            outcome.wrong = f"there is no {' '.join(unknown)}" if unknown else None
            return outcome
    if example.not_run:
        outcome.skipped = example.not_run
        return outcome
    if missing(command):
        outcome.skipped = f"{missing(command)} is not installed"
        return outcome
    if "db1" in command and "PG_CONNECTION" not in os.environ:
        outcome.skipped = "no PostgreSQL server programs are installed"
        return outcome
    endless = ENDLESS.search(command)
    environment = {**os.environ, "HOME": directory}
    if "BARO_DATASETS" in environment:  # the page's own
        environment["BARO_DATASETS"] = f"{root_of(directory)}/var/lib/barograph/datasets"
    if endless or pages.program(command) == "mpirun":
        # What is interrupted, and the MPI library, leave memory behind.
        environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    process = subprocess.Popen(["bash", "-c", "set -o pipefail\n" + in_place(command, root_of(directory))],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, cwd=directory, start_new_session=True, env=environment)
    try:
        out, err = process.communicate(timeout=12 if endless else LIMIT_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGINT if endless else signal.SIGKILL)
        out, err = process.communicate(timeout=60)
        if not endless:
            outcome.wrong = f"still running after {LIMIT_S} s"
    status = process.returncode
    fine = (0, 130, -signal.SIGINT) if endless else (0, 1) if COMPARES.search(command) else (0,)
    shown = out.decode(errors="replace").split("\n")
    if outcome.wrong:
        pass
    elif status not in fine:
        outcome.wrong = f"status {status}"
    elif not out.strip() and not SILENT.search(command) and not endless:
        outcome.wrong = "prints nothing"
    elif not endless and unwritten(command, directory):
        outcome.wrong = f"has not written {unwritten(command, directory)}"
    elif example.prompted and [s.strip() for s in shown if s.strip()] != example.output:
        outcome.wrong = f"prints {shown}, not {example.output}"
    if outcome.wrong:
        outcome.wrong += "\n" + err.decode(errors="replace")[-1500:]
    return outcome


def part_of(items, part):
    number, count = (int(n) for n in part.split("/"))
    return [item for index, item in enumerate(items) if index % count == number - 1]


def texts(names):
    """The files, and of a directory what is for readers: its own texts and formats."""
    for name in names:
        path = f"{pages.TOP}/{name}"
        if os.path.isdir(path):
            yield from glob.glob(f"{path}/*.md") + glob.glob(f"{path}/formats/*.md")
        else:
            yield path


def groups(what, rest):
    """Lists of examples: those of one page run one after the other."""
    if what == "texts":
        return [pages.text_examples(path) for path in sorted(texts(rest))]
    if what == "synopsis":
        return [synopsis.examples(path) for path in part_of(pages.man_pages(), rest[0])]
    found = []
    for path in part_of(pages.man_pages(), rest[0]):
        # A page of a configuration shows sections of one.
        found.append(pages.man_examples(path) or path.endswith(".1.scd") and
                     [pages.Example(pages.page_name(path), "false # the page has no EXAMPLES")])
    return found + [pages.help_examples(words) for words in part_of(pages.command_names(), rest[0])]


def said(name, wrong):
    """A complaint that is about no single command."""
    outcome = Outcome(pages.Example("tests/examples", name))
    outcome.wrong = wrong
    return outcome


def run_group(examples):
    """The examples of a page, one after the other, in files of their own."""
    if not examples:
        return []
    directory = tempfile.mkdtemp(dir=os.path.dirname(HOME))
    place = os.path.join(directory, "home")
    # Large files are read only: a link is enough.
    shutil.copytree(HOME, place, symlinks=True, copy_function=lambda a, b: os.link(a, b)
                    if a.endswith((".hdf5", ".h5lmt", ".sqlite3")) else shutil.copy2(a, b))
    # barod's socket is everyone's, the other files of the root are the page's own.
    shutil.copytree(ROOT, root_of(place), symlinks=True, ignore=lambda path, names:
                    ["run"] if path == ROOT else [])
    os.symlink(f"{ROOT}/run", f"{root_of(place)}/run")
    outcomes = [run(example, place) for example in examples]
    shutil.rmtree(directory)
    return outcomes


def main():
    began = time.monotonic()
    with ThreadPoolExecutor(3) as pool:
        outcomes = [o for group in pool.map(run_group, groups(sys.argv[1], sys.argv[2:]))
                    for o in group]
    if sys.argv[1] == "texts":
        outcomes += [said("not-run", f"matches no command: {pattern.pattern}")
                     for pattern, _ in RULES if pattern.pattern not in USED]
    failed = 0
    for number, outcome in enumerate(outcomes, 1):
        failed += bool(outcome.wrong)
        skip = f" # SKIP {outcome.skipped}" if outcome.skipped else ""
        name = outcome.example.name.replace("#", "\\#")
        print(f"{'not ' if outcome.wrong else ''}ok {number} - {name}{skip}")
        for line in (outcome.wrong or "").splitlines():
            print("#", line)
    skipped = sum(o.skipped is not None for o in outcomes)
    print(f"# examples: {len(outcomes)}, run {len(outcomes) - skipped}, passed "
          f"{len(outcomes) - skipped - failed}, not run {skipped}; {time.monotonic() - began:.0f} s")
    print(f"1..{len(outcomes)}")
    sys.exit(1 if failed or not outcomes else 0)


main()
