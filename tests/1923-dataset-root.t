#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Views of a dataset that can be written, and datasets as the root of a command: for root and for a user, with
# images that try to lead out, and hooks that others than root could have written.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip_all "only root can mount, and be other users"
[ -e /dev/fuse ] || skip_all "this kernel has no FUSE (/dev/fuse)"
grep -q erofs /proc/filesystems || modprobe erofs 2>/dev/null || skip_all "this kernel has no EROFS"
grep -q overlay /proc/filesystems || modprobe overlay 2>/dev/null || skip_all "this kernel has no overlayfs"
unshare -Urm true 2>/dev/null || skip_all "no user and mount namespaces here"
# shellcheck source=tests/lib-dataset.sh
. "$(dirname "$0")/lib-dataset.sh"
requires baro-dataset-agent setpriv busybox
ldd "$(command -v busybox)" 2>&1 | grep -q "not a dynamic" || skip_all "busybox is not static here: an image without libraries needs it"
chmod 755 "$SCRATCH"
agent=$SCRATCH/run
at_exit 'grep " $agent[/ ]" /proc/self/mounts | cut -d" " -f2 | tac | xargs -r -n1 umount -l'
cp "$(command -v baro)" "$SCRATCH/baro"
# Not below /tmp, which is in a root as it is.
far=$(mktemp -d /var/tmp/baro-root.XXXXXX)
at_exit 'rm -rf "$far"'
chmod 755 "$far"
export HOME="$far/home"
mkdir -m 755 "$HOME" "$SCRATCH/here" "$SCRATCH/scratch" "$SCRATCH/hooks" "$SCRATCH/slow" "$far/spool"
mkdir -p "$far/closed/inside"
chmod 700 "$far/closed"
ln -s "$SCRATCH/out" "$HOME/link"
mkdir -m 777 "$SCRATCH/out"
echo mine >"$HOME/file"
echo work >"$SCRATCH/scratch/file"
echo outside >"$SCRATCH/out/file"

# ---- images ----
mkdir -p "$SCRATCH/tree/bin" "$SCRATCH/tree/etc" "$SCRATCH/tree/sub"
cp "$(command -v busybox)" "$SCRATCH/tree/bin/busybox"
for name in sh cat ls id touch rm mkdir dd mknod chmod stat readlink grep; do ln -s busybox "$SCRATCH/tree/bin/$name"; done
echo image >"$SCRATCH/tree/etc/name"
echo old >"$SCRATCH/tree/sub/file"
ok "a dataset is made" baro dataset create "$SCRATCH/tree" --tag root:v1
hostile() { # NAME: a tree with all of that one, for changes
    cp -a "$SCRATCH/tree" "$SCRATCH/$1"
}
hostile proc && ln -s "$SCRATCH/out" "$SCRATCH/proc/proc"
hostile dev && ln -s ../../../../../../.. "$SCRATCH/dev/dev"
hostile file && : >"$SCRATCH/file/tmp"
hostile links && ln -s / "$SCRATCH/links/up" && ln -s ../../../../../.. "$SCRATCH/links/upper" && ln -s /proc/1/root "$SCRATCH/links/init"
hostile hooked && mkdir "$SCRATCH/hooked/opt" && ln -s "$SCRATCH/out" "$SCRATCH/hooked/opt/nvidia"
for name in proc dev file links hooked; do baro dataset create "$SCRATCH/$name" --tag "$name:v1" >/dev/null 2>&1; done
hostile setid && chmod 4755 "$SCRATCH/setid/bin/busybox" && mknod "$SCRATCH/setid/null" c 1 3
baro dataset create "$SCRATCH/setid" --tag setid:v1 --allow-setuid --allow-special >/dev/null 2>&1
serve origin "repository=$BARO_DATASETS" socket_mode=0666 trusted=nobody
serve_agent() {
    baro-dataset-agent --config /dev/null --directory "$agent" --user nobody --set "dataset.upstream=unix:$SCRATCH/origin.sock" \
        --set dataset.patience=60s >>"$SCRATCH/agent.log" 2>&1 &
    echo $! >"$SCRATCH/pids/agent"
    wait_for 20 test -S "$agent/agent.sock"
}
ok "an agent listens" serve_agent
run() { # UID OPTION...
    run_uid=$1
    shift
    timeout 100 setpriv --reuid="$run_uid" --regid="$run_uid" --clear-groups env SCRATCH="$SCRATCH/scratch" "$SCRATCH/baro" dataset run --agent "$agent/agent.sock" --hooks "$SCRATCH/hooks" "$@"
}
refused() { # PATTERN COMMAND...
    refused_pattern=$1
    shift
    "$@" >"$SCRATCH/said" 2>"$SCRATCH/err" && return 1
    cat "$SCRATCH/err"
    grep -q -- "$refused_pattern" "$SCRATCH/err" && ! grep -q ran "$SCRATCH/said"
}

