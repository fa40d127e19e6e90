#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Upstreams that are killed, restarted, stopped, cut, slow, or lie: no client sees an error before its
# patience is over, and the bytes are those of the image.  KILLS=200 for more.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-dataset.sh
. "$(dirname "$0")/lib-dataset.sh"
ok "a dataset is made" dataset_make 12
origin() { serve origin "repository=$BARO_DATASETS"; }
middle() { serve middle "upstream=unix:$SCRATCH/origin.sock" "cache=$SCRATCH/middle.cache"; }

# copy_half NAME: begins to copy, in small requests, and stops after two megabytes; copy_rest lets it
# go on.
copy_half() {
    rm -f "$SCRATCH/go" "$SCRATCH/half" "$SCRATCH/sum"
    mkfifo "$SCRATCH/go"
    {
        timeout 300 nbdcopy --connections=1 --requests=2 --request-size=65536 "$(uri "$1")" -
        echo $? >"$SCRATCH/copy.status"
    } 2>"$SCRATCH/copy.err" |
        {
            head -c 2000000
            echo 1 >"$SCRATCH/half"
            read -r _ <"$SCRATCH/go"
            cat
        } | sha256sum | cut -c1-64 >"$SCRATCH/sum" &
    copying=$!
    wait_for 20 test -s "$SCRATCH/half"
}
copy_rest() {
    echo >"$SCRATCH/go"
}
copied() { # SENTENCE
    wait "$copying"
    is "$1" "$(cat "$SCRATCH/sum")" "$dataset"
}
lines() { # NAME PATTERN
    grep -c "$2" "$SCRATCH/$1.log"
}

# ---- killed in the middle of a copy ----
origin
middle
serve leaf "upstream=unix:$SCRATCH/middle.sock" patience=never
copy_half leaf
kill_server origin KILL
copy_rest
ok "the origin is killed: the first level logs it" wait_for 20 grep -q "origin.sock is away" "$SCRATCH/middle.log"
ok "the client waits" kill -0 "$copying"
origin
copied "and has the image when it is back"
is "its absence is logged once" "$(lines middle 'origin.sock is away')" 1
is "and its return once" "$(lines middle 'origin.sock responds again')" 1
kill_server leaf
serve leaf "upstream=unix:$SCRATCH/middle.sock" patience=never
copy_half leaf
kill_server middle KILL
copy_rest
ok "a forwarder is killed: the next level logs it" wait_for 20 grep -q "middle.sock is away" "$SCRATCH/leaf.log"
middle
copied "the client has the image"
kill_server leaf
kill_server middle
rm -rf "$SCRATCH/middle.cache"
middle
serve leaf "upstream=unix:$SCRATCH/middle.sock" patience=never
copy_half leaf
kill_server middle KILL
kill_server origin KILL
copy_rest
wait_for 20 grep -q "middle.sock is away" "$SCRATCH/leaf.log"
origin
middle
copied "both are killed"
is "no read ended with an error" "$(counter leaf nbd_errors_total)" 0

# ---- random kills ----
kill_server leaf
serve leaf "upstream=unix:$SCRATCH/middle.sock" patience=never memory=1MiB
: >"$SCRATCH/sums"
copies=
for _ in 1 2 3; do
    { for _ in 1 2 3; do copy leaf; done >>"$SCRATCH/sums"; } &
    copies="$copies $!"
done
kills=0
while [ "$kills" -lt "${KILLS:-12}" ]; do
    kills=$((kills + 1))
    victim=$([ $((kills % 3)) = 0 ] && echo middle || echo origin)
    sleep "0.$((kills * 7 % 10))"
    kill_server "$victim" KILL
    "$victim"
done
# shellcheck disable=SC2086 # numbers of processes
wait $copies
is "nine copies while servers are killed are the image" "$(sort "$SCRATCH/sums" | uniq -c | tr -s ' ')" " 9 $dataset"
is "without an error" "$(counter leaf nbd_errors_total)" 0

