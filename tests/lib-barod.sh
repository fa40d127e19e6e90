# SPDX-License-Identifier: Apache-2.0
# lib-barod.sh - a barod of the test's own.
#
#   . "$(dirname "$0")/lib-barod.sh"             after lib.sh
#   start_barod [OPTION...]   starts it with $SCRATCH/barod.conf, whose socket is $socket; passes
#                             when it answers
#   end_barod                 SIGTERM; the status is barod's
#
# $pid is its process, $SCRATCH/barod.log what it and those before it logged.  What is still
# there at the end of the test is killed.

pid=
at_exit '[ -z "$pid" ] || kill -9 $pid'

start_barod() {
    barod --config "$SCRATCH/barod.conf" "$@" >>"$SCRATCH/barod.log" 2>&1 &
    pid=$!
    wait_for 30 curl -sf --unix-socket "$socket" -o "$SCRATCH/healthz" http://x/healthz
}

end_barod() {
    kill -TERM $pid
    wait $pid
}
