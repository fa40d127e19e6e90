#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a node has for all of its users is not had by one of them: mounts wait for an upstream beside each other,
# copies that a user retains are two at most, and connections without a use end.  A relay before the
# upstream withholds requests.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip_all "only root can mount, and be other users"
[ -e /dev/fuse ] || skip_all "this kernel has no FUSE (/dev/fuse)"
grep -q erofs /proc/filesystems || modprobe erofs 2>/dev/null || skip_all "this kernel has no EROFS"
unshare -Urm true 2>/dev/null || skip_all "no user and mount namespaces here"
# shellcheck source=tests/lib-dataset.sh
. "$(dirname "$0")/lib-dataset.sh"
requires baro-dataset-agent python3 pgrep flock
chmod 755 "$SCRATCH"
agent=$SCRATCH/run
mkdir "$SCRATCH/here"
at_exit 'grep " $agent[/ ]" /proc/self/mounts | cut -d" " -f2 | tac | xargs -r -n1 umount -l'

# relay.py LISTEN UPSTREAM HOLD: frames pass, but those that a line of HOLD ("TYPE DIGEST COUNT", DIGEST or any) names, beyond
# the first COUNT: these wait until the file is gone.
cat >"$SCRATCH/relay.py" <<'PYTHON'
import os, socket, struct, sys, threading, time
listen, upstream, hold = sys.argv[1:]
seen = 0
def exactly(s, n):
    data = b""
    while len(data) < n:
        piece = s.recv(n - len(data))
        if not piece:
            raise EOFError
        data += piece
    return data
def waits(kind, body):
    global seen
    try:
        wanted, digest, count = open(hold).read().split()
    except (OSError, ValueError):
        return False
    if kind != int(wanted) or digest != "any" and not body.startswith(bytes.fromhex(digest)):
        return False
    seen += 1
    return seen > int(count)
def requests(client, server):
    try:
        while True:
            head = exactly(client, 16)
            body = exactly(client, struct.unpack("<I", head[:4])[0])
            if waits(struct.unpack("<H", head[4:6])[0], body):
                open(hold + ".held", "w").write("held")
                threading.Thread(target=later, args=(server, head + body), daemon=True).start()
            else:
                server.sendall(head + body)
    except (OSError, EOFError):
        server.close()
def later(server, data):
    while os.path.exists(hold):
        time.sleep(0.05)
    try:
        server.sendall(data)
    except OSError:
        pass
def responses(client, server):
    try:
        while piece := server.recv(65536):
            client.sendall(piece)
    except OSError:
        pass
    client.close()
door = socket.socket(socket.AF_UNIX)
door.bind(listen)
os.chmod(listen, 0o666)
door.listen(64)
while True:
    client, _ = door.accept()
    server = socket.socket(socket.AF_UNIX)
    server.connect(upstream)
    for target in requests, responses:
        threading.Thread(target=target, args=(client, server), daemon=True).start()
PYTHON
cat >"$SCRATCH/user.py" <<'PYTHON'
import array, os, socket, subprocess, sys, time
uid, agent, pid, verb, rest = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5:]
if uid:
    os.setgroups([])
    os.setgid(uid)
    os.setuid(uid)
def connect():
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(60)
    s.connect(agent + "/agent.sock")
    return s
def request(s, name):
    s.sendall(b"mount %s\n" % name.encode())
    line, fd = b"", -1
    while not line.endswith(b"\n"):
        piece, parts, _, _ = s.recvmsg(1024, socket.CMSG_SPACE(4))
        if not piece:
            return "closed", -1
        for _, _, data in parts:
            fd = array.array("i", data)[0]
        line += piece
    return line.decode().strip(), fd
def visitors():
    return subprocess.run(["pgrep", "-U", "0", "-P", pid], capture_output=True).stdout