# ---- writable ----
here=$SCRATCH/here
for uid in 0 4001; do
    view() { run $uid -d "root:v1:$here" --writable 4MiB -- "$@"; }
    is "user $uid writes in a view" "$(view sh -c 'cd "$0" && echo new >sub/new && echo more >>sub/file && rm etc/name && mkdir -p etc/a/b && cat sub/new sub/file; ls etc' "$here" 2>&1)" "new
old
more
a"
    is "the next one finds it as it was" "$(view sh -c 'cat "$0/sub/file" "$0/etc/name"; ls "$0/sub"' "$here" 2>&1)" "old
image
file"
    is "a directory is replaced" "$(view sh -c 'cd "$0" && rm -r sub && mkdir sub && ls sub | wc -l && mv etc sub/moved && cat sub/moved/name' "$here" 2>&1)" "0
image"
    ok "with an end at its size" eval 'view dd if=/dev/zero of="$here/big" bs=1M count=8 2>&1 | grep -q "No space left"'
    is "what is not written of it stays read" "$(run $uid -d "root:v1:$here" -d "links:v1:$SCRATCH/out" --writable 1MiB -- cat "$here/etc/name" "$SCRATCH/out/etc/name")" "image
image"
    is "without, nothing is written" "$(run $uid -d "root:v1:$here" -- touch "$here/new" 2>&1 | grep -c 'Read-only')" 1
    ok "set-user-ID and devices are not in force" eval 'run $uid -d "setid:v1:$here" --writable 4MiB -- grep " $here overlay [^ ]*nosuid,nodev" /proc/self/mounts'
    is "no path leads to what is below" "$(view sh -c 'ls -A "$0/here"; grep -c "$0" /proc/self/mounts' "$agent" 2>&1 | tail -1)" "$(run $uid -d "root:v1:$here" -- sh -c 'grep -c "$0" /proc/self/mounts' "$agent")"
done
is "what a user writes is the user's" "$(run 4001 -d "root:v1:$here" --writable 4MiB -- sh -c 'touch "$0/x"; stat -c %u:%g "$0/x" "$0/sub/file"' "$here")" "4001:4001
4001:4001"
is "of others' mounts nothing is a user's" "$(run 4001 -d "root:v1:$here" -- stat -c %u "$here/sub/file")" 65534
is "the agent's own is as it was" "$(run 0 -d "root:v1:$here" -- stat -c %u:%g "$here/sub/file")" 0:0
ok "a size that is none is refused" not run 0 -d "root:v1:$here" --writable 4k -- true
cat >"$SCRATCH/own.py" <<'END'
import os, socket, sys
os.setgroups([])
os.setgid(4001)
os.setuid(4001)
s = socket.socket(socket.AF_UNIX)
s.settimeout(30)
s.connect(sys.argv[1])
s.sendall(b"own 0\n")
try:
    data, fds, *_ = s.recvmsg(1000, 64)
except ConnectionResetError:
    data, fds = b"", []
print("nothing" if not data and not fds else data)
END
# One mount, which is requested as one's own twice; then another one.
cat >"$SCRATCH/twice.py" <<'END'
import os, socket, sys
os.setgroups([])
os.setgid(4001)
os.setuid(4001)
s = socket.socket(socket.AF_UNIX)
s.settimeout(60)
s.connect(sys.argv[1])
for line in b"mount root:v1", b"own 0", b"own 0", b"mount root:v1", b"own 1":
    s.sendall(line + b"\n")
    data, fds, *_ = s.recvmsg(1000, 64)
    print(data.split()[0].decode(), len(fds), "once" if b"once a mount" in data else "")
