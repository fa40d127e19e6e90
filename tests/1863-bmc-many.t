#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro-bmc with a few hundred BMCs, some of which are silent: each is read once an interval, and those
# hold up no other.  With sushy-tools of PyPI: a Redfish that is not ours.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
. "$(dirname "$0")/lib-roles.sh"
. "$(dirname "$0")/lib-bmc.sh"
requires jq curl openssl python3
cd "$SCRATCH" || exit 1
count=${BMC_COUNT:-200} interval=${BMC_INTERVAL:-20}

ok "a certificate is made" bmc_certificate
bmc_barod
mkdir bmc
echo '{"delay": 0.05}' >bmc/state
bmc_port=$(free_ports $((count + 1)))
python3 "$TOP/tests/sim/redfish.py" --port "$bmc_port" --count "$count" --tls bmc.pem bmc.key bmc >played 2>played.err &
echo $! >played.bmcpid
ok "BMCs are played" wait_for 30 grep -q ready played
bmc_conf "[bmc away]" "cluster = alex" "host = b[1-20]" "address = 127.0.0.1:[1-20]" "credentials = $SCRATCH/bmc.secret" \
    "interval = ${interval}s" "timeout = 2s"
sed -i "0,/^host = .*/s//host = a[1-$count]/; 0,/^address = .*/s//address = 127.0.0.1:[$bmc_port-$((bmc_port + count - 1))]/
    0,/^interval = .*/s//interval = ${interval}s/; 0,/^timeout = .*/s//timeout = 20s/; s/^backoff_max = .*/backoff_max = 15m\nin_flight = 16/" bmc.conf
begun=$(date +%s)
bmc_start
known() { [ "$(as reader resource list -p -o json 'alex/*/bmc:redfish' --limit 10000 2>err | jq '[.[] | select(.health == "up")] | length')" = "$count" ]; }
ok "all respond" wait_for $((6 * interval)) known
echo "# after $(($(date +%s) - begun)) s"
is "those that are away are unknown" \
    "$(as reader resource list -p -o json 'alex/b*/bmc:redfish' | jq -r '.[].health' | sort | uniq -c | xargs)" "20 unknown"
counter() { # NAME: of the last line of counters
    kill -USR1 "$bmc_pid"
    sleep 1
    sed -n "s/.* $1=\([0-9]*\).*/\1/p" bmc.log | tail -1
}
first=$(counter readings)
sleep $((2 * interval))
more=$(($(counter readings) - first))
echo "# $more readings in $((2 * interval)) s, each $(counter mean_ms) ms, behind $(counter behind_ms) ms"
ok "each is read once an interval, those that are away seldom" [ "$more" -ge $((count)) ] && [ "$more" -le $((3 * count)) ]
is "nothing is lost" "$(counter lost_bytes) $(counter refused)" "0 0"
bmc_end
is "it ends well" $? 0

# ---- a Redfish that is not ours ----
sushy() {
    python3 -m venv sushy >venv.log 2>&1 && timeout 120 sushy/bin/pip install -q sushy-tools >>venv.log 2>&1
}
if sushy; then
    port=$(free_ports 1)
    sushy/bin/sushy-emulator --fake --interface 127.0.0.1 --port "$port" --ssl-certificate bmc.pem --ssl-key bmc.key >sushy.log 2>&1 &
    echo $! >sushy.bmcpid
    ok "sushy-tools of PyPI plays one" wait_for 30 curl -sf --cacert ca.pem "https://127.0.0.1:$port/redfish/v1/" -o root.json
    bmc_port=$port
    bmc_conf "timeout = 10s"
    sed -i 's/^host = .*/host = s1/; s/^timeout = 2s//' bmc.conf
    curl -s --cacert ca.pem "https://127.0.0.1:$port/redfish/v1/Systems" >systems.json
    system=$(jq -r '.Members[0]."@odata.id"' systems.json)
    echo "system = ${system##*/}" >>bmc.conf
    power() { # On|ForceOff
        curl -sf --cacert ca.pem -H 'Content-Type: application/json' -d "{\"ResetType\":\"$1\"}" \
            "https://127.0.0.1:$port$system/Actions/ComputerSystem.Reset" -o reset.json
    }
    ok "its power is on" power On
    bmc_start
    ok "it responds" wait_for 30 is_health alex/s1/bmc:redfish "up -"
    ok "with power" wait_for 30 is_health alex/s1 "up -"
    ok "its power is off" power ForceOff
    ok "which is seen" wait_for 30 is_health alex/s1 "unknown off: power is off by its BMC, seen at TIME"
    bmc_end
else
    skip "a Redfish that is not ours" "sushy-tools of PyPI cannot be installed here"
fi
for log in barod.log bmc.log; do
    ok "$log has no error" not grep -E "Sanitizer|runtime error" "$log"
done
finish
