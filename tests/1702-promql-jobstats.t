#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Counters of jobs as series of the Prometheus language: generations, what was unchanged,
# rates of groups, lists, limits, roles, a database that is away.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-barod.sh
. "$TOP/tests/lib-barod.sh"
requires python3 curl jq

barod_conf cpu_load
cat >>"$SCRATCH/barod.conf" <<'CONF'
[filesystem scratch]
jobid_name = %j:%u:%H
jobid_name = %e.%u
CONF
ok "barod starts" start_barod
# The minute that ended 40 minutes ago: times of rows are minutes after it.
t0=$(($(date +%s) / 60 * 60 - 2400))
post() { # ROWS: target entry t since previous reset start samples bytes, a line each
    python3 "$TOP/tests/promql/jobstats_rows.py" "$t0" "$socket"
}
ok "rows are stored" post <<'ROWS'
OST0000 7:1001:n1 1 0 - yes 10 1000
OST0000 7:1001:n1 2 1 1 no 20 3000
OST0000 7:1001:n1 8 7 2 no 30 9000
OST0000 7:1001:n1 12 11 8 yes 50 20000
OST0000 8:1002:n2 1 0 - yes 1 60
OST0000 8:1002:n2 2 1 1 no 2 120
OST0001 8:1002:n2 2 1 - yes 1 600
OST0001 dd.1003 3 2 - yes 4 77
OST0000 8:1002:n2 38 37 2 no 3 180
ROWS
api_v1() { # PATH [CURL OPTION...]
    path=$1
    shift
    curl -s -G --unix-socket "$socket" "$@" "http://x/api/v1/$path"
}
at() { # MINUTE
    echo $((t0 + $1 * 60))
}
samples() { # SELECTOR[RANGE] MINUTE: minute:value of each sample
    api_v1 query --data-urlencode "query=$1" -d "time=$(at "$2")" |
        jq -r --argjson t0 "$t0" '.data.result[0].values[] | "\((.[0] - $t0) / 60):\(.[1])"' | tr '\n' ' '
}
query() { # EXPRESSION MINUTE: labels and value of each series
    api_v1 query --data-urlencode "query=$1" -d "time=$(at "$2")" |
        jq -c 'if .status == "success" then .data.result | map([(.metric | del(.__name__)), .value[1]]) | sort[]
            else .errorType, .error end'
}

# ---- a counter ----
is "a generation begins at 0, what was unchanged is repeated, what follows begins anew" \
    "$(samples 'jobstats_write_bytes_total{job="7"}[20m]' 13)" \
    "0:0 1:1000 2:3000 3:3000 4:3000 5:3000 6:3000 7:3000 8:9000 11:0 12:20000 "
is "requests are a counter of their own" \
    "$(samples 'jobstats_write_bytes_count_total{job="7"}[2m]' 3)" "1:10 2:20 "
is "and known up to the row that shows it" "$(samples 'jobstats_write_bytes_count_total{job="7"}[6m]' 8)" "2:20 3:20 4:20 5:20 6:20 7:20 8:30 "
is "a generation of more than the one before it is a reset all the same" \
    "$(query 'round(sum(increase(jobstats_write_bytes_total{job="7"}[12m])))' 12)" '[{},"29000"]'
is "its labels are all that is known" \
    "$(query 'jobstats_write_bytes_total{job="7"}' 2)" \
    '[{"entry":"7:1001:n1","fs":"scratch","job":"7","node":"n1","target":"scratch-OST0000","user":"1001"},"3000"]'
is "where there is no row it ends by the look-back" "$(query 'jobstats_write_bytes_total{job="7"}' 18)" ""
is "an entry that is of no job has what it is of" \
    "$(query 'jobstats_write_bytes_total{executable="dd"}' 4)" \
    '[{"entry":"dd.1003","executable":"dd","fs":"scratch","job":"dd.1003","target":"scratch-OST0001","user":"1003"},"77"]'
is "regular expressions and what is not equal select, too" \
    "$(query 'sum by(job) (jobstats_write_bytes_total{job=~"7|8",target!="scratch-OST0001"})' 2)" \
    '[{"job":"7"},"3000"]
[{"job":"8"},"120"]'
is "a label that they do not have fits nothing" \
    "$(query 'jobstats_write_bytes_total{hostname="n1"}' 2)" ""

# ---- rates of groups ----
is "a job's rate is over all targets" \
    "$(query 'job:jobstats_write_bytes:rate{fs="scratch"}' 2 | jq -c '[.[0].job, .[1]]')" \
    '["7","33.333333333333336"]
["8","11"]'
is "a target's is over all jobs" \
    "$(query 'target:jobstats_write_bytes:rate{target="scratch-OST0000"}' 2 | jq -r '.[1]')" 34.333333333333336
is "over a range each value is the mean of its step" \
    "$(api_v1 query_range -d 'query=fs:jobstats_write_bytes:rate' -d "start=$(at 2)" -d "end=$(at 4)" -d step=60 |
        jq -c '[.data.result[0].values[][1]]')" '["44.333333333333336","1.2833333333333334","0"]'
is "which add up to what was written" \
    "$(api_v1 query_range -d 'query=fs:jobstats_write_bytes:rate*240' -d "start=$(at 0)" -d "end=$(at 36)" -d step=240 |
        jq '[.data.result[0].values[][1] | tonumber] | add | round')" $((9000 + 20000 + 120 + 600 + 77))