if verb == "run":
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    sys.exit(subprocess.run(rest).returncode)
elif verb == "retain":
    fds = []
    for _ in range(6):
        s = connect()
        fds.append(request(s, rest[0])[1])
        s.close()
        while visitors():
            time.sleep(0.05)
    print(len(fds), "copies of", len({os.fstat(fd).st_dev for fd in fds}), "mounts", flush=True)
    sys.stdin.readline()
elif verb == "idle":
    connections = [connect() for _ in range(int(rest[0]))]
    print("connected", flush=True)
    for s in connections:
        try:
            s.recv(1)
        except ConnectionResetError:
            pass
    print("ended", flush=True)
elif verb == "leave":
    s = connect()
    s.sendall(b"mount %s\n" % rest[0].encode())
    while not os.path.exists(rest[1]):
        time.sleep(0.05)
PYTHON
cp "$(command -v baro)" "$SCRATCH/baro"
user() {
    user_uid=$1
    shift
    python3 "$SCRATCH/user.py" "$user_uid" "$agent" "$(cat "$SCRATCH/pids/agent")" "$@"
}
run() { # UID DATASET COMMAND...: with it at here
    run_uid=$1 run_dataset=$2
    shift 2
    user "$run_uid" run timeout 100 "$SCRATCH/baro" dataset run --agent "$agent/agent.sock" -d "$run_dataset:$SCRATCH/here" -- "$@"
}
has_visitors() { [ "$(pgrep -c -U 0 -P "$(cat "$SCRATCH/pids/agent")")" -gt 0 ]; }
is_mounted() { grep -q " $agent/trees/$1 " /proc/self/mounts; }
serve_agent() {
    rm -f "$agent/agent.sock"
    baro-dataset-agent --config /dev/null --directory "$agent" --user nobody --set "dataset.upstream=unix:$SCRATCH/relay.sock" \
        "$@" >>"$SCRATCH/agent.log" 2>&1 &
    echo $! >"$SCRATCH/pids/agent"
    wait_for 20 test -S "$agent/agent.sock"
}

ok "a dataset is made" dataset_make 4
mkdir "$SCRATCH/other"
echo other >"$SCRATCH/other/file"
other=$(baro dataset create "$SCRATCH/other" --tag other:v1 2>/dev/null)
serve origin "repository=$BARO_DATASETS" socket_mode=0666
python3 "$SCRATCH/relay.py" "$SCRATCH/relay.sock" "$SCRATCH/origin.sock" "$SCRATCH/hold" 2>"$SCRATCH/relay.log" &
echo $! >"$SCRATCH/relay.pid"
at_exit 'kill $(cat "$SCRATCH/relay.pid")'
wait_for 20 test -S "$SCRATCH/relay.sock"
ok "an agent listens" serve_agent --set dataset.patience=60s

# ---- a mount that waits holds no other one up ----
mkfifo "$SCRATCH/go"
run 4001 "$dataset" sh -c 'echo 1 >&2; read -r _; echo end' <"$SCRATCH/go" 2>"$SCRATCH/started" >"$SCRATCH/out" &
first=$!
exec 9<>"$SCRATCH/go"
wait_for 30 test -s "$SCRATCH/started"
# The second opening of the image is by the kernel, which mounts it: its lease has no response.
echo "16 $other 1" >"$SCRATCH/hold"
run 4002 other:v1 cat "$SCRATCH/here/file" >"$SCRATCH/waited" 2>&1 &
second=$!
wait_for 10 test -e "$SCRATCH/hold.held" || echo "# the lease that is held suffices: no request is withheld"
is "another dataset is mounted meanwhile" "$(run 4003 "$dataset" echo right)" right
echo >&9
wait $first
ok "and left" wait_for 20 not is_mounted "$dataset"
rm "$SCRATCH/hold"
wait $second
is "the mount that waited is there when it has its response" "$(cat "$SCRATCH/waited")" other

