#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A running barod as a series of what servers did: a played Lustre with agents, whose
# truth is known.  An agent that restarts, a failover, a remount and a long silence.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
requires curl jq awk baro-agent baro-sim
cd "$SCRATCH" || exit 1

epoch=1669014000
fs=$SCRATCH/fs clock=$SCRATCH/clock socket=$SCRATCH/barod.sock
url=unix:$socket
at() {
    baro-sim clock --clock "$clock" --set "@$((epoch + $1))"
}
at 0
baro-sim init --fs "$fs" --clock "$clock" nodes=60 logins=20 mds=1 mdts=1 oss=2 osts=4 \
    version=2.12
baro-sim init --fs "$SCRATCH/rows" epoch=@$((epoch - 4200)) seed=5 nodes=60 logins=20 mds=1 \
    mdts=1 oss=2 osts=4
baro-sim-rounds --fs "$SCRATCH/rows" --path rows.db --rounds 30 --interval 5s >out
baro-sim plant --fs "$fs" --story own --at "@$((epoch + 20))" --length 20s >out
baro-sim-darshan --fs "$fs" --job 900001 >own.darshan
baro-sim move --fs "$fs" --target scratch-OST0001 --to oss02 --at "@$((epoch + 102))" \
    --gap 15s
baro-sim upgrade --fs "$fs" --server oss02 --version 2.15.8 --at "@$((epoch + 152))" \
    --gap 6s
export BARO_CLOCK="$clock"
cat >barod.conf <<CONF
[net]
socket = $socket
listen = none
[records]
path = $SCRATCH/rows.db
[store]
directory = $SCRATCH/store
CONF
barod --config barod.conf >barod.log 2>&1 &
pids=$!
wait_for 20 test -S "$socket"
start_agent() { # host
    baro-agent --set "agent.server=$url" --set "agent.host=$1" --set agent.interval=1h \
        --set "agent.state=$SCRATCH/$1.state" --set "agent.spool=$SCRATCH/$1.spool" \
        --set "agent.lctl=$fs/servers/$1/lctl" --set agent.cluster=scratch \
        >"$1.log" 2>&1 &
    eval "$1=$!"
    pids="$pids $!"
    wait_for 20 grep -q observing "$1.log"
}
at_exit 'kill -9 $pids'
# Whether the readings of a time have arrived: TIME HOST...
have() {
    t=$1
    shift
    for host; do
        curl -s -G --unix-socket "$socket" http://x/v1/query -d metric=server_memory_bytes \
            --data-urlencode "component=scratch/$host" -d "from=@$((epoch + t))" \
            -d "to=@$((epoch + t + 1))" | grep -q '"values":\[[0-9]' || return 1
    done
}
play() { # FROM TO HOST...
    t=$1
    last=$2
    shift 2
    while [ "$t" -le "$last" ]; do
        at "$t"
        wait_for 20 have "$t" "$@" || return 1
        t=$((t + 5))
    done
}
show() { # MEASURE OPTION...
    measure=$1
    shift
    baro series show -m "$measure" --from "@$((epoch + 5))" --to "@$((epoch + 305))" "$@"
}

at 1
for host in oss01 oss02 mds01; do start_agent $host; done
# shellcheck disable=SC2154 # start_agent sets oss01 and oss02
{
    ok "readings arrive" play 5 60 oss01 oss02 mds01
    kill "$oss01" && wait "$oss01"
    ok "one agent is away" play 65 75 oss02 mds01
    at 76
    start_agent oss01
    ok "and is back; a target moves, a server is upgraded" play 80 180 oss01 oss02 mds01
    kill "$oss02" && wait "$oss02"
    ok "one is away for long" play 185 280 oss01 mds01
    at 281
    start_agent oss02
    ok "and is back" play 285 305 oss01 oss02 mds01
}

# The truth of every step and target: TIME,TARGET,OP,SAMPLES,SUM
t=5
while [ $t -lt 305 ]; do
    baro-sim truth --fs "$fs" --from "@$((epoch + t))" --until "@$((epoch + t + 5))" |
        awk -F, -v t=$((epoch + t)) '{ n[$1 "," $3] += $4; s[$1 "," $3] += $5 }
            END { for (k in n) printf "%d,%s,%d,%d\n", t, k, n[k], s[k] }'
    t=$((t + 5))
done >truth.csv

