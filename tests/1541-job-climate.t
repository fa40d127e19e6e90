#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro job show and job diff against the weather and the climate of their kind.
. "$(dirname "$0")/lib.sh"
requires jq python3
cd "$SCRATCH" || exit 1
log_make=$BUILD/src/source/darshan/darshan_make
series_make=$BUILD/src/source/lmt/series_make
[ -x "$log_make" ] && [ -x "$series_make" ] || skip_all "built without tests or HDF5"
map=$TOP/etc/studies/jobs.conf
"$log_make" 341 little zlib >job.darshan # starts at 1500000000, lasts 60 s
"$series_make" database day.sqlite3
start=1500000000
{
    echo "JobID|Cluster|User|State|Start|End|NNodes|JobName"
    baro job summarize -o json job.darshan | jq -r '.[0]._jobid + "|big|ann|COMPLETED|1500000000|1500000061|2|x"'
    echo "900001|big|bob|COMPLETED|$((start - 3600))|$((start + 1))|10|y"
} >sacct.txt

# A page but for the list of evidence that it ends with.
parts() { sed '/^Known of it: /,$d' | sed '${/^$/d;}'; }

# ---- the weather ----
baro job show -S day.sqlite3 -j sacct.txt job.darshan >page 2>err
is "the page tells the weather" "$? $(sed -n '/^While it ran/,$p' page | parts)" \
    "0 While it ran, 2017-07-14T02:40:00Z to 2017-07-14T02:41:05Z:
The file system moved 39.9 MiB in all; besides this job, which had 13 % of it, 550 KiB/s.
The job did more than its servers saw of: read_bw. That part of the monitoring was broken.
Data servers were busy to 16 % on average, 20 % at most.
Metadata servers were busy to 6 % on average, 12 % at most.
2 jobs ran in its time, this one included, on 12 nodes."
is "in a file no line of words is longer than 100 columns" \
    "$(env -u COLUMNS baro job show -S day.sqlite3 -j sacct.txt job.darshan | awk 'length($0) > 100')" ""
is "and it says the same" \
    "$(env -u COLUMNS baro job show -S day.sqlite3 -j sacct.txt job.darshan | tr -s ' \n' ' ')" \
    "$(tr -s ' \n' ' ' <page)"
is "of a directory it is said what reads it" "$(baro job show . 2>&1; echo $?)" \
    "baro job show: . is a directory: 'baro job summarize' reads all logs in it
1"
is "without anything else the page is as it was" \
    "$(baro job show job.darshan | parts)" "$(sed '/^contention/,+2d; s/, contention\.$/./; /^While it ran/,$d' page)"

# ---- the climate: forty jobs that are alike, each a day after the other ----
baro job summarize -s day.sqlite3 -j sacct.txt -o csv job.darshan >one.csv
cat >alike.py <<'END'
import csv, sys
row = next(csv.DictReader(open("one.csv")))
out = csv.DictWriter(sys.stdout, row.keys())
out.writeheader()
speed = float(row["darshan_agg_perf_by_slowest_posix"])
for i in range(40):
    r = dict(row)
    r["_jobid"] = f"alike{i}"
    r["darshan_start_time"] = 1490000000 + i * 86400
    # Of the forty 38 are slower than ours.
    r["darshan_agg_perf_by_slowest_posix"] = speed * (0.5 + i * 0.0131)
    r["fs_ave_oss_cpu"] = 5 + i % 10           # never as busy as with ours
    r["fs_ave_mds_cpu"] = i % 12               # ours is in the middle
    r["fs_tot_bytes_read"] = float(row["fs_tot_bytes_read"]) * (1 + i % 5 / 5)
    out.writerow(r)
END
python3 alike.py >runs.csv
baro job show -S day.sqlite3 -j sacct.txt -C runs.csv -m "$map" job.darshan >page 2>err
is "what the weather says of its like" \
    "$? $(grep -E '^Data servers|^Metadata' page)" \
    "0 Data servers were busy to 16 % on average, 20 % at most, more than in all 40 runs of its class.
Metadata servers were busy to 6 % on average, 12 % at most, more than in 22 of 40 runs of its class."
is "how fast it was among its like" "$(grep 'of the best' page | sed 's/[0-9]* % of/N % of/')" \
    "    It reached N % of the best, more than in 39 of 40 runs."
is "what was unusual, and nothing else" \
    "$(sed -n '/^ *[0-9]*\. /p' page)" \
    " 1. Data servers' CPU 15.5 %, more than in all 40 runs; half of them lie in 7 % .. 12 % (bad)"
baro job show -S day.sqlite3 -j sacct.txt -C runs.csv -m "$map" -o json job.darshan >json 2>err
is "the same for programs" \
    "$(jq -c '[.summary.fs_ave_oss_cpu, .climate.runs, .climate.class, (.climate.values[0] | .name, .less, .others)]' json)" \
    '[15.5,40,"scratch app read 1e0p 1e6B","fs_ave_oss_cpu",40,40]'
