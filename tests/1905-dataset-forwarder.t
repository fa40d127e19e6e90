#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Datasets forwarded over two levels: what comes out is the image, the origin gives each chunk once,
# caches are of use, also after a restart, and the tools of NBD work with it.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-dataset.sh
. "$(dirname "$0")/lib-dataset.sh"
ok "a dataset is made" dataset_make 12
chunks=$(baro dataset show "$dataset" --output csv | sed -n 's/^chunks,//p')

# ---- two levels ----
ok "the origin listens" serve origin "repository=$BARO_DATASETS"
ok "so does the first level" serve middle "upstream=unix:$SCRATCH/origin.sock" "cache=$SCRATCH/middle.cache"
ok "and the second" serve leaf "upstream=unix:$SCRATCH/middle.sock" "cache=$SCRATCH/leaf.cache"
: >"$SCRATCH/sums"
clients=
for _ in 1 2 3 4 5 6 7 8; do
    copy leaf >>"$SCRATCH/sums" &
    clients="$clients $!"
done
# shellcheck disable=SC2086 # numbers of processes
wait $clients
is "eight cold clients at a time read the image" "$(sort "$SCRATCH/sums" | uniq -c | tr -s ' ')" " 8 $dataset"
is "for which the origin gave each chunk once" "$(counter origin chunk_door_chunks_total)" "$chunks"
is "and read it once" "$(counter origin repository_chunks_total)" "$chunks"
is "the first level, too" "$(counter middle chunk_door_chunks_total)" "$chunks"
bytes=$(baro dataset export "$dataset" - | wc -c)
ok "compressed" test "$(counter origin chunk_door_bytes_total)" -lt $((bytes * 9 / 10))
is "eight times the image went out" "$(counter leaf nbd_bytes_total)" $((bytes * 8))
is "by its tag" "$(copy leaf code:v1)" "$dataset"
is "of the origin itself" "$(copy origin)" "$dataset"
once=$(counter origin chunk_door_bytes_total)
ok "a forwarder without a disk listens" serve late "upstream=unix:$SCRATCH/origin.sock"
is "and reads the image" "$(copy late)" "$dataset"
is "compressed, though the origin has it plain in memory by now" "$(counter origin chunk_door_bytes_total)" $((once * 2))

# ---- a restart ----
kill_server origin
kill_server middle
kill_server leaf KILL
ok "a forwarder is started again" serve leaf "upstream=unix:$SCRATCH/middle.sock" "cache=$SCRATCH/leaf.cache"
is "its cache has the image, without an upstream" "$(copy leaf)" "$dataset"
is "each chunk from the disk" "$(counter leaf disk_hits_total)" "$chunks"
is "it requested nothing" "$(counter leaf misses_total)" 0
ok "a cache has one process" not baro-datasetd --config /dev/null --check --set "dataset.cache=$SCRATCH/leaf.cache" \
    --set dataset.upstream=unix:/x --set dataset.nbd=unix:/y

check_cache() {
    baro-datasetd --config /dev/null --check --set "dataset.cache=$1" --set dataset.cache_bytes=16MiB \
        --set dataset.upstream=unix:/x --set dataset.nbd=unix:/y
}
ok "a check finds a cache that could be made right" check_cache "$SCRATCH/none/cache"
ok "and does not make it" not test -e "$SCRATCH/none"
cp -R "$SCRATCH/middle.cache" "$SCRATCH/copy.cache"
echo noise >"$SCRATCH/copy.cache/00000000000000ff.chunks"
before=$(cd "$SCRATCH/copy.cache" && find . -type f -exec sha256sum {} + | sort)
ok "it accepts one that is there" check_cache "$SCRATCH/copy.cache"
is "and changes nothing in it" "$(cd "$SCRATCH/copy.cache" && find . -type f -exec sha256sum {} + | sort)" "$before"

# ---- limits of the process ----
ok "a cache that needs more descriptors than there are is refused" \
    sh -c 'ulimit -n 1500; timeout 20 baro-datasetd --config /dev/null --set "dataset.cache=$1/many" \
        --set dataset.cache_bytes=100GiB --set dataset.upstream=unix:/x --set dataset.nbd=unix:/y 2>&1 |
        grep -q "needs 1602 file descriptors.*the limit is 1500"' sh "$SCRATCH"
ok "a forwarder listens with six workers" serve six "repository=$BARO_DATASETS" workers=6
is "it reads the image" "$(copy six)" "$dataset"
ok "with a thread for each, 16 to send, two to resolve names, and its own" \
    test "$(find "/proc/$(cat "$SCRATCH/pids/six")/task" -mindepth 1 -maxdepth 1 | wc -l)" = 25
