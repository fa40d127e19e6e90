#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The contract of records on a real PostgreSQL, and the same answers from both engines.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-postgres.sh"

pg_available || skip_all "no PostgreSQL server programs are installed"
test -x "$BUILD/src/test_records_records" || skip_all "built without unit tests"
pg_share || {
    fail "PostgreSQL starts"
    finish
}

# The unit tests' own lines are this test's.
for unit in records rollup jobs id_names target_readings resources inventory session_reports job_metrics postgres_engine; do
    CMOCKA_MESSAGE_OUTPUT=TAP "$BUILD/src/test_records_$unit" >"$SCRATCH/tap" 2>"$SCRATCH/err"
    status=$?
    while IFS= read -r line; do
        case $line in
        "ok "*) pass "${line#ok * - }, on both engines" ;;
        "not ok "*) fail "${line#not ok * - }, on both engines" ;;
        esac
    done <"$SCRATCH/tap"
    is "$unit end well" "$status" 0
    [ "$status" = 0 ] || sed 's/^/# /' "$SCRATCH/err"
done
finish
