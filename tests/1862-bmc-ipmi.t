#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro-bmc by IPMI, against Debian's ipmi_sim: power, records of the event log as events, each once, also
# after a restart and after the log was cleared; a silent host that is off, or that its watchdog ended.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
. "$(dirname "$0")/lib-roles.sh"
. "$(dirname "$0")/lib-bmc.sh"
requires jq curl openssl python3 ipmi_sim ipmitool
cd "$SCRATCH" || exit 1

bmc_barod
bmc_port=$(free_ports 2)
cat >lan.conf <<CONF
name "sim"
set_working_mc 0x20
  startlan 1
    addr 127.0.0.1 $bmc_port
    priv_limit admin
    allowed_auths_callback none md2 md5 straight
    allowed_auths_user none md2 md5 straight
    allowed_auths_operator none md2 md5 straight
    allowed_auths_admin none md2 md5 straight
    guid a123456789abcdefa123456789abcdef
  endlan
  user 1 true "" "secret" user 10 none md2 md5 straight
  user 2 true "root" "secret" admin 10 none md2 md5 straight
  startcmd "sh $SCRATCH/machine"
  startnow true
CONF
# Its power is on while this process is there.
printf 'echo $$ >%s\nexec sleep 300\n' "$SCRATCH/machine.bmcpid" >machine
cat >sim.emu <<'CONF'
mc_setbmc 0x20
mc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02
sel_enable 0x20 1000 0x0a
mc_enable 0x20
CONF
ipmi() {
    ipmitool -I lanplus -C 3 -H 127.0.0.1 -p "$bmc_port" -U root -P secret "$@"
}
start_ipmi() {
    mkdir -p state
    ipmi_sim -c lan.conf -f sim.emu -n -s "$SCRATCH/state" </dev/null >sim.log 2>&1 &
    echo $! >sim.bmcpid
    wait_for 20 ipmi power status
}
ok "a BMC is played" start_ipmi
record() { # SENSOR-TYPE OFFSET: a record of the system, sensor 1
    ipmi raw 0x0a 0x44 0x00 0x00 0x02 0x00 0x00 0x20 0x69 0x20 0x00 0x04 "$1" 0x01 0x6f "$2" 0xff 0xff
}
is "power is on" "$(ipmi power status)" "Chassis Power is on"
ok "its log has a record of before" record 0x23 0x01
bmc_conf "protocol = ipmi" "cipher = 3"
sed -i 's/^timeout = .*/timeout = 10s/; /^ca_file/d' bmc.conf
begin_sending a1
ok "the host sends" wait_for 20 is_health alex/a1 "up -"
ok "the configuration is right" baro-bmc --check --config bmc.conf
bmc_start
ok "its BMC responds" wait_for 30 is_health alex/a1/bmc:ipmi "up -"
ok "faults of the chassis are parts" wait_for 20 is_health alex/a1/fan:chassis "up -"
events() { as reader event list -o json 2>err | jq -r '.[] | select(.name | startswith("bmc.")) | .name + " " + .payload' | sed 's/of [0-9-]*T[0-9:]*Z/of TIME/'; }
events_are() { [ "$(events | wc -l)" -eq "$1" ]; }
is_begun() { [ -s bmc-state/alex%2fa1.log ]; }
ok "the log was read" wait_for 20 is_begun
is "what was in it is no event" "$(events)" ""
record 0x0c 0x01 >out
record 0x08 0x01 >out
ok "new records are events" wait_for 20 events_are 2
is "by their meaning" "$(events)" "bmc.log.critical alex/a1: log entry 2 of no time: memory: uncorrected error (sensor 0x01)
bmc.log.warning alex/a1: log entry 3 of no time: power supply: failure (sensor 0x01)"
bmc_end KILL
record 0x0d 0x01 >out
bmc_start
ok "what came while it was killed is one" wait_for 20 events_are 3
sleep 2
is "and those before are no more" "$(events | wc -l)" 3

# ---- the log is cleared ----
reserved=$(ipmi raw 0x0a 0x42)
clear_log() {
    # shellcheck disable=SC2086 # two bytes
    set -- $reserved
    ipmi raw 0x0a 0x47 "0x$1" "0x$2" 0x43 0x4c 0x52 0xaa
}
ok "the log is cleared" clear_log
sleep 2
record 0x0c 0x00 >out
ok "a record after that is an event" wait_for 20 events_are 4

# ---- a silent host ----
end_sending
ok "power on: hung or cut" wait_for 30 is_health alex/a1 \
    "unknown hung or cut: power is on by its BMC, seen at TIME, whose log has no crash; barod does not hear it since TIME"
record 0x23 0x03 >out
crashed() { health alex/a1 | grep -q "^unknown crashed: its BMC's log has 'watchdog: power cycle (sensor 0x01)'"; }
ok "its watchdog: crashed" wait_for 20 crashed
kill "$(cat machine.bmcpid)"
ok "power off: off" wait_for 20 is_health alex/a1 "unknown off: power is off by its BMC, seen at TIME; barod does not hear it since TIME"
kill -9 "$(cat sim.bmcpid)"
ok "its BMC is away as well: cut" wait_for 60 is_health alex/a1 \
    "unknown cut: its BMC does not respond either; it did at TIME, with power off; barod does not hear it since TIME"
is "which is no reason" "$(as reader resource check --hosts a1; echo $?)" 0

# ---- the child process ----
is "no password is in a command line or the log" "$(grep -c secret bmc.log)" 0
bmc_end
is "it ends well" $? 0
for log in barod.log bmc.log; do
    ok "$log has no error" not grep -E "Sanitizer|runtime error" "$log"
done
finish
