#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The agent sends its server's totals as metrics: a played server, a played clock, barod.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
requires curl jq baro-agent baro-sim

epoch=1669014000
FS=$SCRATCH/fs CLOCK=$SCRATCH/clock
socket=$SCRATCH/barod.sock
at() {
    baro-sim clock --clock "$CLOCK" --set "@$((epoch + $1))"
}
at 0
baro-sim init --fs "$FS" --clock "$CLOCK" nodes=100 version=2.12
export BARO_CLOCK="$CLOCK"
start_barod() { # [store]
    cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = none
[records]
path = $SCRATCH/records.db
${1:+[store]
directory = $SCRATCH/store}
CONF
    barod --config "$SCRATCH/barod.conf" >>"$SCRATCH/barod.log" 2>&1 &
    barod_pid=$!
    wait_for 20 curl -sf --unix-socket "$socket" http://x/healthz
}
start_agent() { # cluster option...
    : >"$SCRATCH/agent.log"
    cluster=$1
    shift
    baro-agent --set "agent.server=unix:$socket" --set "agent.host=oss01" \
        --set "agent.state=$SCRATCH/state" --set "agent.spool=$SCRATCH/spool" \
        --set "agent.lctl=$FS/servers/oss01/lctl" --set "agent.cluster=$cluster" \
        "$@" >>"$SCRATCH/agent.log" 2>&1 &
    agent_pid=$!
    # Until then the signal that asks for its counters would end it.
    wait_for 20 grep -q observing "$SCRATCH/agent.log"
}
at_exit 'kill -9 $barod_pid $agent_pid $mds_pid'
mdt=scratch/mds01/mdt:scratch-MDT0000
start_mds() {
    baro-agent --set "agent.server=unix:$socket" --set agent.host=mds01 \
        --set "agent.state=$SCRATCH/mds-state" --set "agent.spool=$SCRATCH/mds-spool" \
        --set "agent.lctl=$FS/servers/mds01/lctl" --set agent.cluster=scratch \
        >"$SCRATCH/mds.log" 2>&1 &
    mds_pid=$!
    wait_for 20 grep -q observing "$SCRATCH/mds.log"
}
query() { # metric component
    curl -s -G --unix-socket "$socket" http://x/v1/query -d "metric=$1" \
        --data-urlencode "component=$2" -d "from=@$epoch" -d "to=@$((epoch + 300))"
}
has() { # metric component count
    [ "$(query "$1" "$2" | jq '.results[0].values | length')" -ge "$3" ]
}
# The agent's own counters, as it writes them now.
answers() {
    grep -c ' baro_agent_totals_readings_total ' "$SCRATCH/agent.log"
}
has_answered() {
    [ "$(answers)" -gt "$answers_before" ]
}
agent_counter() {
    answers_before=$(answers)
    kill -USR1 "$agent_pid"
    wait_for 60 has_answered
    sed -n "s/.* baro_agent_totals_$1_total //p" "$SCRATCH/agent.log" | tail -n 1
}
counts() { # counter number
    [ "$(agent_counter "$1")" -ge "$2" ]
}
# A reading whose lctl still runs is in the way of the next.
has_read() { # count
    counts readings "$1" && [ -z "$(pgrep -P "$agent_pid")" ]
}
# What the played lctl says at a time: the truth.
param() { # time parameter
    baro-sim lctl --fs "$FS" --server oss01 --at "@$((epoch + $1))" get_param -n "$2"
}
truth() { # time parameter line column
    param "$1" "$2" | awk -v line="$3" -v column="$4" '$1 == line { print $column }'
}

ok "barod starts with a store" start_barod store
at 1
start_agent scratch
ost=scratch/oss01/ost:scratch-OST0000
i=0
while [ $i -lt 10 ]; do
    i=$((i + 1))
    at $((i * 5))
    ok "reading $i arrives" wait_for 60 counts sent $i
