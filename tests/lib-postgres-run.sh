#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# lib-postgres-run.sh - the PostgreSQL that scripts/test starts once for all tests.
#
#   sh tests/lib-postgres-run.sh start        prints its directory; status 1: there is none
#   sh tests/lib-postgres-run.sh stop DIR
set -u
at_exit() {
    :
}
SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/baro-test.XXXXXX")
trap 'rm -rf "$SCRATCH"' EXIT
. "$(dirname "$0")/lib-postgres.sh"
case ${1:-} in
start)
    PG_CONNECTIONS=200
    export PG_CONNECTIONS
    pg_available && pg_start >&2 && echo "$PG_DIR"
    ;;
stop)
    PG_DIR=${2:?a directory}
    pg_remove
    ;;
*)
    sed -n '3,6s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
