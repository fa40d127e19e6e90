#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A current.wal of cc-metric-store, which says no steps, and no checkpoint beside it: what
# is imported is answered by /api/query at the step of the [metric] section.
. "$(dirname "$0")/lib.sh"
requires curl python3
socket=$SCRATCH/barod.sock
begin=$(($(date +%s) / 60 * 60 - 7200))
mkdir -p "$SCRATCH/cc/alex/a01"
python3 - "$SCRATCH/cc/alex/a01/current.wal" "$begin" <<'PYTHON'
import struct, sys, zlib
def record(t, metric, v):
    p = struct.pack("<qH", t, len(metric)) + metric.encode() + b"\0" + struct.pack("<f", v)
    return struct.pack("<II", 0xCC1DA7A1, len(p)) + p + struct.pack("<I", zlib.crc32(p))
begin, log = int(sys.argv[2]), struct.pack("<I", 0xCC1DA701)
for i in range(3):
    log += record(begin + i * 60, "few", i + 1)
for i in range(30):
    log += record(begin + i * 60, "many", i + 1)
open(sys.argv[1], "wb").write(log)
PYTHON
ok "it is imported" baro store import --into "$SCRATCH/store" "$SCRATCH/cc"
cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = none
[records]
path = $SCRATCH/records.db
[store]
directory = $SCRATCH/store
[metric few]
step = 60s
[metric many]
step = 60s
CONF
barod --config "$SCRATCH/barod.conf" >>"$SCRATCH/barod.log" 2>&1 &
pid=$!
at_exit "kill -9 $pid"
ok "barod starts" wait_for 20 curl -sf --unix-socket "$socket" http://x/healthz
ask() { # METRIC TO
    curl -s --unix-socket "$socket" http://x/api/query -d "{\"cluster\":\"alex\",
        \"from\":$begin,\"to\":$2,\"queries\":[{\"metric\":\"$1\",\"host\":\"a01\"}]}"
}
is "three samples are answered a step apart" "$(ask few $((begin + 600)))" \
    '{"results":[[{"data":[1.000,2.000,3.000],"from":'$begin',"to":'$((begin + 180))',"resolution":60,"avg":2.00,"min":1.00,"max":3.00}]]}'
is "and thirty" "$(ask many $((begin + 7200)) | sed 's/.*"from"/"from"/')" \
    '"from":'$begin',"to":'$((begin + 1800))',"resolution":60,"avg":15.50,"min":1.00,"max":30.00}]]}'
finish
