#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# [forward NAME]: what is sent and as what, what a target's answers do, a queue that outlives barod and one that is full.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-barod.sh
. "$TOP/tests/lib-barod.sh"
requires python3 curl jq

port=$(free_port)
control=$SCRATCH/control
log=$SCRATCH/received
: >"$log"
echo accept >"$control"
python3 "$TOP/tests/remote/receiver.py" "$port" "$control" "$log" 2>"$SCRATCH/receiver.err" &
receiver=$!
at_exit "kill -9 $receiver 2>/dev/null"
umask 077
printf 'secret\n' >"$SCRATCH/password"
barod_conf cpu_load
cat >>"$SCRATCH/barod.conf" <<CONF
[forward other]
url = http://127.0.0.1:$port/some/write
user = me
password_file = $SCRATCH/password
exclude = left_*
label = site s1
label = job none
CONF
ok "the configuration is good" barod --check --config "$SCRATCH/barod.conf"
ok "and a check makes no queue" test ! -e "$SCRATCH/store-forward"
ok "barod starts" start_barod
now=$(date +%s)
ms=$((now * 1000))
write() { # LINE...: as remote write
    printf '%s\n' "$@" | python3 "$TOP/tests/remote/remote.py" "unix:$socket"
}
line() { # NAME SAMPLE...
    name=$1
    shift
    printf '{"labels": {"__name__":"%s","job":"x"}, "samples": [%s]}\n' "$name" "$(printf '%s,' "$@" | sed 's/,$//')"
}
counter() { # NAME
    curl -s --unix-socket "$socket" http://x/metrics | sed -n "s/^baro_forward_$1{forward=\"other\"} //p"
}
accepted() { # FILTER: of samples
    jq -c 'select(.status == 204) | .samples[] | '"$1" "$log" 2>/dev/null
}
has() { # COUNT FILTER
    [ "$(accepted "$2" | wc -l)" -ge "$1" ]
}

# ---- what is sent ----
is "samples are written" "$(write "$(line one "[$ms,1]" "[$((ms - 5)),\"0x7ff0000000000002\"]")" "$(line left_out "[$ms,1]")")" "204 "
curl -s --unix-socket "$socket" 'http://x/api/write' -d "cpu_load,cluster=alex,hostname=n1,type=hwthread,type-id=3 value=0.5 $((now / 60 * 60))" >/dev/null
ok "they come" wait_for 20 has 3 .
is "with their labels, bits and external labels" "$(accepted 'select(.[0].__name__ == "one")' | sort)" \
    "[{\"__name__\":\"one\",\"job\":\"x\",\"site\":\"s1\"},$((ms - 5)),\"7ff0000000000002\"]
