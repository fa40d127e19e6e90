#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One gateway carries a whole site, all of whose series and metrics are new at its first
# write: nothing of it is refused.  A part of the store stays for senders with few.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
requires curl jq

key=$SCRATCH/site.key
baro token key new "$key" >"$SCRATCH/out"
baro token new --role agent --host a1 --key "$key" >"$SCRATCH/a1"
for name in gateway second; do
    baro token new --role agent --cluster c --key "$key" >"$SCRATCH/$name"
done
port=$(free_port)
socket=$SCRATCH/sock
cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = 127.0.0.1:$port
key = $key.pub
[records]
path = $SCRATCH/records.db
[store]
directory = $SCRATCH/store
series_max = 10000
own_metrics = 0s
[write]
metrics = open
host_series_max = 100
CONF
ok "barod starts" start_barod
send() { # TOKEN FILE: the status, and the body where there is one
    curl -s -w '%{http_code}' -H "Authorization: Bearer $(cat "$SCRATCH/$1")" \
        --data-binary "@$2" "http://127.0.0.1:$port/api/write"
}
now=$(date +%s)
t=$((now - now % 60 - 600))
series() { # HOST FIRST LAST
    seq "$2" "$3" | sed "s/.*/load,cluster=c,hostname=$1,type=t,type-id=& value=1 $t/"
}

seq 5000 | sed "s/.*/name_&,cluster=c,hostname=n1 value=1 $t/" >"$SCRATCH/names"
is "a site of 5,000 metrics sends them for the first time: all are taken" \
    "$(send gateway "$SCRATCH/names")" 200
series n2 1 3500 >"$SCRATCH/lines"
is "one gateway has most of the store" "$(send gateway "$SCRATCH/lines")" 200
series n2 3501 9000 >"$SCRATCH/lines"
is "not all of it" "$(send gateway "$SCRATCH/lines" | jq -c 'objects | .samples_refused')" \
    '{"share":5000}'
series n3 1 300 >"$SCRATCH/lines"
is "of what is left a second gateway has as much as a host" \
    "$(send second "$SCRATCH/lines" | jq -c 'objects | .samples_refused')" '{"share":200}'
series a1 1 90 >"$SCRATCH/lines"
is "a token of one host finds room" "$(send a1 "$SCRATCH/lines")" 200
series n2 1 3500 >"$SCRATCH/lines"
is "what exists goes on" "$(send gateway "$SCRATCH/lines")" 200
end_barod

# Series of before there were accounts: the reserve is the last tenth of the store, not of
# what is accounted for.
rm "$SCRATCH/store/senders"
ok "barod starts without accounts" start_barod
series n4 1 300 >"$SCRATCH/lines"
is "and what is left of the store is a reserve as before" \
    "$(send gateway "$SCRATCH/lines" | jq -c 'objects | .samples_refused')" '{"share":200}'
end_barod

# An exporter is no gateway: its host says what it has.
seq 1100 | sed 's/.*/requests{id="&"} 1/' >"$SCRATCH/churn.prom"
rm -r "$SCRATCH/store"
sed 's/^series_max.*/series_max = 1000/' "$SCRATCH/barod.conf" >"$SCRATCH/exporter.conf"
cat >>"$SCRATCH/exporter.conf" <<CONF
[scrape churn]
file = $SCRATCH/churn.prom
cluster = c
host = e1
interval = 1s
timeout = 1s
CONF
mv "$SCRATCH/exporter.conf" "$SCRATCH/barod.conf"
ok "barod starts with an exporter" start_barod
# Of what it says at once all is taken, or refused.
created() {
    baro store status --server "unix:$socket" --senders --output json |
        jq -c '.[] | select(.sender | startswith("scrape")) | select(.refused > 0) |
            [.series, .series_max]'
}
is_refused() { [ -n "$(created)" ]; }
ok "an exporter with a label that takes ever new values is refused" wait_for 20 is_refused
is "beyond a quarter of the store" "$(created)" '[250,250]'
seq 100 | sed "s/.*/load,cluster=c,hostname=h& value=1 $t/" >"$SCRATCH/lines"
is "and a gateway finds room for its hosts" "$(send gateway "$SCRATCH/lines")" 200
finish
