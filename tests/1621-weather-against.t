#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro weather --last --against: whether a window was as usual, in its first sentence.
. "$(dirname "$0")/lib.sh"
requires jq python3
cd "$SCRATCH" || exit 1
make=$BUILD/src/source/lmt/series_make
[ -x "$make" ] || skip_all "built without tests or HDF5"
# Two minutes from 02:40 of 2017-07-14, and of other days, on which nothing was read; on the
# fifth half as much was written, on the 15th nothing is as usual.
"$make" database today.sqlite3
for day in 03 05 06 07 08 15; do
    sql="UPDATE TIMESTAMP_INFO SET TIMESTAMP = replace(TIMESTAMP, '07-14', '07-$day');
         UPDATE OST_DATA SET READ_BYTES = 0;"
    [ $day != 05 ] || sql="$sql UPDATE OST_DATA SET WRITE_BYTES = WRITE_BYTES / 2;"
    [ $day != 15 ] || sql="$sql UPDATE OST_DATA SET WRITE_BYTES = WRITE_BYTES * 9;"
    "$make" database $day.sqlite3 "$sql"
done
for day in today 03 05 06 07 08 15; do set -- "$@" -s $day.sqlite3; done
python3 -c 'import struct
open("clock", "wb").write(b"baroclk1" + struct.pack("=q", 1500000120 * 10**9))'
BARO_CLOCK=$SCRATCH/clock
export BARO_CLOCK

baro weather --last 2m --against 12d "$@" >page 2>err
is "the first sentence answers" "$(sed -n 3p page | cut -c1-100)" \
    "Not as usual at these hours: datatargets/readbytes, of which there usually is none (27.6 KiB/s; usua"
ok "with what is as usual" grep -q '^As usual: datatargets/writebytes, ' page
ok "and how many days were not observed" \
    grep -q '^Of 12 other days 7 were not observed at these hours.$' page
ok "the page goes on" grep -q '^written   72.0 MiB' page
is "times instead of a length are the same" \
    "$(baro weather 2017-07-14T02:40Z @1500000120 --against 12d "$@")" "$(cat page)"
is "as a table for programs: only days before count" \
    "$(baro weather --last 2m --against 12d "$@" -o json | jq -c '.usual[] |
        select(.measure == "datatargets/writebytes" or .measure == "datatargets/readbytes") |
        [.verdict, .other_days, .less_share, .ratio]')" '["more",5,1,null]
["usual",5,0.6,1]'
is "without --against all other days count, and the page has no such sentence" \
    "$(baro weather --last 2m "$@" -t usual -o json | jq '[.usual[].other_days] | max') $(baro weather --last 2m "$@" | grep -c 'at these hours\.$')" "6 0"
is "of too few days nothing is claimed" "$(baro weather --last 2m --against 8d "$@" | sed -n 3,4p)" \
    "Whether that is usual is not known: fewer than 5 other days were observed at these hours.
Of 8 other days 5 were not observed at these hours."
is "a length and times are misuse" "$(baro weather -2h now --last 2m 2>&1; echo $?)" \
    "baro weather: wants FROM and TO, as -2h now, or --last 2h
2"
finish
