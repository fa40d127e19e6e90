#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Storage boxes by baro-bmc: Debian's snmpd with a played disk array by SNMP 2c and 3 (authPriv), a played
# REST server; a mapping file makes components, healths and metrics of them; a box that is hostile is
# bounded, and unknown.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
. "$(dirname "$0")/lib-roles.sh"
. "$(dirname "$0")/lib-bmc.sh"
PATH=$PATH:/usr/sbin
requires jq curl openssl python3 snmpd
cd "$SCRATCH" || exit 1
unset MIBS SNMPCONFPATH

ok "a certificate is made" bmc_certificate
bmc_barod

# ---- Debian's snmpd, with a disk array behind it ----
mkdir box persist
box_state() { # DIRECTORY JQ...
    box_directory=$1
    shift
    jq -c "$@" "$box_directory/state" >"$box_directory/next" && mv "$box_directory/next" "$box_directory/state"
}
echo '{"box":1,"disks":[["Slot 1",2,"fine"],["Slot/2",2,"fine"],["",2,"no name"],["Twin",2,""],["Twin",2,""]],"temperatures":[["CPU",415]]}' >box/state
snmp_port=$(free_ports 1)
cat >snmpd.conf <<CONF
agentAddress udp:127.0.0.1:$snmp_port
rocommunity public 127.0.0.1
createUser watcher SHA-256 "auth-password" AES "priv-password"
rouser watcher authPriv
createUser old SHA "auth-password" AES "priv-password"
rouser old authPriv
pass_persist .1.3.6.1.4.1.99999 $TOP/tests/sim/box_table.py $SCRATCH/box
CONF
snmpd_start() {
    SNMP_PERSISTENT_DIR=$SCRATCH/persist SNMP_PERSISTENT_FILE=$SCRATCH/persist/snmpd.conf \
        snmpd -f -C -c "$SCRATCH/snmpd.conf" -Lf "$SCRATCH/snmpd.log" -I -smux,vacm_context >snmpd.out 2>&1 &
    snmpd_pid=$!
    echo $snmpd_pid >snmpd.bmcpid
}
snmpd_start
cp "$TOP/etc/storage/disk-array.map" array.map
box_conf() { # PROTOCOL PORT LINE...
    box_protocol=$1 box_port=$2
    shift 2
    cat >bmc.conf <<CONF
[poller]
server = $url
token_file = $SCRATCH/gateway
state = $SCRATCH/bmc-state
backoff_max = 2s
[storage x]
cluster = alex
host = jbod1
address = 127.0.0.1:$box_port
protocol = $box_protocol
credentials = $SCRATCH/box.secret
interval = 1s
timeout = 2s
CONF
    printf '%s\n' "$@" >>bmc.conf
    chmod 600 box.secret
}
printf 'watcher\nauth-password\npriv-password\n' >box.secret
box_conf snmp "$snmp_port" "mapping = $SCRATCH/array.map" "mapping = $TOP/etc/storage/interfaces.map"

# ---- what is refused before anything is sent ----
ok "the configuration is right" baro-bmc --check --config bmc.conf
refused() { # SENTENCE TEXT: of --check of bmc.conf as other.conf
    baro-bmc --check --config other.conf >out 2>err
    is "$1" "$? $(grep -c -- "$2" err)" "${3:-2} 1"
}
for map in "$TOP"/etc/storage/*.map; do
    sed "/^mapping = /d" bmc.conf >other.conf
    case $map in *rest*) sed -i 's/^protocol = .*/protocol = rest/' other.conf ;; esac
    echo "mapping = $map" >>other.conf
    ok "$(basename "$map") is a mapping" baro-bmc --check --config other.conf
