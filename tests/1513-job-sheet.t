#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro job summarize --output xlsx: the workbook holds what the CSV holds.
. "$(dirname "$0")/lib.sh"
python=/usr/bin/python3 # the packages are those of the system
"$python" -c "import openpyxl" 2>/dev/null || skip_all "python3-openpyxl is not installed"
cd "$SCRATCH" || exit 1
log_make=$BUILD/src/source/darshan/darshan_make
series_make=$BUILD/src/source/lmt/series_make
[ -x "$log_make" ] && [ -x "$series_make" ] || skip_all "built without tests or HDF5"
baro job summarize -o xlsx -i probe.xlsx none 2>&1 | grep -q 'built without libxlsxwriter' &&
    skip_all "built without libxlsxwriter"
"$log_make" 341 little zlib >job.darshan # starts at 1500000000, lasts 60 s
"$series_make" database day.sqlite3
cp job.darshan "with, \"quotes\" and ü.darshan"
baro job summarize -s day.sqlite3 -o csv ./*.darshan >jobs.csv 2>errors
ok "a workbook is written" baro job summarize -s day.sqlite3 -o xlsx -i jobs.xlsx ./*.darshan
cat >compare.py <<'END'
import csv, datetime, sys, openpyxl
rows = list(csv.reader(open(sys.argv[1], newline="")))
book = openpyxl.load_workbook(sys.argv[2])
page = book["jobs"]
cells = [list(row) for row in page.iter_rows()]
titles = [c.value for c in cells[0]]
plain = [i for i, t in enumerate(titles) if not t.endswith(" UTC")]
dates = [i for i, t in enumerate(titles) if t.endswith(" UTC")]
say = lambda what, good: print(what, "yes" if good else "no")
say("columns", [titles[i] for i in plain] == rows[0])
say("rows", len(cells) == len(rows))
wrong = numbers = empty = 0
for got, want in zip(cells[1:], rows[1:]):
    for i, text in zip(plain, want):
        value = got[i].value
        if text == "":
            empty += 1
            wrong += value is not None
        elif isinstance(value, str):
            wrong += value != text
        else:
            numbers += 1
            wrong += value is None or abs(value - float(text)) > 1e-15 * abs(float(text))
say("values", wrong == 0)
say("numbers are numbers", numbers > 100 and empty > 10)
say("ids are texts", isinstance(cells[1][titles.index("_jobid")].value, str))
epoch = datetime.datetime(1970, 1, 1)
wrong = 0
for got in cells[1:]:
    for i in dates:
        at = epoch + datetime.timedelta(seconds=got[i - 1].value)
        wrong += abs(got[i].value - at) > datetime.timedelta(milliseconds=1)
say("dates are the seconds beside them", wrong == 0 and len(dates) == 6)
say("dates have a form", cells[1][dates[0]].number_format == "yyyy-mm-dd hh:mm:ss")
say("the header stays", page.freeze_panes == "B2")
END
is "it holds what the CSV holds, numbers as numbers, times as dates beside their seconds" \
    "$("$python" compare.py jobs.csv jobs.xlsx)" "columns yes
rows yes
values yes
numbers are numbers yes
ids are texts yes
dates are the seconds beside them yes
dates have a form yes
the header stays yes"
is "without a file to put it into it is not written: a terminal is none" \
    "$(baro job summarize -o xlsx job.darshan 2>&1; echo $?)" \
    "baro job summarize: --output xlsx and --into FILE go together
2"
is "a file is for workbooks only" "$(baro job summarize -o csv -i jobs.csv job.darshan 2>/dev/null; echo $?)" 2
cksum <jobs.xlsx >before
echo none >none
is "of no row there is no workbook, and the one before stays" \
    "$(baro job summarize -o xlsx -i jobs.xlsx none 2>&1 | tail -n 1; cksum <jobs.xlsx | cmp - before; test -e jobs.xlsx.new; echo $?)" \
    "baro job summarize: jobs.xlsx: not written, for there is no row
1"
is "a directory that is not there is said" \
    "$(baro job summarize -o xlsx -i nowhere/jobs.xlsx job.darshan >out 2>&1; echo $?; grep -c 'nowhere/jobs.xlsx: ' out)" "1
1"
yes job.darshan | head -n 300 >many
# What is freed is not kept aside, in a build that watches memory.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=0"
peak() { # LOGS: kB of the process that writes
    xargs -a "$1" "$python" -c '
import resource, subprocess, sys
subprocess.run(["baro", "job", "summarize", "-w", "1", "-o", "xlsx", "-i", "many.xlsx"] + sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)'
}
head -n 3 many >few
few_kb=$(peak few)
many_kb=$(peak many)
echo "# $few_kb kB with 3 rows, $many_kb kB with 300"
ok "memory does not grow with the rows" [ $((many_kb - few_kb)) -lt 40000 ]
is "and all rows are there" \
    "$("$python" -c 'import openpyxl; print(openpyxl.load_workbook("many.xlsx", read_only=True)["jobs"].max_row)')" 301
finish
