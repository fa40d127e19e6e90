#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro climate floor: how far apart runs are that are alike; a small table, and SC18's.
. "$(dirname "$0")/lib.sh"
requires jq
cd "$SCRATCH" || exit 1

# Class a: three runs alike (100, 200, 400), two alike otherwise (10, 10), one alone, one
# without a counter. Class b: alike only where 1 and 1.0 are equal. c: never alike.
cat >runs.csv <<'END'
id,when,speed,fs,bytes,calls
1,1500000000,100,a,5,7
2,1500000100,200,a,5,7
3,1500000200,400,a,5,7
4,1500000300,10,a,5,8
5,1500000400,10,a,5,8
6,1500000500,10,a,6,8
7,1500000600,10,a,,8
8,1500000700,30,b,1.0,1
9,1500000800,33,b,1,1
10,1500000900,33,c,1,1
11,1500000950,0,c,1,1
END
map() { # ALIKE...
    printf '[study]\ntime = when\nid = id\nperformance = speed\nclass = fs\n'
    for column; do echo "comparable = $column"; done
    printf '[measure calls]\nvalue = calls\n'
}
map bytes calls >runs.conf
baro climate floor -m runs.conf -o json runs.csv >floor 2>err
row() { jq -c ".[] | select(.class == \"$1\") | [$2]" floor; }
jq '.floor // .' floor >inner && mv inner floor
is "alike runs are grouped, and those like no other counted" \
    "$(row a '.groups, .runs, .single, .unknown, .pairs, .next_pairs')" "[2,5,1,1,4,3]"
is "each run counts as much as any other" "$(row a '.q50, .q90, .q95')" "[2,4,4]"
is "successive runs are told apart" "$(row a '.next_q50, .next_q99')" "[2,2]"
is "a number is what it is, however it is written" "$(row b '.groups, .q50')" "[1,1.1]"
is "a run without performance is none" "$(row c '.groups, .single, .unknown, .q50')" "[0,1,1,null]"
is "all together" "$(row all '.groups, .runs, .pairs, .q99')" "[3,7,5,4]"
map calls >loose.conf
is "what is not named does not tell runs apart" \
    "$(baro climate floor -m loose.conf -c a -o csv runs.csv | tail -n 1 | cut -d, -f1-6)" "a,2,7,0,0,9"
map >default.conf
is "without counters of ours in the table nothing is alike, and that is said" \
    "$(baro climate floor -m default.conf -o csv runs.csv 2>err | tail -n 1 | cut -d, -f1-6; cat err)" \
    "all,0,0,0,11,0
baro climate floor: no two runs of a class are equal in all counters"
is "a class that is not there is told" \
    "$(baro climate floor -m runs.conf -c nobody runs.csv 2>&1; echo $?)" \
    "baro climate floor: of 3 classes none is called 'nobody'
1"
is "a counter that is in no table is an error" \
    "$(map nothing | sed 's/^alike/alike/' >bad.conf; baro climate floor -m bad.conf runs.csv 2>&1 | grep -c "'nothing'")" 1

summaries=$SHARED/data/tokio/abcutils/summaries
if [ -n "$SHARED" ] && [ -r "$summaries/README.md" ]; then
    baro climate floor -m "$TOP/etc/studies/sc18.conf" -o json "$summaries"/*.csv.gz >floor
    jq '.floor // .' floor >inner && mv inner floor
    is "SC18: the probes are alike by the counters of their logs" \
        "$(row all '.groups, .runs, .single, .next_pairs')" "[49,11968,18,11919]"
    is "SC18: successive alike runs differ by 1.08 in the median, 2.3 in 95 of 100" \
        "$(row all '(.next_q50 * 100 | round), (.next_q95 * 100 | round)')" "[108,230]"
else
    skip "SC18" "no external data"
fi
finish
