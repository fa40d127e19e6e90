#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# POST /api/v1/write: what is stored, under which labels, what is refused and with which status; stale markers as
# Prometheus has them.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-barod.sh
. "$TOP/tests/lib-barod.sh"
requires python3 curl jq

matches() { # WHAT TEXT PATTERN
    if printf '%s\n' "$2" | grep -q -- "$3"; then
        pass "$1"
    else
        fail "$1"
        printf '%s\n' "$2" | sed 's/^/#   is: /'
    fi
}

barod_conf
ok "barod starts" start_barod
now=$(date +%s)
write() { # LINE... : as remote write
    printf '%s\n' "$@" | python3 "$TOP/tests/remote/remote.py" "unix:$socket"
}
query() { # EXPRESSION [TIME]
    curl -s --unix-socket "$socket" http://x/api/v1/query --data-urlencode "query=$1" -d "time=${2:-$now}"
}
line() { # LABELS SAMPLE... : labels as JSON without braces
    labels=$1
    shift
    printf '{"labels": {%s}, "samples": [%s]}\n' "$labels" "$(printf '%s,' "$@" | sed 's/,$//')"
}
counter() { # NAME
    curl -s --unix-socket "$socket" http://x/metrics | sed -n "s/^baro_$1 //p"
}
ms=$((now * 1000))

# ---- labels and values ----
is "series are accepted" "$(write \
    "$(line '"__name__":"up","instance":"n1:9100","job":"node"' "[$((ms - 1000)),1]" "[$((ms - 1)),0]")" \
    "$(line '"__name__":"load","cluster":"alex","hostname":"a1","type":"gpu","type_id":"0"' "[$ms,0.1]")")" "204 "
is "labels are those that were sent" "$(query up | jq -c '.data.result[0].metric')" \
    '{"__name__":"up","instance":"n1:9100","job":"node"}'
is "components are labels too" "$(query load | jq -c '.data.result[0].metric')" \
    '{"__name__":"load","cluster":"alex","hostname":"a1","type":"gpu","type_id":"0"}'
is "times keep their milliseconds" "$(query 'up[1m]' | jq -c '.data.result[0].values')" \
    "[[$((now - 1)),\"1\"],[$((now - 1)).999,\"0\"]]"
is "unknown labels select" "$(query 'up{job="node",instance=~"n1:.*"}' | jq -c '.data.result[0].value[1]')" '"0"'
is "a label that is not there is empty" "$(query 'up{hostname="",cluster=""}' | jq '.data.result | length')" 1
is "values of labels are listed" \
    "$(curl -s --unix-socket "$socket" http://x/api/v1/label/job/values | jq -c .data)" '["node"]'
is "the host is where instance says" "$(curl -s --unix-socket "$socket" 'http://x/api/query' -X GET -d \
    "{\"cluster\":\"none\",\"from\":$((now - 60)),\"to\":$((now + 1)),\"for-all-nodes\":[\"up\"]}" -o /dev/null -w '%{http_code}')" 200
is "series that differ in one label are two" "$(write \
    "$(line '"__name__":"two","a":"1"' "[$ms,1]")" "$(line '"__name__":"two","a":"1,b=2"' "[$ms,2]")" \
    "$(line '"__name__":"two","a":"1","b":"2"' "[$ms,3]")" "$(line '"__name__":"two","hostname":"none","a":"1"' "[$ms,4]")" \
    "$(line '"__name__":"two","cluster":"none","a":"1"' "[$ms,5]")" "$(line '"__name__":"two"' "[$ms,6]")" \
    "$(line '"__name__":"two","type":"tags","type_id":"a=1"' "[$ms,7]")" "$(line '"__name__":"two","instance":"none"' "[$ms,8]")" \
    ) $(query two | jq -c '[.data.result[].value[1]] | sort | join("")')" '204  "12345678"'
is "bits of numbers stay" "$(write "$(line '"__name__":"bits"' "[$((ms - 4)),\"0x7ff8000000000000\"]" \
    "[$((ms - 3)),\"0xfff0000000000000\"]" "[$((ms - 2)),\"0x8000000000000000\"]" "[$((ms - 1)),\"0x0000000000000001\"]")" \
    )$(query 'bits[1m]' | jq -c '[.data.result[0].values[][1]]')" '204 ["NaN","-Inf","-0","5e-324"]'
is "samples out of order are stored in their place" "$(write "$(line '"__name__":"ooo"' "[$ms,3]")" \
    ; write "$(line '"__name__":"ooo"' "[$((ms - 2000)),1]" "[$((ms - 1000)),2]")" \
    ; query 'ooo[1m]' | jq -c '[.data.result[0].values[][1]] | join("")')" "204 
204 
\"123\""

# ---- what is refused ----
is "a bad series costs that series" "$(write "$(line '"__name__":"good"' "[$ms,1]")" "$(line '"job":"x"' "[$ms,1]" "[$ms,2]")")" \
    "400 partial write: 1 samples are stored; 1 series with 2 samples are refused, the first: series 2 (?): no label __name__"
