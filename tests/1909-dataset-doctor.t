#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro dataset doctor: while reads of a dataset hang it ends, and names the server that is to be mended.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-dataset.sh
. "$(dirname "$0")/lib-dataset.sh"
requires python3 jq
ok "a dataset is made" dataset_make 4
at() { echo "unix:$SCRATCH/$1.sock"; }
serve origin "repository=$BARO_DATASETS"
serve middle "upstream=$(at origin)" patience=never
serve leaf "upstream=$(at middle)" patience=never
doctor() { # ADDRESS...: level, server, state, upstreams
    timeout 60 baro dataset doctor --agent "$SCRATCH/no.sock" -o json "$@" >"$SCRATCH/doctor.json"
    jq -r '.[] | "\(.level) \(.address | sub(".*/"; "") | sub("\\.sock"; "")) \(.state) \(.upstreams // "-")"' "$SCRATCH/doctor.json"
}
states() { # ADDRESS...
    doctor "$@" | cut -d ' ' -f 1-3
}
copy leaf >/dev/null
is "all are ok, up to the repository" "$(doctor "$(at leaf)")" "0 leaf ok 1 of 1 open
1 middle ok 1 of 1 open
2 origin ok a repository"
ok "which is its exit status" baro dataset doctor "$(at leaf)" --agent "$SCRATCH/no.sock"
printf '[dataset]\nlisten = %s\nupstream = %s\n' "$(at leaf)" "$(at middle)" >"$SCRATCH/node.conf"
is "without an address the node's own" "$(states --config "$SCRATCH/node.conf" | head -n 1)" "0 leaf ok"
is "two that have the same upstream: it is looked at once" "$(states "$(at leaf)" "$(at middle)" | sort)" "0 leaf ok
0 middle ok
1 origin ok"

# ---- the origin is away, and a read hangs ----
mkdir "$SCRATCH/other"
head -c 3000000 /dev/urandom >"$SCRATCH/other/part"
other=$(baro dataset create "$SCRATCH/other" 2>/dev/null)
nbdinfo "$(uri leaf "$other")" >/dev/null 2>&1 # the index is there, the chunks are not
kill_server origin KILL
copy leaf "$other" >"$SCRATCH/hanging" 2>&1 &
reader=$!
echo "$reader" >"$SCRATCH/pids/reader"
waits() { states "$(at leaf)" | grep -q '^1 middle waits$'; }
ok "the level below it waits" wait_for 20 waits
is "the origin is away, the leaf only waits for the middle" "$(states "$(at leaf)" | sed 's/^0 leaf .*/0 leaf/')" "0 leaf
1 middle waits
2 origin away"
ok "the reason is why" grep -q 'connect to .*origin.sock' "$SCRATCH/doctor.json"
baro dataset doctor "$(at leaf)" --agent "$SCRATCH/no.sock" >"$SCRATCH/table"
is "the exit status" $? 1
ok "the read still hangs" kill -0 "$reader"
serve origin "repository=$BARO_DATASETS"
wait "$reader"
is "it goes on when the origin is back" "$(cat "$SCRATCH/hanging")" "$other"
rm "$SCRATCH/pids/reader"
is "all are ok again" "$(states "$(at leaf)" | grep -c ' ok$')" 3

# ---- one that hangs itself ----
kill -STOP "$(cat "$SCRATCH/pids/middle")"
begun=$(date +%s)
is "one that is stopped is away" "$(states "$(at leaf)" | grep middle)" "1 middle away"
ok "which is found in its time" test $(($(date +%s) - begun)) -le 30
kill -CONT "$(cat "$SCRATCH/pids/middle")"
cat >"$SCRATCH/agent.py" <<'END'
import socket, sys, time
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen(8)
time.sleep(120)
END
python3 "$SCRATCH/agent.py" "$SCRATCH/agent.sock" &
echo $! >"$SCRATCH/pids/agent"
wait_for 10 test -S "$SCRATCH/agent.sock"
timeout 60 baro dataset doctor --agent "$SCRATCH/agent.sock" "$(at origin)" -o json >"$SCRATCH/doctor.json"
is "an agent that does not respond is away" "$(jq -r '.[0] | "\(.level) \(.state)"' "$SCRATCH/doctor.json")" "agent away"
ok "with why" grep -q "did not respond in time" "$SCRATCH/doctor.json"
kill "$(cat "$SCRATCH/pids/agent")"
rm "$SCRATCH/pids/agent"
servers_end
finish
