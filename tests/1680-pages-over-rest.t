#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the command line prints as JSON of a barod is what barod responds, byte for byte: jobs,
# rows, nodes and space; tests/1624 has weather and climate.  Whose logs are compared is
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
[filesystem scratch]
jobid_name = %j:%u:%H
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
same "job list" '/v1/jobs?format=json' job list -o json
same "job list of one job, its last run" "/v1/jobs?id=104&format=json" job list --id 104 -o json
same "job list of a cluster" "/v1/jobs?cluster=nova&format=json" job list --cluster nova -o json
same "job list of a user" "/v1/jobs?user=ann&format=json" job list --user ann -o json
same "job list of a user in a window" "/v1/jobs?user=ann&from=@$((start - 60))&to=@$((end + 60))&format=json" \
    job list --user ann --from "@$((start - 60))" --to "@$((end + 60))" -o json
same "job list of a node" "/v1/jobs?node=c01&from=@$((start - 60))&format=json" job list --node c01 --from "@$((start - 60))" -o json
same "job list with each node" "/v1/jobs?nodes=true&format=json" job list --nodes -o json
same "job list with each node of a user" "/v1/jobs?nodes=true&user=ann&format=json" job list --nodes --user ann -o json
same "the load" '/v1/jobs?load=true&format=json' job list --load -o json
same "the load of a window" "/v1/jobs?load=true&from=@$((start + 1))&to=@$((end - 1))&format=json" \
    job list --load --from "@$((start + 1))" --to "@$((end - 1))" -o json
same "the load of a cluster and a user" "/v1/jobs?load=true&cluster=nova&user=ann&format=json" job list --load -c nova --user ann -o json
is "it is of all jobs" "$(get '/v1/jobs?load=true&format=json' | jq -c 'map([.jobs,.nodes])')" "[[4,0]]"
is "that the number of nodes is not known is said" "$(baro job list --load --server "$server" 2>&1 >/dev/null -o json)" \
    "# 4 of these jobs have no number of nodes"
is "a load of a part is no load: it is refused" "$(status '/v1/jobs?load=true&format=json&limit=2')" 400
for bad in "load=true" "nodes=true" "nodes=true&format=lines" "load=yes&format=json" "load=true&format=json&id=104" \
    "load=true&format=json&array=7" "load=true&format=json&nodes=true" "load=true&format=json&worst=cpu" \
    "nodes=true&format=json&footprint=cpu_load" "load=true&load=true&format=json"; do
    is "refused: $bad" "$(status "/v1/jobs?$bad")" 400
done
is "the command refuses the load of one job" "$(baro job list --server "$server" --load --id 104 2>&1; echo $?)" \
    "baro job list: --load: it cannot be with --id
2"
is "each is a job's" "$(get '/v1/jobs?format=json' | jq -c '[length, (map(.cluster) | sort), .[0].user]')" '[4,["alex","emmy","fritz","nova"],"ann"]'
is "fewer where it is limited, which is said" \
    "$(curl -s -D heads --unix-socket sock 'http://x/v1/jobs?format=json&limit=2' | jq length; grep -ci '^baro-more: yes' heads)" "2
1"

# Rows of a job on two targets, an hour ago.
stamp() { date -u -d "@$1" +%Y-%m-%dT%H:%M:%S.000Z; }
t=$(($(date +%s) / 60 * 60 - 3600))
for round in 1 2 3; do
    jq -nc --arg now "$(stamp $((t + 60 * round)))" --arg before "$(stamp $((t + 60 * round - 60)))" --argjson r $round --argjson t $((t + 60 * round - 1)) '
        {format: "baro-jobstats-1", server: "oss01", targets: [0, 1 | {target: "scratch-OST000\(.)", timestamp: $now, entries: ["7:1000:n1", "8:1001:n2" |
            {entry_id: ., exact: true, since: $before, previous: (if $r == 1 then null else $before end), reset: ($r == 1), snapshot_time: $t,
             ops: {write_bytes: {samples: $r, unit: "bytes", sum: ($r * 1048576)}}}]}]}' |
        curl -s -o reply --unix-socket sock -H 'Content-Type: application/json' --data-binary @- http://x/v1/jobstats
done
window="from=@$t&to=@$((t + 180))"
same "jobstats job" "/v1/jobstats/job/7?format=json" jobstats job 7 -o json
same "jobstats top" "/v1/jobstats/top?$window&format=json" jobstats top --from "@$t" --to "@$((t + 180))" -o json
same "jobstats rates" "/v1/jobstats/rates?$window&by=target,op&format=json" jobstats rates --from "@$t" --to "@$((t + 180))" --by target,op -o json
same "jobstats series" "/v1/jobstats/series?job=7&format=json" jobstats series --job 7 -o json
is "what a job wrote is in them" "$(get "/v1/jobstats/job/7?format=json" | jq -c '[.targets[] | [.target, .write_bytes]]')" \
    '[["scratch-OST0000",3145728],["scratch-OST0001",3145728]]'
is "without a form there are columns and notes, as before" "$(get "/v1/jobstats/job/7" | jq -c '[.summary | keys[]]')" '["columns","notes","rows"]'
for bad in "jobstats/top?format=xml" "jobstats/series?format=json&format=json" "space?format=csv" "nodes?format=" "jobs?format=csv"; do
    is "refused: $bad" "$(status "/v1/$bad")" 400
done

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
