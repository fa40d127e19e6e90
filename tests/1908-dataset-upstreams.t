#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What upstreams do wrong, clients that request too much, and failures of the moment: each has its bound
# and its line in the log, and is over when its cause is.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-dataset.sh
. "$(dirname "$0")/lib-dataset.sh"
requires python3 prlimit
through="upstream=unix:$SCRATCH/proxy.sock"
direct="upstream=unix:$SCRATCH/origin.sock"
origin() { serve origin "repository=$BARO_DATASETS"; }
proxy=
proxy() { # MODE
    [ -z "$proxy" ] || kill "$proxy"
    rm -f "$SCRATCH"/proxy.sock*
    python3 "$TOP/tests/dataset/upstream_proxy.py" "$SCRATCH/proxy.sock" "$SCRATCH/origin.sock" "$1" 2>"$SCRATCH/proxy.log" &
    proxy=$!
    echo $proxy >"$SCRATCH/pids/proxy"
    wait_for 20 test -S "$SCRATCH/proxy.sock"
}
leaf() { # KEY=VALUE...: anew, with a log of its own
    [ ! -f "$SCRATCH/pids/leaf" ] || kill_server leaf
    ! [ -f "$SCRATCH/leaf.log" ] || cat "$SCRATCH/leaf.log" >>"$SCRATCH/leaves.log"
    rm -f "$SCRATCH/leaf.log"
    serve leaf "$@"
}
lookups() { # NAME WHAT COUNT
    name=$1
    shift
    timeout 60 python3 "$TOP/tests/dataset/lookups.py" "$SCRATCH/$name.sock" "$@" 2>&1
}
requests() { # TYPE: how many the proxy was sent
    grep -c "^$1\$" "$SCRATCH/proxy.sock.requests"
}
logged() { # PATTERN
    grep -c "$1" "$SCRATCH/leaf.log"
}
ok "a dataset is made" dataset_make 12
mkdir "$SCRATCH/equal"
head -c 400000 /dev/urandom >"$SCRATCH/part"
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do cat "$SCRATCH/part"; done >"$SCRATCH/equal/parts"
equal=$(baro dataset create "$SCRATCH/equal" 2>"$SCRATCH/create.log")
origin
serve first "$direct"
is "and one which has the same chunks many times" "$(copy first "$equal")" "$equal"
total=$(baro dataset show "$equal" --output csv | sed -n 's/^chunks,//p')
ok "of $total few are different" test "$(counter origin chunk_door_chunks_total)" -lt $((total / 3))
kill_server first

# ---- it responds to pings alone ----
proxy pong-only
leaf "$through" patience=1s
ok "without another upstream a read of the same chunk many times ends with the patience" \
    not timeout 100 nbdcopy --connections=1 --requests=4 --request-size=2097152 "$(uri leaf "$equal")" null:
ok "with one error for each" test "$(counter leaf nbd_errors_total)" -le "$(counter leaf nbd_reads_total)"
ok "the forwarder is there" is_listening leaf
leaf "$through" "$direct" timeout=500ms
is "with another one the image is read" "$(copy leaf)" "$dataset"
is "so is one of equal chunks" "$(copy leaf "$equal")" "$equal"
is "without an error" "$(counter leaf nbd_errors_total)" 0
is "the log has it once" "$(logged 'proxy.sock does not respond to requests in time')" 1

# ---- it responds twice ----
proxy twice
leaf "$through" "$direct"
is "an upstream that responds twice: the image is right" "$(copy leaf)" "$dataset"
ok "the connection ends" grep -q "proxy.sock is away (it responded to what was not requested)" "$SCRATCH/leaf.log"

# ---- it has not what an index has ----
proxy not-found
leaf "$through"
is "a chunk that is not found is requested again" "$(copy leaf)" "$dataset"
is "without an error" "$(counter leaf nbd_errors_total)" 0
is "another level has that at once" "$(lookups leaf unknown)" "1x15:1"
is "that its repository has none such is no defect of it" \
    "$(grep -c 'does not have a chunk' "$SCRATCH/origin.log")" 0

