#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro job diff and baro job show: planted differences, alike runs, and bad logs.
. "$(dirname "$0")/lib.sh"
requires jq
here=$(cd "$(dirname "$0")/.." && pwd)
cd "$SCRATCH" || exit 1
make=$BUILD/tests/sim/planted_make
[ -x "$make" ] || skip_all "the tests' own logs are not built"
alike=
for seed in 11 12 13 14 15 16 17 18; do
    "$make" "" $seed >alike.$seed
    alike="$alike --comparable alike.$seed"
done
"$make" "" 1 >a
"$make" "" 2 >b

# shellcheck disable=SC2086 # a list of options
is "alike runs do not differ" \
    "$(baro job diff $alike a b | tail -n 1 | sed 's/[0-9][0-9]*/N/')" \
    "Nothing differs beyond the usual N %."
for family in "access size" "order" "server" "speed" "program"; do
    "$make" "$family" 3 >c
    # shellcheck disable=SC2086
    is "a planted difference of $family comes first" \
        "$(baro job diff -o json $alike a c | jq -r '.[0].family')" "$family"
done
# shellcheck disable=SC2086
is "another program is told by name" \
    "$(baro job diff $alike a c | sed -n 's/^ 1\. *program *//p')" "probe -> other"
is "without a measured floor it is the one given" \
    "$(baro job diff --floor 300 a b | tail -n 1)" "Nothing differs beyond the usual 300 %."
is "two alike runs are too few" \
    "$(baro job diff --comparable a --comparable b a b 2>&1)" \
    "baro job diff: --comparable: 2 runs are not in 3..1000"
is "one log is too few" "$(baro job diff a 2>&1; echo $?)" \
    "baro job diff: 2 to 64 jobs are wanted, each a LOG or JOBID
2"

"$make" "access size" 3 >small
is "small accesses are a finding, in one line" \
    "$(baro job show --line small | sed 's/, [0-9]* MiB.s//')" \
    "small 100 % (at most 3.6 s); io: 16.0 GiB in 64 files, 3.6 s of 60 s"
is "a finding has its evidence, threshold and n" \
    "$(baro job show -o json small | jq -c '.findings[0] | [.name, .value, .threshold, .n > 1000]')" \
    '["small",1,0.5,true]'
is "a run without fault has none" \
    "$(baro job show a | grep -c '^Nothing stands out in how it did its I/O'; baro job show -o json a | jq -c .findings)" "1
[]"
is "the page names the job and its program" \
    "$(baro job show a | head -n 1)" "Job 4711: probe, 64 processes, 60 s from 2017-07-14T02:40:00Z"
is "its whole command is there too" "$(baro job show a | grep '^Command')" "Command: /opt/bin/probe -s 1"
"$make" server 3 >slow
"$make" metadata 3 >meta
is "a slow target is told with its seconds, its chance and what follows from it" \
    "$(baro job show -o json slow | jq -c '[.findings[] | [.name, .because, .cost.low_s > 5, .cost.high_s < 60, .p]]')" \
    '[["slow-target",null,true,true,0.001],["slow-process","slow-target",true,true,null]]'
is "time in metadata is, from a tenth of the time of I/O on" \
    "$(baro job show -o json meta | jq -c '.findings[] | [.name, .threshold, .value > .threshold, .cost.low_s > 0, .cost.high_s < 1]')" \
    '["metadata-heavy",0.1,true,true,true]'
echo "not a log" >text
is "what is no log is said" "$(baro job show text 2>&1 | cut -c 1-21; baro job show text >/dev/null 2>&1; echo $?)" \
    "baro job show: text: 
1"

real=$here/../shared/data/tokio/darshan/v3/sample-badost.darshan
if [ -r "$real" ]; then
    is "the recorded job with a bad target is told so" \
        "$(baro job show "$real" | grep -o '^slow-target.*')" \
        "slow-target       762 s of 780 s: all files on one target were slow: OST 14 (OST000e)"
else
    skip "the recorded job with a bad target is told so" "no ../shared"
fi
finish
