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
    "2 baro climate show: wants --map FILE and at least one table of runs; baro climate map RUNS.csv writes such a FILE"

# ---- regions, contributors, correlate: the load of "a" goes up and down every 40 days ----
python3 - >waves.csv <<'END'
import math
print("id,when,speed,fs,load,luck")
for i in range(300):
    load = 50 + 40 * math.sin(i * math.pi / 20) + i % 7 / 10
    print(f"a{i},{1500000000 + i * 86400},{200 - load:.6f},a,{load:.6f},{(i * 29) % 31}")
    print(f"b{i},{1500000000 + i * 86400 + 60},100,b,5,")
END
sed 's/^long = .*/long = 40d/' runs.conf >waves.conf
baro climate regions -m waves.conf -o json waves.csv >regions 2>err
is "regions lie between crossings of two averages" \
    "$(jq -r '.regions | (length > 2), (map(select(.class == "a")) | map(.is) | unique | join(" ")),
        all(.[]; .from <= .slowest_time and .slowest_time <= .to)' regions | paste -sd,)" \
    "true,faster slower,true"
is "a region has so many runs as days, and one" \
    "$(jq '[.regions[] | select(.class == "a") | .runs - .days] | unique' -c regions)" "[1]"
is "its mean is above its season's where it is faster, and no less than its slowest run" \
    "$(jq '[.regions[] | select(.class == "a")] |
        all(.[]; (.is == "faster") == (.mean > .season) and .mean >= .fraction)' regions)" true
is "a class that is always alike has none" \
    "$(jq '[.regions[] | select(.class == "b")] | length' regions)" 0
is "a measure goes with the runs of a region" \
    "$(jq -r '[.correlations[] | select(.measure == "load") | .r < -0.99] | unique | join(" ")' regions)" \
    true
baro climate contributors -m waves.conf -o json waves.csv >contributors 2>err
is "what was at its worst in the slowest run of each region" \
    "$(jq -r '.measures[] | select(.measure == "load") | .contributed == .covered and .covered > 2, .p < 0.01' contributors |
        paste -sd' ')" "true true"
is "is said of each of them, with its value" \
    "$(jq -r '[.anomalies[] | select(.covered > 0) | .contributors | test("Load of the servers [0-9.]+ .p 0")] | all' contributors)" \
    true
is "all of the table together" \
    "$(baro climate correlate -m waves.conf --pool all -o json waves.csv | jq -r '.correlations[] | .class' | uniq)" all
baro climate correlate -m waves.conf -o json waves.csv >correlate
is "what goes with the speed, and what does not" \
    "$(jq -c '.correlations[] | [.class, .measure, .n, (.r * 1e6 | round), (.rho * 1e6 | round)]' correlate | head -n 1)" \
    '["a","load",300,-1000000,-1000000]'
is "what never changes is no test, and p is that of so many tests" \
    "$(jq -c '[.correlations | length, all(.[]; (.p_many - ([1, .p * 2] | min) | fabs) < 1e-15)]' correlate)" "[2,true]"
is "CSV is one table" "$(baro climate correlate -m waves.conf -o csv waves.csv 2>err | head -n 1; cat err)" \
    "class,measure,n,r,p,p_many,rho,p_rho,p_rho_many
baro climate correlate: 2 tests: p_many is p times as many (Bonferroni), the chance that the least of them is as small"
is "a pool that is none is told" "$(baro climate correlate -m waves.conf --pool x waves.csv 2>&1; echo $?)" \
    "baro climate correlate: --pool: 'x' is not valid (choose class, group, all)
2"

# ---- scoreboard ----
cat >jobs.csv <<'END'
jobsdb_user,darshan_app,_file_system,darshan_tot_bytes_read_posix,darshan_tot_bytes_written_posix,darshan_io_time,jobsdb_own_nodehrs
ann,/opt/a/ior,lake,100,50,2,8
bob,/opt/b/ior,lake,10,0,7,
ann,/opt/hacc,pond,20,20,,4
,/opt/hacc,,1,1,1,1
half a row
END
baro climate scoreboard -o json jobs.csv >board
is "who moved how much" \
    "$(jq -r '.scoreboard[] | [.board, .name, .runs, .bytes, .node_hours, .io_s] | join(" ")' board)" \
    "user ann 2 190 12 2
