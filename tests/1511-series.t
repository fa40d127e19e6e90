#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro series: files of what servers measured, shown and archived.
. "$(dirname "$0")/lib.sh"
requires jq
cd "$SCRATCH" || exit 1
make=$BUILD/src/source/lmt/series_make
[ -x "$make" ] || skip_all "built without tests or HDF5"
"$make" database day.sqlite3
"$make" h5lmt day.h5lmt

is "the list says what is there, when and how much" \
    "$(baro series show -o json day.sqlite3 | jq -c '.[] | select(.measure == "datatargets/readbytes")')" \
    '{"measure":"datatargets/readbytes","unit":"bytes","from":"2017-07-14T02:40:00.000Z","to":"2017-07-14T02:42:00.000Z","step_s":5,"steps":24,"components":2,"missing":0}'
is "numbers come a row a step, a column a component" \
    "$(baro series show -m datatargets/readbytes -f @1500000005 -t 2017-07-14T02:40:20Z day.h5lmt)" \
    "time,fs-OST0000,fs-OST0001
1500000005,4096,8192
1500000010,8192,16384
1500000015,12288,24576"
ok "a database is archived" baro series archive -o day.hdf5 day.sqlite3
for measure in datatargets/readbytes datatargets/writebytes mdtargets/opens dataservers/cpuload \
    fullness/bytes; do
    is "$measure is read back as it was" \
        "$(baro series show -t @1500000120 -m $measure day.hdf5)" \
        "$(baro series show -t @1500000120 -m $measure day.sqlite3)"
done
is "6: fullness is bytes" \
    "$(baro series show -m fullness/bytes -t @1500000005 day.hdf5 | tail -n 1)" \
    "1500000000,204800,204800"
"$make" database hole.sqlite3 "DELETE FROM OST_DATA WHERE TS_ID BETWEEN 103 AND 106;"
baro series archive -o hole.hdf5 hole.sqlite3
is "a hole stays a hole" "$(baro series show -m datatargets/writebytes -f @1500000010 -t @1500000025 hole.hdf5)" \
    "time,fs-OST0000,fs-OST0001
1500000010,,
1500000015,,
1500000020,,"
is "a zone moves a database's times to UTC" \
    "$(baro series show -z America/Los_Angeles -o json day.sqlite3 | jq -r '.[0].from')" \
    "2017-07-14T09:40:00.000Z"
is "a day of which nothing is there is no archive" \
    "$(baro series archive -f @1000 -t @2000 -o none.hdf5 day.sqlite3 2>errors; echo $?; ls none.hdf5* 2>/dev/null)" "1"
baro series show -m datatargets/writebytes --heatmap map.svg hole.sqlite3
is "a heat map: a row a target, what is missing is hatched" \
    "$(grep -c '>fs-OST000[01]<' map.svg) $(grep -c 'missing' map.svg | awk '{ print ($1 >= 3) }')" "2 1"
is "a heat map wants a measure" \
    "$(baro series show --heatmap - day.sqlite3 2>&1; echo $?)" "baro series show: --heatmap wants --measure
2"
if command -v rsvg-convert >/dev/null; then
    ok "its picture can be drawn" rsvg-convert -o map.png map.svg
else
    skip "its picture can be drawn" "rsvg-convert is not installed"
fi
echo text >text
is "what is no series is said" "$(baro series show text 2>&1; echo $?)" "baro series show: text: neither HDF5 nor SQLite
1"
is "a measure that is none is said" \
    "$(baro series show -m speed day.hdf5 2>&1; echo $?)" "baro series show: --measure: there is no measure 'speed'
2"

if [ -z "$SHARED" ]; then
    skip "recorded series" "no external data"
    finish
fi
inputs=$SHARED/data/tokio/pytokio/tests/inputs
same=$inputs/snx11025_2018-01-28
zone=America/Los_Angeles
ok "the recorded LMT database is archived" \
    baro series archive -z $zone -o ours.hdf5 "$same.sqlite3"
cp "$SHARED/data/tokio/expected/archive_lmtdb.snx11025_2018-01-28.hdf5" theirs.hdf5
for measure in $(baro series show -o json theirs.hdf5 | jq -r '.[].measure'); do
    is "$measure is what pytokio archived" \
        "$(baro series show -m "$measure" ours.hdf5)" "$(baro series show -m "$measure" theirs.hdf5)"
done
is "no more than that is in it" "$(baro series show ours.hdf5 | cksum)" "$(baro series show theirs.hdf5 | cksum)"
for measure in datatargets/readbytes datatargets/writebytes dataservers/cpuload; do
    is "$measure: the h5lmt of the same minutes has the same" \
        "$(baro series show -f @1517126400 -t @1517126700 -m $measure "$same.h5lmt")" \
        "$(baro series show -m $measure ours.hdf5)"
done
# 1.2e14 bytes would be the difference from 0 to what the counter was.
is "a counter that begins anew gives no bytes that never were" \
    "$(baro series show -z $zone -m datatargets/writebytes "$inputs/lmtdb-reset.sqlite3" |
        awk -F, 'NR > 1 && $2 + 0 > most { most = $2 } END { print (most < 1e9), most }')" "1 563617704"
finish
