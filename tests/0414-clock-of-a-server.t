#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A Lustre server whose clock is set back by hours, twice, and forth again: what its rows
# add up to is what was written, no more and no less.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
requires jq barod baro-agent baro baro-sim

socket=$SCRATCH/barod.sock
dump=$SCRATCH/dump
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
begin=1795219200
hour=3600
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

# One round at SECONDS: the job has written one MiB more, as 2.12 or 2.15.8 print it.
observe() {
    at "$1"
    written=$((written + 1048576))
    {
        echo job_stats:
        printf -- '- job_id:          %s\n' "$job"
        if [ "$form" = old ]; then
            printf '  snapshot_time:   %d\n' "$1"
        else
            printf '  snapshot_time:   %d.000000000 secs.nsecs\n' "$1"
            printf '  start_time:      %d.000000000 secs.nsecs\n' $((begin - 60))
            printf '  elapsed_time:    %d.000000000 secs.nsecs\n' $(($1 - begin + 60))
        fi
        printf '  write_bytes:     { samples: %11d, unit: bytes, min: %7d, max: %7d, sum: %15d }\n' \
            $((written / 4096)) 4096 4096 $written
    } >"$dump"
    baro-agent --once --config /dev/null --set "agent.lctl=$SCRATCH/lctl" \
        --set agent.host=oss01 --set "agent.state=$SCRATCH/$form.state" \
        --set "agent.spool=$SCRATCH/$form.spool" --set "agent.server=unix:$socket" \
        >>"$SCRATCH/agent.log" 2>&1
}
rounds() { # FROM COUNT
    for n in $(seq 0 $(($2 - 1))); do
        observe $(($1 + n * 120)) || return 1
    done
}
answer() { # FIELD
    baro jobstats rates --records "$SCRATCH/records.db" --by job --op write_bytes \
        --from @$((begin - 6 * hour)) --to @$((begin + 6 * hour)) --output json 2>/dev/null |
        jq -c "map(select(.job == \"$job\"))[0].$1"
}

for form in old new; do
    written=0
    job=7
    [ $form = old ] || job=8
    ok "$form: rounds of a quarter of an hour" rounds $begin 8
    ok "$form: set back by 50 minutes" rounds $((begin - 50 * 60 + 840)) 8
    ok "$form: and by two hours more" rounds $((begin - 2 * hour)) 4
    ok "$form: and set right" rounds $((begin + 1020)) 4
    # Of 2.12's first reading nobody knows how much of it is older.
    first=0
    [ $form = new ] || first=1048576
    least=$(answer write_bytes)
    ok "$form: at least what was written since the first look: $least" \
        [ "$least" -ge $((written - first)) ]
    ok "$form: and no more than was written: $written" [ "$least" -le $written ]
    most=$(answer write_bytes_at_most)
    [ "$most" != null ] || most=$written # nobody can say
    ok "$form: nor is that more than at most: $most" [ "$most" -ge $written ]
done
finish
