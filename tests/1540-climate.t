#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro climate show, regions, contributors, correlate: a small table, and SC18's.
. "$(dirname "$0")/lib.sh"
requires jq python3
cd "$SCRATCH" || exit 1

# Two classes, 60 runs each, a run a day. "a" slows down as load grows; in the last ten
# days its load is higher than ever. "b" is always alike.
python3 - >runs.csv <<'END'
print("id,when,speed,fs,load,luck")
for i in range(60):
    load = 10 + i % 10 + (30 if i >= 50 else 0)
    luck = (i * 29) % 31
    print(f"a{i},{1500000000 + i * 86400},{200 - load},a,{load},{luck}")
    print(f"b{i},{1500000000 + i * 86400 + 60},100,b,5,")
END
cat >runs.conf <<'END'
[study]
time = when
id = id
performance = speed
class = fs
short = 4d
long = 20d
[measure load]
value = load
label = Load of the servers
[measure luck]
value = luck
good = big
END

# ---- show ----
baro climate show -m runs.conf -o json runs.csv >show 2>err
is "what is normal: a row a class and measure that it has" \
    "$(jq -r '[.classes[] | .class + "/" + .measure] | join(" ")' show)" \
    "a/performance a/fraction a/load a/luck b/performance b/fraction b/load"
is "its quantiles are those of sorting" \
    "$(jq -c '.classes[] | select(.class == "a" and .measure == "load") |
        [.runs, .missing, .q05, .q25, .q50, .q75, .q95]' show)" \
    "[60,0,10,12.75,15.5,18.25,46.05]"
is "late is the window at the end" \
    "$(baro climate show -m runs.conf -w 9d -o json runs.csv | jq -c '.classes[] |
        select(.class == "a" and .measure == "load") | [.late_runs, .late_q50]')" "[10,44.5]"
is "and no more runs than there is room for" \
    "$(baro climate show -m runs.conf --window-runs 4 -o json runs.csv | jq -c '.classes[] |
        select(.class == "a" and .measure == "load") | [.late_runs, .late_q50]')" "[4,47.5]"
is "the last run is held against those before it" \
    "$(jq -r '.last[] | [.run, .others, .slower_share, .unusual // "-"] | @csv' show)" \
    '"a59",20,0,"Load of the servers 49, more than in all 20 runs"
"b59",20,0.5,"-"'
is "as many last runs as are asked for, of the classes asked for" \
    "$(baro climate show -m runs.conf -c 'b*' --last 3 -t last -o csv runs.csv | cut -d, -f2 | paste -sd' ')" \
    "run b57 b58 b59"
baro climate show -m runs.conf -c nobody runs.csv 2>err
is "a class that is not there is told" "$? $(cat err)" \
    "1 baro climate show: of 2 classes none is called 'nobody'"
baro climate show runs.csv 2>err
is "without a mapping it is misuse" "$? $(cat err)" \
    "2 baro climate show: wants --map FILE and at least one table of runs"

data=$SHARED/data/tokio
if [ -z "$SHARED" ] || [ ! -d "$data/abcutils/summaries" ]; then
    skip "the study of SC18" "its data is not here"
    finish
fi
sc18() { # VERB OPTION...
    verb=$1
    shift
    baro climate "$verb" -m "$TOP/etc/studies/sc18.conf" "$@" "$data"/abcutils/summaries/*.gz
}
sc18 show -o json >show
cat >compare.py <<'END'
import csv, json, sys
rows = {r["class"]: r for r in json.load(open("show"))["classes"] if r["measure"] == "fraction"}
bad = 0
for r in csv.DictReader(open(sys.argv[1])):
    o = rows[r["_test_platform"] + " " + r["_benchmark_id"]]
    bad += o["runs"] != int(r["n"])
    for q, name in (("0.05", "q05"), ("0.25", "q25"), ("0.5", "q50"), ("0.75", "q75"), ("0.95", "q95")):
        bad += abs(o[name] - float(r[q])) > 1e-12
print(bad, len(rows))
END
is "SC18: what is normal is what an independent script says" \
    "$(python3 compare.py "$data/expected/sc18_fig2_quantiles.csv")" "0 40"
finish
