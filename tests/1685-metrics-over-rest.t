#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What baro metric query, top and list print as JSON is what barod responds, byte for byte:
# samples and statistics, of counters and gauges, of no step and of one, in many pieces.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
requires jq curl
cd "$SCRATCH" || exit 1

barod_conf
cat >>barod.conf <<END
[metric cpu_load]
step = 60s
[metric bytes_total]
step = 60s
kind = counter
unit = B
[metric odd]
step = none
END
start_barod
now=$(date +%s)
t=$((now / 60 * 60 - 3600))
awk -v t="$t" 'BEGIN { for (i = 0; i < 50; i++) for (n = 1; n <= 40; n++) {
    printf "cpu_load,cluster=nova,hostname=c%02d,type=node value=%.17g %d000\n", n, n + i / 7, t + 60 * i
    if (n < 4) printf "bytes_total,cluster=nova,hostname=c%02d,type=node value=%d %d000\n", n, 1000 * n * i, t + 60 * i
    if (n < 3) printf "odd,cluster=nova,hostname=c%02d,type=node value=%.9g %.0f\n", n, (i - 25) * 1e300, 1000 * t + 61373 * i
} }' >metrics.lp
is "samples are stored" "$(curl -s -o out -w '%{http_code}' --unix-socket sock --data-binary @metrics.lp \
    'http://x/api/write?precision=ms'; cat out)" 200

# same WHAT PATH COMMAND...
same() {
    what=$1 path=$2
    shift 2
    baro "$@" --server "$server" >printed 2>errors
    ok "$what: the command prints something" test -s printed
    ok "$what: the same bytes over REST" sh -c "curl -s --globoff --unix-socket sock 'http://x$path' | cmp - printed"
}
window="from=@$t&to=@$((t + 3600))"
words="--from @$t --to @$((t + 3600))"
# shellcheck disable=SC2086 # words of a window
{
    same "query" "/v1/query?metric=cpu_load&counters=rate&$window&format=objects" metric query cpu_load $words -o json
    is "it is all of them" "$(jq length printed)" 2000
    is "and more than one piece" "$(($(wc -c <printed) > 131072))" 1
    same "query of nodes" "/v1/query?metric=cpu_load&component=nova/c[03-04]&counters=rate&$window&format=objects" \
        metric query cpu_load 'nova/c[03-04]' $words -o json
    same "query with a step" "/v1/query?metric=cpu_load&step=300s&counters=rate&$window&format=objects" \
        metric query cpu_load --step 300s $words -o json
    same "query of a counter, as its rate" "/v1/query?metric=bytes_total&counters=rate&$window&format=objects" \
        metric query bytes_total $words -o json
    same "query of a counter as it was sent" "/v1/query?metric=bytes_total&counters=raw&$window&format=objects" \
        metric query bytes_total --counters raw $words -o json
    same "query of samples on no grid" "/v1/query?metric=odd&counters=rate&$window&format=objects" metric query odd $words -o json
    same "query of all together" "/v1/query?metric=cpu_load&aggregate=sum&step=60s&counters=rate&$window&format=objects" \
        metric query cpu_load --aggregate sum --step 60s $words -o json
    same "statistics" "/v1/query?metric=cpu_load,bytes_total,odd&statistics=only&counters=rate&$window&format=objects" \
        metric query cpu_load,bytes_total,odd --statistics $words -o json
    is "of each metric and node" "$(jq length printed)" 45
    same "statistics of no samples" "/v1/query?metric=cpu_load&statistics=only&counters=rate&from=@1000&to=@2000&format=objects" \
        metric query cpu_load --statistics --from @1000 --to @2000 -o json
    same "no samples" "/v1/query?metric=cpu_load&counters=rate&from=@1000&to=@2000&format=objects" \
        metric query cpu_load --from @1000 --to @2000 -o json
    same "top" "/v1/query?metric=cpu_load&top=3&counters=rate&$window&format=objects" metric top cpu_load --limit 3 $words -o json
}
same "list" "/v1/metrics?format=json" metric list -o json
same "list of series" "/v1/series?metric=*&format=json" metric list '*' -o json
same "list of some" "/v1/series?metric=odd&component=nova/c01&format=json" metric list odd nova/c01 -o json
same "list of the first" "/v1/series?metric=cpu_load&limit=2&format=json" metric list cpu_load --limit 2 -o json
status() { curl -s -o body -w '%{http_code}' --globoff --unix-socket sock "http://x$1"; }
for bad in "query?metric=cpu_load&format=object" "series?format=objects" "metrics?format=objects" "metrics?format="; do
    is "refused: $bad" "$(status "/v1/$bad")" 400
done
is "the forms that there were are as they were" \
    "$(for form in json table; do curl -s --unix-socket sock "http://x/v1/query?metric=cpu_load&$window&format=$form" | jq -c keys; done)" \
    '["results"]
["columns","notes","rows"]'
ok "barod lives" curl -sf -o /dev/null --unix-socket sock http://x/healthz
finish