# ---- several upstreams ----
kill_server leaf
serve second "repository=$BARO_DATASETS"
log_aside leaf
serve leaf "upstream=unix:$SCRATCH/origin.sock" "upstream=unix:$SCRATCH/second.sock" timeout=1s
copy_half leaf
kill_server origin KILL
copy_rest
copied "the next upstream is used where the first is killed"
ok "it gave chunks" test "$(counter second chunk_door_chunks_total)" -gt 0
kill_server leaf
origin
log_aside leaf
serve leaf "upstream=unix:$SCRATCH/origin.sock" "upstream=unix:$SCRATCH/second.sock" timeout=1s
copy_half leaf
kill -STOP "$(cat "$SCRATCH/pids/origin")"
copy_rest
copied "and where it is stopped"
ok "which is logged" grep -q "origin.sock is away (it sends nothing)" "$SCRATCH/leaf.log"
kill -CONT "$(cat "$SCRATCH/pids/origin")"

# ---- upstreams that misbehave ----
proxy=
proxy() { # MODE
    [ -z "$proxy" ] || kill "$proxy"
    rm -f "$SCRATCH/proxy.sock"
    python3 "$TOP/tests/dataset/upstream_proxy.py" "$SCRATCH/proxy.sock" "$SCRATCH/origin.sock" "$1" 2>"$SCRATCH/proxy.log" &
    proxy=$!
    echo $proxy >"$SCRATCH/pids/proxy"
    wait_for 20 test -S "$SCRATCH/proxy.sock"
}
for mode in corrupt corrupt-plain cut garbage slow parts; do
    kill_server leaf
    proxy $mode
    log_aside leaf
    serve leaf "upstream=unix:$SCRATCH/proxy.sock" "upstream=unix:$SCRATCH/origin.sock" "cache=$SCRATCH/leaf.cache.$mode"
    is "$mode: the image is right" "$(copy leaf)" "$dataset"
    is "$mode: without an error" "$(counter leaf nbd_errors_total)" 0
    ok "$mode: something came through it" \
        test "$(counter leaf 'upstream_bytes_total.*proxy.sock[^,]*')" -gt 0
    [ "${mode%-plain}" != corrupt ] || {
        ok "$mode: these chunks are counted" test "$(counter leaf corrupt_upstream_total)" -gt 0
        ok "$mode: and logged with the upstream" grep -q "proxy.sock sent a corrupt chunk" "$SCRATCH/leaf.log"
    }
done
kill_server leaf
proxy corrupt
log_aside leaf
serve leaf "upstream=unix:$SCRATCH/proxy.sock" patience=1s
ok "where there is no other one, a copy fails" not nbdcopy "$(uri leaf)" null:
ok "and no corrupt byte came out" test "$(counter leaf nbd_bytes_total)" = 0
ok "the log has the dataset and the upstream" \
    grep -q "dataset $dataset: a read .*proxy.sock: what it sent is corrupt" "$SCRATCH/leaf.log"

# ---- a cache that is damaged ----
kill_server leaf
serve leaf "upstream=unix:$SCRATCH/origin.sock" "cache=$SCRATCH/leaf.cache"
copy leaf >/dev/null
kill_server leaf
python3 - "$SCRATCH/leaf.cache" <<'END'
import glob, sys
for path in glob.glob(sys.argv[1] + "/*.chunks"):
    with open(path, "r+b") as f:
        size = f.seek(0, 2)
        for at in range(300000, size, 400000):
            f.seek(at)
            f.write(b"damage")
END
log_aside leaf
serve leaf "upstream=unix:$SCRATCH/origin.sock" "cache=$SCRATCH/leaf.cache"
is "chunks of a damaged cache are fetched anew" "$(copy leaf)" "$dataset"
damaged=$(counter leaf corrupt_disk_total)
ok "counted" test "$damaged" -gt 5
is "no others are" "$(counter leaf misses_total)" "$damaged"
ok "and logged" grep -q "a chunk in the cache '$SCRATCH/leaf.cache' is damaged" "$SCRATCH/leaf.log"
kill_server leaf
serve leaf "upstream=unix:$SCRATCH/no.sock" "cache=$SCRATCH/leaf.cache"
is "afterwards the cache is whole" "$(copy leaf)" "$dataset"

