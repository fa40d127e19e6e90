#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A barod that is written to has a disk that fails to sync files, to sync a directory, to
# rename, once or for a while: what was acknowledged is there after it was killed or told
# to end, what was not was refused by 503 and is not half there, and barod says what failed.
. "$(dirname "$0")/lib.sh"
requires python3 strace

python3 "$TOP/tests/metrics/failing_disk.py" "$BUILD" --points "${POINTS:-9}" \
    --directory "$SCRATCH" >"$SCRATCH/said" 2>&1
status=$?
[ $status = 77 ] && skip_all "$(cat "$SCRATCH/said")"
sed 's/^/# /' "$SCRATCH/said"
is "wherever it fails, everything that was acknowledged is answered" $status 0
for what in "fdatasync log" "fsync directory" "rename manifest"; do
    ok "$what: it has failed" grep -q "^failures .*$what" "$SCRATCH/said"
done
finish
