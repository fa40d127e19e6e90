#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each configuration that a page shows, and those under etc, is one that its program accepts;
# and a mistake in it is found.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-postgres.sh
. "$(dirname "$0")/lib-postgres.sh"
requires python3 openssl
umask 077
if pg_available; then
    pg_share || exit 1
fi
root=$SCRATCH/root
mkdir -p "$root/var" "$SCRATCH/samples" "$SCRATCH/bin"
(
    cd "$root" && baro token key new token.key && cp token.key.pub token.pub && : >revoked &&
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
            -subj /CN=localhost -keyout barod.key -out barod.crt &&
        baro token new --key token.key --role agent --cluster c --host n1 >agent.token && cp agent.token central.token
) >"$SCRATCH/root.log" 2>&1
(cd "$TOP" && tests/examples/samples.py "$SCRATCH/samples" "$root" "${PG_CONNECTION:-}") >"$SCRATCH/list"
ok "the pages have ten samples" [ "$(wc -l <"$SCRATCH/list")" -ge 10 ]

# Rules for the kernel's messages as a configuration: an agent's names them.
# shellcheck disable=SC2317 # called by name
kernel_rules() { # --config FILE --check
    baro-agent --config /dev/null --set "node.kernel_rules=$2" --check --user "$(id -un)"
}

# A check fails on what is not here (lctl, a server): what is wrong in the file has its line.
config_check() { # FILE PROGRAM
    set -- "$@" --config "$1" --check
    # What it does not set has defaults in directories that are not here.
    [ "$2" != barod ] || grep -q '^engine = postgres' "$1" || set -- "$@" --set "records.path=$root/var/r.db"
    [ "$2" != barod ] || set -- "$@" --set "net.socket=$root/sock"
    # Where a package puts it.
    ! grep -q '^\[login\]' "$1" || grep -q '^helper' "$1" ||
        set -- "$@" --set "login.helper=$BUILD/src/cmd/baro-pam"
    file=$1 program=$2
    shift 2
    "$program" "$@" >"$SCRATCH/out" 2>&1
    status=$?
    cat "$SCRATCH/out"
    ! grep -qF "$file:" "$SCRATCH/out" && { [ "$program" != barod ] || [ $status = 0 ]; }
}
while read -r file program page; do
    ok "$page: $program accepts it" config_check "$file" "$program"
    { cat "$file" && echo 'no_such_key = 1'; } >"$SCRATCH/wrong.conf"
    is "$page: a key that there is not is refused" \
        "$("$program" --config "$SCRATCH/wrong.conf" --check 2>&1 | grep -c "wrong.conf:.*no_such_key")" 1
done <"$SCRATCH/list"
finish
