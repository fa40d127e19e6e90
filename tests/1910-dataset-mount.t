#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Datasets mounted on a node: baro-dataset-agent and baro dataset run, with the kernel's own EROFS.  Servers,
# and the process that serves the images, are killed while a program reads: no read fails.  KILLS=50 for more.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip_all "only root can mount"
[ -e /dev/fuse ] || skip_all "this kernel has no FUSE (/dev/fuse)"
grep -q erofs /proc/filesystems || modprobe erofs 2>/dev/null || skip_all "this kernel has no EROFS"
unshare -m true 2>/dev/null || skip_all "no mount namespaces here"
# shellcheck source=tests/lib-dataset.sh
. "$(dirname "$0")/lib-dataset.sh"
requires baro-dataset-agent python3 pgrep jq
chmod 755 "$SCRATCH"
agent=$SCRATCH/run
at_exit 'grep " $agent[/ ]" /proc/self/mounts | cut -d" " -f2 | tac | xargs -r -n1 umount -l'

# serve_agent KEY=VALUE...: baro-dataset-agent, log agent.log.
serve_agent() {
    agent_set=
    for agent_key in "$@"; do
        agent_set="$agent_set --set dataset.$agent_key"
    done
    rm -f "$agent/agent.sock"
    # shellcheck disable=SC2086 # none of the values has a blank
    baro-dataset-agent --config /dev/null --directory "$agent" --user nobody $agent_set >>"$SCRATCH/agent.log" 2>&1 &
    echo $! >"$SCRATCH/pids/agent"
    wait_for 20 test -S "$agent/agent.sock"
}
run() { timeout 120 baro dataset run --agent "$agent/agent.sock" "$@"; }
has_refs() { [ "$(baro dataset show "$dataset" --output csv | grep -c mount)" = "$1" ]; }
server_of_agent() { pgrep -P "$(cat "$SCRATCH/pids/agent")" -U nobody; }

# A tree with a program, a link, an empty file, a deep directory and a dozen megabytes.
mkdir -p "$SCRATCH/tree/bin" "$SCRATCH/tree/a/b/c/d"
printf '#!/bin/sh\necho "program of $0"\nexit "${1:-0}"\n' >"$SCRATCH/tree/bin/program"
chmod 755 "$SCRATCH/tree/bin/program"
ln -s bin/program "$SCRATCH/tree/link"
: >"$SCRATCH/tree/empty"
echo deep >"$SCRATCH/tree/a/b/c/d/file"
ok "a dataset is made" dataset_make 12
baro dataset tag site/apps/code:v2 "$dataset"
ok "a configuration is checked before an agent starts" eval 'baro-dataset-agent --config /dev/null --check --user nobody --directory "$agent" --set "dataset.upstream=unix:$SCRATCH/origin.sock" >"$SCRATCH/checked" 2>&1 && ! [ -S "$agent/agent.sock" ]'
sums=$(cd "$SCRATCH/tree" && find . -type f -exec sha256sum {} + | sort)
mkdir "$SCRATCH/here"

serve origin "repository=$BARO_DATASETS"
serve middle "upstream=unix:$SCRATCH/origin.sock" socket_mode=0666 trusted=nobody
ok "an agent listens" serve_agent "upstream=unix:$SCRATCH/middle.sock" patience=60s

# ---- mounted ----
is "a program of the dataset runs" "$(run --dataset "code:v1:$SCRATCH/here" -- "$SCRATCH/here/bin/program")" \
    "program of $SCRATCH/here/bin/program"
run --dataset "code:v1:$SCRATCH/here" -- "$SCRATCH/here/link" 7 >"$SCRATCH/out"
is "its exit status is returned" "$?" 7
run --dataset "code:v1:$SCRATCH/here" -- sh -c 'kill -KILL $$'
is "128 and the signal where it is killed" "$?" 137
run --dataset "code:v1:$SCRATCH/here" -- "$SCRATCH/no-such" 2>"$SCRATCH/err"
is "127 where there is none" "$?" 127
is "each file is as it was" "$(run --dataset "code:v1:$SCRATCH/here" -- \
    sh -c 'cd "$1" && find . -type f -exec sha256sum {} + | sort' sh "$SCRATCH/here")" "$sums"
is "a tag with / has its own place where no path is named" \
    "$(run -d site/apps/code:v2 -- cat "$agent/here/site/apps/code:v2/a/b/c/d/file")" deep
is "so has a name" "$(run -d "$dataset" -- cat "$agent/here/$dataset/a/b/c/d/file")" deep
is "two datasets at a time" "$(run -d "code:v1:$SCRATCH/here" -d site/apps/code:v2 -- \
    sh -c 'cat "$1/a/b/c/d/file" "$2/here/site/apps/code:v2/a/b/c/d/file"' sh "$SCRATCH/here" "$agent")" "deep