done
is "at the agent's interval" "$(query lustre_write_bytes $ost | jq -c '.results[0]|[.step,(.values|length)]')" \
    "[5,10]"
want=
for t in 5 10 15 20 25 30 35 40 45 50; do
    want="$want$(truth $t obdfilter.scratch-OST0000.stats write_bytes 7)
"
done
is "bytes are the server's own, raw" \
    "$(query lustre_write_bytes $ost | jq '.results[0].values[]')" "${want%?}"
is "so are counts" "$(query lustre_getattr_samples $ost | jq '.results[0].values[9]')" \
    "$(truth 50 obdfilter.scratch-OST0000.stats getattr 2)"
is "space is in bytes" "$(query lustre_capacity_bytes $ost | jq -c '.results[0]|[.unit,.values[9]]')" \
    "[\"B\",$((96000000000 * 1024))]"
is "and in percent" \
    "$(query lustre_fullness $ost | jq '.results[0].values[9] * 1000 | round')" \
    "$(param 50 osd-ldiskfs.scratch-OST0000.kbytesavail |
        awk '{ printf "%.0f", (100 - 100 * $1 / 96000000000) * 1000 }')"
is "every target has its own" \
    "$(query lustre_exports 'scratch/oss01/ost:*' | jq -r '.results[].component' | wc -l)" \
    "$("$FS/servers/oss01/lctl" get_param -N 'obdfilter.*.stats' | wc -l)"
is "the server's targets together are the server's" \
    "$(query lustre_write_bytes scratch/oss01 | jq '.results[0].values[9]')" \
    "$(param 50 'obdfilter.*.stats' |
        awk '$1 == "write_bytes" { sum += $7 } END { printf "%.0f", sum }')"
# Between the first and the last reading, from the same text.
grown_p50() {
    for t in 45 50; do
        param $t osd-ldiskfs.scratch-OST0000.brw_stats |
            sed -n 's/^\([0-9]*[KM]\):/\1/p'
    done | awk '{ name = $1; unit = name ~ /K/ ? 1024 : 1048576; sub(/[KM]/, "", name)
            size = name * unit; n = $6
            if (size in first) { grown[size] = n - first[size]; all += grown[size] }
            else { first[size] = n; order[++count] = size } }
        END { for (i = 1; i <= count; i++) { below += grown[order[i]]
            if (below >= int(all / 2) && below > 0) { print order[i]; exit } } }'
}
is "brw_stats are told as quantiles of what came between two readings" \
    "$(query lustre_brw_io_bytes_write_p50 $ost | jq '.results[0].values[-1]')" "$(grown_p50)"
ok "the server's CPU is told" has server_cpu_busy scratch/oss01 1
ok "and its memory" has server_memory_available_bytes scratch/oss01 1

# barod goes away, and comes back.
kill -9 "$barod_pid"
wait "$barod_pid" 2>/dev/null
for i in 11 12 13; do
    at $((i * 5))
    ok "reading $i is made without barod" wait_for 60 has_read $i
done
ok "said once" wait_for 20 grep -q "totals wait in memory" "$SCRATCH/agent.log"
ok "barod starts again" start_barod store
ok "what waited is sent" wait_for 60 counts sent 13
is "nothing is missing" \
    "$(query lustre_write_bytes $ost | jq '.results[0].values | map(select(. != null)) | length')" 13
is "a metric has its unit again" "$(query lustre_capacity_bytes $ost | jq -c '.results[0].unit')" '"B"'
is "nothing was lost" "$(agent_counter lost)$(agent_counter refused)" 00

# A barod without a store.
kill "$barod_pid"
wait "$barod_pid" 2>/dev/null
ok "barod starts without a store" start_barod
at 100
ok "the agent says so" wait_for 20 grep -q "barod has no metric store" "$SCRATCH/agent.log"
before=$(agent_counter readings)
for t in 105 110 115; do
    at $t
    agent_counter readings >/dev/null