is "the rest is stored" "$(query good | jq -r '.data.result[0].value[1]')" 1
matches "too old is refused for good" "$(write "$(line '"__name__":"old"' "[1000,1]" "[$ms,2]")")" \
    "^400 partial write: 1 samples are stored; 1 samples are refused: older than store.retention"
matches "a time beyond all times is refused" "$(write "$(line '"__name__":"old"' "[9223372036854775807,1]")")" "^400 partial write: 0"
matches "native histograms are refused by name" \
    "$(write "{\"labels\":{\"__name__\":\"h\"},\"samples\":[[$ms,1]],\"histogram\":true}")" \
    "^400 partial write: 1 samples are stored; 1 native histograms are refused: not supported"
matches "a label twice is refused" "$(write "{\"labels\":[[\"__name__\",\"t\"],[\"a\",\"1\"],[\"a\",\"2\"]],\"samples\":[[$ms,1]]}")" \
    "a label stands twice"
long=$(printf 'x%.0s' $(seq 2000))
matches "labels that no path can hold are refused" "$(write "$(line "\"__name__\":\"t\",\"a\":\"$long\"" "[$ms,1]")")" "too long"
remote() { # OPTION... : an empty message
    python3 "$TOP/tests/remote/remote.py" "unix:$socket" "$@" </dev/null
}
matches "remote write 2.0 is 415" "$(remote --type 'application/x-protobuf;proto=io.prometheus.write.v2.Request')" \
    '^415 .*remote write 2.0 is not supported'
matches "1.0 by its name is accepted" "$(remote --type 'application/x-protobuf;proto=prometheus.WriteRequest')" '^204'
matches "another type is 415" "$(remote --type text/plain)" '^415 '
matches "another encoding is 415" "$(remote --encoding br)" '^415 .*snappy'
matches "snappy is for this route alone" "$(curl -s --unix-socket "$socket" 'http://x/api/write?cluster=c' \
    -H 'Content-Encoding: snappy' -d x)" 'choose identity, gzip, zstd)'
printf hello >"$SCRATCH/text"
matches "what is no snappy is 400" "$(remote --body "$SCRATCH/text")" '^400 .*snappy'
matches "what is no message is 400" "$(remote --encoding identity --body "$SCRATCH/text")" '^400 .*WriteRequest'
matches "a block that claims too much is 413" "$(remote --claim 4000000000)" '^413 .*over'
printf '\377\377\377\377\377\377\377\377\377\377' >"$SCRATCH/text"
matches "a size without an end is 400" "$(remote --body "$SCRATCH/text")" '^400 '
is "counted: bad series" "$(counter remote_write_series_bad_total)" 3
is "counted: samples too old" "$(counter remote_write_samples_too_old_total)" 2
is "counted: histograms" "$(counter remote_write_histograms_total)" 1

# ---- stale markers ----
python3 "$TOP/tests/remote/stale.py" "$SCRATCH" "$socket" >"$SCRATCH/stale.log" 2>&1
status=$?
sed 's/^/# /' "$SCRATCH/stale.log" | cut -c1-300 | tail -20
command -v prometheus >/dev/null || status=0
is "series end where Prometheus ends them" "$status" 0
is "other readers see no value at a marker" \
    "$(curl -s --unix-socket "$socket" "http://x/v1/query?component=none&metric=staled&from=-2h" -o /dev/null -w '%{http_code}')" 200

# ---- all of it is there after kill -9 ----
query '{__name__=~".+"}[1h]' | jq -S .data.result >"$SCRATCH/before"
kill -9 $pid
wait $pid 2>/dev/null
ok "barod starts again" start_barod
query '{__name__=~".+"}[1h]' | jq -S .data.result >"$SCRATCH/after"
ok "and has every sample" cmp "$SCRATCH/before" "$SCRATCH/after"
ok "which are some" test "$(jq length "$SCRATCH/before")" -gt 10
ok "barod ends" end_barod

# ---- the rule, and whose series they are ----
cat >>"$SCRATCH/barod.conf" <<CONF
[remote_write]
map = node hostname
map = site cluster
cluster = fritz
CONF
ok "barod starts with a rule" start_barod
is "series are accepted" "$(write "$(line '"__name__":"ruled","node":"b7","site":"alex"' "[$ms,1]")" \
    "$(line '"__name__":"ruled","node":"b8"' "[$ms,2]")")" "204 "
is "the rule places them, and their labels stay" "$(query ruled | jq -c '[.data.result[].metric]')" \
    '[{"__name__":"ruled","cluster":"fritz","node":"b8"},{"__name__":"ruled","node":"b7","site":"alex"}]'
ok "the host of a rule has them" sh -c "curl -s --unix-socket '$socket' 'http://x/v1/series?component=alex/b7' | grep -q ruled"
ok "barod ends again" end_barod
sed -i 's/^map = site cluster/map = site rack/' "$SCRATCH/barod.conf"
matches "a rule of no part is refused" "$(barod --check --config "$SCRATCH/barod.conf" 2>&1)" "remote_write.map: 'site rack'"
finish
