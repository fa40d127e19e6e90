#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro-bmc by Redfish: health of parts, sensors, entries of the log as events, each once, also after it
# was killed; a silent host is off, crashed, hung or cut, as its BMC shows it; TLS is verified, and what
# a hostile BMC responds with is bounded, and followed nowhere else.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
. "$(dirname "$0")/lib-roles.sh"
. "$(dirname "$0")/lib-bmc.sh"
requires jq curl openssl python3
cd "$SCRATCH" || exit 1

ok "a certificate is made" bmc_certificate
bmc_barod
mkdir bmc
echo '{"log":[{"Id":"1","Created":"2026-01-01T00:00:00Z","Severity":"Critical","Message":"OS Critical Stop of old"}]}' >bmc/state
ok "a BMC is played" bmc_play
bmc_conf

# ---- what is refused before anything is sent ----
ok "the configuration is right" baro-bmc --check --config bmc.conf
chmod 644 bmc.secret
baro-bmc --check --config bmc.conf >out 2>err
is "credentials that others can read are not used" "$? $(grep -c 'bmc.secret' err)" "1 1"
chmod 600 bmc.secret
sed 's|^address = .*|address = http://%h-bmc|' bmc.conf >plain.conf
baro-bmc --check --config plain.conf >out 2>err
is "without TLS a password goes to no other host" "$? $(grep -c 'TLS is always spoken' err)" "2 1"
sed 's|^host = .*|host = a[1-3]|' bmc.conf >many.conf
baro-bmc --check --config many.conf >out 2>err
is "as many addresses as hosts are wanted" "$? $(grep -c 'many.conf:.*\[bmc x\]: address: is a set of 1, and host one of 3' err)" "2 1"
sed "s|^token_file = .*|token_file = $SCRATCH/agent|" bmc.conf >node.conf
baro-bmc --check --config node.conf >out 2>err
is "a node's own token is refused" "$(grep -c 'is one of a host' err)" 1

# ---- what it reports ----
begin_sending a1
ok "the host sends" wait_for 20 is_health alex/a1 "up -"
bmc_start
ok "its BMC responds" wait_for 20 is_health alex/a1/bmc:redfish "up -"
ok "parts are up" wait_for 20 is_health alex/a1/fan:FAN1 "up -"
has_value() { # METRIC COMPONENT VALUE
    as reader metric query "$1" "$2" --last 5m -o json 2>err | jq -e --argjson v "$3" '[.. | numbers] | index($v)' >out
}
ok "sensors are metrics" wait_for 20 has_value bmc_temperature 'alex/a1/bmc:CPU1\x20Temp' 41.5
ok "of fans, too" wait_for 20 has_value bmc_fan 'alex/a1/bmc:FAN1' 5400
ok "and of power" wait_for 20 has_value bmc_power 'alex/a1/bmc:System\x20Power' 344
bmc_state '.fan_health = "Critical"'
ok "a fan that failed is a part that is down" wait_for 20 is_health alex/a1/fan:FAN1 "down redfish: health Critical of FAN1 by its BMC"
is "its host is degraded, and may be used" "$(as reader resource check --hosts a1; echo $?) $(health alex/a1 | cut -d' ' -f1)" "0 degraded"
bmc_state '.fan_health = "OK"'

# ---- entries of the log ----
events() { as reader event list -o json 2>err | jq -r '.[] | select(.name | startswith("bmc.")) | .name + " " + .payload'; }
events_are() { [ "$(events | wc -l)" -eq "$1" ]; }
is "what was in the log before is no event" "$(events)" ""
bmc_state '.log += [{"Id":"2","Created":"2026-11-28T00:00:00Z","Severity":"Warning","Message":"Memory corrected error\nDIMM A3"}]'
ok "a new entry is an event" wait_for 20 events_are 1
is "with host, id, time and text in one line" "$(events)" \
    "bmc.log.warning alex/a1: log entry 2 of 2026-11-28T00:00:00Z: Memory corrected error DIMM A3"
bmc_end KILL
bmc_state '.log += [{"Id":"3","Created":"1970-01-01T00:00:09Z","Severity":"OK","Message":"Log of a clock that was set back"}] | .pages = 1'
bmc_start
ok "what came while it was killed is an event, by any clock, on any page" wait_for 20 events_are 2
rm -rf copy
cp -r bmc-state copy
bmc_state '.log += [{"Id":"4","Severity":"Critical","Message":"PSU2 failed"}]'
ok "a third" wait_for 20 events_are 3
bmc_end KILL
rm -rf bmc-state
mv copy bmc-state
seen=$(wc -l <bmc/requests)
bmc_start
is_read() { [ "$(sed -n "$((seen + 1)),\$p" bmc/requests | grep -c 'Entries?page=3')" -gt 1 ]; }
ok "its cursor is lost, and the log is read again" wait_for 20 is_read
is "published twice is published once" "$(events | wc -l)" 3
bmc_state '.log = [] | .pages = 0'
sleep 2
bmc_state '.log = [{"Id":"1","Created":"2026-11-29T00:00:00Z","Severity":"OK","Message":"Log cleared"}]'
ok "after the log was cleared its ids begin anew" wait_for 20 events_are 4

published() { # PAYLOAD: the status
    curl -s -o out -w '%{http_code}' -H "Authorization: Bearer $(cat "$SCRATCH/gateway")" --data-binary "$1" "$url/v1/events/bmc.log.critical"
}
is "the token of a cluster publishes of that alone" \
    "$(published 'fritz/a1: log entry 1') $(published 'alexa/a1: x') $(published 'alex') $(published 'alex/a1: x')" "403 403 403 202"