# ---- its connection ends again and again ----
proxy welcome-only
leaf "$through" patience=3s
timeout 60 nbdinfo "$(uri leaf)" >"$SCRATCH/info.out" 2>"$SCRATCH/info.err"
ok "behind a welcome nothing comes" test "$?" = 1
sed 's/^/# /' "$SCRATCH/info.err"
ok "which is not that there is no such dataset" not grep -q 'is not available\|No such file' "$SCRATCH/info.err"
is "it is away once" "$(logged 'proxy.sock is away')" 1
is "and not back" "$(logged 'proxy.sock responds again')" 0
lost=$(counter leaf 'upstream_lost_total.*proxy.sock[^,]*')
ok "pauses double ($lost connections)" test "$lost" -lt 15
ok "the log has the name that was looked for" \
    grep -q "dataset $dataset: its index is not to be had within the patience: unix:$SCRATCH/proxy.sock" "$SCRATCH/leaf.log"

# ---- many lookups at a time ----
proxy lists
leaf "$through"
is "200 names at a time have their responses" "$(lookups leaf names 200)" "200x15:1"
lookups leaf lists 20 >"$SCRATCH/lists.out" &
lists=$!
wait_for 20 sh -c "grep -q '^9\$' '$SCRATCH/proxy.sock.requests'"
echo >"$SCRATCH/proxy.sock.go"
wait "$lists"
is "so have 20 lists" "$(cat "$SCRATCH/lists.out")" "20x10"
ok "most of which were one for the upstream" test "$(requests 9)" -lt 20
is "the connection stayed" "$(counter leaf 'upstream_lost_total.*proxy.sock[^,]*')" 0
lookups leaf beyond 500 >"$SCRATCH/beyond.out"
ok "500 over one connection: some are found busy, all are responded to" \
    sh -c "awk '{ for (i = 1; i <= NF; i++) n += \$i; exit n != 500 }' '$SCRATCH/beyond.out'"

# ---- who leaves has not taken what the upstream counts ----
leaf "$direct" timeout=60s
is "the origin is known" "$(lookups leaf unknown)" "1x15:1"
kill -STOP "$(cat "$SCRATCH/pids/origin")"
lookups leaf leave 1 >"$SCRATCH/leave.out"
none_in_flight() { [ "$(counter leaf chunks_in_flight)" = 0 ]; }
ok "a client leaves with 512 chunks requested: nothing is in flight" wait_for 20 none_in_flight
lookups leaf leave 1 >"$SCRATCH/leave.out"
ok "so does another" wait_for 20 none_in_flight
copy leaf >"$SCRATCH/left.sum" &
left=$!
kill -CONT "$(cat "$SCRATCH/pids/origin")"
wait "$left"
is "the next one is served" "$(cat "$SCRATCH/left.sum")" "$dataset"
is "by the same connection" "$(counter leaf 'upstream_lost_total.*origin.sock[^,]*')" 0

# ---- lies do not get to the disk ----
proxy corrupt
leaf "$through" "cache=$SCRATCH/lies.cache" patience=1s
ok "a copy of what is corrupt fails" not timeout 100 nbdcopy "$(uri leaf)" null:
is "and has nothing on the disk" "$(counter leaf disk_bytes)" 0

# ---- indexes ----
proxy refuses
leaf "$through"
ok "an index that is too large is refused" not timeout 60 nbdinfo "$(uri leaf)"
ok "which the log has" \
    grep -q "dataset $dataset: its index is not to be had: it is larger than 64 MiB" "$SCRATCH/leaf.log"
proxy cut-parts
leaf "$through" "$direct"
is "an index whose transfer was cut begins anew" "$(copy leaf)" "$dataset"
is "and none is blamed for the parts of another" \
    "$(counter leaf 'upstream_corrupt_total.*[^,]*' | sort | uniq -c | tr -s ' ')" " 2 0"

# ---- no descriptors, for the moment ----
kill_server origin
origin
pid=$(cat "$SCRATCH/pids/origin")
was=$(prlimit --pid "$pid" --nofile --raw --noheadings --output SOFT)
nbdcopy --connections=1 --requests=1 --request-size=65536 "$(uri origin)" - 2>"$SCRATCH/few.err" | {
    head -c 65536 >"$SCRATCH/few"
    prlimit --pid "$pid" --nofile=5:
    cat >>"$SCRATCH/few"
} &
few=$!
sleep 1
prlimit --pid "$pid" --nofile="$was:"
wait "$few"
is "reads wait while descriptors are out" "$(sha256sum <"$SCRATCH/few" | cut -c1-64)" "$dataset"
is "without an error" "$(counter origin nbd_errors_total)" 0
cat "$SCRATCH/leaves.log" >>"$SCRATCH/leaf.log"
servers_end
finish
