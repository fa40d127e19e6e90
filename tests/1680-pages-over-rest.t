#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every page of jobs that the command line prints as JSON is what barod responds, byte for byte:
# show, list and diff; tests/1624 has weather and climate.  Whose logs are compared is
# decided as for one job; what is wrong with a request is said, and nothing of it is served.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
requires jq curl planted_make
cd "$SCRATCH" || exit 1

planted_make "" 1 >a.darshan || skip_all "the players are not built"
planted_make "access size" 3 >b.darshan
planted_make "order" 3 >c.darshan
field() { baro darshan show a.darshan | sed -n "s/^# $1: //p"; }
uid=$(field uid) start=$(field start_time) end=$(field end_time)
mkdir logs
barod_conf
cat >>barod.conf <<END
[darshan]
directory = $SCRATCH/logs
END
start_barod --set records.retention_jobs=20000d
get() { curl -s --unix-socket sock "http://x$1"; }
status() { curl -s -o body -w '%{http_code}' --unix-socket sock "http://x$1"; }
# Jobs of one number on three clusters, each with a log; one of a fourth without.
id=$(field jobid)
for job in nova:a alex:b fritz:c; do
    log=logs/ann_${job#*:}.out_id$id-77_1-2-3-4_1.darshan
    cp "${job#*:}.darshan" "$log"
    baro job summarize -o json "$log" | jq -c --arg cluster "${job%%:*}" '.[] + {_cluster: $cluster}' >>summaries
done
is "three summaries are stored" "$(curl -s --unix-socket sock -H 'Content-Type: application/x-ndjson' \
    --data-binary @summaries http://x/v1/summaries | jq -c '[.accepted,.refused]')" "[3,0]"
for job in "nova $id" "alex $id" "fritz $id" "emmy 104"; do
    printf '{"cluster":"%s","id":"%s","raw_id":"%s","user":"ann","uid":%s,"account":"physics","state":"COMPLETED","start":%s,"end":%s,"nodes":"c01","cpus":4,"cpu_time_ms":60000}\n' \
        "${job%% *}" "${job#* }" "${job#* }" "$uid" "$start" "$end"
done | curl -s --unix-socket sock -H 'Content-Type: application/x-ndjson' --data-binary @- http://x/v1/jobs >/dev/null
now=$(date +%s)
printf '{"cluster":"nova","target":"scratch-OST0001","t":%s,"mount":"/scratch","total_kib":1000,"used_kib":420,"available_kib":580,"source":"login1"}\n' \
    $((now - 600)) | curl -s --unix-socket sock -H 'Content-Type: application/x-ndjson' --data-binary @- http://x/v1/health >/dev/null

# same WHAT PATH COMMAND...
same() {
    what=$1 path=$2
    shift 2
    baro "$@" --server "$server" >printed 2>errors
    ok "$what: the command prints something" test -s printed
    ok "$what: the same bytes over REST" sh -c "curl -s --unix-socket sock 'http://x$path' | cmp - printed"
}
same "job show" "/v1/jobs/$id?cluster=nova" job show "nova/$id" -o json
same "job show of a job without a log" "/v1/jobs/104?cluster=emmy" job show "emmy/104" -o json
same "job show as HTML" "/v1/jobs/$id/page?cluster=nova" job show "nova/$id" -o html
same "job list, the worst first" '/v1/jobs?worst=cpu&format=json' job list --worst cpu -o json
same "job list of one job" "/v1/jobs?id=104&worst=cpu&format=json" job list --id 104 --worst cpu -o json
same "job diff of two" "/v1/diff?jobs=nova/$id,alex/$id" job diff nova/$id alex/$id -o json
same "job diff of three" "/v1/diff?jobs=nova/$id,alex/$id,fritz/$id" job diff nova/$id alex/$id fritz/$id -o json
same "job diff with a floor" "/v1/diff?jobs=nova/$id,alex/$id&floor=300" job diff --floor 300 nova/$id alex/$id -o json
same "job diff as CSV" "/v1/diff?jobs=nova/$id,alex/$id&format=csv" job diff nova/$id alex/$id -o csv
same "job diff for a person" "/v1/diff?jobs=nova/$id,alex/$id&format=text" job diff nova/$id alex/$id

is "what differs is what was planted" "$(get "/v1/diff?jobs=nova/$id,alex/$id" | jq -r '.[0].family')" "access size"
is "logs of the machine give the same" "$(baro job diff a.darshan b.darshan -o json | cksum)" \
    "$(get "/v1/diff?jobs=nova/$id,alex/$id" | cksum)"
is "of three a row each, by the names that were requested" \
    "$(get "/v1/diff?jobs=nova/$id,alex/$id,fritz/$id" | jq -r '.[]["run"]' | tr '\n' ' ')" "nova/$id alex/$id fritz/$id "
is "a job given twice is refused" "$(status "/v1/diff?jobs=nova/$id,alex/$id,nova/$id")" 400
is "of a job without a log nothing is compared" "$(status "/v1/diff?jobs=nova/$id,emmy/104")" 404
is "the error names it" "$(jq -r .detail body | cut -c 1-9)" "job 104: "
is "an id of no job is not known" "$(status "/v1/diff?jobs=nova/$id,999")" 404
two="jobs=nova/$id,alex/$id"
for bad in "" "jobs=nova/$id" "jobs=nova/$id," "jobs=,nova/$id" "$two&jobs=fritz/$id" "$two&floor=0" "$two&floor=x" \
    "$two&format=table" "$two&format=xml" "$two&colour=red" \
    "jobs=$(seq -s , 65)" "jobs=nova/$id,$(head -c 300 /dev/zero | tr '\0' a)"; do
    is "refused: $(printf %.40s "$bad")" "$(status "/v1/diff?$bad")" 400
done
is "a job of another cluster is none" "$(status "/v1/diff?jobs=emmy/$id,alex/$id")" 404
is "what neither has is an error of the command" \
    "$(baro job diff --server "$server" "nova/$id" emmy/104 2>&1 | cut -c 1-15; baro job diff --server "$server" "nova/$id" emmy/104 >/dev/null 2>&1; echo $?)" \
    "baro job diff: 
1"
ok "barod lives" curl -sf -o /dev/null --unix-socket sock http://x/healthz
finish
