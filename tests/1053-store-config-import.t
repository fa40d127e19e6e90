#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro store config-import: cc-metric-store's configuration, of the older and the newer
# form, as sections that barod takes; what cannot be said is named.
. "$(dirname "$0")/lib.sh"
key=kzfYrYy+TzpanWZHJ5qSdMj5uKUWgq74BWhQG6copP0=

cat >"$SCRATCH/new.json" <<END
{
  "main": {"addr": "localhost:8082", "jwt-public-key": "$key", "user": "cc", "backend-url": "http://x"},
  "metrics": {
    "cpu_load": {"frequency": 60, "aggregation": null},
    "flops_any": {"aggregation": "sum", "frequency": 15},
    "temp": {"frequency": 30, "aggregation": "avg"}
  },
  "metric-store": {
    "checkpoints": {"file-format": "wal", "directory": "./var/checkpoints"},
    "checkpoint-interval": "12h", "memory-cap": 100, "retention-in-memory": "48h30m",
    "cleanup": {"mode": "delete"},
    "nats-subscriptions": [{"subscribe-to": "hpc", "cluster-tag": "alex"}, {"subscribe-to": "all"}]
  },
  "nats": {"address": "nats://localhost:4222", "username": "reader", "password": "geheim"},
  "something": [1, {"new": true}]
}
END
baro store config-import "$SCRATCH/new.json" >"$SCRATCH/new.conf" 2>"$SCRATCH/err"
is "a newer file is read" $? 0
is "as sections" "$(grep -v '^#' "$SCRATCH/new.conf" | grep .)" "[net]
listen = 127.0.0.1:8082
jwt_public_key = $key
[store]
retention = 2910m
memory_max = 100GB
archive_after = 2910m
archive = delete
[nats]
address = nats://localhost:4222
username = reader
[nats_subscription 1]
subscribe_to = hpc
cluster_tag = alex
[nats_subscription 2]
subscribe_to = all
[metric cpu_load]
step = 60s
[metric flops_any]
step = 15s
aggregation = sum
[metric temp]
step = 30s
aggregation = avg"
ok "the rates that one sender has here are named" \
    grep -q '^# rate_requests = 200$' "$SCRATCH/new.conf"
ok "and what a gateway may" grep -q '^# rate_gateway = 20$' "$SCRATCH/new.conf"
is "keys without a counterpart are comments with a reason, without secrets" \
    "$(sed -n '/^# Not converted/,$p' "$SCRATCH/new.conf")" "# Not converted:
# main/user = cc: set User= in the service file
# main/backend-url = http://x: hosts of running jobs are exempt from retention by POST /v1/store/exempt
# metric-store/checkpoints/file-format = wal: barod's files have their own format
# metric-store/checkpoint-interval = 12h: none is needed: every sample is in the log at once
# nats/password: set password in [nats]
# something/0 = 1: barod has no counterpart
# something/1/new = true: barod has no counterpart"
is "and counted" "$(cat "$SCRATCH/err")" \
    "baro store config-import: 7 keys have no counterpart in barod.conf; they are comments at the end"
ok "how history comes along is said" grep -q "^#   baro store import './var/checkpoints' --into" "$SCRATCH/new.conf"

cat >"$SCRATCH/old.json" <<END
{
  "metrics": {"mem_bw": {"frequency": 15, "aggregation": "sum"}},
  "checkpoints": {"interval": "12h", "directory": "/var/cp", "restore": "48h"},
  "archive": {"interval": "168h", "directory": "/var/ar"},
  "http-api": {"address": ":8081", "https-cert-file": null, "https-key-file": null},
  "retention-in-memory": "48h",
  "nats": [{"address": "localhost:4222", "creds-file-path": "/etc/nats.creds",
    "subscriptions": [{"subscribe-to": "hpc-nats", "cluster-tag": "fritz"}]},
    {"address": "nats://other:4222"}], "jwt-public-key": "$key"
}
END
baro store config-import "$SCRATCH/old.json" >"$SCRATCH/old.conf" 2>/dev/null
is "an older file" "$(grep -v '^#' "$SCRATCH/old.conf" | grep .)" "[net]
listen = 0.0.0.0:8081
jwt_public_key = $key
plaintext = yes
[store]
retention = 2d
archive_after = 7d
archive = compress
[nats]
address = nats://localhost:4222
credentials_file = /etc/nats.creds
[nats_subscription 1]
subscribe_to = hpc-nats
cluster_tag = fritz
[metric mem_bw]
step = 15s
aggregation = sum"
is "of two NATS clusters one is configured" "$(grep '^# nats' "$SCRATCH/old.conf")" \
    "# nats/1/address = nats://other:4222: barod is a client of one NATS cluster"
# The files of credentials are on the machine that the configuration came from.
: >"$SCRATCH/creds"
chmod 600 "$SCRATCH/creds"
with_creds() { # FILE
    sed -i "s|^credentials_file = .*|credentials_file = $SCRATCH/creds|" "$1"
}
for conf in new old; do
    with_creds "$SCRATCH/$conf.conf"
    ok "barod takes what became of the $conf one" barod --config "$SCRATCH/$conf.conf" --check \
        --set "records.path=$SCRATCH/r.db" --set "net.socket=$SCRATCH/s" --set "store.directory=$SCRATCH/store"
done
if [ -n "$SHARED" ]; then
    for json in "$SHARED"/data/metric-store/cc-metric-store/config*.json \
        "$SHARED"/data/metric-store/cc-metric-store/configs/config*.json; do
        baro store config-import "$json" >"$SCRATCH/real.conf" 2>/dev/null
        is "$(basename "$json"): each metric is a section" "$(grep -c '^\[metric ' "$SCRATCH/real.conf")" \
            "$(grep -c '"frequency"' "$json")"
        with_creds "$SCRATCH/real.conf"
        ok "$(basename "$json"): barod takes it" barod --config "$SCRATCH/real.conf" --check \
            --set "records.path=$SCRATCH/r.db" --set "net.socket=$SCRATCH/s" \
            --set "store.directory=$SCRATCH/store"
    done
fi
echo '{"metrics": ' >"$SCRATCH/cut.json"
is "a file that is no JSON is refused" "$(baro store config-import "$SCRATCH/cut.json" 2>&1 >/dev/null; echo $?)" \
    "$(baro store config-import "$SCRATCH/cut.json" 2>&1 >/dev/null)
1"
ok "and named" sh -c "baro store config-import '$SCRATCH/cut.json' 2>&1 | grep -q 'cut.json: '"
finish
