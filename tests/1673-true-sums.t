#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What pages of recorded logs state as sums, recomputed out of their records by another program:
# the most common access sizes, and the bytes of each file by its outermost interface; and what
# is not known of a log: offsets of old traces, the time of objects that columns of POSIX lack.
. "$(dirname "$0")/lib.sh"
requires jq python3
[ -n "$SHARED" ] || skip_all "no ../shared"
logs=$SHARED/data/tokio/darshan
[ -d "$logs/more" ] || skip_all "no ../shared"
cd "$SCRATCH" || exit 1

for log in "$logs"/v3/*.darshan "$logs"/more/*.darshan; do
    name=$(basename "$log")
    case $name in
    # Empty; interfaces of objects, which have ids of their own (1554); one old release five times over.
    empty_log* | *DFS* | mpi-io-test-ppc64* | mpi-io-test-x86_64-3.[123]*) continue ;;
    esac
    ok "$name: the true top four" python3 "$TOP/tests/darshan/outermost.py" top "$log"
    ok "$name: bytes by the outermost interface" python3 "$TOP/tests/darshan/outermost.py" bytes "$log"
done

offsets() { baro darshan show -o json "$1" | jq -c '[.. | objects | select(.records?) | select(.module == "DXT_MPIIO") | .records[].segments[]?.offset] | unique'; }
is "offsets of MPI-IO are not known in the first version of traces" "$(offsets "$logs/v3/mpi-io-test-x86_64-3.1.4.darshan")" '[null]'
ok "in the second they are" test "$(offsets "$logs/v3/ior_hdf5_example.darshan")" != '[null]'
finish
