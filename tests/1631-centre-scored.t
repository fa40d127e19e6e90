#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# First findings of baro job show in played centres (tests/sim/centre): as many are right as
# doc/measured/job.md has it, and no more are false.  A small slice; the page has the whole.
. "$(dirname "$0")/lib.sh"
requires python3 baro barod jq

slice() { # KIND OPTION...
    kind=$1
    shift
    "$TOP/tests/sim/centre/run" --build "$BUILD" --seed 401 --trouble "$kind" --jobs 8 --json "$@" \
        >"$SCRATCH/$kind.json" 2>"$SCRATCH/err" || cat "$SCRATCH/err"
}
right() { # KIND AT_LEAST FALSE_AT_MOST
    slice "$1"
    ok "$1: at least $2 of 8 first findings are right, at most $3 false" \
        jq -e "if .\"$1\" | .count == 8 and .right >= $2 and (.false | length) <= $3
            then true else error(tostring) end" "$SCRATCH/$1.json"
}
right idle-node 7 1
right slow-node 6 0
right memory-limit 7 0
right gpu-unused 7 0
right small-io 7 0
right metadata-storm 7 1
right imbalance 7 0
right contended-ost 7 0
right full-ost 7 1
right failover 7 0
right wrong-stripe 7 1
right none 8 0
finish