ok "and that is an event" wait_for 20 events_are 5

# ---- a host that is silent ----
end_sending
ok "power on, no crash: hung or cut" wait_for 30 is_health alex/a1 \
    "unknown hung or cut: power is on by its BMC, seen at TIME, whose log has no crash; barod does not hear it since TIME"
is "which is no reason against it" "$(as reader resource check --hosts a1; echo $?)" 0
bmc_state '.log += [{"Id":"2","Severity":"Critical","SensorType":"OS Stop/Shutdown","Message":"Run-time critical stop"}]'
ok "a panic in its log: crashed" wait_for 20 is_health alex/a1 \
    "unknown crashed: its BMC's log has 'Run-time critical stop', first seen at TIME; barod does not hear it since TIME"
bmc_state '.power = "Off"'
ok "power off: off" wait_for 20 is_health alex/a1 "unknown off: power is off by its BMC, seen at TIME; barod does not hear it since TIME"
bmc_state '.power = "On" | .fault = "refuse"'
is_refused() { health alex/a1/bmc:redfish | grep -q "^unknown .*refuses the credentials"; }
ok "its BMC refuses the credentials" wait_for 20 is_refused
sleep 2
ok "which is not that it does not respond: nothing else is stated" is_health alex/a1 \
    "unknown off: power is off by its BMC, seen at TIME; barod does not hear it since TIME"
bmc_state '.fault = "silent"'
ok "its BMC is silent as well: cut" wait_for 30 is_health alex/a1 \
    "unknown cut: its BMC does not respond either; it did at TIME, with power off; barod does not hear it since TIME"
ok "of the BMC itself nothing is known" [ "$(health alex/a1/bmc:redfish | cut -d' ' -f1)" = unknown ]
is "nor is that a reason" "$(as reader resource check --hosts a1; echo $?)" 0
bmc_state '.fault = ""'
bmc_end KILL
bmc_start
begin_sending a1
ok "it is heard again, which the next baro-bmc states: up" wait_for 30 is_health alex/a1 "up -"

# ---- what fails in part, and what is too long ----
noted() { grep -q "$1" bmc.log; }
rm -rf bmc-state
bmc_end
bmc_state '.fault = "partly" | .temperature = 52.5'
bmc_start
ok "a chassis with an error is noted" wait_for 20 noted "Chassis/ill: it responds with status 503"
ok "and the other is read" wait_for 20 has_value bmc_temperature 'alex/a1/bmc:CPU1\x20Temp' 52.5
bmc_state '.fault = ""'
sleep 3
bmc_state '.fault = "partly"'
bmc_state '.log += [{"Id":"9","Severity":"Warning","Message":"Fan failed"}]'
is_published() { events | grep -q "log entry 9 of no time: Fan failed"; }
ok "of logs, too" wait_for 20 is_published
bmc_state '.fault = ""'

# ---- a BMC that is hostile ----
failed() { grep -c "it is unknown now" bmc.log; }
has_failed() { [ "$(failed)" -gt "$before" ]; }
for fault in endless long deep loris lying foreign redirect types cut refuse binary; do
    before=$(failed)
    rm -rf bmc-state # the links are found anew, too
    bmc_end
    bmc_state --arg f $fault '.fault = $f'
    bmc_start
    ok "$fault: it does not respond as it should, and names itself" wait_for 20 has_failed
    bmc_state '.fault = ""'
done
is "each line names host and address" "$(grep "it is unknown now" bmc.log | grep -vc "a1 (BMC 127.0.0.1:$bmc_port): ")" 0
is "no other host was sent anything" "$(cat bmc/foreign 2>/dev/null)" ""
bmc_state '.fault = "loop"'
# On a machine that is busy its time is over first; lines of the log are five a minute.
ok "a loop of pages ends" wait_for 90 noted "over 64 requests\|its time is over, at /redfish\|Entries: .*timed out"
bmc_state '.fault = "wide"'
ok "so does a collection without an end" wait_for 30 noted "response is too long"
bmc_state '.fault = "names"'
ok "names with control characters, quotes and no end are names" wait_for 20 has_value bmc_fan 'alex/a1/bmc:a\x20<3>b\x20[31m,=\x5c\x20"xxxxxxxxxx' 1
is "and no line of the log is theirs" "$(grep -c '^<3>b' bmc.log)" 0

# ---- who it is ----
bmc_end
is "it ends well" $? 0
bmc_state '.fault = ""'
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=other -keyout o.key -out other.pem 2>err
sed -i "s|^ca_file = .*|ca_file = $SCRATCH/other.pem|" bmc.conf
before=$(failed)
requests=$(wc -l <bmc/requests)
bmc_start
ok "a BMC of another authority is refused" wait_for 20 has_failed
is "and is sent no password" "$(wc -l <bmc/requests)" "$requests"
bmc_end
printf 'verify = no\n' >>bmc.conf
seen=$(wc -l <bmc/requests)
bmc_start
has_requests() { [ "$(wc -l <bmc/requests)" -gt "$seen" ]; }
ok "unless that is configured" wait_for 20 has_requests
ok "which is logged" grep -q "verify = no" bmc.log
bmc_end
for log in barod.log bmc.log; do
    ok "$log has no error" not grep -E "Sanitizer|runtime error" "$log"
done
finish
