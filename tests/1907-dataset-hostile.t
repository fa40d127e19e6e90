#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Clients that send what they should not, read nothing, or do not finish a handshake: refused or
# closed, in bounded memory, while others are served; and nothing runs while nothing is requested.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-dataset.sh
. "$(dirname "$0")/lib-dataset.sh"
requires python3
ok "a dataset is made" dataset_make 28
baro dataset export "$dataset" "$SCRATCH/image"
serve origin "repository=$BARO_DATASETS"
# A sanitizer would keep what was freed.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=1
export ASAN_OPTIONS
serve leaf "upstream=unix:$SCRATCH/origin.sock" client_timeout=8s clients_max=200 memory=16MiB clients_memory=64MiB
python3 "$TOP/tests/dataset/hostile.py" "$SCRATCH/leaf.nbd" "$SCRATCH/leaf.sock" "$SCRATCH/image" "$dataset" \
    >"$SCRATCH/result" 2>"$SCRATCH/trace"
is "all were tried" "$?" 0
sed 's/^/# /' "$SCRATCH/trace"
result() { sed -n "s/^$1 //p" "$SCRATCH/result"; }
is "the oldest option opens an export, with zeroes and without" "$(result export-name)" "True True True
True True True"
is "one request reads the whole image" "$(result whole-simple)" True
is "structured in parts" "$(result whole-structured)" "0 True True"
is "in one part where that is wanted" "$(result one-part)" True
is "unless it is too long for it (EOVERFLOW)" "$(result one-part-too-long)" 75
is "cache and flush are accepted" "$(result cache-flush)" "0 0"
is "reads at any position are right" "$(result random-reads)" 0
is "writes are refused (EPERM), what is unknown too (EINVAL)" "$(result writes)" "1 1 22"
is "reads outside of the export are refused" "$(result ranges)" "22 22 22 22 22"
is "and the connection goes on" "$(result still-reads)" True
is "options that are not understood are refused" "$(result option)" "5 0x80000001
10 0x80000001
3 0x80000003
7 0x80000003
7 0x80000006"
is "a ping has its response" "$(result ping)" "(14, 5)"
is "an unknown chunk is not found" "$(result unknown-chunk)" \
    "[(15, 0, b'\\x01\\x00\\x00\\x00'), (15, 1, b'\\x01\\x00\\x00\\x00')]"
is "an index has an end" "$(result index-beyond)" 15
is "and is an index" "$(result index)" "6 b'barodidx'"
is "unknown names are refused" "$(result unknown-name)" "15 15"
is "what is no request ends the connection" "$(result ends | grep -c True)" 13
is "in each case" "$(result ends | grep -v True)" ""
is "four lists are given to a connection" "$(result lists)" "4 196"
is "others are served while much is cached by request" "$(result beside-cache)" True
is "which has no error" "$(result cache)" 0
is "clients read nothing" "$(result slow)" 28
is "beside them an image is read" "$(result beside-slow)" True
is "others are served beside half-open connections" "$(result beside-half-open)" True
is "which are closed" "$(result half-open-end)" True
is "so are those who read nothing" "$(result slow-end)" True
ok "they are counted" test "$(counter leaf clients_closed_slow_total)" -gt 300
is "all are gone" "$(counter leaf clients)" 1
# 64 MiB, a chunk for each of 30 clients, and a read that is being sent, once more.
held=$(counter leaf clients_memory_peak_bytes)
ok "what clients held was bounded ($((held >> 20)) MiB)" test "$held" -lt $(((64 + 9 + 8) << 20))
ok "and near the bound" test "$held" -gt $((48 << 20))
peak=$(sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$(cat "$SCRATCH/pids/leaf")/status")
ok "the memory was bounded ($((peak / 1024)) MiB)" test "$peak" -lt 180000
is "the forwarder still serves" "$(copy leaf)" "$dataset"

# ---- nothing requested, nothing done ----
switches() {
    cat /proc/"$(cat "$SCRATCH/pids/leaf")"/task/*/status | awk '/^voluntary_ctxt/ { n += $2 } END { print n }'
}
nbdcopy --connections=1 --requests=1 --request-size=65536 "$(uri leaf)" - 2>/dev/null | {
    head -c 1000 >/dev/null
    echo >"$SCRATCH/open"
    sleep 60
} &
at_exit "kill $!"
wait_for 20 test -s "$SCRATCH/open"
is_quiet() {
    for _ in 1 2 3 4 5 6 7 8; do
        before=$(switches)
        sleep 1.5
        [ "$(switches)" != "$before" ] || return 0
    done
    return 1
}
ok "with an idle client nothing wakes up" is_quiet
servers_end
finish