deep"
is "the environment has what is mounted where" "$(run -d "code:v1:$SCRATCH/here" -- printenv BARO_DATASET_MOUNTS)" "$dataset:$SCRATCH/here"
ok "it cannot be written" not run -d "code:v1:$SCRATCH/here" -- touch "$SCRATCH/here/new"
ok "it is nosuid and nodev" run -d "code:v1:$SCRATCH/here" -- \
    sh -c 'grep " $1 erofs ro,nosuid,nodev" /proc/self/mounts' sh "$SCRATCH/here"
is "nobody else sees it" "$(ls "$SCRATCH/here")" ""
ok "nothing stays mounted" wait_for 20 not grep -q " $agent/trees/" /proc/self/mounts

# ---- what cannot be ----
refused() { # PATTERN ARGUMENT...
    refused_pattern=$1
    shift
    run "$@" >"$SCRATCH/out" 2>"$SCRATCH/err"
    refused_status=$?
    cat "$SCRATCH/err"
    [ "$refused_status" = 1 ] && grep -q "$refused_pattern" "$SCRATCH/err"
}
ok "an unknown name is refused" refused "there is no such dataset, or tag" -d nosuch:v1 -- true
ok "a name with other characters is" refused "agent.*ended the connection" -d 'a%b' -- true
ok "one that is a path finds nothing" refused "there is no such dataset" -d ../../etc -- true
ok "a directory that is not there is refused" refused "No such file.*the directory has to be there" \
    -d "code:v1:$SCRATCH/nodir" -- true
ok "without an agent the remedy is said" \
    sh -c 'baro dataset run --agent "$1/no.sock" -d code:v1 -- true 2>&1 | grep -q "is baro-dataset-agent running"' sh "$SCRATCH"

# ---- the lease ----
machine=
[ ! -s /etc/machine-id ] || machine="-$(printf '%s baro dataset %s' "$(cat /etc/machine-id)" "$agent" | sha256sum | cut -c1-12)"
for wrong in 500ms 59s 8d; do
    ok "a lease of $wrong is refused" sh -c 'baro-dataset-agent --config /dev/null --directory "$1" --user nobody \
        --set dataset.upstream=unix:/x --lease "$2" --check 2>&1 | grep -q "lease: write a duration from 1m to 7d"' sh "$SCRATCH/other" "$wrong"
done
is "the node is listed while it is mounted" "$(run -d "code:v1:$SCRATCH/here" -- \
    sh -c 'baro dataset show code:v1 --nodes -o json' | jq -r '.[] | .node')" "$(hostname)"
ok "a mount has a lease" run -d "code:v1:$SCRATCH/here" -- \
    sh -c 'baro dataset show code:v1 --output csv | grep -q "mount $(hostname)$2:$1 "' sh "$agent" "$machine"
ok "which is given back" wait_for 20 has_refs 0
baro dataset ref "$dataset" --kind job --detail "4711 n1-0123456789ab:/run/x" >"$SCRATCH/ref"
is "a job's node" "$(baro dataset show "$dataset" --nodes -o csv | sed 's/,[0-9T:.Z-]*,$//')" "node,job,user,since,until
n1,4711,$(id -un)"
baro dataset unref "$(cat "$SCRATCH/ref")"
mkfifo "$SCRATCH/go"
run -d "$dataset:$SCRATCH/here" -- sh -c 'echo 1 >"$1/started"; read -r _ <"$1/go"; cat "$1/here/a/b/c/d/file"' sh "$SCRATCH" \
    >"$SCRATCH/held" 2>&1 &
held=$!
wait_for 20 test -s "$SCRATCH/started"
baro dataset tag --remove code:v1
baro dataset tag --remove site/apps/code:v2
baro dataset gc --grace 0s >"$SCRATCH/gc" 2>&1
ok "gc leaves what is mounted" baro dataset verify "$dataset"
baro dataset tag code:v1 "$dataset"
echo >"$SCRATCH/go"
wait $held
is "and its program reads on" "$(cat "$SCRATCH/held")" deep

# ---- servers are killed while it is read ----
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
# slow_begin: a program that computes the SHA-256 of a file of the dataset, and stops at half a megabyte until
# there is a line in go; nothing of it is cached by the kernel, since it was not mounted.
slow_begin() {
    wait_for 20 not grep -q " $agent/trees/" /proc/self/mounts
    rm -f "$SCRATCH/half" "$SCRATCH/sum"
    run -d "code:v1:$SCRATCH/here" -- python3 "$SCRATCH/slow.py" "$SCRATCH" >"$SCRATCH/sum" 2>&1 &
    slow=$!
    wait_for 30 test -s "$SCRATCH/half"
}
slow_end() { # SENTENCE
    wait "$slow"
    is "$1" "$(cat "$SCRATCH/sum")" "$(sha256sum <"$SCRATCH/tree/part1" | cut -c1-64)"
}
middle() { serve middle "upstream=unix:$SCRATCH/origin.sock" socket_mode=0666 trusted=nobody memory=1MiB; }
kill_server middle
middle
restart_agent() {
    kill_server agent
    log_aside agent
    serve_agent "upstream=unix:$SCRATCH/middle.sock" memory=1MiB "$@"
}
ok "the agent is started again, with little memory" restart_agent patience=60s
slow_begin
kill_server origin KILL
kill_server middle KILL
echo >"$SCRATCH/go"
ok "origin and forwarder are killed: the agent says so" wait_for 30 grep -q "middle.sock is away" "$SCRATCH/agent.log"
ok "the program waits" kill -0 "$slow"
serve origin "repository=$BARO_DATASETS"
middle
slow_end "and reads on when they are back, each byte right"

