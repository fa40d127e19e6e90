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
"$centre/centre" --seed 77 --trouble failover --jobs 50 --out long
ok "many failovers, one after the other, agree too" "$centre/check" long
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
 {"id":"1","kind":"idle-node","visible_in":["metrics"],"nodes":["c017"]},
 {"id":"2","kind":"idle-node","visible_in":["metrics"],"nodes":["c018"]},
 {"id":"3","kind":"idle-node","visible_in":["metrics"],"nodes":["c019"]},
 {"id":"4","kind":"idle-node","visible_in":["metrics"],"nodes":["c020"]},
 {"id":"5","kind":"none","visible_in":[]},{"id":"6","kind":"none","visible_in":[]}]}
JSON
cat >answers.json <<'JSON'
{"1":{"kind":"idle-node","text":"{\"name\":\"idle-node\",\"nodes\":[\"c017\"]}"},
 "2":"none","3":"slow-node","4":"idle-node","5":"none","6":"other: small"}
JSON
is "the score counts right, named, silent and false" \
    "$("$centre/score" --truth truth.json --answers answers.json | cut -d'|' -f2-9 | sed 's/ //g')" \
    "kind|jobs|right|95%|withitsname|saysnothing|saysfalse|ofit
---|---|---|---|---|---|---|---
idle-node|4|2(50%)|15to85%|1of2|1|1|slow-node1
none|2|1(50%)|9to91%|-|-|1|other:small1

Withoutmetrics:4jobswhosetroublenothingleftshowsbyitself."

# first NAME...: the kind of a page's first finding; the page's I/O is SHARE of its time.
first() {
    PYTHONDONTWRITEBYTECODE=1 python3 - "$centre" "$@" <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
from play import answer
page = {"io": {"high_s": float(sys.argv[2]) * 100}, "run_time_s": 100,
        "findings": [{"name": w.split("<")[0], "because": "".join(w.split("<")[1:])} for w in sys.argv[3:]]}
print(answer.answer_of(page, answer.kinds())["kind"])
PYTHON
}
is "the first finding is what a page says" "$(first 0.5 small imbalanced)" small-io
is "one that another explains is not" "$(first 0.5 'imbalanced<slow-target' slow-target)" contended-ost
is "with little I/O its findings are not first" "$(first 0.01 small new-code)" "other: new-code"
is "nor is there any" "$(first 0.01 small)" none
is "what is cut into cells adds up, whatever the times" \
    "$(PYTHONDONTWRITEBYTECODE=1 python3 - "$centre" <<'PYTHON'
import random, sys
sys.path.insert(0, sys.argv[1])
from play.draw import spread
draw = random.Random(1)
for _ in range(20000):
    total, begin, length = draw.randrange(1 << 40), draw.uniform(0, 500), draw.choice((0, draw.uniform(0, 900)))
    cells = spread(total, begin, begin + length, 60)
    if sum(share for _, share in cells) != total or not all(
            begin // 60 <= cell <= (begin + length) // 60 for cell, _ in cells):
        print(total, begin, length, cells)
PYTHON
    )" ""
finish