# Steps that are not the truth, and those that are missing, by target.  While the agent of
# the first two restarts, the sum of some steps is known.  OP COLUMN < series
compare() {
    awk -F, -v epoch=$epoch -v op="$1" -v column="$2" '
        NR == FNR { if ($3 == op) truth[$1 "," $2] = $column; next }
        FNR == 1 { for (i = 2; i <= NF; i++) name[i] = $i; wide = NF; next }
        { for (i = 2; i <= wide; i++) {
            if ($i == "") missing[i] = missing[i] " " $1 - epoch
            else if ((i > 3 || $1 < epoch + 60 || $1 >= epoch + 80) &&
                $i != truth[$1 "," name[i]] + 0) wrong[i] = wrong[i] " " $1 - epoch } }
        END { for (i = 2; i <= wide; i++)
            printf "%s wrong%s missing%s\n", name[i], wrong[i], missing[i] }' truth.csv -
}
silence=$(seq -s' ' 180 5 280)
cat >want <<END
scratch-OST0000 wrong missing
scratch-OST0001 wrong missing 100 105 110 115 150 155 $silence
scratch-OST0002 wrong missing 150 155 $silence
scratch-OST0003 wrong missing 150 155 $silence
END
for what in "read_bytes 5 readbytes" "write_bytes 5 writebytes" \
    "write_bytes 4 writeops"; do
    # shellcheck disable=SC2086 # three words
    set -- $what
    show "datatargets/$3" "$url" >"$3.csv"
    is "$3: each step of a target is the truth, or missing for a reason" \
        "$(compare "$1" "$2" <"$3.csv")" "$(cat want)"
    is "$3: while an agent restarted, their sum is the truth" \
        "$(awk -F, -v from=$((epoch + 60)) '$1 >= from && $1 < from + 20 {
            a += $2; b += $3 } END { printf "%d %d\n", a, b }' "$3.csv")" \
        "$(awk -F, -v from=$((epoch + 60)) -v op="$1" -v column="$2" '
            $1 >= from && $1 < from + 20 && $3 == op { s[$2] += $column }
            END { printf "%d %d\n", s["scratch-OST0000"], s["scratch-OST0001"] }' truth.csv)"
done
is "operations of the MDT are the truth, every step" \
    "$(for op in open close getattr setattr mkdir statfs; do
        show mdtargets/${op}s "$url" | compare $op 4; done | sort -u)" \
    "scratch-MDT0000 wrong missing"
is "no step is more than any truth" \
    "$(awk -F, 'NR == FNR { if ($3 == "write_bytes" && $5 > most) most = $5; next }
        FNR > 1 { for (i = 2; i <= NF; i++) if ($i > most) n++ } END { print n + 0 }' \
        truth.csv writebytes.csv)" 0
is "loads are of the servers" "$(show dataservers/cpuload "$url" | head -n 1)" \
    "time,oss01,oss02"
is "fullness is what the targets say" \
    "$(show fullness/bytestotal "$url" | awk -F, 'NR == 2 { print $2 }')" \
    "$((96000000000 * 1024))"

# Windows that begin anywhere have the same steps: no window knows more than another.
is "a window that begins in a hole has the same steps" \
    "$(baro series show -m datatargets/writebytes --from "@$((epoch + 70))" \
        --to "@$((epoch + 125))" "$url")" \
    "$(awk -F, -v from=$((epoch + 70)) 'NR == 1 || ($1 >= from && $1 < from + 55)' \
        writebytes.csv)"

# An archive has what the server has.
ok "an archive is written" baro series archive --from "@$((epoch + 5))" \
    --to "@$((epoch + 305))" -o day.hdf5 "$url"
same=
for measure in $(baro series show -o csv day.hdf5 | sed '1d;s/,.*//'); do
    [ "$(show "$measure" day.hdf5)" = "$(show "$measure" "$url")" ] && same="$same $measure"
done
is "and has all measures of the server, equal" "$same" \
    "$(baro series show -o csv "$url" | sed '1d;s/,.*//' | sed 's/^/ /' | tr -d '\n')"

# The weather of it.
export BARO_SERVER="$url"
window="@$((epoch + 5)) @$((epoch + 305))"
weather() {
    # shellcheck disable=SC2086 # two words
    baro weather $window "$@"
}
is "the weather is that of the archive" "$(weather -s barod)" "$(weather -s day.hdf5)"
is "it moved what the truth says of the steps that are known" \
    "$(weather -s barod -t flows -o json | jq -r '.. | objects |
        select(.measure? == "datatargets/writebytes").total')" \
    "$(awk -F, 'NR > 1 { for (i = 2; i <= NF; i++) s += $i } END { printf "%.0f\n", s }' \
        writebytes.csv)"
is "a file system that it does not have is an error" \
    "$(weather -s barod -F other 2>&1; echo $?)" \
    "baro weather: the server has no target of a file system 'other'
1"
is "the one that it has is all there is" "$(weather -s barod -F scratch)" \
    "$(weather -s barod)"
is "nobody at an address is said" \
    "$(weather -s "unix:$SCRATCH/nobody" 2>&1 >out | grep -c 'is barod running')" 1

