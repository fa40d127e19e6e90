#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro climate on tables as people write and publish them: one year of runs in eighteen
# forms, whose studies must all have the same figures; a mapping guessed for each; tables
# with nothing, too much or nonsense in them; and what is said when one cannot be read.
. "$(dirname "$0")/lib.sh"
requires python3 zstd
[ -d /usr/share/zoneinfo ] || skip_all "there are no time zones here"
cd "$SCRATCH" || exit 1
LC_ALL=C.UTF-8
export LC_ALL
python3 "$TOP/tests/tables/make.py" t || skip_all "the tables could not be made"

cat >same.py <<'END'
import sys
def figures(name):
    return {k: float(v) for k, v in (line.rsplit(" ", 1) for line in open(name))}
ours, theirs = figures("plain.figures"), figures(sys.argv[1])
assert len(ours) > 40 and ours.keys() == theirs.keys(), ours.keys() ^ theirs.keys()
for name, a in ours.items():
    b = theirs[name]
    assert a != a and b != b or abs(a - b) <= 1e-7 * abs(a) + 1e-12, (name, a, b)
END
tables_of() {
    for tables_of_file in t/"$1".* t/"$1"-[0-9].*; do
        case $tables_of_file in
        *.conf | *'*'*) ;;
        *) echo "$tables_of_file" ;;
        esac
    done
}
baro climate study -m t/plain.conf --list-figures t/plain.csv >plain.figures
for conf in t/*.conf; do
    name=$(basename "$conf" .conf)
    # shellcheck disable=SC2046 # several files
    baro climate study -m "$conf" --list-figures $(tables_of "$name") >figures 2>err
    ok "$name: its study has the figures of the plain table" python3 same.py figures
done

for conf in t/*.conf; do
    name=$(basename "$conf" .conf)
    table=$(tables_of "$name" | head -n 1)
    baro climate map "$table" >guess.conf 2>err
    # shellcheck disable=SC2046
    got=$(baro climate study -m guess.conf -t summary -o csv $(tables_of "$name") 2>>err |
        grep -E '^(observations|sets of)' | sed 's/.*,//' | paste -sd' ')
    case $name in
    wide) want="300 1" ;; # one of the two columns is taken for the performance
    swf) want="600 1" ;; # nothing says that a number is a class
    *) want="600 2" ;;
    esac
    is "$name: a mapping is guessed that reads every run" "$got" "$want"
done
is "a guess says what it saw of the columns" \
    "$(baro climate map t/german.csv | grep -c "^#   Tempo (MB/s): numbers, 600, '1.750,000'")" 1
is "and how numbers, times and missing values are written" \
    "$(baro climate map t/german.csv | grep -cE \
        '^(decimal = comma|thousands = \.|missing = k. A.|time_format = %d.%m.%Y %H:%M)$')" 4
is "a table with a metric a row is put together" \
    "$(baro climate map t/long.csv | grep -cE '^long_(by = run_uri|name = metric|value = value)$')" 3

# ---- what must be told ----

cat >c.conf <<'END'
[study]
time = when
id = id
performance = speed
class = fs
[measure load]
value = load
END
table() {
    python3 -c "
print('id,when,speed,fs,load')
for i in range(50):
    print(eval('f\"\"\"$1\"\"\"'))" >x.csv
}
told() {
    baro climate "$2" -m c.conf x.csv 2>&1 | grep -c -- "$3"
}
table '{i},{(1600000000+i*86400)*1000},{i},a,{i}'
is "milliseconds since 1970 are told, with file, line, column, value and remedy" \
    "$(told x show "x.csv:2: time (when): '1600000000000' .*'time_format = ms'")" 1
table '{i},2021-03-0{i%9+1} 06:30,{i},a,{i}'
is "so are times without a zone" "$(told x show "'2021-03-01 06:30' has no zone; set 'time_zone'")" 1
table '{i},{i}th of May,{i},a,{i}'
is "and times of no known form" "$(told x show "'0th of May' is neither .*'time_format'")" 1
table '{i},{1600000000+i*86400},{i} MB/s,a,{i}'
is "a performance that is text" "$(told x show "x.csv:2: performance (speed): '0 MB/s' is not a number")" 1
table '{i},{1600000000+i*86400},-{i+1},a,{i}'
is "one below zero" "$(told x show "performance (speed): '-1' is below 0")" 1
table '{i},{1600000000+i*86400},{i},a,{i} %'
is "a measure that is never a number" "$(told x show "measure load is a number in no run; the first has '0 %': number()")" 1
table '{i};{1600000000+i*86400};{i};a;1,5'
is "fields that do not fit the names" "$(told x show "x.csv:2: .*'separator'")" 1
table '{i},{1600000000+i*86400},{chr(34) if i == 9 else i},a,{i}'
is "a quote that is never closed costs its rows, and is told" \
    "$(baro climate study -m c.conf -t summary x.csv | grep -cE '^observations +9$|x.csv:11: a quote .*quotes = no')" 2
table '{i},{1600000000+i*86400},{i},c{i},{i}'
sed -i '2,$d' x.csv
is "a table without rows" "$(told x show 'the tables have no rows')" 1
baro climate map x.csv >guess 2>err
is "has no mapping either" "$? $(grep -c 'no row of data' err)" "1 1"
: >x.csv
is "nor has an empty file" "$(told x study 'x.csv: the file is empty')" 1
printf 'PK\003\004....' >x.csv
is "a workbook is told with the remedy" "$(told x study 'save its sheet as CSV')" 1
table '{i},{1600000000+i*86400},{i},a,{i}'
iconv -t UTF-16 x.csv >y.csv && mv y.csv x.csv
is "so is UTF-16" "$(told x study 'iconv -f UTF-16')" 1
table '{i},{1600000000+i*86400},{i},a,{i}'
sed -i 's/^value.*/value = lode/' c.conf
is "a column that is not there is told beside those that are" \
    "$(told x study "no file has a column 'lode'.*x.csv has 5 columns: 'id', 'when', 'speed', 'fs', 'load'")" 1
