#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A SIGTERM that comes as soon as barod answers stops it as any other does.  That moment is
# held for as long as the test needs: the pipe that barod logs to has room for every line up
# to the one that it logs when it listens, and for half of that.
. "$(dirname "$0")/lib.sh"
requires python3

cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $SCRATCH/barod.sock
listen = none
[records]
path = $SCRATCH/records.db
[store]
directory = $SCRATCH/store
CONF
cat >"$SCRATCH/stop.py" <<'PY'
import fcntl, os, signal, socket, subprocess, sys, time

scratch = sys.argv[1]
command = ["barod", "--config", scratch + "/barod.conf"]


def answers():
    with socket.socket(socket.AF_UNIX) as s:
        try:
            s.connect(scratch + "/barod.sock")
            s.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            return s.recv(12) == b"HTTP/1.1 200"
        except OSError:
            return False


def wait_until(condition):
    for _ in range(2400):
        if condition():
            return True
        time.sleep(0.05)
    return False


def log_of_a_run():
    with open(scratch + "/log", "wb") as log:
        barod = subprocess.Popen(command, stderr=log)
        assert wait_until(answers), "barod does not answer"
        barod.terminate()
        assert barod.wait() == 0, "barod does not end well"
    return open(scratch + "/log", "rb").read()


log_of_a_run()  # it makes its files
log = log_of_a_run()
at = log.index(b" net: ")
begin = log.rindex(b"\n", 0, at) + 1 if b"\n" in log[:at] else 0
room = begin + 20
out, into = os.pipe()
size = fcntl.fcntl(into, 1031, 4096)  # F_SETPIPE_SZ
assert room < size, "the log is too long for a pipe"
os.write(into, b"x" * (size - room))
os.set_blocking(out, False)
barod = subprocess.Popen(command, stderr=into)
os.close(into)
assert wait_until(answers), "barod does not answer while its log is full"
barod.send_signal(signal.SIGTERM)
time.sleep(0.2)  # were it killed, it would be by now; where not, nothing depends on it


def is_over():
    try:
        os.read(out, 65536)
    except BlockingIOError:
        pass
    return barod.poll() is not None


assert wait_until(is_over), "barod does not end"
print(barod.returncode)
PY
is "barod ends in order" "$(python3 "$SCRATCH/stop.py" "$SCRATCH" 2>&1)" 0
finish