END
is "a mount is handed out as one's own once" "$(python3 "$SCRATCH/twice.py" "$agent/agent.sock" 2>&1 | tr '\n' ' ')" "ok 1  ok 1  error 0 once ok 1  ok 1  "
is "who has no mount gets none by its number" "$(python3 "$SCRATCH/own.py" "$agent/agent.sock" 2>&1)" nothing

# ---- the root ----
# Hooks that need too long, beside all that follows: the second one and its child are killed.
printf '#!/bin/sh\nsleep 16\n' >"$SCRATCH/slow/10-first"
printf '#!/bin/sh\nsleep 1000 &\necho $! >"%s/slow.pid"\nwait\n' "$SCRATCH/out" >"$SCRATCH/slow/20-second"
chmod 755 "$SCRATCH/slow"/*
(
    began=$(date +%s)
    run 4001 --root root:v1 --hooks "$SCRATCH/slow" -- /bin/echo ran >"$SCRATCH/slow.out" 2>&1
    echo $(($(date +%s) - began)) >"$SCRATCH/slow.seconds"
) &
slow=$!
for uid in 0 4001; do
    root() { run $uid --root root:v1 -- "$@"; }
    is "user $uid has an image as root" "$(root /bin/cat /etc/name)" image
    is "found by PATH" "$(PATH=/bin root cat /etc/name)" image
    is "with proc, sys, dev and tmp" "$(root /bin/sh -c 'cat /proc/self/comm; ls -d /sys/kernel; echo x >/dev/null && echo null; ls -d "$0"' "$SCRATCH/out")" "cat
/sys/kernel
null
$SCRATCH/out"
    is "home and scratch stay reachable" "$(root /bin/cat "$HOME/file" "$SCRATCH/scratch/file")" "mine
work"
    ok "it is read-only" eval 'root /bin/touch /etc/new 2>&1 | grep -q "Read-only"'
    is "what the host has is not there" "$(root /bin/ls /usr 2>&1 | grep -c "No such file")" 1
    is "or it is written in memory" "$(run $uid --root root:v1 --writable 4MiB -- /bin/sh -c 'echo new >/etc/name && cat /etc/name')" new
    is "which is gone" "$(root /bin/cat /etc/name)" image
    is "links of an image end in it" "$(run $uid --root links:v1 -- /bin/cat /up/etc/name /upper/etc/name)" "image
image"
    ok "a link at proc is refused, and nothing was mounted over what it leads to" eval 'refused "/proc in the root: the image has a symbolic link there" run $uid --root proc:v1 -- /bin/echo ran && [ "$(cat "$SCRATCH/out/file")" = outside ]'
    ok "a link at dev that leads up, too" refused "/dev in the root: the image has a symbolic link there" run $uid --root dev:v1 -- /bin/echo ran
    ok "a file at tmp" refused "/tmp in the root: the image has a file there" run $uid --root file:v1 -- /bin/echo ran
    ok "a path with .." refused "a path with '..'" run $uid --root root:v1 --bind "$SCRATCH/out/../out" -- /bin/echo ran
    is "another dataset is in it" "$(run $uid --root root:v1 -d "links:v1:/sub" -- /bin/cat /sub/etc/name)" image
    is "also without a path" "$(run $uid --root root:v1 -d links:v1 -- /bin/cat "$agent/here/links:v1/etc/name")" image
    is "what is below one that stays is there with it, whatever leads to it" "$(run $uid --root root:v1 --bind "$HOME/link" -- /bin/cat "$HOME/link/file" 2>&1)" outside
    ok "the user's links of /proc lead nowhere" refused "/cwd: Too many levels of symbolic links" run $uid -d "root:v1:/proc/self/cwd" -- /bin/echo ran
    is "a directory of one's own stays" "$(cd / && run $uid --root root:v1 --bind "$SCRATCH/out" -- /bin/cat "$SCRATCH/out/file")" outside
    ok "set-user-ID and devices are not in force" eval 'run $uid --root setid:v1 -- /bin/grep " / overlay [^ ]*nosuid,nodev" /proc/self/mounts'
done
ok "a device that root makes in its view is none" eval 'run 0 --root root:v1 --writable 4MiB -- /bin/sh -c "mknod /n c 1 3; cat /n" 2>&1 | grep -qi "permission denied"'
is "a user is root of it by a map" "$(run 4001 --root root:v1 --map-root -- /bin/sh -c 'id -u; stat -c %u:%g /etc/name')" "0
0:0"
is "and its own outside" "$(run 4001 --root root:v1 --map-root --writable 4MiB --bind "$SCRATCH/out" -- /bin/sh -c 'touch "$0/by-user" && stat -c %u "$0/by-user"' "$SCRATCH/out"; stat -c %u "$SCRATCH/out/by-user")" "0
4001"
ok "which gives it nothing of root's" eval '! run 4001 --root root:v1 --map-root -- /bin/sh -c "echo x >\"\$0\"" "$HOME/file" && [ "$(cat "$HOME/file")" = mine ]'
is "a directory that the user cannot reach is left out" "$(WORK="$far/closed/inside" run 4001 --root root:v1 -- /bin/cat /etc/name 2>"$SCRATCH/err")" image
ok "in words" grep -q "$far/closed/inside: not in the root: Permission denied" "$SCRATCH/err"
ok "the way out by the process 1 is closed" not run 4001 --root links:v1 -- /bin/ls /init/root
ok "two roots are one too many" not run 0 --root root:v1 --root links:v1 -d root:v1:/ -- /bin/true

# ---- hooks ----
cat >"$SCRATCH/hooks/10-first" <<'END'
#!/bin/sh
env | grep -v '^PWD=\|^_=\|^SHLVL=\|^OLDPWD=' | sort >"$(dirname "$BARO_DATASET_ROOT")/../../out/hook.$BARO_DATASET_UID"
cd "$(dirname "$BARO_DATASET_ROOT")/../../out" || exit 1
read -r pid _ _ _ group _ </proc/$$/stat
[ "$pid" = "$group" ] && grep SigBlk /proc/self/status >"state.$BARO_DATASET_UID"
echo planted 2>/dev/null >"$BARO_DATASET_ROOT/opt/nvidia/planted"
true
END
mkdir "$SCRATCH/hooks/old"
echo "what these are for" >"$SCRATCH/hooks/README"
chmod 755 "$SCRATCH/hooks/10-first"
for uid in 0 4001; do
    is "a hook runs for user $uid, and the command after it" "$(LD_PRELOAD='' SECRET=x BASH_ENV=/x run $uid --root root:v1 -- /bin/cat /etc/name)" image
    is "with an environment of its own" "$(sed 's/=.*//' "$SCRATCH/out/hook.$uid" | tr '\n' ' ')" "BARO_DATASET_MOUNTS BARO_DATASET_ROOT BARO_DATASET_UID LC_ALL PATH "
