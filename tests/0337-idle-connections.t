#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A sender whose own connections wait between two requests, as a proxy's do, gets further
# ones: the idle ones make room.
. "$(dirname "$0")/lib.sh"
requires python3

cat >"$SCRATCH/idle.py" <<'PY'
import http.client
import sys

sys.path.insert(0, sys.argv[1])
import served

PLACES = 32
statuses = []
with served.Served(net="connections_max = %d\nidle_timeout = 600s" % PLACES) as barod:
    headers = {"Authorization": "Bearer " + barod.tokens["reader"]}
    idle = []
    for i in range(2 * PLACES):
        connection = http.client.HTTPConnection("127.0.0.1", barod.port, timeout=60)
        connection.request("GET", "/v1/whoami", headers=headers)
        response = connection.getresponse()
        response.read()
        statuses.append(response.status)
        idle.append(connection)
    other = barod.get("/v1/whoami", "admin")[0]
    held = barod.metric("baro_net_connections")
print("statuses", sorted(set(statuses)), "another sender", other, "connections", held)
sys.exit(set(statuses) != {200} or other != 200 or held > PLACES or barod.status != 0)
PY
ok "a sender with half of the places idle gets another" \
    python3 "$SCRATCH/idle.py" "$TOP/tests/sim"
finish
