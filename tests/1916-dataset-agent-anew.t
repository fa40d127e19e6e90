#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An agent that is started anew, by SIGHUP or after kill -9 by a manager that has its descriptors: what is
# mounted stays, a program reads on, and commands that come meanwhile wait.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip_all "only root can mount"
[ -e /dev/fuse ] || skip_all "this kernel has no FUSE (/dev/fuse)"
grep -q erofs /proc/filesystems || modprobe erofs 2>/dev/null || skip_all "this kernel has no EROFS"
unshare -m true 2>/dev/null || skip_all "no mount namespaces here"
# shellcheck source=tests/lib-dataset.sh
. "$(dirname "$0")/lib-dataset.sh"
requires baro-dataset-agent python3 pgrep
chmod 755 "$SCRATCH"
agent=$SCRATCH/run
manager=$SCRATCH/manager
mkdir "$manager" "$SCRATCH/here"
at_exit 'grep " $agent[/ ]" /proc/self/mounts | cut -d" " -f2 | tac | xargs -r -n1 umount -l'
conf() { # KEY=VALUE...
    echo "[dataset]"
    echo "upstream = unix:$SCRATCH/origin.sock"
    printf '%s\n' "memory = 1MiB" "cache = $SCRATCH/agent.cache" "$@"
}
conf >"$SCRATCH/agent.conf"
install -d -o nobody -m 700 "$SCRATCH/agent.cache"
run() { timeout 120 baro dataset run --agent "$agent/agent.sock" "$@"; }
pid() { cat "$manager/pid"; }

mkdir -p "$SCRATCH/tree/a"
echo deep >"$SCRATCH/tree/a/file"
ok "a dataset is made" dataset_make 12
serve origin "repository=$BARO_DATASETS" socket_mode=0666 trusted=nobody
python3 "$TOP/tests/dataset/manager.py" "$manager" baro-dataset-agent --config "$SCRATCH/agent.conf" \
    --directory "$agent" --user nobody >"$SCRATCH/agent.log" 2>&1 &
echo $! >"$SCRATCH/pids/manager"
ok "an agent listens" wait_for 20 test -S "$agent/agent.sock"
cat >"$SCRATCH/slow.py" <<'END'
import hashlib, os, sys
top, total = sys.argv[1], hashlib.sha256()
fd = os.open(top + "/here/part1", os.O_RDONLY)
os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
size, at = os.fstat(fd).st_size, 0
while at < size:
    piece = os.pread(fd, 65536, at)
    total.update(piece)
    at += len(piece)
    if at == 65536 * 8:
        open(top + "/half", "w").write(str(os.getpid()))
        open(top + "/go").readline()
print(total.hexdigest())
END
mkfifo "$SCRATCH/go"
slow_begin() {
    rm -f "$SCRATCH/half"
    run -d "code:v1:$SCRATCH/here" -- python3 "$SCRATCH/slow.py" "$SCRATCH" >"$SCRATCH/sum" 2>&1 &
    slow=$!
    wait_for 30 test -s "$SCRATCH/half"
}
slow_end() { # SENTENCE
    echo >"$SCRATCH/go"
    wait "$slow"
    is "$1" "$(cat "$SCRATCH/sum")" "$(sha256sum <"$SCRATCH/tree/part1" | cut -c1-64)"
}
stays() { [ "$(grep -c 'what an earlier agent has mounted stays' "$SCRATCH/agent.log")" = "$1" ]; }
new_command() { # SENTENCE
    is "$1" "$(run -d "code:v1:$SCRATCH/here" -- cat "$SCRATCH/here/a/file")" deep
}
has_refs() { [ "$(baro dataset show "$dataset" --output csv | grep -c mount)" = "$1" ]; }

# ---- SIGHUP ----
slow_begin
before=$(pid)
inode=$(stat -c %i "$agent/agent.sock")
conf "patience = 77s" >"$SCRATCH/agent.conf"
kill -HUP "$before"
ok "at SIGHUP the program is started anew, and takes over what is mounted" wait_for 20 stays 1
new_command "a new command has its dataset"
slow_end "the one that ran before reads on"
is "it is the same process, and socket" "$(kill -0 "$before" && cat "$manager/starts") $(stat -c %i "$agent/agent.sock")" "1 $inode"
ok "the lease is given back" wait_for 20 has_refs 0

slow_begin
conf "patience = soon" >"$SCRATCH/agent.conf"
kill -HUP "$before"
ok "a configuration that is wrong is refused" wait_for 20 grep -q "SIGHUP: the configuration is refused" "$SCRATCH/agent.log"
ok "which names the key" grep -q "patience" "$SCRATCH/agent.log"
new_command "the agent goes on as it was"
slow_end "so does who reads"
conf >"$SCRATCH/agent.conf"

# ---- kill -9 ----
slow_begin
before=$(pid)
: >"$manager/hold"
kill -9 "$before"
run -d "code:v1:$SCRATCH/here" -- cat "$SCRATCH/here/a/file" >"$SCRATCH/waited" 2>&1 &
waiting=$!
rm "$manager/hold"
ok "after kill -9 the next agent takes over what is mounted" wait_for 20 stays 2
is "it is another process" "$(cat "$manager/starts")" 2
slow_end "the program that ran before reads on"
wait "$waiting"
is "a command that came meanwhile has waited" "$(cat "$SCRATCH/waited")" deep
new_command "and new ones have theirs"
ok "the lease is given back" wait_for 20 has_refs 0
mounts() { grep -c " $agent/trees/" /proc/self/mounts; }
nothing_mounted() { [ "$(mounts)" = 0 ]; }
ok "nothing stays mounted" wait_for 30 nothing_mounted
for n in 3 4 5; do
    slow_begin
    kill -9 "$(pid)"
    slow_end "killed again, it is as before"
    ok "and the next one goes on with what is mounted" wait_for 20 stays $n
done

# ---- the mount is gone ----
before=$(pid)
umount -l "$agent/images"
kill -9 "$before"
ok "what is gone is not taken over" wait_for 20 grep -q "the mount is gone" "$SCRATCH/agent.log"
new_command "and the next agent begins anew"

# ---- the end ----
kill -TERM "$(pid)"
wait "$(cat "$SCRATCH/pids/manager")"
is "SIGTERM ends it" "$?" 0
is "with all that was mounted" "$(grep -c " ${agent}[/ ]" /proc/self/mounts)" 0
is "no sanitizer found anything" "$(grep -c 'Sanitizer\|runtime error' "$SCRATCH/agent.log")" 0
finish
