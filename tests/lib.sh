# SPDX-License-Identifier: Apache-2.0
# lib.sh - what every whole-program test includes: TAP, a scratch directory, skipping.
#
#   . "$(dirname "$0")/lib.sh"
#   ok "a sentence" command args...      passes when the command does
#   is "a sentence" "$got" "$want"       passes when the two texts are equal
#   skip_all "reason"                    ends the test as skipped
#   finish                               prints the plan; exit 1 after a failure
#
# $BUILD is the build directory, $TOP the project's root, $SHARED the external data or
# empty, $SCRATCH a directory of this test's own, removed at the end.  Programs are found
# on the PATH.  at_exit COMMAND runs it, whatever happens.

TOP=$(cd "$(dirname "$0")/.." && pwd)
BUILD=${BUILD:-$TOP/build}
BUILD=$(cd "$BUILD" && pwd)
SHARED=$TOP/../shared
[ -d "$SHARED/data" ] || SHARED=
PATH=$BUILD/src/cmd:$BUILD/tests/sim:$PATH
SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/baro-test.XXXXXX")
unset BARO_SERVER BARO_CLOCK BARO_CONFIG
# A sentence of a page stays in one line, whatever terminal the tests run in.
COLUMNS=1000
export TOP BUILD SHARED SCRATCH PATH COLUMNS

test_count=0
test_failed=0
exit_commands=

at_exit() {
    exit_commands="$*
$exit_commands"
}

run_exit_commands() {
    status=$?
    trap - EXIT INT TERM
    eval "$exit_commands" >/dev/null 2>&1
    rm -rf "$SCRATCH"
    exit "$status"
}
trap run_exit_commands EXIT
trap 'exit 130' INT TERM

pass() {
    test_count=$((test_count + 1))
    echo "ok $test_count - $1"
}

fail() {
    test_count=$((test_count + 1))
    test_failed=$((test_failed + 1))
    echo "not ok $test_count - $1"
}

ok() {
    ok_name=$1
    shift
    if "$@" >"$SCRATCH/ok.out" 2>&1; then
        pass "$ok_name"
    else
        fail "$ok_name"
        sed 's/^/# /' "$SCRATCH/ok.out" | head -n 40
    fi
}

not() {
    ! "$@"
}

is() {
    if [ "$2" = "$3" ]; then
        pass "$1"
    else
        fail "$1"
        printf '%s\n' "got:" "$2" "want:" "$3" | sed 's/^/# /' | head -n 60
    fi
}

skip() {
    test_count=$((test_count + 1))
    echo "ok $test_count - $1 # SKIP $2"
}

skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}

requires() {
    for requires_name in "$@"; do
        command -v "$requires_name" >/dev/null || skip_all "$requires_name is not installed"
    done
}

# wait_for SECONDS COMMAND: until it succeeds.  So many seconds are what a quiet machine may
# need; one with other work gets six times as many before the test fails.
wait_for() {
    wait_left=$(($1 * 20 * 6))
    shift
    until "$@" >/dev/null 2>&1; do
        wait_left=$((wait_left - 1))
        [ "$wait_left" -gt 0 ] || return 1
        sleep 0.05
    done
}

# session_rows FILE SQL: columns apart by a blank.  It only reads: a sqlite3 of another user that came before the
# run would make the file, and one that came after its kill would roll back what it was writing.  Of such a
# file a copy is read.
session_rows() {
    sqlite3 -readonly -cmd '.timeout 10000' -separator ' ' "$1" "$2" 2>"$SCRATCH/rows.err" && return
    grep -q 'readonly database' "$SCRATCH/rows.err" || {
        cat "$SCRATCH/rows.err" >&2
        return 1
    }
    rm -f "$SCRATCH/rows.db"*
    cp "$1" "$SCRATCH/rows.db" && cp "$1-journal" "$SCRATCH/rows.db-journal" &&
        sqlite3 -separator ' ' "$SCRATCH/rows.db" "$2"
}

# A TCP port of the loopback that nobody listens on.
free_port() {
    python3 -c 'import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# The first of so many TCP ports of the loopback in a row that nobody listens on.  They are below
# those that a kernel gives to connections: another test's connection takes none of them meanwhile.
free_ports() { # COUNT
    python3 -c 'import random, socket, sys
count = int(sys.argv[1])
while True:
    first, held = random.randrange(12000, 32000 - count), []
    try:
        for port in range(first, first + count):
            s = socket.socket()
            held.append(s)
            s.bind(("127.0.0.1", port))
        print(first)
        break
    except OSError:
        pass' "$1"
}

finish() {
    echo "1..$test_count"
    [ "$test_failed" -eq 0 ]
    exit
}