is "a job that ended is gone at once" \
    "$(api_v1 query_range -d 'query=job:jobstats_write_bytes:rate{job="7"}' -d "start=$(at 1)" -d "end=$(at 30)" -d step=60 |
        jq -c '.data.result[0].values | map(.[0]) | max')" "$(at 12)"
is "now is the last round, not the time since" \
    "$(query 'fs:jobstats_write_bytes:rate' 39)" '[{"fs":"scratch"},"1"]'
is "by user, node, executable, server" \
    "$(for level in user node executable server; do
        query "count($level:jobstats_write_bytes:rate)" 3
        query "round(sum($level:jobstats_iops:rate)*60)" 2
    done | tr '\n' ' ')" \
    '[{},"1"] [{},"12"] [{},"12"] [{},"1"] [{},"1"] [{},"12"] '

# ---- lists ----
window="-d start=$(at 0) -d end=$(at 39)"
list() { # PATH [OPTION...]
    list_path=$1
    shift
    # shellcheck disable=SC2086
    api_v1 "$list_path" $window "$@" | jq -c .data
}
is "values of labels" "$(list label/job/values) $(list label/target/values)" \
    '["7","8","dd.1003"] ["scratch-OST0000","scratch-OST0001"]'
is "of a selector" "$(list label/user/values --data-urlencode 'match[]=job:jobstats_write_bytes:rate{job="8"}')" '["1002"]'
is "of its entries" "$(list label/entry/values --data-urlencode 'match[]=jobstats_write_bytes_total{user="1002"}')" '["8:1002:n2"]'
is "names of series" \
    "$(list label/__name__/values | jq -c 'map(select(test("write_bytes(_total|:rate)")))')" \
    '["executable:jobstats_write_bytes:rate","fs:jobstats_write_bytes:rate","group:jobstats_write_bytes:rate","job:jobstats_write_bytes:rate","jobstats_write_bytes_total","node:jobstats_write_bytes:rate","server:jobstats_write_bytes:rate","target:jobstats_write_bytes:rate","user:jobstats_write_bytes:rate"]'
is "names of labels" "$(list labels)" \
    '["__name__","entry","executable","fs","group","job","node","server","target","user"]'
is "series" "$(list series --data-urlencode 'match[]={__name__=~"jobstats_.*",job="7"}' | jq -c 'map(.__name__)')" \
    '["jobstats_iops_total","jobstats_write_bytes_count_total","jobstats_write_bytes_total"]'
is "before there were rows nothing is listed" \
    "$(api_v1 label/job/values -d start=1600000000 -d end=1600003600 | jq -c .data)" '[]'
is "metadata has kinds and units" "$(api_v1 metadata -d metric=job:jobstats_write_bytes:rate | jq -c '.data[]')" \
    '[{"type":"gauge","help":"mean rate up to the sample","unit":"bytes/s"}]'

# ---- limits ----
ok "many entries are stored" sh -c "
    python3 -c 'for j in range(10001): print(\"OST0002 %d:5:n3 20 19 - yes 1 1\" % (100000 + j))' |
        python3 '$TOP/tests/promql/jobstats_rows.py' $t0 '$socket'"
is "over the bound the error names it and what to do" "$(query 'sum(jobstats_write_bytes_total)' 20)" \
    '"execution"
"a selector of counters of jobs fits over 10000 series: name fs, target, job or user, query a shorter time, or use a series that is added up already, such as job:jobstats_write_bytes:rate"'
is "what is added up already is within it" "$(query 'user:jobstats_write_bytes:rate{user="5"} * 60' 20)" \
    '[{"fs":"scratch","user":"5"},"10001"]'

# ---- what lies in hours ----
ok "rows of days ago are stored" sh -c "
    python3 -c 'for m in range(-4320, -4200, 10):
        p = m - 10
        print(\"OST0003 9:6:n4 %d %d %s %s %d %d\" % (m, m - 10, \"-\" if m == -4320 else p,
            \"yes\" if m == -4320 else \"no\", m + 4330, (m + 4330) * 600))' |
        python3 '$TOP/tests/promql/jobstats_rows.py' $t0 '$socket'"
is "a long range has means of whole hours, which add up to all there is" \
    "$(api_v1 query_range -d 'query=job:jobstats_write_bytes:rate{job="9"}*1800' \
        -d "start=$((t0 / 3600 * 3600 - 76 * 3600))" -d "end=$((t0 / 3600 * 3600))" -d step=1800 |
        jq '[.data.result[0].values[][1] | tonumber] | add | round')" 72000
is "without rows at the beginning of time" "$(query 'fs:jobstats_write_bytes:rate' -100000000)" ""
ok "barod ends" end_barod

# ---- roles ----
# shellcheck source=tests/lib-roles.sh
. "$TOP/tests/lib-roles.sh"
rm -rf "$SCRATCH/records.db" "$SCRATCH/store"
roles_start
roles_fill
for name in reader support admin; do
    is "a token of $name sees them" \
        "$(get $name "/api/v1/query?query=count(jobstats_write_bytes_total)&time=$((T + 540))" | jq -r '.data.result[0].value[1]')" 8
done
for name in user manager agent; do
    is "a token of $name sees no series, of whomever they are" \
        "$(for path in query?query=1 labels label/job/values 'series?match[]=x' metadata; do
            printf '%s ' "$(status $name "/api/v1/$path" -g)"
        done)" "403 403 403 403 403 "
done
finish
