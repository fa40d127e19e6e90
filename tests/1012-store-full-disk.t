#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The disk of the metric store is full, under a barod that is written to: what cannot be
# kept is refused with 503 and Retry-After, what was acknowledged is answered all the
# while, and when there is room it goes on.
#
# The disk is a small tmpfs in a name space of mounts that is this test's own.
if [ -z "${FULL_DISK_INSIDE:-}" ]; then
    for how in -m -rm; do
        if unshare $how sh -c 'mount -t tmpfs none /tmp' 2>/dev/null; then
            FULL_DISK_INSIDE=1 exec unshare $how sh "$0"
        fi
    done
    echo "1..0 # SKIP a tmpfs cannot be mounted here"
    exit 0
fi
. "$(dirname "$0")/lib.sh"
requires curl python3 mount
. "$TOP/tests/metrics/metrics.sh"

disk=$SCRATCH/disk
mkdir "$disk"
mount -t tmpfs -o size=4m none "$disk" || skip_all "a tmpfs cannot be mounted here"
at_exit umount "$disk"
metrics_config "$disk/store"

room() {
    mount -o "remount,size=$1" "$disk"
}
# All but so many KiB.
fill() {
    free=$(df --output=avail -k "$disk" | tail -n 1)
    head -c $((free - $1))k /dev/zero >"$disk/other" 2>/dev/null
}
refused_count() {
    grep -c '^refused ' "$acks"
}
has_refused() {
    [ "$(refused_count)" -ge "$1" ]
}
wait_refused() {
    wait_for 60 has_refused $(($(refused_count) + $1))
}

ok "barod starts" start_barod
start_load
ok "samples come in" wait_acks 200
fill 0
ok "a full disk is heard by who writes" wait_refused 20
is "always as 503 with Retry-After" \
    "$(sed -n 's/^refused [0-9]* //p' "$acks" | sort -u)" "503 5"
is "everything that was acknowledged is answered" "$(everything | head -n 1)" \
    "missing 0 wrong 0"
ok "a person is told" grep -q "store: samples are refused: No space left" "$SCRATCH/barod.log"
rm "$disk/other"
ok "with room it goes on by itself" wait_acks 200
is "and nothing is lost" "$(everything | head -n 1)" "missing 0 wrong 0"

# Until the store itself has filled the disk, a checkpoint each second included.
fill 400
ok "a disk that the store fills is heard too" wait_refused 20
is "everything is answered" "$(everything | head -n 1)" "missing 0 wrong 0"
kill -TERM $pid
wait $pid
is "on a full disk SIGTERM ends it" $? 0
ok "and it says what it could not do" grep -q "store: at the end: .*; the log has it" \
    "$SCRATCH/barod.log"
rm "$disk/other"
ok "with room it starts" start_barod
ok "and goes on" wait_acks 200
is "everything is there" "$(everything | head -n 1)" "missing 0 wrong 0"

fill 0
ok "full again" wait_refused 5
kill -9 $pid
wait $pid 2>/dev/null
ok "it starts on a full disk too" start_barod
ok "says so" grep -q "is full: what is stored can be read" "$SCRATCH/barod.log"
is "answers everything" "$(everything | head -n 1)" "missing 0 wrong 0"
ok "and refuses what comes in" wait_refused 5
room 16m
ok "until there is room" wait_acks 200
kill -9 $pid
wait $pid 2>/dev/null
ok "killed once more, it starts" start_barod
is "and nothing is lost" "$(everything | head -n 1)" "missing 0 wrong 0"
is "always 503 with Retry-After, to the end" \
    "$(sed -n 's/^refused [0-9]* //p' "$acks" | sort -u)" "503 5"
stop_load
kill -TERM $pid
wait $pid
is "SIGTERM ends it" $? 0
pid=
finish