slow_begin
before=$(server_of_agent)
kill -KILL "$before"
echo >"$SCRATCH/go"
slow_end "the process that serves images is killed: the program reads on"
another_serves() {
    now=$(server_of_agent)
    [ -n "$now" ] && [ "$now" != "$before" ]
}
ok "another one serves" wait_for 10 another_serves
ok "which is logged" wait_for 10 grep -q "was killed by signal 9: another is started" "$SCRATCH/agent.log"

restart_agent patience=60s
slow_begin
kill_server origin KILL
kill_server middle KILL
echo >"$SCRATCH/go"
wait_for 30 grep -q 'middle.sock is away' "$SCRATCH/agent.log"
kill -KILL "$(server_of_agent)"
serve origin "repository=$BARO_DATASETS"
middle
slow_end "a read that was in the hands of a killed process is not lost"

kills=0
slow_begin
echo >"$SCRATCH/go" &
while [ "$kills" -lt "${KILLS:-6}" ]; do
    kills=$((kills + 1))
    sleep "0.$((kills * 7 % 4))"
    case $((kills % 3)) in
    0) kill_server origin KILL; serve origin "repository=$BARO_DATASETS" ;;
    1) kill_server middle KILL; middle ;;
    2) wait_for 20 server_of_agent; kill -KILL "$(server_of_agent)" ;;
    esac
done
slow_end "$kills times one of them is killed"

# ---- who waits can be killed, and patience has an end ----
ok "an agent waits for ever" restart_agent patience=never
slow_begin
kill_server middle KILL
echo >"$SCRATCH/go"
wait_for 30 grep -q 'middle.sock is away' "$SCRATCH/agent.log"
kill -KILL "$(cat "$SCRATCH/half")"
wait "$slow"
is "a program that waits for a server can be killed" "$?" 137
middle
ok "the agent has a short patience" restart_agent patience=1s
slow_begin
kill_server middle KILL
echo >"$SCRATCH/go"
wait "$slow"
is "beyond the patience a read ends" "$?" 1
ok "with EIO" grep -q "Errno 5" "$SCRATCH/sum"
ok "the log has the dataset and the upstream" \
    grep -q "dataset $dataset: a read .* after the patience: unix:$SCRATCH/middle.sock" "$SCRATCH/agent.log"
ok "a new command states so" refused "no upstream responded within the patience" -d code:v1 -- true
middle
# An upstream that was away is tried again after a pause, which may be longer than this patience.
is_back() { [ "$(run -d code:v1 -- cat "$agent/here/code:v1/a/b/c/d/file" 2>&1)" = deep ]; }
ok "and has its dataset when it is back" wait_for 10 is_back

# ---- a user ----
if unshare -Ur true 2>/dev/null; then
    cat >"$SCRATCH/as_nobody.py" <<'END'
import os, subprocess, sys
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
sys.exit(subprocess.run(sys.argv[1:]).returncode)
END
    cp "$(command -v baro)" "$SCRATCH/baro"
    as_nobody() { python3 "$SCRATCH/as_nobody.py" "$@"; }
    is "a user runs a program of it" "$(as_nobody "$SCRATCH/baro" dataset run --agent "$agent/agent.sock" -d code:v1 -- \
        sh -c 'id -u; "$1/here/code:v1/bin/program"' sh "$agent")" "65534
program of $agent/here/code:v1/bin/program"
    ok "a user does not see the images" not as_nobody ls "$agent/images"
    ok "nor what is mounted for others" not as_nobody ls "$agent/trees"
else
    skip "a user runs a program of it" "no user namespaces here"
fi

# ---- the end ----
run -d "code:v1:$SCRATCH/here" -- sh -c 'echo 1 >"$1/started2"; exec sleep 100' sh "$SCRATCH" >/dev/null 2>&1 &
late=$!
wait_for 20 test -s "$SCRATCH/started2"
kill_server agent
ok "an agent that ends unmounts all" not grep -q " ${agent}[/ ]" /proc/self/mounts
kill "$late"
wait "$late" 2>/dev/null
servers_end
finish
