#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro health record: samples of lfs df and lctl dl -t are kept, whatever happens.
. "$(dirname "$0")/lib.sh"
requires jq gzip
cd "$SCRATCH" || exit 1

# Stand-ins that print what ./df.text and ./dl hold, and do what ./does says.
cat >lfs <<'END'
#!/bin/sh
[ "$*" = df ] || exit 9
. ./does
cat ./df.text
END
cat >lctl <<'END'
#!/bin/sh
[ "$*" = "dl -t" ] || exit 9
cat ./dl
END
chmod +x lfs lctl
: >does
sample() { # USED SERVER
    echo "UUID 1K-blocks Used Available Use% Mounted on"
    echo "scratch-OST0000_UUID 1000 $1 $((1000 - $1)) 0% /scratch[OST:0]"
    echo "scratch-OST0001_UUID 1000 100 900 10% /scratch[OST:1]"
    echo
    echo "filesystem_summary: 2000 $1 0 0% /scratch"
} >df.text
servers() { # SERVER
    echo "  4 UP osc scratch-OST0000-osc-ffff88 8dbd 5 oss1@tcp"
    echo "  5 UP osc scratch-OST0001-osc-ffff88 8dbd 5 $1@tcp"
} >dl
record() {
    PATH=$SCRATCH:$PATH baro health record --dir kept "$@" 2>said
}
sample 500
servers oss2
ok "a sample is taken" record
day=$(date -u +%Y-%m-%d)
is "of both commands, by days, with whose they are" "$(cd kept && echo *)" \
    "$(echo "df-$day.txt" df.state "dl-$day.txt" dl.state)"
is "each begins with its time" "$(head -n 1 "kept/df-$day.txt" | tr 0-9 9)" "BEGIN 9999999999"
is "and is what was printed" "$(tail -n +2 "kept/df-$day.txt")" "$(cat df.text)"
show() {
    baro health show "$@" -o json 2>said |
        jq -c '.[] | [.filesystem, .mount, .osts, .mean_full_pct, .servers, .osts_per_server]'
}
is "health show reads the directory" "$(show kept)" '["scratch","/scratch",2,30,2,1]'
sample 900
record
is "the next one is put behind it" "$(grep -c BEGIN "kept/df-$day.txt")" 2
is "and is the one that is shown" "$(show kept)" '["scratch","/scratch",2,50,2,1]'
ok "one that is young enough is enough" record --not-within 1h
is "it asked nobody" "$(grep -c BEGIN "kept/df-$day.txt")" 2

# What goes wrong.
printf 'BEGIN 9999999999\nscratch-OST0000_UUID 1000 1 999 0%% /scratch[OST:0]\n' >>"kept/df-$day.txt"
is "a sample that is torn is not seen" "$(show kept)" '["scratch","/scratch",2,50,2,1]'
record
is "and cut off before the next, said" "$(grep -c 'torn sample of [0-9]* bytes' said)$(grep -c BEGIN "kept/df-$day.txt")" 13
: >df.text
ok "nothing printed is no sample" not record
is "it is said, and the other is taken" "$(cat said; grep -c BEGIN "kept/dl-$day.txt")" \
    "baro health record: lfs df: no sample: it printed nothing
4"
echo 'BEGIN 5' >df.text
ok "a text that could be taken for two is none" not record
sample 200
printf half >>df.text
ok "nor is one that is cut" not record
sample 200
echo 'echo "scratch-OST0001: Cannot send after transport endpoint shutdown" >&2; status=5; trap "exit 5" EXIT' >does
ok "one that complains and prints is a sample" record
is "its complaint is said" "$(cut -c1-60 said)" "baro health record: lfs df: ended with 5: scratch-OST0001: C"
echo 'exec sleep 600' >does
ok "one that hangs is given up" not record --deadline 300ms
is "and said" "$(cat said)" "baro health record: lfs df: no sample: no response within the time limit"
# A child of the command that cannot be killed, as one that hangs in the kernel.
echo 'sleep 600 & echo $! >hanging; wait' >does
ok "one that cannot be killed is given up, too" not record --deadline 300ms
at_exit 'kill $(cat hanging)'
: >does
before=$(grep -c BEGIN "kept/dl-$day.txt")
ok "and not asked again while it hangs" not record
is "which is said, and the other is taken" "$(cat said; grep -c BEGIN "kept/dl-$day.txt")" \
    "baro health record: lfs df: no sample: another sample is being recorded, or the command of an earlier one still hangs
$((before + 1))"
kill "$(cat hanging)"
ok "when it is gone, all is well" record
is "with the newest sample" "$(show kept)" '["scratch","/scratch",2,15,2,1]'
ok "a program that is not there is said" not record --lfs /nowhere/lfs
is "by its name" "$(cut -d: -f1-3 said)" "baro health record: lfs df: no sample"

if command -v python3 >/dev/null; then
    ok "a parent that blocks signals, as slurmctld, does not matter" env PATH="$SCRATCH:$PATH" python3 -c '
import os, signal
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD, signal.SIGTERM})
os.execvp("baro", ["baro", "health", "record", "--dir", "kept", "--deadline", "10s"])'
fi

# Days.
gzip -9 -c "kept/df-$day.txt" >kept/df-2020-01-01.txt.gz
echo mine >kept/notes-2020-01-01.txt
{ echo "BEGIN 1577880000" && echo "scratch-OST0000_UUID 1000 700 300 0% /scratch[OST:0]"; } >kept/df-2020-01-02.txt
is "the sample of a moment is found among days" \
    "$(show kept --at 2020-01-03T00:10Z --age-max 7d)" '["scratch","/scratch",1,70,null,null]'
ok "one that is too old is refused" sh -c '! baro health show kept --at 2020-02-01 2>said'
ok "nothing is taken from after the moment" sh -c '! baro health show kept --at 2019-06-01 2>said'
ok "days that are over are removed" record --retention 400d
is "and nothing else" "$(cd kept && echo *)" "$(echo "df-$day.txt" df.state "dl-$day.txt" dl.state notes-2020-01-01.txt)"
ok "without a directory it is misuse" sh -c 'baro health record 2>said; [ $? -eq 2 ]'

# Two at once, and one that is killed wherever it is: every sample seen is whole.
for _ in 1 2 3 4 5 6; do
    (record --not-within 0s 2>/dev/null) &
done
wait
is "six at once leave whole samples" "$(grep -c . "kept/df-$day.txt")" \
    "$(($(grep -c BEGIN "kept/df-$day.txt") * 5))"
finish
