# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# lib-lustre.sh - one target of a Lustre server that prints what a file says, its agent, and
# a barod: for tests that decide each reading themselves.
#
#   . "$(dirname "$0")/lib-lustre.sh"    after lib.sh
#   lustre_start SECONDS                 at that time of a played clock, from which times count
#   lustre_at SECONDS                    sets the clock
#   lustre_entry JOB SECONDS BYTES SIZE [START]
#                                        prints an entry: as Lustre 2.12 does, with a START as
#                                        2.15.8; so many bytes, written SIZE at a time
#   lustre_read SECONDS [NAME]           at that time an agent reads $LUSTRE_DUMP once and
#                                        sends it; NAME keeps its state apart from others'
#   lustre_written JOB FIELD FROM TO     what baro jobstats rates says of the job's writes
#
# $LUSTRE_DUMP is the file; it begins with the line "job_stats:".

LUSTRE_DUMP=$SCRATCH/dump
lustre_socket=$SCRATCH/barod.sock

lustre_at() {
    (unset BARO_CLOCK && baro-sim clock --clock "$SCRATCH/clock" --set "@$1" >/dev/null)
}

lustre_start() {
    cat >"$SCRATCH/lctl" <<EOF
#!/bin/sh
case \$* in
*job_cleanup_interval*) echo "obdfilter.scratch-OST0000.job_cleanup_interval=600" ;;
"get_param -N"*) echo "obdfilter.scratch-OST0000.job_stats" ;;
*job_stats*) cat "$LUSTRE_DUMP" ;;
esac
EOF
    chmod +x "$SCRATCH/lctl"
    cat >"$SCRATCH/barod.conf" <<EOF
[net]
socket = $lustre_socket
listen = none
[records]
path = $SCRATCH/records.db
[filesystem scratch]
jobid_name = %j
EOF
    lustre_at "$1"
    BARO_CLOCK=$SCRATCH/clock
    export BARO_CLOCK
    barod --config "$SCRATCH/barod.conf" >"$SCRATCH/barod.log" 2>&1 &
    at_exit "kill -9 $!"
    wait_for 20 test -S "$lustre_socket"
}

lustre_entry() {
    printf -- '- job_id:          %s\n' "$1"
    if [ $# -lt 5 ]; then
        printf '  snapshot_time:   %d\n' "$2"
    else
        printf '  snapshot_time:   %d.000000000 secs.nsecs\n' "$2"
        printf '  start_time:      %d.000000000 secs.nsecs\n' "$5"
        printf '  elapsed_time:    %d.000000000 secs.nsecs\n' $(($2 - $5))
    fi
    printf '  write_bytes:     { samples: %11d, unit: bytes, min: %7d, max: %7d, sum: %15d }\n' \
        $(($3 / $4)) "$4" "$4" "$3"
}

lustre_read() {
    lustre_at "$1"
    baro-agent --once --config /dev/null --set "agent.lctl=$SCRATCH/lctl" --set agent.host=oss01 \
        --set "agent.state=$SCRATCH/${2:-}state" --set "agent.spool=$SCRATCH/${2:-}spool" \
        --set "agent.server=unix:$lustre_socket" >>"$SCRATCH/agent.log" 2>&1
}

lustre_written() {
    baro jobstats rates --records "$SCRATCH/records.db" --by job --op write_bytes \
        --from "@$3" --to "@$4" --output json 2>/dev/null |
        jq -c "map(select(.job == \"$1\"))[0].$2"
}