printf '[table]\nlong_by = id\n' >>c.conf
is "long tables want all three keys" "$(told x study 'want each other')" 1
sed -i 's/^long_by.*/separator = both/' c.conf
is "a separator is one character or its name" "$(told x study "table.separator: 'both': write comma")" 1
sed -i 's/^separator.*/separator =/' c.conf
is "and none is none" "$(told x study "table.separator: '': write comma")" 1
sed -i '/separator/d; s/lode/load/' c.conf
table '{i%25},{1600000000+i*86400},{i},a,{i}'
is "of an id that comes twice the mapping is asked" \
    "$(baro climate umami -m c.conf --id 3 x.csv 2>&1 | grep -c "a run '3' in 'a' twice: is 'id'")" 1
is "a scoreboard of a table that has none of its columns asks for others" \
    "$(baro climate scoreboard x.csv 2>&1 | grep -c -- '--by and --sum name')" 1
awk 'BEGIN { print "day,load %,ior write [GiB/s],mdtest [kIOPS]"
    for (i = 0; i < 40; i++) printf "2021-02-%02dT06:00:00Z,%d,%d.5,%d\n", i % 28 + 1, i % 7, 60 + i % 5, 500 + i % 9 }' >x.csv
baro climate map x.csv >guess.conf
is "a unit in brackets is a part of the name, and tells of a speed" \
    "$(grep -E '^(performance|value) =' guess.conf)" \
    "performance = [ior write [GiB/s]]
value = [load %]
value = [mdtest [kIOPS]]"
is "formulas may call it by that" \
    "$(baro climate study -m guess.conf -t summary x.csv | grep -cE '^observations +40$')" 1
is "without a mapping the way to one is told" \
    "$(baro climate study x.csv 2>&1 | grep -c 'baro climate map RUNS.csv')" 1
finish
