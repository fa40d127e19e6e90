# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# lib.sh - what the benchmarks share: a scratch directory, daemons, their costs.
#
#   bench_start NAME PROGRAM ...   runs it in the background; bench_pid_NAME is its id
#   bench_stop NAME                ends it and waits for it
#   bench_kill NAME                the same with SIGKILL
#   bench_disk MB                  says how much disk is going to be used; ends the run when
#                                  there is not so much
#   say WORD ...                   progress, on standard error
#   cpu_s PID                      CPU seconds of a process and of what it waited for
#   peak_kb PID                    the most memory it ever held
#   row CELL ...                   a line of the table
: "${BUILD:?run this through bench/run}"
bench_scratch=$(mktemp -d "${BENCH_TMPDIR:-${TMPDIR:-/tmp}}/baro-bench.XXXXXX")
declare -A bench_pids=()
bench_end() {
    trap - EXIT
    local name
    for name in "${!bench_pids[@]}"; do bench_stop "$name"; done
    [ -z "${bench_postgres:-}" ] || postgres_stop
    rm -rf "$bench_scratch"
}
trap bench_end EXIT
trap 'exit 130' INT TERM

bench_start() {
    local name=$1
    shift
    setpriv --pdeathsig TERM "$@" >"$bench_scratch/$name.log" 2>&1 </dev/null &
    bench_pids[$name]=$!
    printf -v "bench_pid_$name" %s "$!"
}

# Forgotten at once: its number may soon be another's.
bench_stop() {
    local pid=${bench_pids[$1]:-}
    [ -n "$pid" ] || return 0
    unset "bench_pids[$1]"
    kill "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
}

# As a crash would end it.
bench_kill() {
    local pid=${bench_pids[$1]:-}
    unset "bench_pids[$1]"
    kill -KILL "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
}

say() {
    echo "bench $(date -u +%H:%M:%S): $*" >&2
}

bench_disk() {
    local free_mb
    free_mb=$(df --output=avail -BM "$bench_scratch" | tail -n 1 | tr -dc 0-9)
    say "up to $1 MB of disk under ${bench_scratch%/*}, where $free_mb MB are free"
    [ "$free_mb" -gt "$1" ] && return 0
    echo "not measured: it needs $1 MB of disk, and $free_mb MB are free"
    exit 1
}

cpu_s() {
    awk -v hz="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); printf "%.2f", ($12 + $13 + $14 + $15) / hz }' \
        "/proc/$1/stat"
}

peak_kb() {
    awk '/^VmHWM/ { print $2 }' "/proc/$1/status"
}

now_s() {
    date +%s.%N
}

row() {
    local cell line='|'
    for cell; do line="$line $cell |"; done
    echo "$line"
}

header() {
    row "$@"
    local cell line='|'
    for cell; do line="$line---|"; done
    echo "$line"
}

# A PostgreSQL of our own on a socket; $postgres_connection is how to reach it.
postgres_start() {
    local bin owner=""
    bin=$(find /usr/lib/postgresql -name postgres -path '*/bin/*' | sort -V | tail -n 1)
    bin=${bin%/postgres}
    [ -n "$bin" ] || return 1
    mkdir "$bench_scratch/pg"
    if [ "$(id -u)" = 0 ]; then
        chown postgres:postgres "$bench_scratch/pg"
        chmod 755 "$bench_scratch"
        owner="setpriv --reuid postgres --regid postgres --clear-groups"
    fi
    (
        cd /
        $owner "$bin/initdb" -D "$bench_scratch/pg/data" -A trust -U baro --no-sync
    ) >"$bench_scratch/initdb.log" 2>&1 || return 1
    # shellcheck disable=SC2086 # a command and its arguments
    (cd / && exec setpriv --pdeathsig INT $owner "$bin/postgres" -D "$bench_scratch/pg/data" \
        -k "$bench_scratch/pg" -h "" -c shared_buffers=512MB -c max_wal_size=4GB) \
        >"$bench_scratch/postgres.log" 2>&1 </dev/null &
    bench_postgres=$! postgres_pid=$!
    postgres_connection="host=$bench_scratch/pg user=baro dbname=postgres"
    for _ in $(seq 300); do
        psql -Xqd "$postgres_connection" -c 'SELECT 1' >/dev/null 2>&1 && return 0
        sleep 0.2
    done
    cat "$bench_scratch/postgres.log" >&2
    return 1
}

postgres_stop() {
    kill -INT "$bench_postgres" 2>/dev/null || true
    wait "$bench_postgres" 2>/dev/null || true
    bench_postgres=
}

# CPU seconds of PostgreSQL: the postmaster, what it waited for, and its living children.
postgres_cpu_s() {
    local total pid
    total=$(cpu_s "$postgres_pid")
    for pid in $(pgrep -P "$postgres_pid"); do
        total=$(awk -v a="$total" -v b="$(cpu_s "$pid" 2>/dev/null || echo 0)" \
            'BEGIN { printf "%.2f", a + b }')
    done
    echo "$total"
}

# barod on an engine (sqlite or postgres), on a unix socket.
barod_start() {
    local engine=$1
    shift
    {
        echo "[net]"
        echo "listen = 127.0.0.1:0"
        echo "socket = $bench_scratch/barod.sock"
        echo "[records]"
        echo "engine = $engine"
        if [ "$engine" = postgres ]; then
            echo "connection = $postgres_connection"
        else
            echo "path = ${1:-$bench_scratch/records.db}"
        fi
        echo "[filesystem scratch]"
        echo "jobid_name = %j:%u:%H"
        echo "jobid_name = %e.%u"
    } >"$bench_scratch/barod.conf"
    rm -f "$bench_scratch/barod.sock"
    export BARO_SERVER=unix:$bench_scratch/barod.sock
    bench_start barod "$BUILD/src/cmd/barod" --config "$bench_scratch/barod.conf"
    for _ in $(seq 300); do
        [ -S "$bench_scratch/barod.sock" ] && return 0
        sleep 0.2
    done
    cat "$bench_scratch/barod.log" >&2
    return 1
}

barod_stop() {
    bench_stop barod
}

# One of barod's own counters; 0 when it does not answer.
barod_counter() {
    "$BUILD/src/cmd/baro" stats --output csv --raw 2>/dev/null |
        awk -F, -v name="$1" '$1 == name { n = $2 } END { printf "%.0f", n }'
}
