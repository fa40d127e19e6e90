#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# /api/v1 of barod as Prometheus has it: the same samples in both, the same requests to both.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-barod.sh
. "$TOP/tests/lib-barod.sh"
requires python3 curl jq
command -v prometheus >/dev/null || skip_all "prometheus is not installed (apt-get install prometheus)"

barod_conf clock
for metric in cpu_load net_bytes mem_used nfs4.read; do
    printf '[metric %s]\nstep = none\naggregation = avg\n' "$metric"
done >>"$SCRATCH/barod.conf"
ok "barod starts" start_barod
mkdir "$SCRATCH/peer"
python3 "$TOP/tests/promql/http_oracle.py" "$SCRATCH/peer" "$socket" >"$SCRATCH/out" 2>&1
is "every response is that of Prometheus, or the difference has a name" "$?" 0
cut -c1-400 "$SCRATCH/out" | sed 's/^/# /' | tail -40

# ---- what Grafana queries, and what is empty ----
api_v1() { # PATH [CURL OPTION...]
    path=$1
    shift
    curl -s --unix-socket "$socket" "$@" "http://x/api/v1/$path"
}
for pair in rules:groups alerts:alerts targets:activeTargets; do
    is "${pair%:*} are none" "$(api_v1 "${pair%:*}" | jq -c ".data.${pair#*:}")" "[]"
done
is "exemplars are none" "$(api_v1 query_exemplars -d query=x | jq -c .data)" "[]"
is "the version is that of the language" "$(api_v1 status/buildinfo | jq -r .data.version)" 2.42.0
is "metadata has kinds" "$(api_v1 'metadata?metric=clock' | jq -c .data)" \
    '{"clock":[{"type":"gauge","help":"","unit":""}]}'
is "a form that is broken is refused" "$(api_v1 query -d 'query=%4' | jq -r .error)" \
    "byte 7 of the form: % wants two hexadecimal digits"
is "and so is one of many fields" \
    "$(printf 'a&%.0s' $(seq 1100) | api_v1 query --data-binary @- | jq -r .error)" \
    "a form has 1000 fields at most"
is "a route that is none is 404" "$(api_v1 nothing -o /dev/null -w '%{http_code}')" 404
is "another method is 405" "$(api_v1 labels -X DELETE -o /dev/null -w '%{http_code}')" 405

# ---- limits: a query ends, and writes go on ----
ok "barod ends" end_barod
ok "barod starts with a short query_timeout" start_barod --set barod.query_timeout=1s
end=$(date +%s)
is "a query that takes too long ends, and its response says what to do" \
    "$(api_v1 query_range --data-urlencode 'query=sum(quantile_over_time(0.5,clock[1h:1s]))' -d start=$((end - 86400)) \
        -d end="$end" -d step=8 | jq -r '.errorType + ": " + .error')" \
    "timeout: query timed out: query a shorter time, or fewer series; see query_timeout in [barod]"
ok "others are served" sh -c "curl -sf --unix-socket '$socket' 'http://x/api/v1/query?query=1'"
ok "barod ends again" end_barod
finish
