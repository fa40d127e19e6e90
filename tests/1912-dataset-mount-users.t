#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Users of a node against each other: what one of them does with the mounts that the agent gives it changes
# nothing for another one, or root; no user reads a file of the agent by its path.  Below a mount that is shared, as
# /run is.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip_all "only root can mount, and be other users"
[ -e /dev/fuse ] || skip_all "this kernel has no FUSE (/dev/fuse)"
grep -q erofs /proc/filesystems || modprobe erofs 2>/dev/null || skip_all "this kernel has no EROFS"
unshare -Urm true 2>/dev/null || skip_all "no user and mount namespaces here"
# shellcheck source=tests/lib-dataset.sh
. "$(dirname "$0")/lib-dataset.sh"
requires baro-dataset-agent python3
chmod 755 "$SCRATCH"
shared=$SCRATCH/shared agent=$SCRATCH/shared/run
mkdir "$shared" "$SCRATCH/here"
mount -t tmpfs -o mode=0755 shared "$shared" && mount --make-shared "$shared" || skip_all "no shared mount here"
at_exit 'grep " $shared[/ ]" /proc/self/mounts | cut -d" " -f2 | tac | xargs -r -n1 umount -l'
serve_agent() {
    baro-dataset-agent --config /dev/null --directory "$agent" --user nobody --set "dataset.upstream=unix:$SCRATCH/origin.sock" \
        --set dataset.patience=60s >>"$SCRATCH/agent.log" 2>&1 &
    echo $! >"$SCRATCH/pids/agent"
    wait_for 20 test -S "$agent/agent.sock"
}

# user.py UID VERB ...: a user who speaks to the agent without baro, and keeps to no rule.
cat >"$SCRATCH/user.py" <<'PYTHON'
import array, ctypes, errno, os, socket, struct, subprocess, sys, time
libc = ctypes.CDLL(None, use_errno=True)
NEWNS, NEWUSER, EMPTY_PATH, HERE = 0x20000, 0x10000000, 0x1000, -100
NOSUID, NODEV, NOEXEC, RDONLY = 2, 4, 8, 1
uid, agent, verb, rest = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:]
if uid:
    os.setgroups([])
    os.setgid(uid)
    os.setuid(uid)
    libc.prctl(4, 1, 0, 0, 0)  # PR_SET_DUMPABLE: its own /proc files stay its own

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

def namespaces():
    if libc.unshare(NEWUSER | NEWNS):
        sys.exit("unshare: " + os.strerror(ctypes.get_errno()))
    for name, text in ("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {uid} 1"):
        with open("/proc/self/" + name, "w") as f:
            f.write(text)

def failed(rc):
    return errno.errorcode[ctypes.get_errno()] if rc else "done"

def set_attributes(fd, path, on, off):
    attributes = struct.pack("<QQQQ", on, off, 0, 0)
    return failed(libc.syscall(442, fd, path, EMPTY_PATH, attributes, ctypes.c_size_t(32)))

def attach(fd, path):
    return failed(libc.syscall(429, fd, b"", HERE, path.encode(), 4))

if verb == "run":
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    sys.exit(subprocess.run(rest).returncode)
s = connect()
if verb == "clear":
    line, fd = request(s, rest[0])
    namespaces()
    for name, flag in ("nodev", NODEV), ("nosuid", NOSUID), ("read-only", RDONLY):
        print(name, set_attributes(fd, b"", 0, flag))
    print("noexec", set_attributes(fd, b"", NOEXEC, 0))
    print("attached", attach(fd, rest[1]))
    tree = os.open(rest[1], os.O_PATH)
    print("nodev", set_attributes(tree, b"", 0, NODEV))
elif verb == "cover":
    line, fd = request(s, rest[0])
    namespaces()
    print("attached", attach(fd, rest[1]))
    print("covered", failed(libc.mount(b"evil", (rest[1] + "/bin").encode(), b"tmpfs", 0, None)))
    with open(rest[1] + "/bin/program", "w") as f:
        f.write("#!/bin/sh\necho EVIL\n")
    os.chmod(rest[1] + "/bin/program", 0o755)
    print("then", os.listdir(rest[1] + "/bin"), flush=True)
    sys.stdin.readline()