user bob 1 10 0 7
application ior 2 160 8 9
application hacc 2 42 5 1
file_system lake 2 160 8 9
file_system pond 1 40 4 0"
is "shares are of all rows" "$(jq -c '.scoreboard[0].share * 202 | round' board)" 190
is "rows that lack something are counted, bad ones named" \
    "$(baro climate scoreboard jobs.csv | grep -E 'jobs.csv|rows')" \
    "# jobs.csv:6: has 1 field, not 7 as the names; divided by ',', which 'separator' of [table] can change
# user: 1 of 4 rows do not have it
# file_system: 1 of 4 rows do not have it
# node_hours: 1 of 4 rows lack it and add nothing
# io_s: 1 of 4 rows lack it and add nothing"
is "by what is asked for, in its order, so many lines" \
    "$(baro climate scoreboard --by 'first=basename(darshan_app)' --by jobsdb_user --sum io=darshan_io_time*2 \
        --sum n=1 --order n --top 1 -o csv jobs.csv 2>err)" \
    "board,name,runs,share,io,n
first,hacc,2,0.5,2,2
jobsdb_user,ann,2,0.5,4,2"
is "a column that is not there is named" \
    "$(baro climate scoreboard --by colour jobs.csv 2>&1 | cut -c 1-60; baro climate scoreboard --order x jobs.csv 2>&1)" \
    "baro climate scoreboard: no file has a column 'colour', and 
baro climate scoreboard: --order: there is no sum 'x'"

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
is "SC18: 1,146 regions, and as many anomalies" \
    "$(sc18 regions -o json | jq '.regions | length') $(sc18 contributors -o json | jq '.anomalies | length')" \
    "1146 1146"
sc18 regions -p group -c 'mira*' -o json >mira
is "SC18: Mira has 33 regions, in 9 of them the coverage goes with the speed" \
    "$(jq -c '[(.regions | length), ([.correlations[] | select(.measure == "coverage_bw")] | length,
        (min_by(.r) | (.r * 1e4 | round), .runs))]' mira)" "[33,9,5068,121]"
is "SC18: contributors are those of an independent script" \
    "$(sc18 contributors -o json | jq -r '.measures[] | [.measure, .contributed, .covered] | @csv' | sort | tr -d '"')" \
    "$(python3 -c 'import csv, sys
for r in csv.DictReader(open(sys.argv[1])):
    print(r["metric_name"], int(r["sum"]), int(r["size"]), sep=",")' \
        "$data/expected/sc18_fig10_contributors.csv" | sort)"
is "SC18: Mira's coverage over the year" \
    "$(sc18 correlate -p group -c 'mira*' -o json | jq -c '.correlations[] | select(.measure == "coverage_bw") |
        [.n, (.r * 1e5 | round), (.p * 1e91 | round)]')" "[1495,48338,2247]"
baro climate scoreboard -n 100 -o json "$data"/abcutils/summaries/*.gz >board
cat >score.py <<'END'
import collections, csv, glob, gzip, json, sys
bytes_of, runs = collections.Counter(), collections.Counter()
for path in glob.glob(sys.argv[1] + "/*.gz"):
    rows = csv.reader(gzip.open(path, "rt"))
    header = next(rows)
    for row in rows: # pandas puts an index in front
        r = dict(zip(header, row[len(row) - len(header):]))
        name = r["darshan_app"].rsplit("/", 1)[-1]
        runs[name] += 1
        if r["darshan_tot_bytes_read_posix"] and r["darshan_tot_bytes_written_posix"]:
            bytes_of[name] += float(r["darshan_tot_bytes_read_posix"]) + float(r["darshan_tot_bytes_written_posix"])
ours = {r["name"]: r for r in json.load(open("board"))["scoreboard"] if r["board"] == "application"}
print(len(ours), all(ours[n]["runs"] == runs[n] and abs(ours[n]["bytes"] - bytes_of[n]) <= 1e-9 * bytes_of[n] for n in runs if n))
END
is "SC18: the applications' bytes are those of an independent script" \
    "$(python3 score.py "$data/abcutils/summaries")" "5 True"
finish