# ---- beyond the patience ----
kill_server leaf
log_aside leaf
serve leaf "upstream=unix:$SCRATCH/origin.sock" patience=1s
copy_half leaf
kill_server origin KILL
copy_rest
wait "$copying"
ok "beyond the patience a read ends with an error" test "$(cat "$SCRATCH/copy.status")" != 0
ok "which is EIO" grep -q "Input/output error" "$SCRATCH/copy.err"
ok "the log has the dataset, and the upstream with the reason" \
    grep -q "dataset $dataset: a read of 65536 bytes .* after the patience: unix:$SCRATCH/origin.sock: [Cc]onnection refused" "$SCRATCH/leaf.log"
ok "it is counted" test "$(counter leaf expired_total)" -gt 0
origin
is "and the next copy has the image" "$(copy leaf)" "$dataset"

# ---- while another process writes the catalogue, as gc does ----
cat >"$SCRATCH/hold.py" <<'END'
import os, sqlite3, sys, time
db = sqlite3.connect(sys.argv[1] + "/catalogue.db", isolation_level=None, timeout=60)
db.execute("BEGIN IMMEDIATE")
open(sys.argv[2] + "/catalogue.held", "w").close()
while not os.path.exists(sys.argv[2] + "/catalogue.go"):
    time.sleep(0.02)
db.execute("COMMIT")
END
cat >"$SCRATCH/leases.py" <<'END'
"""leases.py SOCKET DATASET SCRATCH: eight leases, then their ends; the types of the responses."""
import socket, struct, sys
s = socket.socket(socket.AF_UNIX)
s.settimeout(100)
s.connect(sys.argv[1])
def frame(kind, body, id):
    s.sendall(struct.pack("<IHHQ", len(body), kind, 0, id) + body)
def exactly(n):
    data = b""
    while len(data) < n:
        piece = s.recv(n - len(data))
        if not piece:
            sys.exit("closed")
        data += piece
    return data
frame(1, b"barochnk" + struct.pack("<IIII", 1, 64, 512, 0), 0)
for seconds in 3600, 0, 3600:
    for i in range(8):
        frame(16, bytes.fromhex(sys.argv[2]) + struct.pack("<Q", seconds) + f"holder{i}".encode(), i + 1)
frame(13, b"", 0)
kinds = []
while len(kinds) < 24:
    size, kind = struct.unpack("<IH", exactly(16)[:6])
    exactly(size)
    if kind == 14:
        open(sys.argv[3] + "/leases.sent", "w").close()
    elif kind != 2:
        kinds.append(kind)
print(sorted(set(kinds)))
END
serve busy "repository=$BARO_DATASETS" workers=2 patience=100s
python3 "$SCRATCH/hold.py" "$BARO_DATASETS" "$SCRATCH" &
holder=$!
wait_for 20 test -e "$SCRATCH/catalogue.held"
python3 "$SCRATCH/leases.py" "$SCRATCH/busy.sock" "$dataset" "$SCRATCH" >"$SCRATCH/leases.out" 2>&1 &
leases=$!
wait_for 20 test -e "$SCRATCH/leases.sent"
is "leases wait, and hold no other client up" "$(copy busy)" "$dataset"
is "none has a response yet" "$(cat "$SCRATCH/leases.out")" ""
: >"$SCRATCH/catalogue.go"
wait $holder
wait $leases
is "afterwards each is written" "$(cat "$SCRATCH/leases.out")" "[17]"
is "in the order in which they came: those that came last are there" \
    "$(baro dataset show "$dataset" --output csv | grep -c 'mount holder')" 8
kill_server busy
servers_end
finish
