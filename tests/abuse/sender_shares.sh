#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sender_shares - one sender floods a barod with new series and new names of metrics for
# SECONDS (20) while another writes a few series of its own.  Held: every write of the
# other was acknowledged and can be read, and the flood was refused.
# shellcheck disable=SC2154
set -u
PATH=$(cd "$BUILD" && pwd)/src/cmd:$PATH
command -v curl >/dev/null && command -v jq >/dev/null || {
    echo "curl or jq is not installed"
    exit 77
}
seconds=${SECONDS_OF_FLOOD:-20}
dir=$(mktemp -d "${TMPDIR:-/tmp}/baro-abuse.XXXXXX")
trap 'kill $pids 2>/dev/null; rm -rf "$dir"' EXIT
pids=
port=$(python3 -c 'import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
baro token key new "$dir/key" >/dev/null
for host in flood calm; do
    baro token new --role agent --host $host --key "$dir/key" >"$dir/$host"
done
cat >"$dir/barod.conf" <<CONF
[net]
socket = $dir/sock
listen = 127.0.0.1:$port
key = $dir/key.pub
rate_requests = 0
rate_bytes = 0B
[records]
path = $dir/records.db
[store]
directory = $dir/store
series_max = 200000
[write]
cluster = c
metrics = open
CONF
barod --config "$dir/barod.conf" >"$dir/log" 2>&1 &
barod=$!
pids=$barod
tries=200
until curl -sf --unix-socket "$dir/sock" http://x/healthz >/dev/null; do
    tries=$((tries - 1))
    [ $tries -gt 0 ] || { cat "$dir/log"; exit 1; }
    sleep 0.1
done
post() { # TOKEN FILE
    curl -s -o "$dir/$1.body" -w '%{http_code}\n' -H "Authorization: Bearer $(cat "$dir/$1")" \
        --data-binary "@$2" "http://127.0.0.1:$port/api/write"
}
end=$(($(date +%s) + seconds))
now=$(date +%s)
t=$((now - now % 60))
(
    n=0
    while [ "$(date +%s)" -lt $end ]; do
        n=$((n + 1))
        awk -v n=$n -v t=$t 'BEGIN { for (i = 0; i < 20000; i++)
            printf "m%d,hostname=flood,type=x,type-id=%d value=1 %d\n", i % 2 ? 0 : n * 20000 + i, n * 20000 + i, t }' \
            >"$dir/flood.lines"
        post flood "$dir/flood.lines" >>"$dir/flood.codes"
    done
) &
flood=$!
pids="$barod $flood"
n=0
while [ "$(date +%s)" -lt $end ]; do
    n=$((n + 1))
    echo "calm_$((n % 500)),hostname=calm,type=y,type-id=$n value=$n $t" >"$dir/calm.lines"
    post calm "$dir/calm.lines" >>"$dir/calm.codes"
done
wait $flood
refused=$(grep -vc '^200$' "$dir/calm.codes")
found=$(curl -s --unix-socket "$dir/sock" "http://x/metrics" | sed -n 's/^baro_ingest_metric_samples_total //p')
readable=$(baro metric list --server "unix:$dir/sock" --output json 2>/dev/null | jq '[.[] | select(.metric // .name | startswith("calm_"))] | length')
answers=$(sort "$dir/flood.codes" | uniq -c | tr -s ' \n' ' ')
series=$(baro store status --server "unix:$dir/sock" --senders --output json |
    jq -r '.[] | select(.sender == "host flood") | "\(.series) of \(.series_max), \(.metrics) names of \(.metrics_max)"')
echo "figure: responses to the flood:$answers"
echo "figure: series of the flood: $series"
echo "figure: writes of the other sender: $n, refused: $refused, its metrics: $readable"
echo "figure: samples stored: $found"
kill -TERM $barod
wait $barod
[ "$refused" -eq 0 ] && [ "$n" -gt 0 ] && grep -qv '^200$' "$dir/flood.codes" &&
    [ "$readable" -ge "$((n < 500 ? n : 500))" ]
