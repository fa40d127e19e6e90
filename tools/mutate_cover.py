# SPDX-License-Identifier: Apache-2.0
"""mutate_cover - which tests execute a line of C, and how long each of them takes.

Each test runs twice on the unchanged tree: as it will be used (it has to pass, and its
seconds count), and on a build with --coverage.  Both are kept in a file of their own until
the sources, or the test's own text, change.

A place in a table of constants has no code of its own: every test that executes anything in
the file may notice it.
"""
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import time


def digest(paths):
    """Of names and contents."""
    sum_of = hashlib.sha256()
    for path in sorted(paths):
        sum_of.update(path.encode() + b"\0")
        with open(path, "rb") as f:
            sum_of.update(f.read())
    return sum_of.hexdigest()


class Cover:
    def __init__(self, directory, tree, build, run):
        """run(what, build, env, limit) gives the word for how a test ended."""
        self.directory, self.tree, self.build, self.run = directory, tree, build, run
        self.tests = {}
        os.makedirs(directory, exist_ok=True)
        sources = [path for path in glob.glob(tree + "/src/**/*.[ch]", recursive=True)
                   if "/test/" not in path]
        self.key = digest(sources)

    def key_of(self, what):
        """A unit test is src/test_ROOM_NOUN, its text src/ROOM/test/test_NOUN.c."""
        if what.endswith(".t"):
            return self.key + digest([f"{self.tree}/tests/{what}"])
        noun = os.path.basename(what)
        texts = [path for path in glob.glob(self.tree + "/src/**/test/*.[ch]", recursive=True)
                 if noun.endswith(os.path.basename(path)[4:-2])]
        return self.key + digest(texts)

    def learn(self, what, plain_build, env, limit_s):
        """Seconds and lines of a test; None where it does not pass."""
        path = os.path.join(self.directory, what.replace("/", "_") + ".json")
        key = self.key_of(what)
        if os.path.exists(path):
            with open(path) as f:
                row = json.load(f)
            if row["key"] == key:
                self.tests[what] = row
                return row
        begun = time.monotonic()
        if self.run(what, plain_build, env, limit_s) != "passes":
            return None
        seconds = time.monotonic() - begun
        place = tempfile.mkdtemp(prefix="baro-gcov.")
        os.chmod(place, 0o777)
        try:
            strip = len(os.path.abspath(self.build).split("/")) - 1
            self.run(what, self.build, dict(env, GCOV_PREFIX=place,
                                            GCOV_PREFIX_STRIP=str(strip)), 3 * limit_s)
            row = {"key": key, "s": seconds, "files": self.lines(place)}
        finally:
            shutil.rmtree(place, ignore_errors=True)
        with open(path + ".new", "w") as f:
            json.dump(row, f)
        os.rename(path + ".new", path)
        self.tests[what] = row
        return row

    def lines(self, place):
        """{file: [lines with code, lines that were executed]}"""
        counted = [os.path.relpath(path, place) for path
                   in glob.glob(place + "/src/**/*.gcda", recursive=True)]
        for path in counted:
            notes = os.path.join(self.build, path[:-2] + "no")
            if os.path.exists(notes):
                shutil.copy(notes, os.path.join(place, path[:-2] + "no"))
        files = {}
        for at in range(0, len(counted), 100):
            # What a killed program has written in part is passed over.
            said = subprocess.run(["gcov", "--json-format", "--stdout", *counted[at:at + 100]],
                                  cwd=place, check=False, capture_output=True, text=True).stdout
            for document in (line for line in said.split("\n") if line.startswith("{")):
                for of_file in json.loads(document)["files"]:
                    path = os.path.relpath(os.path.join(self.build, of_file["file"]), self.tree)
                    if not path.startswith("src/") or not path.endswith(".c"):
                        continue
                    have, hit = files.setdefault(path, [set(), set()])
                    for line in of_file["lines"]:
                        have.add(line["line_number"])
                        if line["count"] > 0:
                            hit.add(line["line_number"])
        return {path: [sorted(have), sorted(hit)] for path, (have, hit) in files.items()}

    def line_of(self, path, text, line):
        """The line with code that a place belongs to; 0: to a table."""
        have = set()
        for row in self.tests.values():
            have.update(row["files"].get(path, [[]])[0])
        rows = text.split("\n")
        for at in range(line, 0, -1):
            if at in have:
                return at
            if re.match(r"\}|\};|(static )?const |static const ", rows[at - 1]):
                return 0
        return 0

    def of(self, path, text, line, tests):
        """Those of the tests that execute it, the quickest first."""
        at = self.line_of(path, text, line)
        found = [what for what in tests if what in self.tests
                 and (hit := self.tests[what]["files"].get(path, [[], []])[1])
                 and (at == 0 or at in set(hit))]
        return sorted(found, key=lambda what: self.tests[what]["s"])
