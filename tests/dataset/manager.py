#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""manager.py DIRECTORY COMMAND...: a manager of services as systemd is one to a program.

It has the descriptors that the program stores (FDSTORE=1, FDNAME=), starts it again where it was killed or
failed, and hands them over: LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES.  An end with status 0 is its end, too.
DIRECTORY gets notify (the socket), pid (of the program) and starts (how many).
DIRECTORY/hold: the next start waits while this file is there.
"""
import array
import os
import signal
import socket
import sys
import time

directory, command = sys.argv[1], sys.argv[2:]
notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
notify.bind(directory + "/notify")
notify.settimeout(0.05)
store = []  # (name, descriptor)


def put(name, text):
    with open(f"{directory}/{name}.new", "w", encoding="ascii") as out:
        out.write(text)
    os.rename(f"{directory}/{name}.new", f"{directory}/{name}")


def message_read():
    try:
        data, control, _, _ = notify.recvmsg(4096, socket.CMSG_SPACE(16 * 4))
    except (socket.timeout, InterruptedError):
        return
    fds = array.array("i")
    for level, kind, content in control:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            fds.frombytes(content[: len(content) - len(content) % fds.itemsize])
    words = dict(line.split("=", 1) for line in data.decode().splitlines() if "=" in line)
    name = words.get("FDNAME", "stored")
    if words.get("FDSTOREREMOVE") == "1":
        for other, fd in [s for s in store if s[0] == name]:
            os.close(fd)
            store.remove((other, fd))
    if words.get("FDSTORE") == "1":
        store.extend((name, fd) for fd in fds)


def start():
    pid = os.fork()
    if pid:
        return pid
    os.environ["NOTIFY_SOCKET"] = directory + "/notify"
    if store:
        high = [os.dup2(fd, 200 + i) for i, (_, fd) in enumerate(store)]
        for i, fd in enumerate(high):
            os.dup2(fd, 3 + i, inheritable=True)
        os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(store)),
                          LISTEN_FDNAMES=":".join(name for name, _ in store))
    os.closerange(3 + len(store), 256)
    os.execvp(command[0], command)


starts = 0
while True:
    child = start()
    starts += 1
    signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGTERM))
    put("pid", str(child))
    put("starts", str(starts))
    ended = (0, 0)
    while ended[0] == 0:
        message_read()
        ended = os.waitpid(child, os.WNOHANG)
    if ended[1] == 0:
        sys.exit(0)
    while os.path.exists(directory + "/hold"):
        time.sleep(0.05)
