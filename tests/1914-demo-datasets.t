#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# scripts/demo-datasets: create, two levels, four nodes, a job; origin and a forwarder are killed.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TOP" || exit 1
requires bash
scripts/demo-datasets "$BUILD" >"$SCRATCH/out" 2>"$SCRATCH/err"
is "it ends without an error" "$?" 0
if grep -q "^datasets: not shown here" "$SCRATCH/err"; then
    skip "the job has its data" "$(sed -n 's/^datasets: not shown here: //p' "$SCRATCH/err")"
else
    ok "the job has its data" grep -q "^4 nodes, 8 files each: 0 errors" "$SCRATCH/out"
    ok "it stands in the list of those that used the dataset" grep -q "^4711 .*T.*Z" "$SCRATCH/out"
    ok "nodes are named while it is mounted" grep -q "^reference .*node1 of" "$SCRATCH/out"
    sent=$(sed -n 's/^chunks that the rack requested of the origin: \([0-9]*\), of \([0-9]*\) .*/\1 \2/p' "$SCRATCH/out")
    is "the origin sent each chunk once" "${sent% *}" "${sent#* }"
fi
if [ "$(id -u)" = 0 ] && id nobody >/dev/null 2>&1 && command -v setpriv >/dev/null; then
    setpriv --reuid=nobody --regid=nogroup --clear-groups sh -c 'cat scripts/demo-datasets' >/dev/null 2>&1 &&
        is "without root it says why not" \
            "$(setpriv --reuid=nobody --regid=nogroup --clear-groups bash scripts/demo-datasets "$BUILD" 2>&1)" \
            "datasets: not shown here: only root can mount (run it as root)"
fi
finish