# ---- who is gone leaves ----
rm -f "$SCRATCH/hold.held"
wait_for 20 not has_visitors
ok "no image is open" wait_for 20 not is_mounted "$other"
echo "16 $other 0" >"$SCRATCH/hold"
user 4001 leave other:v1 "$SCRATCH/hold.held"
ok "a command was killed while its mount waited" test -e "$SCRATCH/hold.held"
ok "its place is free, though the upstream has not responded" wait_for 20 not has_visitors
rm "$SCRATCH/hold"

# ---- copies that a user retains ----
user 4001 retain code:v1 <"$SCRATCH/go" >"$SCRATCH/copies" 2>&1 &
copies=$!
wait_for 60 test -s "$SCRATCH/copies"
ok "copies that are retained are of two mounts at most" grep -qE "^6 copies of [12] mounts" "$SCRATCH/copies"
cat "$SCRATCH/copies"
is "another user has the dataset" "$(run 4002 code:v1 echo right)" right
echo >&9
wait $copies
ok "when they are gone it is unmounted" wait_for 60 not is_mounted "$dataset"

# ---- connections ----
user 4001 idle 128 >"$SCRATCH/idle" 2>&1 &
idle=$!
wait_for 30 grep -q connected "$SCRATCH/idle"
ok "a user with all of its connections has no more" not run 4001 code:v1 true
is "others have theirs" "$(run 4002 code:v1 echo right)" right
ok "those that request nothing end" wait_for 60 grep -q ended "$SCRATCH/idle"
wait $idle
wait_for 20 not has_visitors
is "then the user has some again" "$(run 4001 code:v1 echo right)" right

# ---- a server that cannot be started ----
kill_server agent
mkdir "$SCRATCH/cache"
chown nobody "$SCRATCH/cache"
# A server that cannot be started ends without freeing its loop: the forwarder leaves that to the process.
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"
ok "an agent with a cache" serve_agent --set dataset.patience=never --set "dataset.cache=$SCRATCH/cache"
cat >"$SCRATCH/read.py" <<'PYTHON'
import os, sys
fd = os.open(sys.argv[1], os.O_RDONLY)
os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
os.pread(fd, 4096, 0)
print("begun", flush=True)
sys.stdin.readline()
os.pread(fd, 4096, 600000)
PYTHON
run 0 code:v1 python3 "$SCRATCH/read.py" "$SCRATCH/here/part3" <"$SCRATCH/go" >"$SCRATCH/read" 2>&1 &
reader=$!
ok "a program reads" wait_for 30 grep -q begun "$SCRATCH/read"
rm -f "$SCRATCH/hold.held"
echo "7 any 0" >"$SCRATCH/hold"
echo >&9
ok "a read of it waits" wait_for 30 test -e "$SCRATCH/hold.held"
python3 - "$SCRATCH" "$(pgrep -P "$(cat "$SCRATCH/pids/agent")" -U nobody)" <<'PYTHON' &
import fcntl, os, signal, sys, time
lock = open(sys.argv[1] + "/cache/lock", "r+")
os.kill(int(sys.argv[2]), signal.SIGKILL)
fcntl.flock(lock, fcntl.LOCK_EX)
open(sys.argv[1] + "/locked", "w").write("1")
time.sleep(300)
PYTHON
locker=$!
at_exit 'kill $locker'
ok "its cache is another process's" wait_for 20 test -s "$SCRATCH/locked"
ok "what was in hand ends, and the log has why" wait_for 60 grep -q "end with an I/O error: the process that serves" "$SCRATCH/agent.log"
# The kernel may read the same again: that waits for the next process, and can be killed.
reader_ends() {
    grep -q "Errno 5" "$SCRATCH/read" || pkill -KILL -f "$SCRATCH/read.py"
    ! pgrep -f "$SCRATCH/read.py" >"$SCRATCH/readers"
}
ok "with EIO, or by a signal: it is not stuck" wait_for 20 reader_ends
wait $reader
kill $locker
rm "$SCRATCH/hold"
is "when one can be started there are mounts again" "$(run 4002 code:v1 echo right)" right
servers_end
finish
