#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro climate map: reading beside writing, times without a day, numbers that look like ids;
# and what is reported of formulas that divide by zero.
. "$(dirname "$0")/lib.sh"
cd "$SCRATCH" || exit 1
runs() { # runs FILE: how many the guessed mapping reads, in how many sets
    baro climate map "$1" >guess.conf &&
        baro climate study -m guess.conf -t summary -o csv "$1" 2>err | grep -E '^(observations|sets of)' |
        sed 's/.*,//' | paste -sd' '
}
made() { # made HEADER AWK-EXPRESSION
    awk -v header="$1" "BEGIN { print header; for (i = 0; i < 48; i++) { $2 } }" >x.csv
}

# ---- reading and writing ----
made "start,ior write [GiB/s],ior read [GiB/s],load" \
    'printf "2021-02-%02dT06:%02d:00Z,%d.5,%d,%d\n", i % 28 + 1, i, 60 + i % 5, 100 + i % 9, i % 7'
is "a writing beside a reading: each is a run, in a set of its own" "$(runs x.csv)" "96 2"
is "neither is a cause of the other" "$(grep '^value' guess.conf)" "value = load"
is "by the name of the column" "$(grep -E '^(wide|performance|class) ' guess.conf)" \
    "wide = ior write ?GiB/s?
wide = ior read ?GiB/s?
performance = cell
class = column"
made "time,system,op,bw_mib_s" \
    'printf "2021-02-%02dT06:%02d:00Z,s%d,%s,%d\n", i % 28 + 1, i, i % 2, i % 3 ? "write" : "read", 60 + i'
is "a column of operations makes sets" "$(runs x.csv; grep -c '^class = op$' guess.conf)" "48 4
1"
made "time,kind,bw" \
    'if (i < 4) printf "2021-02-%02dT06:00:00Z,%s,%d\n", i + 1, i % 2 ? "wr" : "rd", 60 + i'
is "even of few rows" "$(runs x.csv)" "4 2"
made "start,write_bw,write_iops,load" \
    'printf "2021-02-%02dT06:%02d:00Z,%d,%d,%d\n", i % 28 + 1, i, 60 + i % 5, 100 + i % 9, i % 7'
is "without a reading there is nothing to tell apart" "$(runs x.csv; grep -c '^wide' guess.conf)" "48 1
0"

# ---- times without a day ----
for form in '%d-%02d\n 2021-01 %Y-%m' '%d/%02d\n 2021/01 %Y/%m' '%d%02d\n 202101 %Y%m'; do
    date=${form%% *}
    format=${form##* }
    made "month,system,bw" \
        "printf \"$(printf '%s' "${date%??}"),s%d,%d\\n\", 2018 + i / 12, i % 12 + 1, i % 2, 60 + i % 5"
    is "months as $format are read" "$(runs x.csv; grep -c "^time_format = $format$" guess.conf)" "48 2
1"
done
is "with averages that fit them" "$(grep -cE '^(short = 92d|long = 366d)$' guess.conf)" 2
made "Monat,bw" 'split("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec", m, " ")
    printf "%s-%02d,%d\n", m[i % 12 + 1], 18 + i / 12, 60 + i % 5'
is "so are names of months" "$(runs x.csv)" "48 1"

# ---- what only looks like an id ----
made "date,runtime,nodes,grid,bw" \
    'printf "2021-02-%02dT06:%02d:00Z,%d.25,%d,%d,%d\n", i % 28 + 1, i, 100 + i, i + 1, i * 7 % 48, 60 + i * 31 % 48'
is "neither a run time, a number of nodes nor a grid is an id" "$(runs x.csv; grep -c '^id = ' guess.conf)" "48 1
0"
made "date,job_id,user_id,bw" \
    'printf "2021-02-%02dT06:%02d:00Z,%d,%d,%d\n", i % 28 + 1, i, 9000 - i, 1000 + i % 5, 60 + i * 31 % 48'
is "an id is one, also where it falls" "$(runs x.csv; grep '^id = ' guess.conf)" "48 1
id = job_id"
is "and the number of a user is no measure" "$(grep -c 'user_id' guess.conf; grep -c '^value = user_id' guess.conf)" "1
0"

# ---- figures that expect knows ----
is "the mapping names the command that lists them" "$(grep -c -- '--list-figures x.csv' guess.conf)" 1

# ---- division by zero ----
cat >c.conf <<'END'
[study]
time = date
performance = bw
class = "all"
[drop unlike]
when = bw / (bw - 60) > 40
END
is "a filter that divides by zero is named, with how many rows it lets through" \
    "$(baro climate show -m c.conf x.csv 2>&1 | grep -o 'drop unlike divides .*')" \
    "drop unlike divides by zero in 1 row, and does not drop it: its formula can test for 0 first"
sed -i 's/^when.*/when = bw = 60 or bw \/ (bw - 60) > 40/' c.conf
is "one that tests for it is not" "$(baro climate show -m c.conf x.csv 2>&1 | grep -c 'divides')" 0
sed -i 's/^performance.*/performance = 1 \/ (bw - 61)/; /drop/,$d' c.conf
is "of a performance it is the reason" \
    "$(baro climate show -m c.conf x.csv 2>&1 | grep -c 'performance (1 / (bw - 61)): divides by zero')" 1
finish
