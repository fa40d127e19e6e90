#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Corrected errors of memory that become more are a warning before the uncorrected one: ten days of a
# played node whose modules A1 (2 errors a day, then 1 an hour, then an uncorrected one), B1 (2 a day
# for ever) and C1 (one burst) are read by an agent that is killed in between; baro resource show has
# what is stated and when, B1 never warns, and C1 is up again when it was quiet.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
. "$(dirname "$0")/lib-roles.sh"
requires jq curl sqlite3 baro-agent baro-sim
cd "$SCRATCH" || exit 1
at_exit 'kill -9 $agent_pid 2>/dev/null'

begin=1795219200 # midnight
hour=0 second=0
at() { # HOUR
    [ "$1" = "$hour" ] || second=0
    hour=$1 second=$((second + 2))
    (unset BARO_CLOCK && baro-sim clock --clock "$SCRATCH/clock" --set "@$((begin + hour * 3600 + second))" >/dev/null)
}
at 0
export BARO_CLOCK="$SCRATCH/clock"
roles_start "[resource]
host = alex/a1"
token node --role agent --host a1 --cluster alex
chmod 600 reader node
mc=root/sys/devices/system/edac/mc/mc0
for n in A1 B1 C1; do
    mkdir -p $mc/dimm$n
    echo "DIMM $n" >$mc/dimm$n/dimm_label
    echo 3 >$mc/dimm$n/dimm_ce_count
    echo 0 >$mc/dimm$n/dimm_ue_count
done
echo 864000 >$mc/seconds_since_reset

start_agent() { # OPTION...
    baro-agent --set agent.source=none --set "agent.root=$SCRATCH/root" --set "agent.server=$url" \
        --set "agent.token_file=$SCRATCH/node" --set "agent.state=$SCRATCH/state" --set "agent.spool=$SCRATCH/spool" \
        --set agent.host=a1 --set agent.cluster=alex --set agent.metrics="$SCRATCH/metrics" --set agent.backoff_max=1s \
        --set node.source=edac --set node.interval=1s --set node.flush_interval=0s "$@" 2>>agent.log &
    agent_pid=$!
}
end_agent() { # SIGNAL
    kill "-$1" $agent_pid
    wait $agent_pid 2>/dev/null
}
# The file of the days before, which is written after errors and once an hour, has this hour.
has_hour() {
    awk -v t=$((begin + hour * 3600)) '$1 == "part" && $3 >= t { n++ } END { exit n != 3 }' state/error.trends
}
# An agent that has just started waits for the next instant.
is_stored() { has_hour || { at "$hour" && false; }; }
grow() { # MODULE ERRORS
    echo $(($(cat $mc/dimm"$1"/dimm_ce_count) + $2)) >$mc/dimm"$1"/dimm_ce_count
}
# What comes until then, step after step; a pause of four hours is for days on which little comes.
play() { # HOUR [STEP]
    while [ "$hour" -lt "$1" ]; do
        if [ $((hour % 12)) = 4 ]; then
            grow B1 1
            [ "$hour" -ge 196 ] || grow A1 1
        fi
        [ "$hour" -lt 196 ] || [ "$hour" -ge 240 ] || grow A1 1
        at $((hour + ${2:-1}))
        wait_for 5 is_stored || { echo "# hour $hour was not read"; return 1; }
    done
}
show() { # MODULE: health and reason
    baro resource show -o json --server "$url" --token-file reader "alex/a1/dimm:DIMM_$1" |
        jq -r '.[] | select(.source == "system:node:edac@a1") | .health + " " + (.reason // "-")'
}
is_shown() { show "$1" | grep -qE "^$2\$"; }
changes() { sqlite3 records.db "select count(*) from resource_changes where component = 'alex/a1/dimm:DIMM_$1' and health = '$2'"; }

# ---- eight days as usual ----
start_agent
ok "the first hour is read" wait_for 5 is_stored
ok "what was counted before it is no warning" wait_for 5 is_shown A1 "up -"
ok "three days are played" play 72 4
end_agent KILL
grow B1 1
start_agent
ok "days go on after an agent was killed" play 196 4
is "two a day are no warning" "$(show A1), $(show B1)" "up -, up -"

# ---- A1 has one an hour, on two days ----
ok "half a day of more is played" play 204
is "a few are no warning" "$(show A1)" "up -"
has_warned() { is_shown A1 "degraded .*"; }
seen=
while [ "$hour" -lt 236 ]; do
    play $((hour + 1)) || break
    if [ -z "$seen" ] && has_warned; then seen=$hour; fi
done
ok "more of them are a warning a day before the uncorrected error" [ -n "$seen" ]
ok "after 12 to 30 hours of it" [ "${seen:-0}" -ge 208 ] && [ "${seen:-999}" -le 226 ]
echo "# at hour $seen, $((seen - 196)) hours after the rise"
is "that names the module, how many, and how many were usual" \
    "$(show A1 | sed -E 's/[0-9.]+ corrected/N corrected/; s/[0-9.]+ a day/M a day/')" \
    "degraded edac: DIMM_A1: N corrected errors in 24 hours, M a day in the 7 days before"
is "its host is degraded by it" \
    "$(baro resource list -o json --server "$url" --token-file reader alex/a1 | jq -r '.[0] | .health + " " + .cause')" \
    "degraded alex/a1/dimm:DIMM_A1"

# ---- the agent is started again ----
end_agent TERM
start_agent
ok "an hour goes by" play 237
ok "it is a warning still, with what was usual" is_shown A1 "degraded edac: .* in 24 hours, .* in the 7 days before"
is "and was the same all the time" "$(changes A1 degraded)" 1
is "which came before the uncorrected one" "$(cat $mc/dimmA1/dimm_ue_count)" 0

# ---- the uncorrected one ----
echo 1 >$mc/dimmA1/dimm_ue_count
ok "an hour goes by" play 238
ok "the uncorrected error is the reason now" wait_for 5 is_shown A1 \
    "degraded edac: 1 uncorrected errors of DIMM_A1 since the start"

# ---- a burst, and a counter that fell ----
grow C1 11
at "$hour"
ok "it is a warning at once" wait_for 5 is_shown C1 "degraded edac: DIMM_C1: 11 corrected errors in an hour, more than 10"
echo 0 >$mc/dimmC1/dimm_ce_count
ok "its counter falls, and it is quiet for more than three days" play 316 4
ok "it is up again" wait_for 5 is_shown C1 "up -"
is "two a day were never a warning" "$(changes B1 degraded) $(show B1)" "0 up -"

# ---- a file that is damaged ----
end_agent TERM
head -c 300 state/error.trends >cut.trends
cp cut.trends state/error.trends
start_agent --set node.corrected_hour_max=3
ok "a file that was cut is set aside" wait_for 5 cmp cut.trends state/error.trends.damaged
ok "with a word" grep -q "error.trends' is damaged, and set aside as .damaged: of corrected errors in the days before nothing is known" agent.log
ok "and the agent goes on" play $((hour + 1))
grow C1 4
at "$hour"
ok "with the bound of its configuration" wait_for 5 is_shown C1 "degraded edac: DIMM_C1: 4 corrected errors in an hour, more than 3"
end_agent TERM
ok "a bound of 0 is refused" not baro-agent --check --set node.corrected_hour_max=0 --set agent.source=none

for log in barod.log agent.log; do
    ok "$log has no error" not grep -E "Sanitizer|runtime error" "$log"
done
finish
