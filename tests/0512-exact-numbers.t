#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Correlations, regions, contributors and umami against exact arithmetic: equal averages,
# constant columns, very small and very large numbers, runs that lack a measure.
. "$(dirname "$0")/lib.sh"
requires python3
cd "$SCRATCH" || exit 1
ok "climate says what fractions say" python3 "$TOP/tests/tables/oracle.py"
printf 'id,when,speed,fs,x\na,1,9007199254740992,l,0.1\nb,2,5e-324,l,5.684341886080802e-14\n' >runs.csv
printf '[study]\ntime = when\nid = id\nperformance = speed\nclass = fs\n[measure x]\nvalue = x\n' >runs.conf
is "CSV has the shortest text that reads back as the same number" \
    "$(baro climate umami --map runs.conf --id a --output csv runs.csv | cut -d, -f4 | paste -sd' ')" "value 1 0.1"
finish
