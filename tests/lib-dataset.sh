# SPDX-License-Identifier: Apache-2.0
# lib-dataset.sh - a repository with a dataset, and servers in levels, for tests of baro-datasetd.
#
#   dataset_make [MiB]            a repository in $BARO_DATASETS; its dataset is $dataset
#   serve NAME KEY=VALUE...       a baro-datasetd called NAME: chunk door $SCRATCH/NAME.sock, NBD door
#                                 $SCRATCH/NAME.nbd, log NAME.log; waits until it listens
#   kill_server NAME [SIGNAL]     ends it, and waits for its end; servers_end reports a status that is
#                                 not that of its end
#   log_aside NAME                its log begins anew; what a sanitizer wrote is found by servers_end
#   counter NAME COUNTER          the value of one of its counters
#   copy NAME [EXPORT]            the SHA-256 of the image as nbdcopy reads it
#   servers_end                   all are ended by SIGTERM; none had another status than 0 (137 where it
#                                 was killed), or reported a defect of its own
# shellcheck shell=sh

command -v mkfs.erofs >/dev/null || PATH=$PATH:/usr/sbin
requires mkfs.erofs baro-datasetd nbdcopy nbdinfo
BARO_DATASETS=$SCRATCH/store
export BARO_DATASETS
mkdir "$SCRATCH/pids"
# A server that is stopped (SIGSTOP) ends when it goes on.
at_exit 'for pid in "$SCRATCH"/pids/*; do kill -KILL "$(cat "$pid")"; done; wait'

# Half of it can be compressed; no two chunks are equal.
dataset_make() {
    mkdir -p "$SCRATCH/tree"
    python3 - "$SCRATCH/tree" "${1:-12}" <<'END'
import random, sys
directory, size = sys.argv[1], int(sys.argv[2]) << 20
random.seed(17)
for i in range(4):
    with open(f"{directory}/part{i}", "wb") as f:
        if i % 2:
            f.write(random.randbytes(size // 4))
        else:
            f.write(b"".join(b"%016x %07d\n" % (random.getrandbits(64), n) for n in range(size // 4 // 25)))
END
    dataset=$(baro dataset create "$SCRATCH/tree" --tag code:v1 2>"$SCRATCH/create.log")
    export dataset
    [ "${#dataset}" = 64 ]
}

is_listening() { # NAME
    baro dataset stats "unix:$SCRATCH/$1.sock" --output csv
}

serve() {
    serve_name=$1
    shift
    serve_set="--set dataset.listen=unix:$SCRATCH/$serve_name.sock --set dataset.nbd=unix:$SCRATCH/$serve_name.nbd"
    for serve_key in "$@"; do
        case $serve_key in
        --set | dataset.*) serve_set="$serve_set $serve_key" ;;
        *) serve_set="$serve_set --set dataset.$serve_key" ;;
        esac
    done
    # shellcheck disable=SC2086 # none of the values has a blank
    baro-datasetd --config /dev/null $serve_set >>"$SCRATCH/$serve_name.log" 2>&1 &
    echo $! >"$SCRATCH/pids/$serve_name"
    wait_for 20 is_listening "$serve_name"
}

kill_server() {
    kill "-${2:-TERM}" "$(cat "$SCRATCH/pids/$1")"
    wait "$(cat "$SCRATCH/pids/$1")" 2>/dev/null
    server_status=$?
    rm "$SCRATCH/pids/$1"
    case $1.${2:-TERM}.$server_status in
    *.KILL.137 | *.TERM.0 | proxy.*) ;;
    *) echo "$1 ${2:-TERM}: $server_status" >>"$SCRATCH/statuses" ;;
    esac
}

log_asides=0
log_aside() {
    log_asides=$((log_asides + 1))
    mv "$SCRATCH/$1.log" "$SCRATCH/$1.$log_asides.log"
}

counter() {
    baro dataset stats "unix:$SCRATCH/$1.sock" --output csv | sed -n "s/^\"\{0,1\}baro_dataset_$2,//p"
}

# What a sanitizer found stands in the log.
servers_end() {
    for servers_pid in "$SCRATCH"/pids/*; do
        kill_server "$(basename "$servers_pid")"
    done
    is "servers end with their status" "$(cat "$SCRATCH/statuses" 2>/dev/null)" ""
    ok "servers end, and no sanitizer found anything" not grep -hE -A 20 'Sanitizer|runtime error' "$SCRATCH"/*.log
}

uri() { # NAME [EXPORT]
    echo "nbd+unix:///${2:-$dataset}?socket=$SCRATCH/$1.nbd"
}

copy() {
    timeout 300 nbdcopy "$(uri "$@")" - | sha256sum | cut -c1-64
}
