#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""screens - a command on a terminal of some size, and what stands on it.

    screens.py WIDTH HEIGHT COMMAND...       what the command prints, without its colours
    screens.py -f WIDTH HEIGHT COMMAND...    the first whole picture of a --follow, then Ctrl-C

Prints the screen's lines.  Exits with 3 when one is longer than WIDTH, with 4 when a picture is
higher than HEIGHT, with 1 when the command failed.
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
import unicodedata

is_follow = sys.argv[1] == "-f"
args = sys.argv[2:] if is_follow else sys.argv[1:]
width, height, command = int(args[0]), int(args[1]), args[2:]
HOME = b"\x1b[H"


def columns(line):
    return sum(0 if unicodedata.combining(c) else
               2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


pid, fd = pty.fork()
if pid == 0:
    os.environ.pop("COLUMNS", None)
    os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8")
    time.sleep(0.2)  # until the size is set
    os.execvp(command[0], command)
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
got = b""
ends = time.monotonic() + 60
is_stopped = False
while time.monotonic() < ends:
    if not select.select([fd], [], [], 0.5)[0]:
        if is_follow and got.count(HOME) >= 1 and not is_stopped:
            os.kill(pid, signal.SIGINT)  # a picture is drawn, and the program waits
            is_stopped = True
        continue
    try:
        piece = os.read(fd, 65536)
    except OSError:
        break
    if not piece:
        break
    got += piece
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
if is_follow:
    got = got[got.index(HOME) + len(HOME):].split(HOME)[0].split(b"\x1b[?1049l")[0]
text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Z0-9]|\x1b[=>78]", "", got.decode("utf-8", "replace"))
lines = text.replace("\r\n", "\n").rstrip("\n").split("\n")
print("\n".join(lines))
if status != 0:
    sys.exit(1)
if any(columns(line) > width for line in lines):
    sys.exit(3)
if is_follow and len(lines) > height:
    sys.exit(4)
