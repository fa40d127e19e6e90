#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro analyze bad-ost: the target that slowed a recorded job down.
. "$(dirname "$0")/lib.sh"
requires jq
cd "$SCRATCH" || exit 1
make=$BUILD/src/source/darshan/darshan_make
[ -x "$make" ] || skip_all "the tests' own logs are not built"
"$make" 341 little zlib >job.darshan
is "of one file alone nothing can be said" \
    "$(baro analyze bad-ost -o json job.darshan | jq -c '.[] | [.ost, .files_on, .files, .r]')" \
    "[5,1,1,null]
[6,1,1,null]"
is "a log that is none is said" "$(echo no >no; baro analyze bad-ost no >out 2>&1; echo $?; grep -c '^baro analyze bad-ost: .*no' out)" "1
1"
is "without logs the command line is wrong" "$(baro analyze bad-ost 2>/dev/null; echo $?)" 2
if [ -z "$SHARED" ]; then
    skip "the recorded job" "no external data"
    finish
fi
baro analyze bad-ost -o json "$SHARED/data/tokio/pytokio/tests/inputs/sample-badost.darshan" >ours.json
is "target 14 comes first: r = -0.7031, p = 2.5e-305" \
    "$(jq -r '.[0] | "\(.ost) \(.r * 1e4 | round) \(.p > 2.45e-305 and .p < 2.5e-305)"' ours.json)" \
    "14 -7031 true"
is "every target that pytokio names has the same coefficient and p" \
    "$(jq -n --slurpfile ours ours.json --slurpfile theirs "$SHARED/data/tokio/expected/darshan_bad_ost.sample-badost.json" '
        [$theirs[0][] | . as $t | $ours[0][] | select("OST#\(.ost)" == $t.ost_name)
         | select(((.r - $t.coefficient) | fabs) < 1e-6 and ((.p / $t["p-value"] - 1) | fabs) < 1e-3)] | length')" \
    "$(jq length "$SHARED/data/tokio/expected/darshan_bad_ost.sample-badost.json")"
finish