# A job on its way through it: the bytes of its seconds, and its part in them.
moved() { # FROM UNTIL [JOB]
    baro-sim truth --fs "$fs" --from "@$((epoch + $1))" --until "@$((epoch + $2))" |
        awk -F, -v job="$3" '$1 ~ /OST/ && $3 == "write_bytes" && (job == "" || index($2, job ":") == 1) {
            s += $5 } END { printf "%.0f", s }'
}
baro job show --series barod -o json own.darshan >own.json 2>err
is "a job's weather is the truth of its seconds" \
    "$(jq -r '.summary | "\(.fs_window_start) \(.fs_window_end) \(.fs_tot_bytes_written)"' own.json)" \
    "$((epoch + 20)) $((epoch + 45)) $(moved 20 45)"
is "its coverage factor is its part in what the servers saw" \
    "$(jq -r '.summary.coverage_factor_write_bw * 10000 | round' own.json)" \
    "$(echo "$(moved 20 45 900001) $(moved 20 45)" | awk '{ printf "%.0f", $1 / $2 * 10000 }')"
is "none of it is missing" "$(jq -r .summary.fs_frac_missing own.json)" 0

# Before its store begins it has rows: what jobs did.
shown() { # FROM TO MEASURE OPTION...
    from=$1 to=$2 measure=$3
    shift 3
    baro series show -m "$measure" --from "@$((epoch + from))" --to "@$((epoch + to))" "$@"
}
shown -570 -480 datatargets/writebytes "$url" >rows.csv 2>err
is "rows serve for what is older than the store, and that is said" "$(cat err)" \
    "baro: $url: no totals of servers are stored of that time: rows are used, which have what jobs did"
sums() {
    awk -F, 'NR == 1 { for (i = 2; i <= NF; i++) n[i] = $i; wide = NF; next }
        { for (i = 2; i <= wide; i++) s[i] += $i }
        END { for (i = 2; i <= wide; i++) printf "%s %.0f\n", n[i], s[i] }' | sort
}
is "they add up to what baro jobstats rates says" "$(sums <rows.csv)" \
    "$(baro jobstats rates --by target --op write_bytes --target '*-OST*' -o csv \
        --from "@$((epoch - 570))" --to "@$((epoch - 480))" 2>err |
        awk -F, 'NR > 1 { print $3, $4 }' | sort)"
truth_of() { # FROM UNTIL
    baro-sim truth --fs "$SCRATCH/rows" --from "@$((epoch + $1))" --until "@$((epoch + $2))" |
        awk -F, '$3 == "write_bytes" { s[$1] += $5 } END { for (t in s) print t, s[t] }' |
        sort
}
truth_of -565 -485 >least
truth_of -575 -475 >most
is "and to the truth, as near as a reading every five seconds can" \
    "$(sums <rows.csv | join - least | join - most |
        awk '$2 < $3 || $2 > $4' ; sums <rows.csv | wc -l)" 4
is "of operations, too" "$(shown -570 -480 mdtargets/opens "$url" 2>err | sums)" \
    "$(baro jobstats rates --by target --op open --target '*-MDT*' -o csv \
        --from "@$((epoch - 570))" --to "@$((epoch - 480))" 2>err |
        awk -F, 'NR > 1 { print $3, $4 }')"
is "where jobs did nothing else, it is no hole" \
    "$(shown -570 -480 mdtargets/mkdirs "$url" 2>err | grep -c ',$')" 0
is "of loads they know nothing" \
    "$(shown -570 -480 dataservers/cpuload "$url" 2>&1)" "baro series show: there is no dataservers/cpuload"
is "an archive of rows is what is shown of them" \
    "$(baro series archive --from "@$((epoch - 570))" --to "@$((epoch - 480))" \
        -o rows.hdf5 "$url" 2>err; baro series show -m datatargets/writebytes rows.hdf5)" \
    "$(cat rows.csv)"

# A barod without a store, under another clock.
unset BARO_CLOCK
cp rows.db alone.db
barod --config /dev/null --set "records.path=$SCRATCH/alone.db" \
    --set "net.socket=$SCRATCH/alone.sock" --set net.listen=none 2>alone.log &
pids="$pids $!"
wait_for 20 test -S alone.sock
is "without a store rows are all there is" \
    "$(shown -570 -480 datatargets/writebytes "unix:$SCRATCH/alone.sock" 2>err)" \
    "$(cat rows.csv)"

# A server that lets nobody ask often is asked slowly.
cp rows.db slow.db
barod --config /dev/null --set "records.path=$SCRATCH/slow.db" \
    --set "net.socket=$SCRATCH/slow.sock" --set net.listen=none \
    --set net.rate_requests=4 --set net.rate_requests_burst=4 2>slow.log &
pids="$pids $!"
wait_for 20 test -S slow.sock
is "a server that is asked too often is asked again later" \
    "$(shown -570 -480 datatargets/writebytes "unix:$SCRATCH/slow.sock" 2>err)" \
    "$(cat rows.csv)"
finish