PYTHON
user() { # UID VERB ...
    user_uid=$1
    shift
    python3 "$SCRATCH/user.py" "$user_uid" "$agent" "$@"
}
cp "$(command -v baro)" "$SCRATCH/baro"
run() { # UID COMMAND...: with the dataset at here
    run_uid=$1
    shift
    user "$run_uid" run timeout 100 "$SCRATCH/baro" dataset run --agent "$agent/agent.sock" -d "code:v1:$SCRATCH/here" -- "$@"
}

mkdir -p "$SCRATCH/tree/bin"
printf '#!/bin/sh\necho right\n' >"$SCRATCH/tree/bin/program"
chmod 755 "$SCRATCH/tree/bin/program"
ok "a dataset is made" dataset_make 2
serve origin "repository=$BARO_DATASETS" socket_mode=0666 trusted=nobody
ok "an agent listens, below a shared mount" serve_agent

# ---- what a mount shows is not a user's to change ----
# hold UID: prints what a program of it prints, at the next line in go; it has its copy before.
hold() {
    run "$1" sh -c 'echo 1 >"$1/held.$2"; read -r _ <"$1/go.$2"; "$1/here/bin/program"' sh "$SCRATCH" "$1"
}
mkfifo "$SCRATCH/go" "$SCRATCH/go.0" "$SCRATCH/go.4002"
: >"$SCRATCH/held.4002" && chmod 666 "$SCRATCH/held.4002" "$SCRATCH/go.4002"
for uid in 0 4002; do
    hold $uid >"$SCRATCH/got.$uid" 2>&1 &
    wait_for 30 test -s "$SCRATCH/held.$uid"
done
user 4001 cover code:v1 "$SCRATCH/here" <"$SCRATCH/go" >"$SCRATCH/cover" 2>&1 &
cover=$!
exec 9>"$SCRATCH/go"
ok "a user covers a directory of its copy" wait_for 30 grep -q "then \['program'\]" "$SCRATCH/cover"
for uid in 0 4002; do
    timeout 20 sh -c 'echo >"$1"' sh "$SCRATCH/go.$uid"
    ok "user $uid, who has it, too, runs what is in the dataset" wait_for 30 grep -qx right "$SCRATCH/got.$uid"
    is "and so does a later command of theirs" "$(run $uid "$SCRATCH/here/bin/program")" right
done
is "the agent's own mount is as it was" "$(cat "$agent/trees/$dataset/bin/program")" "$(cat "$SCRATCH/tree/bin/program")"
is "the agent has mounts" "$(grep -c " ${agent}[/ ]" /proc/self/mountinfo)" 3
peers() { grep " ${agent}[/ ]" /proc/self/mountinfo | grep -c "shared:\|master:"; }
is "none of the agent's mounts has peers" "$(peers)" 0
exec 9>&-
wait $cover

# ---- nor are its flags ----
is "nodev, nosuid and read-only cannot be cleared" "$(user 4001 clear code:v1 "$SCRATCH/here")" "nodev EPERM
nosuid EPERM
read-only EPERM
noexec done
attached done
nodev EPERM"
is "by root in a user namespace neither" "$(user 0 clear code:v1 "$SCRATCH/here")" "nodev EPERM
nosuid EPERM
read-only EPERM
noexec done
attached done
nodev EPERM"

# ---- paths are root's ----
private=$(baro dataset create "$SCRATCH/tree/bin" --tag secret:v1 --access private 2>/dev/null)
for name in "$dataset" "$private"; do
    ok "a user cannot read an image by its path" not user 4001 run head -c 1 "$agent/images/$name"
    ok "nor is there one to it" not user 4001 run stat "$agent/images/$name"
done
ok "nor learn a name as root" not user 4001 run readlink "$agent/images/secret:v1,0,"
ok "nor list" not user 4001 run ls "$agent/images"
is "root can" "$(readlink "$agent/images/secret:v1,0,")" "$private"
is "and reads it" "$(sha256sum <"$agent/images/$private" | cut -c1-64)" "$private"

# ---- lines of the log ----
# A process for each command: they share the limit of a kind of line.
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    user 4001 run timeout 100 "$SCRATCH/baro" dataset run --agent "$agent/agent.sock" -d "nosuch$i:v1:$SCRATCH/here" -- true 2>/dev/null
done
is "a user's failures, one after the other, are five lines of a minute" "$(grep -c nosuch "$SCRATCH/agent.log")" 5

kill_server agent
ok "an agent that ends leaves nothing mounted" not grep -q " ${agent}[/ ]" /proc/self/mounts
servers_end
finish