done
python3 -c 'import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM, signal.SIGCHLD])
os.execv(sys.argv[1], sys.argv[1:])' "$SCRATCH/baro" dataset run --agent "$agent/agent.sock" --hooks "$SCRATCH/hooks" --root hooked:v1 -- /bin/cat /etc/name >"$SCRATCH/said" 2>&1
is "an image has a link at a path of a hook" "$(cat "$SCRATCH/said")" image
ok "by which root's hook writes nothing outside" [ ! -e "$SCRATCH/out/planted" ]
is "links are followed after it" "$(run 0 --root hooked:v1 -- /bin/cat /opt/nvidia/file)" outside
is "a hook has a process group of its own, and no signal blocked" "$(tr -d '\t' <"$SCRATCH/out/state.0")" "SigBlk:0000000000000000"
printf '#!/bin/sh\nexit 3\n' >"$SCRATCH/hooks/20-fails"
chmod 755 "$SCRATCH/hooks/20-fails"
ok "a hook that fails stops the command" refused "hook '20-fails' failed: status 3" run 4001 --root root:v1 -- /bin/echo ran
chmod 777 "$SCRATCH/hooks/20-fails"
ok "one that others can write is not run" refused "has to be a file of root that no other user can write" run 4001 --root root:v1 -- /bin/echo ran
rm "$SCRATCH/hooks/20-fails"
ln -s 10-first "$SCRATCH/hooks/30-link"
ok "nor is a link" refused "hook.*30-link" run 4001 --root root:v1 -- /bin/echo ran
rm "$SCRATCH/hooks/30-link"
chown 4001 "$SCRATCH/hooks"
ok "nor what is in a user's directory" refused "has to be a directory of root" run 4001 --root root:v1 -- /bin/echo ran
chown 0 "$SCRATCH/hooks"
rm "$SCRATCH/out"/hook.* "$SCRATCH/out"/state.*
wait "$slow"
ok "hooks that need too long together stop the command" eval 'grep "hook .20-second. did not end" "$SCRATCH/slow.out" && ! grep ran "$SCRATCH/slow.out"'
ok "after the time of one" eval '[ "$(cat "$SCRATCH/slow.seconds")" -ge 28 ] && [ "$(cat "$SCRATCH/slow.seconds")" -lt 44 ]'
ok "with what they started" not grep -q sleep "/proc/$(cat "$SCRATCH/out/slow.pid")/cmdline"