done
is "and reads no totals any more" "$(agent_counter readings)" "$before"
is "it says it once" "$(grep -c "barod has no metric store" "$SCRATCH/agent.log")" 1
kill "$agent_pid"
ok "SIGTERM ends the agent" wait "$agent_pid"

# The same from files, of recorded servers' form.
kill "$barod_pid"
wait "$barod_pid" 2>/dev/null
ok "barod starts with its store again" start_barod store
root=$SCRATCH/root
mkdir -p "$root/proc"
at 200
ok "the server's files are there" \
    baro-sim materialise --fs "$FS" --server oss01 --root "$root" --at "@$((epoch + 200))"
printf 'cpu  100 0 100 700 100 0 0 0 0 0\n' >"$root/proc/stat"
printf 'MemTotal: 1000 kB\nMemFree: 1 kB\nMemAvailable: 400 kB\n' >"$root/proc/meminfo"
printf '0.25 0.5 1.0 1/2 3\n' >"$root/proc/loadavg"
start_agent files --set agent.source=files --set "agent.reader=$BUILD/src/cmd/baro-lustre-read" \
    --set "agent.root=$root"
ok "a first reading of files arrives" wait_for 60 counts sent 1
printf 'cpu  150 0 100 720 130 0 0 0 0 0\n' >"$root/proc/stat"
at 205
ok "and a second" wait_for 60 counts sent 2
last() {
    query "$1" "$2" | jq -c '.results[0].values[-1]'
}
is "with the same names" "$(last lustre_read_bytes files/oss01/ost:scratch-OST0000)" \
    "$(truth 200 obdfilter.scratch-OST0000.stats read_bytes 7)"
is "CPU, memory and load are what proc says" \
    "$(for m in cpu_busy cpu_iowait memory_bytes memory_available_bytes load; do
        last server_$m files/oss01; done | tr '\n' ' ')" "50 30 1024000 409600 0.25 "

# The played MDT has a user who clears all, every minute, and one who never does.
ok "an agent of a metadata server starts" start_mds
i=0
while [ $i -lt 10 ]; do
    i=$((i + 1))
    at $((205 + i * 5))
    ok "its reading $i arrives" wait_for 60 eval \
        'has lustre_changelog_lag $mdt $i && has lustre_changelog_index $mdt $i'
done
users() { # time: index, then index and idle time of each
    baro-sim lctl --fs "$FS" --server mds01 --at "@$((epoch + $1))" \
        get_param -n mdd.scratch-MDT0000.changelog_users |
        awk '$1 == "current" { print $3 } /^cl/ { gsub(/[()]/, ""); print $2, $3 }'
}
last_of() { # metric component
    query "$1" "$2" | jq '.results[0].values[-1]'
}
is "a changelog's index is told" "$(last_of lustre_changelog_index $mdt)" "$(users 255 | sed -n 1p)"
is "and how many read it" "$(last_of lustre_changelog_users $mdt)" 2
is "how far each of them is behind" \
    "$(for u in cl1 cl2; do last_of lustre_changelog_lag $mdt/changelog:$u; done | tr '\n' ' ')" \
    "$(users 255 | awk 'NR == 1 { at = $1 } NR > 1 { printf "%d ", at - $1 }')"
is "and since when" \
    "$(for u in cl1 cl2; do last_of lustre_changelog_idle_seconds $mdt/changelog:$u; done | tr '\n' ' ')" \
    "$(users 255 | awk 'NR > 1 { printf "%d ", $2 }')"
is "of the MDT it is the slowest's" \
    "$(for m in lag idle_seconds; do last_of lustre_changelog_$m $mdt; done | tr '\n' ' ')" \
    "$(users 255 | awk 'NR == 1 { at = $1 } NR == 3 { printf "%d %d ", at - $1, $2 }')"
kill "$mds_pid"
wait "$mds_pid" 2>/dev/null
finish
