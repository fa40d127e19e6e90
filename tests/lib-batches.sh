# SPDX-License-Identifier: Apache-2.0
# lib-batches.sh - batches of one row each, submitted to a barod as an agent does it.
#
#   . "$(dirname "$0")/lib-batches.sh"           after lib.sh; $socket is barod's
#   post SEQUENCE JOB [SAMPLES]     submits the batch, prints the status of the response
#   is_posted SEQUENCE JOB ...      it is stored
#   posted SEQUENCE JOB ...         it is stored, be it after some tries
#
# The row is the job's, from the server oss-JOB; its counter is the sequence, with one sample
# or as many as given.  A sequence has one time, whenever it is submitted: so many seconds
# after $began, ten minutes ago unless a test says otherwise.  The body of the response is in
# $SCRATCH/answer.

began=${began:-$(($(date +%s) - 600))}

post() {
    batch_time=$((began + $1))
    printf '{"format":"baro-jobstats-1","agent":"c0ffee00-0000-4000-8000-000000000001",
        "sequence":%d,"server":"oss-%s","targets":[{"target":"scratch-OST0000","kind":"ost",
        "timestamp":"%s","entries":[{"entry_id":"%s:2:a","exact":true,"since":null,
        "previous":null,"reset":true,"snapshot_time":%d,"start_time":null,"ops":{
        "write_bytes":{"samples":%d,"unit":"bytes","min":1,"max":1,"sum":%d}}}]}]}' \
        "$1" "$2" "$(date -u -d "@$batch_time" +%Y-%m-%dT%H:%M:%SZ)" "$2" "$batch_time" \
        "${3:-1}" "$1" |
        curl -s -o "$SCRATCH/answer" -w '%{http_code}' --unix-socket "$socket" \
            -H 'Content-Type: application/json' --data-binary @- http://x/v1/jobstats
}

is_posted() {
    [ "$(post "$@")" = 200 ]
}

posted() {
    wait_for 60 is_posted "$@"
}