[{\"__name__\":\"one\",\"job\":\"x\",\"site\":\"s1\"},$ms,\"3ff0000000000000\"]"
is "those of nodes as /api/v1 shows them" "$(accepted 'select(.[0].__name__ == "cpu_load")')" \
    "[{\"__name__\":\"cpu_load\",\"cluster\":\"alex\",\"hostname\":\"n1\",\"job\":\"none\",\"site\":\"s1\",\"type\":\"hwthread\",\"type_id\":\"3\"},$((now / 60 * 60000)),\"3fe0000000000000\"]"
is "what is excluded stays" "$(accepted 'select(.[0].__name__ == "left_out")' | wc -l)" 0
is "headers are those of remote write" "$(jq -r '[.headers["content-encoding"],.headers["content-type"],
    .headers["x-prometheus-remote-write-version"],.headers.authorization,.path] | join(" ")' "$log" | head -1)" \
    "snappy application/x-protobuf 0.1.0 Basic bWU6c2VjcmV0 /some/write"
is "counted as sent" "$(counter samples_sent_total)" 3

# ---- what answers do ----
echo refuse-odd >"$control"
write "$(line a "[$ms,1]")" "$(line b "[$ms,1]")" "$(line is_odd "[$ms,1]")" "$(line c "[$ms,1]")" >/dev/null
ok "one that is refused costs no other" wait_for 20 has 6 .
is "the others came once each" "$(accepted '.[0].__name__ | select(. == "a" or . == "b" or . == "c")' | sort | tr '\n' ' ')" '"a" "b" "c" '
ok "it is counted" wait_for 10 sh -c "[ \"\$(curl -s --unix-socket '$socket' http://x/metrics | sed -n 's/^baro_forward_samples_refused_total{.*} //p')\" = 1 ]"
ok "and named in the log, with the reason" grep -q 'forward: other: a sample of .* is_odd is refused for good: status 400: the receiver says refuse-odd' "$SCRATCH/barod.log"
for word in fail later unauthorized; do
    echo $word >"$control"
    lines=$(wc -l <"$log")
    write "$(line "$word" "[$ms,1]")" >/dev/null
    ok "$word: it is tried" wait_for 20 sh -c "[ \$(wc -l <'$log') -gt $lines ]"
    is "$word: nothing is lost" "$(counter queue_samples)" 1
    echo accept >"$control"
    ok "$word: and comes later" wait_for 60 has 1 "select(.[0].__name__ == \"$word\")"
done

# ---- a queue outlives barod ----
echo fail >"$control"
for i in 1 2 3 4 5; do
    write "$(line kept "[$((ms + i)),$i]")" >/dev/null
done
kill -9 $pid
wait $pid 2>/dev/null
ok "barod starts after kill -9" start_barod
write "$(line kept "[$((ms + 6)),6]")" >/dev/null
echo accept >"$control"
ok "what was queued before and after comes" wait_for 60 has 6 'select(.[0].__name__ == "kept")'
is "each with its series" "$(accepted 'select(.[0].__name__ == "kept") | [.[0].job, .[1] - '$ms']' | sort -u | tr -d '\n')" \
    '["x",1]["x",2]["x",3]["x",4]["x",5]["x",6]'

# ---- a list of names whose end is missing ----
echo fail >"$control"
write "$(line named "[$ms,1]" "[$((ms + 1)),2]")" >/dev/null
write "$(line nameless "[$ms,1]" "[$((ms + 1)),2]" "[$((ms + 2)),3]")" >/dev/null
kill -9 $pid
wait $pid 2>/dev/null
list=$(find "$SCRATCH/store-forward/other" -name 'series-*' | sort | tail -n 1)
truncate -s -3 "$list"
ok "barod starts without a name" start_barod
retried() {
    [ "$(counter retries_total)" -ge 3 ]
}
ok "it tries more than once" wait_for 30 retried
is "nothing is lost by trying" "$(counter samples_lost_total)" 0
echo accept >"$control"
ok "what has a name comes" wait_for 60 has 2 'select(.[0].__name__ == "named")'
one_loss() {
    [ "$(counter samples_lost_total)" != 0 ]
}
ok "the others are counted" wait_for 20 one_loss
is "as lost, once each" "$(counter samples_lost_total)" 3
is "and not as sent" "$(counter samples_sent_total)" 2
ok "and the log says why" grep -q 'forward: other: 3 queued samples are lost: their series have no name' "$SCRATCH/barod.log"
lists() {
    [ "$(find "$SCRATCH/store-forward/other" -name 'series-*' | wc -l)" = 1 ]
}
write "$(line more "[$ms,1]")" >/dev/null
ok "lists of names that are done with go" wait_for 20 lists
ok "barod ends" end_barod

# ---- a target that hangs holds up no write; a full queue loses its oldest, and says so ----
echo hang >"$control"
printf 'queue_max = 1MiB\ntimeout = 1s\n' >>"$SCRATCH/barod.conf"
ok "barod starts with a small queue" start_barod
begin=$(date +%s)
python3 - "$TOP/tests/remote" "$socket" "$ms" <<'PY'
import sys
sys.path.insert(0, sys.argv[1])
import remote
from oracle import snappy
connection = remote.Unix(sys.argv[2])
for k in range(60):
    lines = [{"labels": {"__name__": "many", "i": str(i)}, "samples": [[int(sys.argv[3]) + k, float(k * i)]]} for i in range(3000)]
    status = remote.post(connection, snappy(remote.message(lines)))
    assert status[0] == 204, status
PY
is "180,000 samples are written meanwhile" $? 0
ok "without waiting for the target" test $(($(date +%s) - begin)) -lt 55
lost=$(counter samples_lost_total)
ok "the oldest are lost" test "${lost:-0}" -gt 1000
ok "the queue keeps its limit" test "$(counter queue_bytes)" -le 1048576
ok "the log has the loss" wait_for 20 grep -q 'forward: other: .* samples are lost: the queue is full (queue_max)' "$SCRATCH/barod.log"
is "the store has all of them" "$(curl -s --unix-socket "$socket" http://x/api/v1/query --data-urlencode 'query=sum(count_over_time(many[1m]))' \
    -d "time=$((now + 1))" | jq -r '.data.result[0].value[1]')" 180000
ok "barod ends in time" end_barod

# ---- a durable write waits for the queues' disk, too: here for theirs alone ----
faults=$BUILD/src/store/libstore_faults.so
asan=$(ldd "$BUILD/src/cmd/barod" | awk '/libasan/ { print $3 }') # which has to be the first
sed "s|^directory = .*|directory = none|; s|^queue_max = .*|directory = $SCRATCH/queue|" "$SCRATCH/barod.conf" >"$SCRATCH/memory.conf"
mv "$SCRATCH/barod.conf" "$SCRATCH/files.conf"
mv "$SCRATCH/memory.conf" "$SCRATCH/barod.conf"
FAULT_SYNC=$SCRATCH/fault
# For barod alone: curl with a sanitizer's library waits for ever.
FAULT_SYNC="$FAULT_SYNC" LD_PRELOAD="$asan $faults" barod --config "$SCRATCH/barod.conf" >>"$SCRATCH/barod.log" 2>&1 &
pid=$!
ok "barod starts without a directory of its store" \
    wait_for 30 curl -sf --unix-socket "$socket" -o "$SCRATCH/healthz" http://x/healthz
durable() { # VALUE: the status
    curl -s -o "$SCRATCH/durable" -w '%{http_code}' --unix-socket "$socket" "http://x/api/write?durable=$1" \
        -d "cpu_load,cluster=alex,hostname=n9 value=1 $((now / 60 * 60))"
}
is "what is on the disk is acknowledged" "$(durable 1)" 200
: >"$FAULT_SYNC"
is "what is not is refused" "$(durable 1)" 503
is "who does not ask for it does not wait" "$(durable 0)" 200
ok "the log has it" wait_for 20 grep -q 'forward: other: what is queued may not survive loss of power: ' "$SCRATCH/barod.log"
rm "$FAULT_SYNC"
is "it is acknowledged when the disk works again" "$(durable 1)" 200
ok "barod ends after that" end_barod
mv "$SCRATCH/files.conf" "$SCRATCH/barod.conf"

# ---- mistakes ----
sed 's|^url = .*|url = http://x:1|' "$SCRATCH/barod.conf" >"$SCRATCH/bad.conf"
ok "a url without a path is refused" sh -c "barod --check --config '$SCRATCH/bad.conf' 2>&1 | grep -q 'is not a whole url'"
ok "a password that others may read is refused" sh -c "chmod 644 '$SCRATCH/password'; ! barod --check --config '$SCRATCH/barod.conf'"
finish
