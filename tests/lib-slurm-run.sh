#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# lib-slurm-run.sh - the Slurm that scripts/test starts once for all tests.
#
#   sh tests/lib-slurm-run.sh start        prints its directory; status 1: there is none
#   sh tests/lib-slurm-run.sh stop DIR
set -u
BUILD=${BUILD:-.} # lib.sh wants one
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-slurm.sh"
case ${1:-} in
start)
    # It outlives this script, but not a start that failed.
    at_exit() { slurm_at_failure=$*; }
    slurm_available >&2 || exit 1
    slurm_start >&2 || {
        slurm_why >&2
        $slurm_at_failure
        exit 1
    }
    echo "$SLURM_PIDS" >"$SLURM_DIR/pids"
    echo "$SLURM_DIR"
    ;;
stop)
    SLURM_DIR=${2:?a directory}
    SLURM_CONF=$SLURM_DIR/slurm.conf
    export SLURM_CONF
    SLURM_PIDS=$(cat "$SLURM_DIR/pids")
    slurm_stop
    ;;
*)
    sed -n '3,6s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