# ---- srun ----
plugin=$BUILD/src/dataset/spank/baro_dataset.so
why=
[ -e "$plugin" ] || why="the plugin was not built: libslurm-dev is not installed"
# shellcheck source=tests/lib-slurm.sh
. "$(dirname "$0")/lib-slurm.sh"
[ "$why" ] || why=$(slurm_available)
id games >/dev/null 2>&1 || why="there is no user games"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2034 # of lib-slurm.sh
SLURM_SPOOL=$far/spool
export SLURM_PLUGSTACK="required $plugin agent=$agent/agent.sock hooks=$SCRATCH/hooks"
if [ "$why" ] || ! slurm_start; then
    skip "srun --root-image" "${why:-no Slurm could be started here}"
    servers_end
    finish
    exit
fi
chmod 755 "$SLURM_DIR"
games() { timeout 100 setpriv --reuid=games --regid=60 --init-groups env HOME="$HOME" "$@"; }
is "a task has an image as root" "$(games srun --root-image root:v1 /bin/cat /etc/name 2>&1)" image
is "and runs as its user, without privilege" "$(games srun --root-image root:v1 /bin/sh -c 'id -u; grep NoNewPrivs /proc/self/status' 2>&1 | tr -d '\t')" "$(id -u games)
NoNewPrivs:1"
is "home stays reachable" "$(games srun --root-image root:v1 /bin/cat "$HOME/file" 2>&1)" mine
is "with another dataset" "$(games srun --root-image root:v1 --dataset links:v1:/sub /bin/cat /sub/etc/name 2>&1)" image
ok "it is read-only" eval 'games srun --root-image root:v1 /bin/touch /new 2>&1 | grep -q "Read-only"'
is "hooks ran as root, with an environment of their own" "$(sed 's/=.*//' out/hook.* | sort -u | tr '\n' ' ') $(stat -c %u out/hook.*)" \
    "BARO_DATASET_MOUNTS BARO_DATASET_ROOT BARO_DATASET_UID LC_ALL PATH  0"
is "a link at a path of a hook leads nowhere" "$(games srun --root-image hooked:v1 /bin/cat /etc/name 2>&1)" image
ok "and root's hook wrote nothing outside" [ ! -e out/planted ]
is "what the user cannot reach is left out, in words" "$(WORK="$far/closed/inside" games srun --root-image root:v1 /bin/cat /etc/name 2>err)" image
ok "of the step" grep -q "$far/closed/inside: not in the root: Permission denied" err
ok "a link at proc is refused" refused "/proc in the root: the image has a symbolic link there" games srun --root-image proc:v1 /bin/echo ran
is "and nothing was mounted over what it leads to" "$(cat out/file)" outside
is "a nested srun inherits it" "$(games srun --dataset "links:v1:$SCRATCH/here" sh -c 'SLURM_DATASET_ROOT=root:v1 srun --overlap /bin/cat /etc/name' 2>&1)" image
is "or clears it" "$(SLURM_DATASET_ROOT=root:v1 games srun --root-image none sh -c 'ls -d /usr' 2>&1)" /usr
is "sbatch has it for what it starts, whose script no image has" "$(games sbatch --wait --output="$SCRATCH/out/job" --root-image root:v1 --wrap '/bin/cat /etc/name' >/dev/null 2>&1; cat out/job)" image
servers_end
finish
