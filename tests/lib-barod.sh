# SPDX-License-Identifier: Apache-2.0
# lib-barod.sh - a barod of the test's own.
#
#   . "$(dirname "$0")/lib-barod.sh"             after lib.sh
#   barod_conf [METRIC[:UNIT]]...             writes $SCRATCH/barod.conf: rows and samples below
#                             $SCRATCH, served on $socket alone, of metrics of nodes one a minute;
#                             sets $socket and $server, its address
#   start_barod [OPTION...]   starts it with $SCRATCH/barod.conf, whose socket is $socket; passes
#                             when it answers
#   end_barod                 SIGTERM; the status is barod's
#
# $pid is its process, $SCRATCH/barod.log what it and those before it logged.  What is still
# there at the end of the test is killed.

pid=
at_exit '[ -z "$pid" ] || kill -9 $pid'

barod_conf() {
    socket=$SCRATCH/sock
    # shellcheck disable=SC2034 # for tests
    server=unix:$socket
    cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = none
rate_bytes = 1TiB
body_max = 64MiB
[records]
path = $SCRATCH/records.db
[store]
directory = $SCRATCH/store
retention = 30d
own_metrics = 0s
CONF
    for metric in "$@"; do
        printf '[metric %s]\nstep = 60s\naggregation = avg\n' "${metric%%:*}"
        [ "${metric#*:}" = "$metric" ] || printf 'unit = %s\n' "${metric#*:}"
    done >>"$SCRATCH/barod.conf"
}

start_barod() {
    barod --config "$SCRATCH/barod.conf" "$@" >>"$SCRATCH/barod.log" 2>&1 &
    pid=$!
    wait_for 30 curl -sf --unix-socket "$socket" -o "$SCRATCH/healthz" http://x/healthz
}

end_barod() {
    kill -TERM $pid
    wait $pid
}
