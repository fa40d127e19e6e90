#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro weather: a window of what servers did, against the same hours of other days.
. "$(dirname "$0")/lib.sh"
requires jq
cd "$SCRATCH" || exit 1
make=$BUILD/src/source/lmt/series_make
[ -x "$make" ] || skip_all "built without tests or HDF5"
# Two minutes from 02:40 of 2017-07-14: of each step OST0000 writes 1 MiB, OST0001 2 MiB;
# they read 4 KiB and 8 KiB times the number of the step.
"$make" database today.sqlite3
# Six other days on which less was read, one of them with half of the writing.
for day in 03 05 06 07 08 15; do
    sql="UPDATE TIMESTAMP_INFO SET TIMESTAMP = replace(TIMESTAMP, '07-14', '07-$day');
         UPDATE OST_DATA SET READ_BYTES = 0;"
    [ $day != 05 ] || sql="$sql UPDATE OST_DATA SET WRITE_BYTES = WRITE_BYTES / 2;"
    "$make" database $day.sqlite3 "$sql"
done
others="-s 03.sqlite3 -s 05.sqlite3 -s 06.sqlite3 -s 07.sqlite3 -s 08.sqlite3 -s 15.sqlite3"
df() { # SECONDS USED0 USED1
    echo "BEGIN $1"
    echo "UUID 1K-blocks Used Available Use% Mounted on"
    echo "fs-OST0000_UUID 1000 $2 $((1000 - $2)) 1% /fs[OST:0]"
    echo "fs-OST0001_UUID 1000 $3 $((1000 - $3)) 1% /fs[OST:1]"
}
dl() { # SECONDS SERVER OF THE SECOND
    echo "BEGIN $1"
    echo "  1 UP osc fs-OST0000-osc-ffff8800 11111111-2222 5 10.0.0.1@o2ib"
    echo "  2 UP osc fs-OST0001-osc-ffff8800 11111111-2222 5 $2"
    echo "  3 UP osc fs-OST0002-osc-ffff8800 11111111-2222 5 10.0.0.3@o2ib"
}
{ df 1499999000 100 100; df 1499999990 250 950; df 1500000200 999 999; } >df.txt
{ dl 1499999990 10.0.0.2@o2ib; dl 1500000060 10.0.0.1@o2ib; } >dl.txt
cat >sacct.txt <<'END'
JobID|Cluster|User|State|Start|End|NNodes|JobName
1|big|ann|COMPLETED|1499996400|1500003600|10|long
2|big|bob|COMPLETED|1500000060|1500000090|100|wide
3|big|eve|COMPLETED|1500000120|1500000180|5|later
END
cat >runs.conf <<'END'
[study]
time = when
id = id
performance = speed
class = fs
END
{
    echo "id,when,speed,fs"
    for i in 1 2 3 4 5 6 7 8; do echo "old$i,14990000$i,$((100 + i)),fs"; done
    echo "now,1500000030,50,fs"
} >runs.csv

mkdir kept
cp df.txt kept/df-2017-07-14.txt
cp dl.txt kept/dl-2017-07-14.txt
window="2017-07-14T02:40Z @1500000120"
# shellcheck disable=SC2086
baro weather $window -s today.sqlite3 $others -H df.txt -H dl.txt -j sacct.txt \
    -C runs.csv -m runs.conf >page 2>err
is "a page tells it" "$? $(cat page)" "0 The weather from 2017-07-14T02:40:00Z to 2017-07-14T02:42:00Z

read      3.23 MiB, 27.6 KiB/s on average, 55.2 KiB/s at most (2017-07-14T02:41:55Z); more than in all 6 other days at these hours
written   72.0 MiB, 614 KiB/s on average, 614 KiB/s at most (2017-07-14T02:40:00Z); as in 5 of 6 other days at these hours
getattrs  552, 4.60/s on average, 9.20/s at most (2017-07-14T02:41:55Z); as in 6 of 6 other days at these hours
opens     276, 2.30/s on average, 4.60/s at most (2017-07-14T02:41:55Z); as in 6 of 6 other days at these hours
Data servers were busy to 16 % on average, oss2 to 20 % (2017-07-14T02:40:00Z); as in 6 of 6 other days at these hours
Metadata servers were busy to 12 % on average, mds1 to 23 % (2017-07-14T02:41:55Z); as in 6 of 6 other days at these hours
Nothing was read in 4 % of all steps of targets, written in 0 %; 0 % of the targets moved nothing at all.
The busiest targets: fs-OST0001 (66.7 %), fs-OST0000 (33.3 %)

The fullest targets: fs-OST0001 (95.0 %), fs-OST0000 (25.0 %)
1 of 2 targets are above 90 %.
2017-07-14T02:41:00Z: fs-OST0001 went from 10.0.0.2@o2ib to 10.0.0.1@o2ib.
10.0.0.1@o2ib serves 2 targets of fs; usual is 1.

2 jobs ran, with 1.167 node-hours in this time; the largest: 2 of bob on 100 nodes, 1 of ann on 10 nodes.

1 runs of the climate's tables began in this time: of 1 with others of their class 1 were in the slowest quarter, 0 in the fastest."
# shellcheck disable=SC2086
baro weather $window -s today.sqlite3 $others -H df.txt -H dl.txt -j sacct.txt \
    -C runs.csv -m runs.conf -o json >json
