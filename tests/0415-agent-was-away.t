#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An agent that was away in the middle of a window: what moved meanwhile stands in the steps
# of its absence, as baro-jobstats-rates(1) says; what is not known is not a number but "at most".
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
requires jq barod baro-agent baro baro-sim

socket=$SCRATCH/barod.sock
dump=$SCRATCH/dump
MIB=1048576
cat >"$SCRATCH/lctl" <<EOF2
#!/bin/sh
case \$* in
*job_cleanup_interval*) echo "obdfilter.scratch-OST0000.job_cleanup_interval=600" ;;
"get_param -N"*) echo "obdfilter.scratch-OST0000.job_stats" ;;
*job_stats*) cat "$dump" ;;
esac
EOF2
chmod +x "$SCRATCH/lctl"
at() { # SECONDS of the clock
    (unset BARO_CLOCK && baro-sim clock --clock "$SCRATCH/clock" --set "@$1" >/dev/null)
}
entry() { # ID MOVED_S MIB, as 2.12 prints it
    printf -- '- job_id:          %s\n  snapshot_time:   %d\n' "$1" "$2"
    printf '  write_bytes:     { samples: %11d, unit: bytes, min: %7d, max: %7d, sum: %15d }\n' \
        "$3" $MIB $MIB $(($3 * MIB))
}
begin=1795219200
at $begin
export BARO_CLOCK="$SCRATCH/clock"
cat >"$SCRATCH/barod.conf" <<EOF2
[net]
socket = $socket
listen = none
[records]
path = $SCRATCH/records.db
[filesystem scratch]
jobid_name = %j
EOF2
barod --config "$SCRATCH/barod.conf" >"$SCRATCH/barod.log" 2>&1 &
pid=$!
at_exit "kill -9 $pid"
wait_for 20 test -S "$socket"
observe() {
    at "$1"
    baro-agent --once --config /dev/null --set "agent.lctl=$SCRATCH/lctl" --set agent.host=oss01 \
        --set "agent.state=$SCRATCH/state" --set "agent.spool=$SCRATCH/spool" \
        --set "agent.server=unix:$socket" >>"$SCRATCH/agent.log" 2>&1
}
rates() { # ARGS: of four minutes each
    baro jobstats rates --records "$SCRATCH/records.db" --op write_bytes --output json "$@" \
        2>/dev/null
}
steps() { # JOB: MiB of each step
    rates --job "$1" --step 4m --from @$begin --to @$((begin + 1200)) |
        jq -c "map(.write_bytes / $MIB)"
}
most() { # JOB
    rates --job "$1" --from @$begin --to @$((begin + 2100)) | jq -c '.[0].write_bytes_at_most'
}

{ echo job_stats: && entry 1 $begin 10 && entry 2 $begin 10 && entry 3 $begin 10; } >"$dump"
ok "a first round" observe $((begin + 1))
{ echo job_stats: && entry 1 $((begin + 200)) 20 && entry 2 $((begin + 200)) 20 && entry 3 $((begin + 230)) 15; } >"$dump"
ok "a second round" observe $((begin + 240))
# Sixteen minutes away: job 1 goes on, job 2 does not move, job 3 is removed.
{ echo job_stats: && entry 1 $((begin + 1190)) 980 && entry 2 $((begin + 200)) 20; } >"$dump"
ok "a third, after sixteen minutes" observe $((begin + 1200))
is "what moved meanwhile is spread over the absence" "$(steps 1)" "[10,240,240,240,240]"
is "what is as it was has not moved: that is known, and is 0" "$(steps 2)" "[10,0,0,0,0]"
is "so is its total, but for what it showed at first" "$(most 2)" $((20 * MIB))
ok "a fourth round" observe $((begin + 1320))
ok "and one by which what is gone is forgotten" observe $((begin + 2040))
is "what a job did last that was removed meanwhile is not known" "$(most 3)" null
is "nor whether one that moved again after so long is the same" "$(most 1)" null
finish