cat one.csv >with.csv
tail -n +2 runs.csv >>with.csv
is "the job itself is not among the others" \
    "$(baro job show -S day.sqlite3 -j sacct.txt -C with.csv -m "$map" -o json job.darshan | jq .climate.runs)" 40
head -n 4 runs.csv >few.csv
is "of too few nothing is said" \
    "$(baro job show -C few.csv -m "$map" job.darshan | parts | tail -n 1 | sed 's/(.*)/(CLASS)/')" \
    "Of its class (CLASS) there are 3 other runs: too few to know what is usual."
sed 's/^when = .*/when = 1/' "$map" >drops.conf
is "a job that the mapping drops is told so" \
    "$(baro job show -C runs.csv -m drops.conf job.darshan | parts | tail -n 1)" \
    "No run of the climate is like it: the mapping drops it: small."
is "a climate wants a mapping" "$(baro job show -C runs.csv job.darshan 2>&1; echo $?)" \
    "baro job show: --climate and --map go together
2"

# ---- two jobs ----
is "two runs that are one do not differ" \
    "$(baro job diff -C runs.csv -m "$map" job.darshan job.darshan | tail -n 3)" \
    "Nothing differs beyond the usual 75 %.
Not compared, or not whole: BG/Q.
(4 measures of the climate were looked at; one in ten lies as far apart by chance.)"
# The same program a day later, with ten times the records; its servers were busier than
# those of any pair of the others.
"$log_make" 341 little zlib 10 86400 >later.darshan
"$series_make" database later.sqlite3 \
    "UPDATE TIMESTAMP_INFO SET TIMESTAMP = replace(TIMESTAMP, '07-14', '07-15'); UPDATE OSS_DATA SET PCT_CPU = 95;"
pair() { baro job diff -S day.sqlite3 -S later.sqlite3 -C runs.csv -m wide.conf "$@" job.darshan later.darshan; }
sed 's/^value = join(application.*/value = application/' "$map" >wide.conf # sizes do not part them
pair >page 2>err
is "what two runs did and what they met is one list, causes first, with a column that says which" \
    "$? $(sed -n 's/^ *\([0-9]*\)\. \([a-z]*\) .*/\1 \2/p' page | awk '{ print $2 }' | uniq | tr '\n' ' ')" \
    "0 did around follows went "
is "what they met is held against pairs" \
    "$(grep -o "around  Data servers' CPU.*" page | tr -s ' ')" \
    "around Data servers' CPU 15.5 % -> 95 % 11.4 x the noise floor; farther apart than 100.0 % of pairs; B more than in all 40 runs"
is "for programs the same, in the same order" \
    "$(pair -o csv | tail -n +2 | cut -d, -f4 | uniq | tr '\n' ' ')" "cause around follows effect "
is "the order is that of the floor" \
    "$(pair -o json | jq -c '[.differences[] | select(.kind == "cause" or .kind == "around") | .score] | . == (sort | reverse)')" true
is "without a climate it is the list as ever" \
    "$(baro job diff job.darshan later.darshan | grep -cE '^ *[0-9]+\. (did|around|went) ')" 0
is "for programs they are an object" \
    "$(baro job diff -C runs.csv -m "$map" -o json job.darshan job.darshan |
        jq -c '[(.differences | length), .climate.runs, .climate.values[0].before != null]')" '[0,40,true]'
data=$SHARED/data/tokio
if [ -z "$SHARED" ] || [ ! -d "$data/abcutils/summaries" ]; then
    skip "a recorded job among the runs of SC18" "its data is not here"
    finish
fi
baro job show -C "$data/abcutils/summaries/edison-summaries_2017-02-14-2018-02-15.csv.gz" \
    -m "$TOP/etc/studies/sc18.conf" -o json "$data/pytokio/tests/inputs/sample.darshan" >json 2>err
is "a recorded job among the runs of SC18" \
    "$(jq -c '.climate | [.class, .runs > 200, (.values[0].others > 200)]' json)" \
    '["scratch2@edison vpicio_uni_shared_write",true,true]'
baro job show -C "$data/abcutils/summaries/edison-summaries_2017-02-14-2018-02-15.csv.gz" \
    -m "$TOP/etc/studies/sc18.conf" -o json "$data/pytokio/tests/inputs/sample-badost.darshan" >json 2>err
is "what a recorded bad target cost agrees with by how much longer it took than its class" \
    "$(jq -c '.excess as $e | .findings[0] | [.name, .which, (.cost.high_s / $e.low_s | . > 0.99 and . < 1.01)]' json)" \
    '["slow-target",14,true]'
finish
