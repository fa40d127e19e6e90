#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Records and metrics on one disk, which is full when barod starts: it starts, answers
# what is there, refuses what comes in with 503 and Retry-After, and takes it again when
# there is room.  A kill -9 in between loses nothing.
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
requires curl jq mount
disk=$SCRATCH/disk
mkdir "$disk"
mount -t tmpfs -o size=8m none "$disk" || skip_all "a tmpfs cannot be mounted here"
at_exit umount "$disk"
socket=$SCRATCH/barod.sock
config() { # DIRECTORY
    cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = none
[records]
path = $1/records.db
retention = 3650d
[store]
directory = $1/store
[metric m]
step = 1s
CONF
}
start_barod() {
    rm -f "$socket"
    barod --config "$SCRATCH/barod.conf" >>"$SCRATCH/barod.log" 2>&1 &
    pid=$!
    wait_for 30 curl -s -o /dev/null --unix-socket "$socket" http://x/healthz
}
pid=
at_exit 'kill -9 $pid'
end_barod() { # SIGNAL
    kill "-$1" $pid
    wait $pid 2>/dev/null
}
fill() {
    dd if=/dev/zero of="$disk/other" bs=4096 2>/dev/null
    dd if=/dev/zero of="$disk/other2" bs=1 count=4095 2>/dev/null
    true
}
now=$(date +%s)
put_metric() {
    curl -s -o /dev/null -D "$SCRATCH/head" -w '%{http_code}' --unix-socket "$socket" \
        'http://x/api/write?cluster=c' --data-binary "m,hostname=a value=$1 $((now + $1))"
}
put_row() {
    curl -s -o /dev/null -D "$SCRATCH/head" -w '%{http_code}' --unix-socket "$socket" \
        http://x/v1/jobstats -H 'Content-Type: application/json' \
        -d '[{"target":"scratch-OST0001","entry_id":"cp.'"$1"'","timestamp":"'"$(date -u -d "@$now" +%Y-%m-%dT%H:%M:%SZ)"'","snapshot_time":'"$now"',"write":1}]'
}
metrics() {
    curl -s --unix-socket "$socket" \
        "http://x/v1/query?metric=m&from=@$((now - 60))&to=@$((now + 60))&format=csv" |
        sed '1d;s/.*,//' | tr '\n' ' '
}
rows() {
    curl -s --unix-socket "$socket" 'http://x/v1/jobstats/series' | jq '.rows | length'
}
is_taken() {
    [ "$(put_metric "$1") $(put_row "$1")" = "200 200" ]
}

config "$disk"
ok "barod starts" start_barod
is "samples and rows are taken" "$(put_metric 1) $(put_row 1)" "200 200"
end_barod KILL
fill
ok "killed, with the disk full, it starts" start_barod
is "it answers metrics" "$(metrics)" "1 "
is "and records" "$(rows)" 1
is "a metric is refused with 503" "$(put_metric 2)" 503
ok "and Retry-After" grep -qi '^Retry-After: [1-9]' "$SCRATCH/head"
is "a row as well" "$(put_row 2)" 503
ok "and Retry-After" grep -qi '^Retry-After: [1-9]' "$SCRATCH/head"
end_barod KILL
ok "killed again, it starts again" start_barod
is "and answers" "$(metrics)$(rows)" "1 1"
rm -f "$disk/other" "$disk/other2"
ok "with room it takes both by itself" wait_for 30 is_taken 3
end_barod KILL
ok "killed once more, it starts" start_barod
is "and nothing that was acknowledged is lost" "$(metrics)$(rows)" "1 3 2"

end_barod TERM
fill
ok "ended in order, with the disk full, it starts" start_barod
is "it answers metrics" "$(metrics)" "1 3 "
is "a metric is refused with 503" "$(put_metric 4)" 503
is "a row as well" "$(put_row 4)" 503
rm -f "$disk/other" "$disk/other2"
ok "with room it takes both" wait_for 60 is_taken 5
is "and answers all" "$(metrics)$(rows)" "1 3 5 3"
end_barod TERM

# ---- no room for the lock of the records ----

files=$SCRATCH/files
mkdir "$files"
mount -t tmpfs -o size=8m,nr_inodes=24 none "$files" || skip_all "a tmpfs of few files cannot be mounted"
at_exit umount "$files"
config "$disk"
sed -i "s,^path = .*,path = $files/records.db," "$SCRATCH/barod.conf"
ok "barod makes records on another disk" start_barod
is "a row is taken" "$(put_row 6)" 200
end_barod TERM
rm -f "$files/records.db.lock"
i=0
while touch "$files/other$i" 2>/dev/null; do i=$((i + 1)); done
ok "with no file left to make, it starts" start_barod
is "a row is refused with 503" "$(put_row 7)" 503
rm -f "$files"/other*
is_row_taken() {
    [ "$(put_row 8)" = 200 ]
}
ok "with room it takes rows by itself" wait_for 60 is_row_taken
sed "s,^socket = .*,socket = $SCRATCH/second.sock,; s,^directory = .*,directory = $SCRATCH/second," \
    "$SCRATCH/barod.conf" >"$SCRATCH/second.conf"
timeout 60 barod --config "$SCRATCH/second.conf" >"$SCRATCH/second.log" 2>&1
is "and no second barod may write them" $? 1
ok "which says so" grep -q "another barod has this database: .*records.db.lock" "$SCRATCH/second.log"
end_barod TERM
is "it ends well" $? 0

finish