done
chmod 644 box.secret
cp bmc.conf other.conf
refused "credentials that others can read are not used" 'box.secret' 1
chmod 600 box.secret
sed 's|^mapping = .*array.map|mapping = /none.map|' bmc.conf >other.conf
refused "a mapping that is not there is named" '/none.map' 1
sed 's/^states = 2=up.*/states = 2=well/' array.map >other.map
sed 's|array.map|other.map|' bmc.conf >other.conf
refused "a state that is none is named, with its line" "other.map:[0-9]*: \[table disk\]: states: '2=well' is not VALUE=HEALTH"
sed 's/^value = 1.3.6.1.4.1.99999.2.1.3/value = SNMPv2-MIB::sysUpTime/' array.map >other.map
refused "so is an OID of letters" "value: 'SNMPv2-MIB::sysUpTime' is not an OID"
sed 's/^class = disk/clas = disk/' array.map >other.map
refused "and a key that there is none of" "other.map:[0-9]*: clas: "
sed 's/^interval.*/&\nversion = 2c/' bmc.conf >other.conf
refused "passwords for version 2c are a mistake" "version 2c has no password"
sed 's/^interval.*/&\nprivacy = des/' bmc.conf >other.conf
refused "privacy that is none is refused" "privacy: invalid value 'des' (choose aes128, aes256)"

# ---- SNMP 3 ----
bmc_start
ok "a box responds by SNMP 3" wait_for 30 is_health alex/jbod1/bmc:snmp "up -"
ok "its disks are components" wait_for 20 is_health 'alex/jbod1/disk:Slot\x201' "up -"
ok "a name with a slash is one" is_health 'alex/jbod1/disk:Slot\x2F2' "up -"
ok "one without a name has its index" is_health 'alex/jbod1/disk:3' "up -"
ok "two of one name have that, too" is_health 'alex/jbod1/disk:Twin\x204' "up -"
ok "and the box itself is one" is_health alex/jbod1 "up -"
ok "interfaces of a standard MIB as well" is_health alex/jbod1/port:lo "up -"
has_value() { # METRIC COMPONENT VALUE
    as reader metric query "$1" "$2" --last 5m -o json 2>err | jq -e --argjson v "$3" '[.. | numbers] | index($v)' >out
}
ok "a metric is divided" wait_for 20 has_value box_temperature alex/jbod1/bmc:CPU 41.5
box_state box '.disks[0][1] = 3 | .disks[0][2] = "predictive failure"'
ok "a disk that is about to fail is degraded, with the box's own text" wait_for 20 is_health 'alex/jbod1/disk:Slot\x201' \
    "degraded snmp: disk is '3': predictive failure"
is "which degrades the box" "$(health alex/jbod1 | cut -d' ' -f1)" degraded
box_state box '.disks[1][1] = 9'
ok "a state that is not in the mapping is what * is" wait_for 20 is_health 'alex/jbod1/disk:Slot\x2F2' "unknown snmp: disk is '9': fine"
box_state box '.disks[0][1] = 5 | .disks[1][1] = 2'
ok "a slot that is empty now is up: nothing is there" wait_for 20 is_health 'alex/jbod1/disk:Slot\x201' "up -"
box_state box '.box = 3'
ok "the box's own state is its health" wait_for 20 is_health alex/jbod1 "down snmp: array is '3'"
box_state box '.box = 1'
ok "until it ends" wait_for 20 is_health alex/jbod1 "up -"
bmc_end
is "it ends well" $? 0

printf 'old\nauth-password\npriv-password\n' >box.secret
sed -i 's/^interval.*/&\nauth = sha1/' bmc.conf
bmc_start
box_state box '.disks[0][1] = 4 | .disks[0][2] = "dead"'
ok "an old box has SHA-1" wait_for 30 is_health 'alex/jbod1/disk:Slot\x201' "down snmp: disk is '4': dead"
bmc_end
refuses() { health alex/jbod1/bmc:snmp | grep -q "^unknown snmp: jbod1 (box .*): $1"; }
sed -i '/^auth = /d' bmc.conf
bmc_start
ok "by another algorithm nothing is read: unknown" wait_for 30 refuses ""
bmc_end
printf 'watcher\nother-password\npriv-password\n' >box.secret
bmc_start
ok "with another password it refuses the credentials" wait_for 30 refuses ".*it refuses the credentials"
bmc_end
printf 'nobody\nauth-password\npriv-password\n' >box.secret
bmc_start
ok "so is another user" wait_for 30 refuses ".*it refuses the credentials (Unknown user name)"
bmc_end
printf 'watcher\nauth-password\nother-password\n' >box.secret
bmc_start
ok "with another password of privacy nothing is read" wait_for 30 refuses ""
bmc_end

