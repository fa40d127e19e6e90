#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro job summarize over many logs: workers, order, broken logs, ends in the middle.
. "$(dirname "$0")/lib.sh"
requires jq
cd "$SCRATCH" || exit 1
log_make=$BUILD/src/source/darshan/darshan_make
series_make=$BUILD/src/source/lmt/series_make
[ -x "$log_make" ] && [ -x "$series_make" ] || skip_all "built without tests or HDF5"
"$series_make" database day.sqlite3
baro series archive -o day.hdf5 day.sqlite3
"$log_make" 341 little zlib >good
"$log_make" 300 big zlib >old

# 240 logs below a directory, in an order of names that is not that of making.
for i in 3 1 2; do
    mkdir -p "logs/2017/$i"
    n=0
    while [ $n -lt 80 ]; do
        n=$((n + 1))
        if [ $((n % 7)) = 0 ]; then ln old "logs/2017/$i/job$n.darshan"; else ln good "logs/2017/$i/job$n.darshan"; fi
    done
done
head -c 300 good >logs/2017/2/broken.darshan
echo "not a log" >logs/2017/3/text.darshan
echo "a note" >logs/2017/README
ln -s ../2017 logs/2017/1/loop
summarize() { baro job summarize -s day.hdf5 "$@"; }

summarize --workers 1 -o csv logs >one.csv 2>one.err
echo "$?" >one.status
is "of a directory all logs are taken, in the order of their names" \
    "$(cut -d, -f5 one.csv | sed 1d | grep -c darshan; cut -d, -f5 one.csv | sed 1d | sort -c -t/ -k3,3 && echo sorted)" "240
sorted"
is "broken logs are named and counted, and cost nothing else" \
    "$(cat one.status; grep -c 'broken.darshan\|text.darshan' one.err; tail -n 1 one.err)" \
    "1
2
baro: 2 of 242 logs gave no row"
for workers in 2 5; do
    summarize --workers $workers -o csv logs >many.csv 2>many.err
    is "$workers workers write the same bytes, rows and words" \
        "$(cksum <many.csv; cksum <many.err)" "$(cksum <one.csv; cksum <one.err)"
done
is "as JSON too" "$(summarize -w 2 -o json logs 2>/dev/null | jq length)" 240
is "and as a table" "$(summarize -w 2 logs 2>/dev/null | cksum)" "$(summarize -w 1 logs 2>/dev/null | cksum)"

# ---- a worker that is killed ----
# Nobody reads what is printed, so that the pool stands still, with results under way.
mkfifo pipe
baro job summarize -s day.hdf5 --workers 2 -o csv logs >pipe 2>killed.err &
pid=$!
exec 3<pipe
wait_for 20 sh -c "[ \$(pgrep -P $pid | wc -l) = 2 ]"
kill -9 "$(pgrep -P $pid | head -n 1)"
cat <&3 >killed.csv
wait $pid
is "a worker that dies once costs no log" "$(cksum <killed.csv; grep -c ended killed.err)" \
    "$(cksum <one.csv; echo 0)"

# ---- the whole run killed in the middle ----
baro job summarize -s day.hdf5 --workers 2 --resume part.csv logs 2>/dev/null &
pid=$!
wait_for 30 sh -c '[ $(wc -l <part.csv) -gt 5 ]'
kill -9 $pid
wait $pid 2>/dev/null
rows=$(wc -l <part.csv)
summarize --workers 2 --resume part.csv logs 2>resumed.err
is "killed and gone on with, the table is the same" "$(cksum <part.csv)" "$(cksum <one.csv)"
is "what was there was not done again" \
    "$(sed -n 's/^baro: \([0-9]*\) of 242 logs had a row already/\1/p' resumed.err)" $((rows - 1))

# ---- limits ----
is "a log that takes too long is given up, and said" \
    "$(baro job summarize --log-time-max 1ns -o json good 2>&1)" \
    "baro: good: took longer than --log-time-max: given up
[]"
is "no workers are no number" "$(baro job summarize -w 0 good >/dev/null 2>&1; echo $?)" 2
mkdir empty
is "an empty directory is no error" "$(baro job summarize -o json empty; echo $?)" "[]
0"
if command -v script >/dev/null; then
    is "on a terminal it says how far it is, and how fast" \
        "$(TERM=dumb script -qec "baro job summarize -w 2 -o csv logs/2017/1 >/dev/null" /dev/null </dev/null |
            tr '\r' '\n' | grep -c '^80 of 80 logs, [0-9]* a second')" 1
fi
finish
