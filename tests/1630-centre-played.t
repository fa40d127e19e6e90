#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The played centre (tests/sim/centre): the same for a seed, and in agreement with itself; what
# is left out changes nothing else; the score counts as it says.
. "$(dirname "$0")/lib.sh"
requires python3 baro

centre=$TOP/tests/sim/centre
cd "$SCRATCH" || exit 1
play() { # DIRECTORY KIND OPTION...
    out=$1 kind=$2
    shift 2
    "$centre/centre" --seed 7 --trouble "$kind" --jobs 8 --out "$out" "$@"
}
differ() {
    diff -rq "$1" "$2" | sed 's/^Files [^ ]*\/\([^ ]*\) and.*/\1/; s/^Only in [^:]*: //' | sort | tr '\n' ' '
}

for kind in idle-node slow-node memory-limit gpu-unused small-io metadata-storm contended-ost \
    full-ost failover imbalance wrong-stripe none; do
    ok "$kind is played" play "$kind" "$kind"
    ok "$kind: rows, totals, logs and the truth agree" "$centre/check" "$kind"
done
PYTHONHASHSEED=5 play again failover
is "a seed is one centre" "$(differ failover again)" ""
"$centre/centre" --seed 8 --trouble failover --jobs 8 --out other
ok "another seed is another" sh -c "! cmp -s failover/metrics.lp other/metrics.lp"
play less failover --without health --without darshan
is "what is left out changes nothing else" "$(differ failover less)" \
    "$({ printf 'df.txt\ndl.txt\ntruth.json\n'; ls failover/darshan; } | sort | tr '\n' ' ')"
ok "and is empty" sh -c "! test -s less/health/df.txt && test -z \"\$(ls less/darshan)\""

rm "$(find other/jobstats -name '*.json' | sort | tail -n 1)"
ok "rows that are missing are noticed" sh -c "! '$centre/check' other"
ok "what is there is not written over" sh -c "! '$centre/centre' --seed 7 --trouble none --out none"

# shellcheck disable=SC2069 # only what it says on standard error
for log in small-io/darshan/*.darshan wrong-stripe/darshan/*.darshan; do
    baro darshan show --output json "$log" 2>&1 >/dev/null || echo "$log failed"
done >faults
is "each log is whole for baro darshan show" "$(cat faults)" ""

cat >truth.json <<'JSON'
{"without":["metrics"],"jobs":[
 {"id":"1","kind":"idle-node","visible_in":["metrics"]},{"id":"2","kind":"idle-node","visible_in":["metrics"]},
 {"id":"3","kind":"idle-node","visible_in":["metrics"]},{"id":"4","kind":"none","visible_in":[]},
 {"id":"5","kind":"none","visible_in":[]}]}
JSON
echo '{"1":"idle-node","2":"none","3":"slow-node","4":"none","5":"other: small"}' >answers.json
is "the score counts right, silent and false" \
    "$("$centre/score" --truth truth.json --answers answers.json | cut -d'|' -f2-8 | sed 's/ //g')" \
    "kind|jobs|right|95%|saysnothing|saysfalse|ofit
---|---|---|---|---|---|---
idle-node|3|1(33%)|6to79%|1|1|slow-node1
none|2|1(50%)|9to91%|-|1|other:small1

Withoutmetrics:3jobswhosetroublenothingleftshowsbyitself."
finish