is "the same as tables for programs" \
    "$(jq -c '[(.flows[] | select(.measure == "datatargets/readbytes") | .total, .other_days, .less_share),
        (.targets | length), .moves[0].time, .jobs[0].user, .runs[0].slower_share]' json)" \
    '[3391488,6,1,2,"2017-07-14T02:41:00.000Z","bob",0]'
is "health kept in a directory says the same" \
    "$(baro weather $window -H kept)" "$(baro weather $window -H df.txt -H dl.txt)"
is "one of them alone, and as few rows as asked for" \
    "$(baro weather $window -s today.sqlite3 --top 1 -t targets -o csv 2>err; cat err)" \
    "target,read,written,share,missing
fs-OST0001,2260992,50331648,0.6666666666666666,0
baro weather: 1 more targets"
"$make" database hole.sqlite3 "DELETE FROM OST_DATA WHERE TS_ID BETWEEN 103 AND 106;"
is "what was not measured is said, and not taken for quiet" \
    "$(baro weather $window -s hole.sqlite3 | grep -c 'writebytes 1[0-9.]* % was not measured')" 1
is "of a time without series it says so" \
    "$(baro weather 2001-01-01 2001-01-02 -s today.sqlite3 | tail -n 1)" \
    "No series has anything of this time."
is "without a source it is a barod that is requested, and named" \
    "$(env -u BARO_CLOCK BARO_SERVER=unix:"$SCRATCH"/none baro weather -2h now 2>&1 | cut -c1-19; env BARO_SERVER=unix:"$SCRATCH"/none baro weather -2h now >/dev/null 2>&1; echo $?)" \
    "baro weather: barod
1"
baro weather $window -s hole.sqlite3 --svg w.svg >page
is "a picture has curves and heat maps, and a page beside it" \
    "$(grep -cE '>(Read|Written|Read from each target|Written to each target)<' w.svg) $(wc -l <page | awk '{ print ($1 > 5) }')" "4 1"
if command -v rsvg-convert >/dev/null; then
    ok "it can be drawn" rsvg-convert -o w.png w.svg
else
    skip "it can be drawn" "rsvg-convert is not installed"
fi
is "to standard output it is alone" \
    "$(baro weather $window -s today.sqlite3 --svg - 2>/dev/null | head -c 4)" "<svg"
is "a picture wants series" "$(baro weather $window -H df.txt --svg x.svg 2>&1; echo $?)" \
    "baro weather: --svg wants --series
2"
is "a window ends after it begins" "$(baro weather now -2h 2>&1; echo $?)" \
    "baro weather: a window ends after it begins
2"
is "one time is too few" "$(baro weather now 2>&1; echo $?)" "baro weather: wants FROM and TO, as -2h now, or --last 2h
2"

# ---- the same hours, where clocks change ----
# 09:40 in Berlin of days around both changes of 2017.
shifted() { # DAY HOUR
    "$make" database "$1.sqlite3" "UPDATE TIMESTAMP_INFO SET TIMESTAMP = replace(TIMESTAMP, '2017-07-14 02', '2017-$1 $2');"
}
for day in 03-24 03-25 10-30 10-31; do shifted $day 08; done
for day in 03-26 03-27 10-27 10-28; do shifted $day 07; done
printf '[site]\nzone = Europe/Berlin\n' >berlin.conf
days() { # DAY HOUR OPTION...
    day=$1 hour=$2 && shift 2
    for file in "${day%-*}"-*.sqlite3; do set -- "$@" -s "$file"; done
    baro weather "2017-${day}T$hour:40Z" "2017-${day}T$hour:42Z" "$@" -t flows -o json |
        jq '[.flows[].other_days] | max'
}
is "in spring the same hours are those of people" \
    "$(days 03-27 07) $(days 03-27 07 --site berlin.conf)" "1 3"
is "and in autumn" "$(days 10-30 08) $(days 10-30 08 --site berlin.conf)" "1 3"
printf '[site]\nzone = Europe/Atlantis\n' >atlantis.conf
is "a zone that there is not is said" \
    "$(baro weather --site atlantis.conf -s today.sqlite3 @1 now 2>&1 | cut -d: -f1-2; baro weather --site atlantis.conf -s today.sqlite3 @1 now >/dev/null 2>&1; echo $?)" \
    "baro weather: [site] zone
2"

if [ -z "$SHARED" ]; then
    skip "recorded series" "no external data"
    finish
fi
inputs=$SHARED/data/tokio/pytokio/tests/inputs
baro weather @1517126400 @1517126700 -s "$inputs/snx11025_2018-01-28.hdf5" -o json >ours.json
baro series show -m datatargets/writebytes -f @1517126400 -t @1517126700 \
    "$inputs/snx11025_2018-01-28.hdf5" >cells.csv
is "recorded series: totals and the peak are those of the cells" \
    "$(jq -r '.flows[] | select(.measure == "datatargets/writebytes") | "\(.total) \(.peak * 5) \(.peak_time)"' ours.json)" \
    "$(python3 -c '
import csv, datetime
rows = list(csv.reader(open("cells.csv")))[1:]
sums = [(sum(float(c) for c in r[1:] if c), int(r[0])) for r in rows]
peak = max(sums)
when = datetime.datetime.fromtimestamp(peak[1], datetime.timezone.utc)
print(int(sum(s for s, t in sums)), int(peak[0]), when.strftime("%Y-%m-%dT%H:%M:%S.000Z"))')"
finish
