#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro climate study: forms, faults, and the study of SC18 where its data is there.
. "$(dirname "$0")/lib.sh"
requires jq gzip python3
cd "$SCRATCH" || exit 1

# A probe twice a day for 100 days on two file systems; when the servers are busy the
# probe is slow, on one of them only.
python3 - >runs.csv <<'END'
import math
print("id,when,speed,fs,load")
for i in range(200):
    for fs in ("busy", "calm"):
        load = 50 + 40 * math.sin(i / 9) + i % 7
        speed = 100 - load if fs == "busy" else 80 + (i * 37) % 11 + 5 * math.sin(i / 5)
        print(f"{fs}{i},{1500000000 + i * 43200},{speed:.6f},{fs},{load:.4f}")
END
cat >runs.conf <<'END'
[study]
time = when
id = id
performance = speed
class = fs
expect = observations 400
expect = busy load r -1.00
expect = calm load r 0.50
[measure load]
value = load
label = Load of the servers
END
baro climate study --map runs.conf runs.csv >table 2>err
is "a study of one's own table succeeds" "$?" 0
is "its parts are there" "$(grep -cE '^(summary|sets|correlations|contributors|expected)$' table)" 5
gzip -k runs.csv
baro climate study -m runs.conf -o json runs.csv.gz >json
is "JSON is one object, from gzip as well" \
    "$(jq -r '[(.summary[] | select(.what == "observations").count), (.sets | length)] | @csv' json)" \
    "400,2"
is "a measure goes with one file system and not with the other" \
    "$(jq -r '.correlations[] | select(.group == "busy").r < -0.99' json) $(
        jq -r '.correlations[] | select(.group == "calm").r | fabs < 0.5' json)" \
    "true true"
is "published figures are held against ours" \
    "$(jq -r '[.expected[].is] | join(" ")' json)" "equal equal unlike"
is "CSV is one table" \
    "$(baro climate study -m runs.conf -o csv -t sets runs.csv | head -n 1)" \
    "set,runs,best,q05,q25,q50,q75,q95,regions"
is "figures have names" \
    "$(baro climate study -m runs.conf --list-figures runs.csv | grep -c '^busy load r -')" 1
is "the sample is a mapping's beginning" \
    "$(baro climate study --sample | grep -cE '^(# )?\[(study|column|drop|measure)')" 4

baro climate study runs.csv 2>err
is "without a mapping it is misuse" "$? $(grep -c -- --sample err)" "2 1"
baro climate study -m runs.conf -o csv runs.csv 2>err
is "CSV of everything is refused" "$? $(grep -c 'one --table' err)" "2 1"
baro climate study -m runs.conf absent.csv 2>err
is "a table that is not there is a failure" "$? $(grep -c 'absent.csv' err)" "1 1"
sed 's/= load$/= lode/' runs.conf >typo.conf
baro climate study -m typo.conf runs.csv 2>err
is "a column that is not there is named" "$(grep -c "no file has a column 'lode'" err)" 1
head -c 3000 runs.csv.gz >cut.csv.gz
baro climate study -m runs.conf cut.csv.gz 2>err
is "a table that is cut is told" "$? $(grep -c 'cut short' err)" "1 1"

baro climate umami -m runs.conf --id busy199 runs.csv >umami 2>err
is "a run stands among its like" "$? $(grep -c '★' umami) $(wc -l <umami)" "0 3 4"
baro climate umami -m runs.conf --id busy199 -o svg runs.csv >umami.svg
ok "its picture is XML" python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' umami.svg
is "the same for programs" \
    "$(baro climate umami -m runs.conf --id busy199 -n 100 -o json runs.csv |
        jq -r '[.[] | .measure, .others] | @csv')" '"fraction",100,"load",100'
baro climate umami -m runs.conf --id nobody runs.csv 2>err
is "a run that is not there is told" "$? $(grep -c nobody err)" "1 1"
is "only of the sets asked for" \
    "$(baro climate umami -m runs.conf --id busy199 --set 'c*' runs.csv 2>&1 | grep -c 'no run')" 1

data=$SHARED/data/tokio
if [ -z "$SHARED" ] || [ ! -d "$data/abcutils/summaries" ]; then
    skip "the study of SC18" "its data is not here"
    finish
fi
baro climate study -m "$TOP/etc/studies/sc18.conf" -o json "$data"/abcutils/summaries/*.gz >sc18
is "SC18: observations, sets, regions, anomalies, of them with a contributor" \
    "$(jq -r '[.summary[] | select(.what | test("^(obs|sets|div|anom|of them)")).count] | @csv' sc18)" \
    "11986,40,1146,490,276"
is "SC18: in UTC there are more regions" \
    "$(jq -r '.summary[] | select(.what | test("UTC")).count' sc18)" 1154
is "SC18: Mira's coverage" \
    "$(jq -r '.correlations[] | select(.group == "mira-fs1@mira" and .measure == "coverage_bw") |
        [.n, (.r * 1e5 | round), (.p * 1e91 | round)] | @csv' sc18)" "1495,48338,2247"
is "SC18: Mira's significant regions" \
    "$(jq -r '[.regions[] | select(.group == "mira-fs1@mira" and .measure == "coverage_bw")] |
        [length, (min_by(.r) | (.r * 1e4 | round), (.p * 1e13 | round), .runs, .n)] | @csv' sc18)" \
    "9,5068,87067,121,114"
cat >compare.py <<'END'
import csv, json, sys
study, data = json.load(open(sys.argv[1])), sys.argv[2]
ours = {r["measure"]: r for r in study["contributors"]}
bad = 0
for r in csv.DictReader(open(data + "/expected/sc18_fig10_contributors.csv")):
    o = ours[r["metric_name"]]
    bad += (o["contributed"], o["covered"]) != (int(r["sum"]), int(r["size"]))
sets = {r["set"]: r for r in study["sets"]}
for r in csv.DictReader(open(data + "/expected/sc18_fig2_quantiles.csv")):
    o = sets[r["_test_platform"] + " " + r["_benchmark_id"]]
    bad += o["runs"] != int(r["n"])
    for q, name in (("0.05", "q05"), ("0.25", "q25"), ("0.5", "q50"), ("0.75", "q75"), ("0.95", "q95")):
        bad += abs(o[name] - float(r[q])) > 1e-12
print(bad, len(ours), len(sets))
END
is "SC18: contributors and quantiles are those of an independent script" \
    "$(python3 compare.py sc18 "$data")" "0 9 40"
is "SC18: what does not follow is said" \
    "$(jq -r '.expected[] | select(.figure == "explained") | .ours, .is' sc18 | paste -sd' ')" \
    "276 unlike"
finish