kill_server six
echo "no directory" >"$SCRATCH/bad.cache"
ok "a forwarder whose cache cannot be used listens" \
    serve bad "upstream=unix:$SCRATCH/middle.sock" "cache=$SCRATCH/bad.cache"
ok "and says so" grep -q "the cache is not used, chunks are stored in memory alone" "$SCRATCH/bad.log"
kill_server bad
serve few "repository=$BARO_DATASETS" clients_max=100
prlimit --pid "$(cat "$SCRATCH/pids/few")" --nofile=40:40
python3 - "$SCRATCH/few.sock" "$SCRATCH/go" <<'END' &
import os, socket, struct, sys, time
held = []
for _ in range(60):
    sock = socket.socket(socket.AF_UNIX)
    sock.connect(sys.argv[1])
    sock.sendall(struct.pack("<IHHQ", 24, 1, 0, 1) + b"barochnk" + struct.pack("<IIII", 1, 64, 512, 0))
    held.append(sock)
while not os.path.exists(sys.argv[2]):
    time.sleep(0.05)
END
ok "without descriptors the door pauses, which is logged" \
    wait_for 20 grep -q "no client can be accepted for a second at least: Too many open files" "$SCRATCH/few.log"
few_ticks() { cut -d" " -f14 "/proc/$(cat "$SCRATCH/pids/few")/stat"; }
few_before=$(few_ticks)
sleep 1.5
ok "and nothing spins" test $(($(few_ticks) - few_before)) -lt 50
echo >"$SCRATCH/go"
ok "afterwards clients are accepted again" wait_for 20 is_listening few
kill_server few

# ---- TCP ----
port=$(free_ports 2)
serve tcp "repository=$BARO_DATASETS" --set "dataset.listen=127.0.0.1:$port" --set "dataset.nbd=localhost:$((port + 1))"
ok "a forwarder listens for TCP" serve above "upstream=localhost:$port" patience=20s
is "chunks come by TCP" "$(copy above)" "$dataset"
is "so do blocks" "$(timeout 100 nbdcopy "nbd://127.0.0.1:$((port + 1))/$dataset" - | sha256sum | cut -c1-64)" "$dataset"
foreign() {
    timeout 20 baro-datasetd --config /dev/null --set "dataset.repository=$BARO_DATASETS" \
        --set "dataset.listen=0.0.0.0:$((port + 1))" 2>&1
}
kill_server tcp
ok "another address than the loopback's is refused" sh -c 'echo "$1" | grep -q "set insecure = yes"' sh "$(foreign)"
baro-datasetd --config /dev/null --set "dataset.repository=$BARO_DATASETS" --set "dataset.nbd=0.0.0.0:$port" \
    --set dataset.insecure=yes >"$SCRATCH/tcp.log" 2>&1 &
echo $! >"$SCRATCH/pids/tcp"
ok "unless that is allowed" wait_for 20 nbdinfo "nbd://127.0.0.1:$port/$dataset"

# ---- names with several addresses ----
if getent ahosts localhost | grep -q "^::1" && getent ahosts localhost | grep -q "^127" &&
    python3 -c 'import socket; socket.socket(socket.AF_INET6).bind(("::1", 0))' 2>/dev/null; then
    port=$(free_ports 3)
    serve both "repository=$BARO_DATASETS" --set "dataset.listen=localhost:$port"
    is "a name's addresses are all listened at" \
        "$(baro dataset stats "127.0.0.1:$port" >/dev/null && baro dataset stats "[::1]:$port" >/dev/null; echo $?)" 0
    kill_server both
    for address in 127.0.0.1 "[::1]"; do
        serve one "repository=$BARO_DATASETS" --set "dataset.listen=$address:$((port + 1))"
        serve two "upstream=localhost:$((port + 1))" patience=20s
        is "$address: a name's addresses are tried one after another" "$(copy two)" "$dataset"
        is "$address: also for counters" "$(baro dataset stats "localhost:$((port + 1))" >/dev/null; echo $?)" 0
        kill_server two
        kill_server one
    done
else
    skip "a name's addresses are all listened at" "localhost has one address here"
fi
serve alone "upstream=127.0.0.1:$(free_port)" patience=1s
nbdcopy "$(uri alone)" null: 2>/dev/null
ok "why an address cannot be connected to is logged" grep -q "is away (Connection refused)" "$SCRATCH/alone.log"
kill_server alone

