#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro job slice: the series of a job's window, as they stand in the data.
. "$(dirname "$0")/lib.sh"
requires jq awk
cd "$SCRATCH" || exit 1
log_make=$BUILD/src/source/darshan/darshan_make
series_make=$BUILD/src/source/lmt/series_make
[ -x "$log_make" ] && [ -x "$series_make" ] || skip_all "built without tests or HDF5"
"$log_make" 341 little zlib >job.darshan # starts at 1500000000, lasts 60 s
"$series_make" database day.sqlite3 "DELETE FROM OST_DATA WHERE TS_ID BETWEEN 103 AND 106;"
from=@1500000000 to=@1500000065

# The long form of what baro series show prints: MEASURE UNIT FILE...
direct() {
    direct_measure=$1 direct_unit=$2
    shift 2
    baro series show -m "$direct_measure" -f $from -t $to "$@" |
        awk -F, -v m="$direct_measure,$direct_unit" 'NR == 1 { for (i = 2; i <= NF; i++) name[i] = $i; next }
            { for (i = 2; i <= NF; i++) print $1 "," m "," name[i] "," $i }'
}
slice() { baro job slice job.darshan "$@"; }
slice -s day.sqlite3 >slice.csv 2>errors
is "a slice has a line a step and component, under a header" \
    "$(head -n 1 slice.csv) $(grep -c datatargets/readbytes slice.csv)" "time,measure,unit,component,value 26"
for measure in datatargets/readbytes,bytes mdtargets/getattrs,ops dataservers/cpuload,%; do
    direct "${measure%,*}" "${measure#*,}" day.sqlite3 >want.csv
    is "$measure is what the data has in that window" \
        "$(grep ",$measure," slice.csv | cksum)" "$(cksum <want.csv)"
done
is "what nobody measured is empty, and not 0" \
    "$(grep -c 'readbytes,bytes,.*,$' slice.csv) $(grep -c 'readbytes,bytes,.*,0$' slice.csv)" "8 2"
ok "the same is written as HDF5" baro job slice job.darshan -s day.sqlite3 --into slice.hdf5
for measure in datatargets/writebytes mdtargets/opens dataservers/cpuload; do
    is "$measure of the archive is the data's, missing cells too" \
        "$(baro series show -m $measure slice.hdf5 | cksum)" \
        "$(baro series show -m $measure -f $from -t $to day.sqlite3 | cksum)"
done

# ---- several files ----
"$series_make" database whole.sqlite3
baro series archive -o first.hdf5 -t @1500000030 whole.sqlite3
baro series archive -o "second, \"later\".hdf5" -f @1500000030 whole.sqlite3
is "a job past the end of a file has the rest from the next" \
    "$(slice -s first.hdf5 -s "second, \"later\".hdf5" | cksum)" "$(slice -s whole.sqlite3 | cksum)"
ok "and as HDF5" baro job slice job.darshan -s first.hdf5 -s "second, \"later\".hdf5" --into both.hdf5
slice -s whole.sqlite3 --into one.hdf5
for measure in datatargets/readbytes mdservers/cpuload; do
    is "$measure is the same of two files and of one" \
        "$(baro series show -m $measure both.hdf5 | cksum)" "$(baro series show -m $measure one.hdf5 | cksum)"
done
is "where the first has nothing it is missing" \
    "$(slice -s first.hdf5 | grep -c 'datatargets/readbytes,bytes,.*,$')" 14
is "the summary says where they lie, by their whole paths, and which datasets" \
    "$(baro job summarize -o json -s first.hdf5 -s "second, \"later\".hdf5" job.darshan 2>errors |
        jq -r '.[0].fs_series' | jq -c '[(.[0].files | map(sub(".*/"; "")) | sort), (.[0].files[0] | startswith("/")), .[0].has.datatargets]')" \
    '[["first.hdf5","second, \"later\".hdf5"],true,["readbytes","writebytes"]]'
is "a clock's offset is in the slice, too" \
    "$(slice -s whole.sqlite3 --clock series=-10s | sed -n 's/^1500000005,datatargets.readbytes,bytes,fs-OST0000,//p')" \
    "$(slice -s whole.sqlite3 | sed -n 's/^1500000015,datatargets.readbytes,bytes,fs-OST0000,//p')"

# ---- where there is nothing ----
is "without series it is said that nobody knows of any" \
    "$(slice 2>&1; echo $?)" "baro job slice: job.darshan: its summary knows of no series
1"
"$series_make" database elsewhere.sqlite3 "UPDATE TIMESTAMP_INFO SET TIMESTAMP = replace(TIMESTAMP, '2017', '2018');"
is "series of another time are none of this job" \
    "$(slice -s elsewhere.sqlite3 2>&1; echo $?)" "baro job slice: job.darshan: its summary knows of no series
1"
is "a binary file goes into a file" "$(slice -s day.sqlite3 -o hdf5 2>&1; echo $?)" \
    "baro job slice: --output hdf5 and --into FILE go together
2"
finish