# ---- SNMP 2c ----
printf 'public\n' >box.secret
sed -i 's/^interval.*/&\nversion = 2c/' bmc.conf
box_state box '.disks[0][1] = 2'
bmc_start
ok "by SNMP 2c as well" wait_for 30 is_health 'alex/jbod1/disk:Slot\x201' "up -"
ok "which is logged" grep -q "version = 2c: " bmc.log
kill -STOP "$snmpd_pid"
ok "a box that is silent is unknown" wait_for 30 refuses ".*no response in time; a wrong community"
is "which states nothing of its disks" "$(health 'alex/jbod1/disk:Slot\x201')" "up -"
kill -CONT "$snmpd_pid"
ok "and is up again" wait_for 30 is_health alex/jbod1/bmc:snmp "up -"
bmc_end
kill "$snmpd_pid"
wait "$snmpd_pid"

# ---- REST ----
mkdir -p bmc
cat >bmc/state <<'JSON'
{"documents": {"/api/v1/disks": {"enclosures": [{"disks": [
  {"id": "d/0", "status": {"health": "Good"}, "message": "", "celsius": 31},
  {"id": "d1", "status": {"health": "In Repair"}, "message": "rebuilding, 12 %", "celsius": 32.5}]}]},
 "/api/v1/system?detail=1": {"state": 0, "load": 95}}}
JSON
bmc_port=$(free_ports 2)
python3 "$TOP/tests/sim/box_rest.py" --port "$bmc_port" --tls bmc.pem bmc.key bmc >played 2>played.err &
echo $! >played.bmcpid
ok "a box with a REST interface is played" wait_for 20 grep -q ready played
cat >rest.map <<'MAP'
[table disk]
path = /api/v1/disks
items = /enclosures/*/disks/*
value = /status/health
name = /id
text = /message
class = disk
id = %n of %i
states = Good=up In?Repair=degraded Failed=down
[table temperature]
path = /api/v1/disks
items = /enclosures/*/disks/*
value = /celsius
name = /id
metric = box_temperature
[table load]
path = /api/v1/system?detail=1
value = /load
class = controller
states = 0..90=up 90..100=degraded
MAP
printf 'root\nsecret\n' >box.secret
box_conf rest "$bmc_port" "mapping = $SCRATCH/rest.map" "ca_file = $SCRATCH/ca.pem"
sed 's|^path = /api/v1/disks|path = https://other/|' rest.map >other.map
sed 's|rest.map|other.map|' bmc.conf >other.conf
refused "a path to another host is refused" "path: 'https://other/': it does not begin with /"
bmc_start
ok "a box responds by REST" wait_for 30 is_health alex/jbod1/bmc:rest "up -"
ok "an element of an array is a component" is_health 'alex/jbod1/disk:d\x2F0\x20of\x200.0' "up -"
ok "with a state of two words, and the box's own text" is_health 'alex/jbod1/disk:d1\x20of\x200.1' \
    "degraded rest: disk is 'In Repair': rebuilding, 12 %"
ok "a number is in a range" is_health alex/jbod1/controller:0 "degraded rest: load is '95'"
ok "and a metric is one" wait_for 20 has_value box_temperature alex/jbod1/bmc:d1 32.5
bmc_state '.documents["/api/v1/disks"].enclosures[0].disks[0].status.health = "Sulking"'
ok "a value without a state is unknown" wait_for 20 is_health 'alex/jbod1/disk:d\x2F0\x20of\x200.0' \
    "unknown rest: disk is 'Sulking', for which its mapping has no state"
noted() { grep -q "$1" bmc.log; }
bmc_state '.documents["/api/v1/disks"] = {"enclosures": {}}'
ok "a table without rows is noted, and the others are read" wait_for 30 noted "table disk.: /api/v1/disks: it has no rows at '/enclosures/\*/disks/\*'"
ok "which degrades its box, with the reason" wait_for 20 is_health alex/jbod1/bmc:rest \
    "degraded rest: 2 of 3 tables were not read: [table disk]: /api/v1/disks: it has no rows at '/enclosures/*/disks/*'"
