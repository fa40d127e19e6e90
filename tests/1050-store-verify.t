#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro store verify: a directory that is whole, one that a writer has open, and one byte
# changed at many places of each file: found, named, with the byte and the remedy.
. "$(dirname "$0")/lib.sh"
requires python3
PATH=$BUILD/tests/fill:$PATH
stress=$BUILD/src/store/store_stress
store=$SCRATCH/store

n=1700000040
for part in 0 1; do
    from=$((n + part * 60000))
    baro-fill-metrics "$store" <<END
metric cpu_load 60s sum
metric power none
alex/a01 cpu_load $from..$((from + 40000)) 1
alex/a02 power $from..$((from + 300)) 3
fritz/f01/hwthread:0 cpu_load $from..$((from + 2400)) 100
END
done
said=$(baro store verify "$store")
is "a store that was closed is well" $? 0
is "and it is said what was looked at" "$(echo "$said" | sed 's/[0-9]* bytes/B bytes/')" \
    "checkpoint 3: $(find "$store" -name '*-*' | wc -l) files, B bytes, 3 series, $(
        echo "$said" | sed 's/.* \([0-9]*\) blocks, 0 arch.*/\1/'
    ) blocks, 0 archived blocks, 1009 samples in 1009 records of logs: all is well"
is "in JSON nothing found is an empty list" "$(baro store verify "$store" -o json | tr -d '\n ')" \
    "[]"
mkdir "$SCRATCH/empty"
is "a directory of something else is refused" "$(baro store verify "$SCRATCH/empty" 2>&1)" \
    "baro store verify: '$SCRATCH/empty' is not a directory of a store"

# One byte changed: padding of blocks is zero and is nobody's; all else is checked.
cat >"$SCRATCH/flip.py" <<'PYTHON'
import glob, os, subprocess, sys
store, stride = sys.argv[1], 331
missed, tried = [], 0
for path in sorted(glob.glob(store + "/*-*")):
    whole = open(path, "rb").read()
    places = sorted({0, len(whole) - 1, *range(17, len(whole), stride)})
    if os.path.basename(path).startswith("log-") and len(places) > 12:
        places = places[:6] + places[-6:]
    for at in places:
        if whole[at] == 0 and "blocks-" in path:
            continue
        with open(path, "r+b") as f:
            f.seek(at)
            f.write(bytes([whole[at] ^ 0x10]))
        run = subprocess.run(["baro", "store", "verify", store], capture_output=True, text=True)
        tried += 1
        if run.returncode != 1 or path + ":" not in run.stdout or "; " not in run.stdout:
            missed.append("%s byte %d: %d %s%s" % (path, at, run.returncode, run.stdout, run.stderr))
        with open(path, "wb") as f:
            f.write(whole)
print("\n".join(missed) if missed else "all found" if tried > 60 else "only %d" % tried)
PYTHON
is "a changed byte is found, wherever it is" "$(python3 "$SCRATCH/flip.py" "$store")" "all found"
ok "and the store is as it was" baro store verify "$store"

# A block that is damaged is named: whose it is, and where.
blocks=$(find "$store" -name 'blocks-00000003-*' -size +1k | head -n 1)
cp "$blocks" "$SCRATCH/kept"
printf 'xx' | dd of="$blocks" bs=1 seek=60 conv=notrunc 2>/dev/null
ok "a damaged block is said with its place, series and remedy" sh -c "baro store verify '$store' |
    grep -q \"^$blocks: byte 48: a block of series [0-9]* is damaged: up to 256 samples are lost ('[a-z0-9/:]*' [a-z_]*); barod serves\""
is "as JSON too" "$(baro store verify "$store" -o json | python3 -c 'import json, sys
for f in json.load(sys.stdin): print(f["file"], f["byte"], f["kind"])')" "$(basename "$blocks") 48 damage"
cp "$SCRATCH/kept" "$blocks"

mv "$blocks" "$SCRATCH/moved"
ok "a file that is missing is said" sh -c "baro store verify '$store' |
    grep -q \"^$blocks: it is not there, and the manifest of checkpoint 3 names it\""
mv "$SCRATCH/moved" "$blocks"
: >"$store/log-0-00000001.damaged"
said=$(baro store verify "$store")
is "a log that was kept aside is a note, and no damage" "$?" 0
ok "and is said" sh -c "echo \"$said\" | grep -q 'log-0-00000001.damaged: note: '"

# Beside a writer, and after its death.
if [ -x "$stress" ]; then
    live=$SCRATCH/live
    "$stress" write "$live" 0 1000000 >"$SCRATCH/out" 2>"$SCRATCH/err" &
    writer=$!
    at_exit "kill -9 $writer"
    wait_for 20 grep -q ack "$SCRATCH/out"
    bad=
    for _ in 1 2 3 4 5 6; do
        said=$(baro store verify "$live" 2>&1) || bad="$bad$said"
    done
    is "while a writer has it open nothing is taken for damage" "$bad" ""
    kill -9 $writer
    wait $writer 2>/dev/null
    for log in "$live"/log-*; do
        last=$log
    done
    printf 'torn' >>"$last" # less than the head of a record: nothing was in it
    said=$(baro store verify "$live")
    is "a torn end is a note, and no damage" "$?" 0
    ok "and is said" sh -c "echo \"$said\" | grep -q \"^$last: byte [0-9]*: note: it ends within a record\""
    begun=${last%-*}-99999990
    truncate -s -4 "$last"
    printf 'barolog' >"$begun"
    printf '' >"${last%-*}-99999991"
    said=$(baro store verify "$live")
    is "logs that were only begun are a note, and no damage" "$?" 0
    ok "and are said" sh -c "echo \"$said\" | grep -q \"^$begun: byte 0: note: it was only begun\""
fi
finish
