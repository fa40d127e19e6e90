#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Samples that are older than the retention, and lines that differ only in a tag that is
# not looked at: the response counts them by name, as do log and metrics; what retention
# allows is filled in.
. "$(dirname "$0")/lib.sh"
requires curl jq
socket=$SCRATCH/barod.sock
cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = none
[records]
path = $SCRATCH/records.db
[store]
directory = $SCRATCH/store
retention = 2h
[metric m]
step = 60s
CONF
barod --config "$SCRATCH/barod.conf" >>"$SCRATCH/barod.log" 2>&1 &
pid=$!
at_exit "kill -9 $pid"
ok "barod starts" wait_for 20 curl -sf --unix-socket "$socket" http://x/healthz

send() { # PATH TEXT: the body, then the status
    curl -s -w '%{http_code}' --unix-socket "$socket" "http://x$1" --data-binary "$2"
}
counter() {
    curl -s --unix-socket "$socket" http://x/metrics | sed -n "s/^baro_$1 //p"
}
now=$(date +%s)
old=$((now - 86400))
is "what is new is taken without a word" \
    "$(send '/api/write?cluster=c' "m,hostname=a value=1 $now")" 200
report='{"lines":2,"refused":1,"samples_written":1,"samples_older_than_retention":1,"problems":[]}'
for path in '/api/write?cluster=c' '/api/write?cluster=c&durable=1'; do
    is "of two the old one is refused by name: $path" \
        "$(send "$path" "m,hostname=a value=1 $old
m,hostname=a value=2 $((now - 3600))")" "$report
200"
done
for path in /write?db=c '/api/v2/write?bucket=c&org=o'; do
    got=$(send "$path&precision=s" "m,host=a value=1 $old")
    is "InfluxDB's clients hear it as a partial write: ${path%%\?*}" "${got#"${got%???}"}" 400
    is "in InfluxDB's words" "$(echo "${got%???}" | jq -r '.error // .message')" \
        "partial write: points beyond retention policy dropped=1"
done
is "the metric counts them" "$(counter ingest_metric_samples_too_old_total)" 4
ok "the log says it" grep -q 'samples of a write are refused: they are older than store.retention' \
    "$SCRATCH/barod.log"
is "what retention allows was filled in" "$(curl -s --unix-socket "$socket" \
    "http://x/v1/query?metric=m&component=c/a&from=@$((now - 7000))&to=@$((now + 60))&format=csv" |
    sed '1d;s/.*,//' | tr '\n' ' ')" "2 1 "

# Two disks of a host, if disk were a tag that ClusterCockpit knows.
twins="m,hostname=b,disk=sda value=1 $now
m,hostname=b,disk=sdb value=2 $now
m,hostname=b,disk=sda value=1 $((now - 60))"
is "lines that differ in an unknown tag are counted as what they are" \
    "$(send '/api/write?cluster=c' "$twins")" \
    '{"lines":3,"refused":0,"samples_written":3,"samples_differing_in_unknown_tags_only":1,"problems":[]}
200'
is "also when they are known" "$(send '/api/write?cluster=c' "$twins" | jq -r '
    objects.samples_differing_in_unknown_tags_only')" 1
is "sending a line again is not that" \
    "$(send '/api/write?cluster=c' "m,hostname=b,disk=sda value=1 $now
m,hostname=b,disk=sda value=1 $now")" 200
is "the metric counts them as well" "$(counter ingest_metric_samples_collapsed_total)" 2
finish
