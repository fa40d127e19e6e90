#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A target that is mounted anew between two reads, on a Lustre that prints no start times:
# the whole way, and sequences of mounts, removals and work by chance.
# tests/faults/generations.sh plays thousands.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
requires jq barod baro-agent baro baro-sim baro-sim-generations

baro-sim-generations --seeds 300 --first 1 -v >"$SCRATCH/sequences" 2>&1
is "the truth lies in what is answered, which has no width where nothing was hidden" $? 0
sed 's/^/# /' "$SCRATCH/sequences"

# ---- a server that prints what a file says ----
socket=$SCRATCH/barod.sock
dump=$SCRATCH/dump
MIB=1048576
cat >"$SCRATCH/lctl" <<EOF
#!/bin/sh
case \$* in
*job_cleanup_interval*) echo "obdfilter.scratch-OST0000.job_cleanup_interval=600" ;;
"get_param -N"*) echo "obdfilter.scratch-OST0000.job_stats" ;;
*job_stats*) cat "$dump" ;;
esac
EOF
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
cat >"$SCRATCH/barod.conf" <<EOF
[net]
socket = $socket
listen = none
[records]
path = $SCRATCH/records.db
[filesystem scratch]
jobid_name = %j
EOF
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
answer() { # JOB FIELD
    baro jobstats rates --records "$SCRATCH/records.db" --by job --op write_bytes \
        --from @$begin --to @$((begin + 600)) --output json 2>/dev/null |
        jq -c "map(select(.job == \"$1\"))[0].$2"
}

{ echo job_stats: && entry 1 $begin 1 && entry 2 $begin 1; } >"$dump"
ok "the first round" observe $((begin + 1))
{ echo job_stats: && entry 1 $((begin + 60)) 101 && entry 2 $((begin + 60)) 3; } >"$dump"
ok "a second round" observe $((begin + 120))
# Mounted anew: job 1 has written 151 MiB since, job 2 nothing.
{ echo job_stats: && entry 1 $((begin + 230)) 151; } >"$dump"
ok "a third, after a mount that nobody saw" observe $((begin + 240))
# One entry that is gone is no proof of a mount: it alone may have been cleared, and then job 1
# wrote 50 MiB. Both are in what is answered.
is "job 1 wrote 100 MiB before it and 50 MiB after it, at least" \
    "$(answer 1 write_bytes)" $((150 * MIB))
is "how much at most nobody can say" "$(answer 1 write_bytes_at_most)" null
is "nor of job 2, of which nothing is left" "$(answer 2 write_bytes_at_most)" null

# Four that are gone or fell are one.
{
    echo job_stats: && entry 1 $((begin + 250)) 152 &&
        for job in 3 4 5 6; do entry $job $((begin + 250)) 5; done
} >"$dump"
ok "a fourth round" observe $((begin + 360))
{ echo job_stats: && entry 1 $((begin + 470)) 153 && entry 3 $((begin + 470)) 1; } >"$dump"
ok "a fifth, after another mount" observe $((begin + 480))
is "job 1 wrote 153 MiB after it" "$(answer 1 write_bytes)" $(((151 + 153) * MIB))
is "how much at most nobody can say" "$(answer 1 write_bytes_at_most)" null
finish