# ---- tools ----
ok "nbdinfo shows the export" sh -c 'nbdinfo "$1" | grep -q "export-size: $2 "' sh "$(uri leaf)" "$bytes"
ok "it is only read" nbdinfo --is readonly "$(uri leaf)"
ok "several connections may be made" nbdinfo --can multi-conn "$(uri leaf)"
ok "an export that there is not is refused" not nbdinfo "$(uri origin nosuch)"
ok "the origin is back" serve origin "repository=$BARO_DATASETS"
is "nbdinfo lists names and tags" \
    "$(nbdinfo --list "nbd+unix:///?socket=$SCRATCH/origin.nbd" | sed -n 's|.*uri: nbd+unix:///\(.*\)?.*|\1|p')" "$dataset
code%3Av1"
is "and refuses an export without a name" "$(nbdinfo "nbd+unix:///?socket=$SCRATCH/origin.nbd" >/dev/null 2>&1; echo $?)" 1
mkdir "$SCRATCH/other"
echo other >"$SCRATCH/other/file"
other=$(baro dataset create "$SCRATCH/other" 2>/dev/null)
ok "a dataset that is created meanwhile is served" nbdinfo "$(uri origin "$other")"
baro dataset gc --grace 0s >/dev/null 2>&1
ok "one that gc removed is not" not nbdinfo "$(uri origin "$other")"
ok "the others are" nbdinfo "$(uri origin)"
if command -v qemu-img >/dev/null; then
    qemu-img convert -f raw "$(uri leaf)" -O raw "$SCRATCH/qemu.img"
    is "qemu-img reads the image" "$(sha256sum <"$SCRATCH/qemu.img" | cut -c1-64)" "$dataset"
    qemu-img convert -f raw "nbd:unix:$SCRATCH/leaf.nbd:exportname=code:v1" -O raw "$SCRATCH/qemu2.img" 2>/dev/null &
    convert=$!
    wait_for 10 grep -q "middle.sock is away" "$SCRATCH/leaf.log"
    ok "a tag waits for an upstream" kill -0 "$convert"
    serve middle "upstream=unix:$SCRATCH/origin.sock"
    wait "$convert"
    is "and is found when it is back" "$(sha256sum <"$SCRATCH/qemu2.img" | cut -c1-64)" "$dataset"
else
    skip "qemu-img reads the image" "qemu-img is not installed"
fi
is "nbdcopy reads it by four connections at a time" \
    "$(timeout 100 nbdcopy --connections=4 "$(uri leaf)" "$SCRATCH/four.img" && sha256sum <"$SCRATCH/four.img" | cut -c1-64)" "$dataset"
# Upstream of a server is a server (decision 0564); of nbdkit it can be one of ours, and of a repository nbdkit.
if command -v nbdkit >/dev/null; then
    # So slow that it is in the middle when the server ends.
    nbdkit --foreground --unix "$SCRATCH/kit.nbd" --filter=rate --filter=retry nbd "uri=$(uri leaf)" rate=32M \
        retries=100 retry-delay=1 retry-exponential=no 2>"$SCRATCH/kit.log" &
    kit=$!
    kit_uri="nbd+unix:///?socket=$SCRATCH/kit.nbd"
    ok "nbdkit has our server as its upstream" wait_for 20 nbdinfo "$kit_uri"
    reads_before=$(counter leaf nbd_reads_total)
    timeout 100 nbdcopy "$kit_uri" "$SCRATCH/kit.img" &
    copied=$!
    has_begun() { [ "$(counter leaf nbd_reads_total)" -gt "$reads_before" ]; }
    wait_for 20 has_begun
    kill_server leaf KILL
    ok "whose copy is not at its end" kill -0 "$copied"
    serve leaf "upstream=unix:$SCRATCH/middle.sock" "cache=$SCRATCH/leaf.cache"
    wait "$copied"
    is "it reads on where that was killed and is back" "$(sha256sum <"$SCRATCH/kit.img" | cut -c1-64)" "$dataset"
    kill "$kit"
    wait "$kit" 2>/dev/null
    nbdkit --foreground --unix "$SCRATCH/kit2.nbd" --readonly file "$SCRATCH/kit.img" 2>>"$SCRATCH/kit.log" &
    kit=$!
    wait_for 20 nbdinfo "nbd+unix:///?socket=$SCRATCH/kit2.nbd"
    timeout 100 nbdcopy "nbd+unix:///?socket=$SCRATCH/kit2.nbd" "$SCRATCH/kit2.img"
    is "an image that nbdkit serves is imported under the same name" \
        "$(baro dataset import "$SCRATCH/kit2.img" --repository "$SCRATCH/second" 2>/dev/null)" "$dataset"
    kill "$kit"
    wait "$kit" 2>/dev/null
else
    skip "nbdkit has our server as its upstream" "nbdkit is not installed"
fi
servers_end
finish
