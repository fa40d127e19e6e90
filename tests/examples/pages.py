# SPDX-License-Identifier: Apache-2.0
"""pages - the commands that pages show, as a reader sees them.

An Example has the page it stands in, the command, and the lines that are shown as its output
(only behind a command with a prompt).  Man pages are rendered first: what is lost on the way
is lost to the reader, too."""
import dataclasses
import glob
import os
import re
import subprocess

TOP = os.environ["TOP"]
PROGRAMS = ("baro barod baro-bmc baro-agent baro-abc baro-abc-mpi baro-datasetd baro-dataset-agent baro-gpu-read baro-lustre-read lctl lfs mpirun scontrol "
            "sacct sbatch squeue qstat curl psql createuser createdb pg_dump sqlite3 tar systemctl "
            "echo cp mv rm cat install mkdir chown chmod meson ninja scripts/demo scripts/test "
            "scripts/soak scripts/image scripts/package scripts/install-deps scripts/after-install "
            "podman ssh for groupdel apt-get apt dpkg journalctl export jq openssl tail zstd "
            "udevadm useradd usermod").split()


@dataclasses.dataclass
class Example:
    page: str
    command: str
    output: list = dataclasses.field(default_factory=list)
    prompted: bool = False
    not_run: str = None  # why not, where the caller knows

    @property
    def name(self):
        return f"{self.page}: {' '.join(self.command.split())}"


def program(line):
    """The first word that is no assignment, and no sudo."""
    for word in line.split():
        if word != "sudo" and not re.match(r"[A-Z_]+=", word):
            return word
    return ""


# A remark behind a command is none of it.
REMARK = re.compile(r"\s{2,}#.*|\s{3,}\(.*\)$")


def unfinished(command):
    if command.endswith("\\"):
        return True
    bare = re.sub(r"\\.", "", command)
    bare = re.sub(r"\"[^\"]*\"|'[^']*'", "", bare)
    return "'" in bare or '"' in bare


def commands(page, lines):
    """The commands among the lines of one block of literal text."""
    found, current = [], None
    for line in lines:
        line = REMARK.sub("", line)
        text = line.strip()
        if current and unfinished(current.command):
            current.command += "\n" + line
        elif text.startswith("$ "):
            current = Example(page, text[2:], prompted=True)
            found.append(current)
        elif program(text) in PROGRAMS:
            current = Example(page, text)
            found.append(current)
        elif current and current.prompted and text:
            current.output.append(text)
    return found


def rendered(path):
    roff = subprocess.run(["scdoc"], stdin=open(path, "rb"), capture_output=True, check=True).stdout
    text = subprocess.run(["groff", "-man", "-Tascii", "-P-c", "-rLL=2000n", "-rHY=0"], input=roff,
                          capture_output=True, check=True).stdout.decode()
    return re.sub(r".\x08", "", text)


def sections(text):
    """Of a rendered page: title -> lines."""
    parts, title = {}, None
    for line in text.splitlines():
        if line[:1].strip():
            title = line.strip()
            parts[title] = []
        elif title:
            parts[title].append(line)
    return parts


def man_pages():
    return sorted(glob.glob(f"{TOP}/doc/man/*.scd"))


def page_name(path):
    return os.path.basename(path)[:-len(".scd")]


def man_examples(path):
    parts = sections(rendered(path))
    lines = parts.get("EXAMPLES", parts.get("EXAMPLE", []))
    # Text is indented by 7, what is to be typed by 11.
    return commands(page_name(path), [line if line.startswith(" " * 11) else "" for line in lines])


def man_synopsis(path):
    """Rendered lines of the synopsis."""
    return [line.strip() for line in sections(rendered(path)).get("SYNOPSIS", []) if line.strip()]


def text_examples(path):
    """Of a text with fences or indented blocks."""
    found, block, fenced, blank = [], [], None, True
    name = os.path.relpath(path, TOP)
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        if line.startswith("```"):
            if fenced is not None and fenced in ("", "sh"):
                found += commands(name, block)
            fenced, block = (line[3:], []) if fenced is None else (None, [])
        elif fenced is not None:
            block.append(line)
        elif line.startswith("    ") and (block or blank):
            block.append(line)
        elif block and line.strip():
            found += commands(name, block)
            block = []
        blank = not line.strip()
    return found + commands(name, block)


def help_examples(words):
    """What --help of a command shows at its end."""
    text = subprocess.run(["baro", *words.split(), "--help"], capture_output=True, check=True,
                          text=True).stdout
    return [e for e in commands(f"baro {words} --help", re.findall(r"^    \S.*$", text, re.M))
            if e.command.startswith("baro ")]


def command_names():
    return subprocess.run(["baro", "--dump-options"], capture_output=True, check=True,
                          text=True).stdout.splitlines()


def options_of(program_words):
    run = subprocess.run([*program_words, "--dump-options"], capture_output=True, text=True)
    return run.stdout.split() + ["--help", "--version"] if run.returncode == 0 else None