ok "what it listed before is unknown" wait_for 20 is_health 'alex/jbod1/disk:d1\x20of\x200.1' "unknown rest: no longer listed"
bmc_end
failed() { grep -c "it is unknown now" bmc.log; }
has_failed() { [ "$(failed)" -gt "$before" ]; }
for fault in endless long deep loris lying redirect cut refuse binary silent; do
    before=$(failed)
    bmc_state --arg f $fault '.fault = $f'
    bmc_start
    ok "REST, $fault: it is unknown" wait_for 20 has_failed
    bmc_end
done
is "no other host was sent anything" "$(cat bmc/foreign 2>/dev/null)" ""
bmc_state '.fault = "wide" | .documents["/api/v1/disks"] = {"enclosures": [{"disks": [{"id": "d"}]}]}'
bmc_start
ok "a document without an end ends" wait_for 30 noted "response is too long\|its time is over\|timed out"
bmc_end

# ---- a box that is hostile by SNMP ----
ill_port=$(free_ports 1)
mkdir ill
echo '{}' >ill/state
python3 "$TOP/tests/sim/box_ill.py" --port "$ill_port" ill >ill.out 2>ill.err &
echo $! >ill.bmcpid
ok "a hostile box is played" wait_for 20 grep -q ready ill.out
printf 'public\n' >box.secret
cat >ill.map <<'MAP'
[table disk]
value = 1.3.6.1.4.1.99999.2.1.3
name = 1.3.6.1.4.1.99999.2.1.2
text = 1.3.6.1.4.1.99999.2.1.4
class = disk
states = 2=up *=degraded
MAP
box_conf snmp "$ill_port" "mapping = $SCRATCH/ill.map" "version = 2c"
sed -i 's/jbod1/ill1/' bmc.conf
bmc_start
ok "when it is well it is read" wait_for 30 is_health 'alex/ill1/disk:Slot\x201' "up -"
ok "by datagrams of its request alone" [ "$(grep -c . ill/requests)" -ge 3 ]
bmc_end
for fault in back same foreign long empty cut binary error other silent big flood; do
    before=$(failed)
    box_state ill --arg f $fault '.fault = $f'
    bmc_start
    ok "SNMP, $fault: it is unknown" wait_for 20 has_failed
    bmc_end
done
is "each line names box and address" "$(grep "it is unknown now" bmc.log | grep -c "jbod1 (box 127.0.0.1:$bmc_port): \|ill1 (box 127.0.0.1:$ill_port): \|jbod1 (box 127.0.0.1:$snmp_port): ")" "$(failed)"
is "nothing was made of it" "$(health 'alex/ill1/disk:Slot\x201')" "up -"
# Another host: what is read of the last fault fills the places of its parts.
sed -i 's/ill1/ill2/' bmc.conf
box_state ill '.fault = "types"'
bmc_start
ok "a text that no state has is what * is, and a number is a name" wait_for 30 is_health alex/ill2/disk:17 "degraded snmp: disk is '?': 17"
ok "a value of a type that is not used is unknown" wait_for 20 is_health alex/ill2/disk:2 "unknown snmp: disk has no value"
box_state ill '.fault = "huge"'
ok "a name of 1,000 bytes is counted" wait_for 20 noted "disk. row 1: its name is longer than 63 bytes"
ok "what is not listed any more is unknown" wait_for 20 is_health alex/ill2/disk:17 "unknown snmp: no longer listed"
box_state ill '.fault = "names"'
ok "a name of 4 KiB, besides one with control characters, is counted" wait_for 20 noted "disk. row 2: its name is longer than 63 bytes"
bmc_end
sed -i 's/ill2/ill1/' bmc.conf
box_state ill '.fault = "endless"'
bmc_start
ok "a column without an end is cut" wait_for 60 noted "cells have no row: over 1024"
bmc_end
is "the player has no error of its own" "$(cat ill.err)" ""
for log in barod.log bmc.log; do
    ok "$log has no error" not grep -E "Sanitizer|runtime error" "$log"
done
finish
