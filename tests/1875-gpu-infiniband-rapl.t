#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# InfiniBand, the power of processors and GPUs of a node are in barod's store by ClusterCockpit's names.
# GPUs are those of a played NVML: one that hangs or dies ends a process of its own and nothing else, is
# counted, logged once, started again after a pause, and read again when it responds; what it can reach is
# nothing.  Energy that the kernel lets root alone read is opened before the privilege is given up.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
requires python3 curl baro barod baro-agent baro-gpu-read
player=$BUILD/src/source/gpu/libnvml_player.so
[ -e "$player" ] || skip_all "built without tests"

at_exit 'kill $(cat "$SCRATCH"/*.pid)'
cd "$SCRATCH" || exit 1
mkdir -p root/proc/driver/nvidia nvml
printf '1.25 0.75 0.50 3/456 789\n' >root/proc/loadavg
printf 'NVRM version: played\n' >root/proc/driver/nvidia/version
put() { # FILE TEXT
    mkdir -p "root/$(dirname "$1")"
    printf '%s\n' "$2" >"root/$1"
}
ib=sys/class/infiniband/mlx5_0/ports/1
put $ib/lid 0x1f
put $ib/counters/port_rcv_data 1000
put $ib/counters/port_xmit_data 18446744073709551615
put $ib/counters/port_rcv_packets 7
put $ib/hw_counters/out_of_sequence 3
put sys/class/infiniband/hfi1_0/ports/1/lid 0x2
put sys/class/infiniband/hfi1_0/ports/1/counters/port_xmit_data 5
rapl=sys/class/powercap/intel-rapl
zone() { # ZONE NAME
    put "$rapl:$1/name" "$2"
    put "$rapl:$1/max_energy_range_uj" 262143328850
    put "$rapl:$1/energy_uj" 262143000000
}
zone 0 package-0
zone 0:0 dram

# ---- the played library ----
cp "$player" nvml/libnvidia-ml.so.1
first='0 73 0 util 87 mem_util 12 used_mib 1024 total_mib 40960 power_mw 250500 temp 61 sm_mhz 1410 corrected 7 processes 2'
gpus() { # MODE UTIL-OF-SECOND
    printf 'mode %s\n%s\n0 202 0 util %s mem_util 3 power_mw 50000 slices 3\n' "$1" "$first" "$2" >nvml/new
    mv nvml/new nvml/gpus
}
gpus ok 4

start_barod() {
    barod --config barod.conf 2>>barod.log &
    echo $! >barod.pid
    wait_for 10 baro stats --server "unix:$SCRATCH/barod.sock"
}
cat >barod.conf <<END
[records]
engine = sqlite
path = $SCRATCH/records.db
[net]
listen = none
socket = $SCRATCH/barod.sock
[store]
directory = $SCRATCH/store
END
start_barod
cat >agent.conf <<END
[agent]
source = none
root = $SCRATCH/root
server = unix:$SCRATCH/barod.sock
state = $SCRATCH/state
spool = $SCRATCH/spool
host = n1
backoff_max = 1s
metrics_listen = unix:$SCRATCH/agent.sock
[node]
source = load
source = infiniband
source = rapl
source = gpu
interval = 200ms
flush_interval = 0s
cluster = alex
gpu_reader = $BUILD/src/cmd/baro-gpu-read
gpu_library = $SCRATCH/nvml/libnvidia-ml.so.1
gpu_deadline = 500ms
END
start_agent() { # LOG OPTION...
    log=$1
    shift
    baro-agent --config agent.conf "$@" 2>>"$log" &
    echo $! >agent.pid
}
stop_agent() {
    kill "$(cat agent.pid)"
    wait "$(cat agent.pid)"
    rm agent.pid
}
query() { # METRIC COMPONENT
    baro metric query "$1" "$2" --last 1m --server "unix:$SCRATCH/barod.sock" --output csv 2>/dev/null
}
last() {
    query "$1" "$2" | sed 1d | tail -n 1 | sed 's/.*,//'
}
has() { # METRIC COMPONENT VALUE
    [ -n "$(last "$1" "$2")" ] && python3 -c "import sys; sys.exit(float('$(last "$1" "$2")') != $3)"
}
counter() {
    curl -s --unix-socket agent.sock http://x/metrics | awk -v n="baro_agent_sampling_$1" '$1 == n { print $2 }'
}
is_over() { # COUNTER NUMBER
    [ "$(counter "$1")" -gt "$2" ]
}
is_ended() { # PID
    case $(ps -o stat= -p "$1") in '' | Z*) return 0 ;; esac
    return 1
}
readers() { # processes of this agent that read GPUs, zombies too
    ps -o pid= -o stat= --ppid "$(cat agent.pid)" | wc -l
}
one=alex/n1/accelerator:00000000:49:00.0 two=alex/n1/accelerator:00000000:CA:00.0

start_agent agent.log
ok "the utilisation of a GPU is in the store by its PCI address" wait_for 20 has acc_utilization $one 87
ok "its memory, in MiB" wait_for 5 has acc_mem_used $one 1024
ok "and how much it has" wait_for 5 has acc_mem_total $one 40960
ok "its power, in watts" wait_for 5 has acc_power $one 250.5
ok "its temperature" wait_for 5 has nv_temp $one 61
ok "its clock" wait_for 5 has nv_sm_clock $one 1410
ok "errors of its memory" wait_for 5 has nv_ecc_corrected_error $one 7
ok "processes that compute on it" wait_for 5 has nv_compute_processes $one 2
ok "the second GPU is another component" wait_for 5 has acc_power $two 50
is "what it does not support is not there" "$(last nv_temp $two)" ""
ok "memory of a slice is of the slice" wait_for 5 has acc_mem_used $two/mig:2 300
is "there is no slice 1" "$(last acc_mem_used $two/mig:1)" ""

# ---- InfiniBand ----
ok "data that a port received is in bytes" wait_for 5 has ib_recv alex/n1/network:mlx5_0:1 4000
ok "a counter of 64 bits is not cut" wait_for 5 has ib_xmit alex/n1/network:mlx5_0:1 73786976294838206460.0
ok "packets are packets" wait_for 5 has ib_recv_pkts alex/n1/network:mlx5_0:1 7
ok "counters of its driver are there" wait_for 5 has ib_hw_out_of_sequence alex/n1/network:mlx5_0:1 3
ok "Omni-Path, too" wait_for 5 has ib_xmit alex/n1/network:hfi1_0:1 20

# ---- power: the counter comes around while it is read ----
ok "a processor at rest has no power" wait_for 5 has rapl_average_power alex/n1/socket:0 0
cat >burn.py <<'END_PY'
# 100 W and 8 W: the counters as the kernel has them, by the clock, around their end.
import sys, time
limit, start, begun = 262143328850, 262143000000, time.monotonic()
while time.monotonic() - begun < 300:
    used = (time.monotonic() - begun) * 1e6
    for zone, watts in (("0", 100), ("0:0", 8)):
        with open(f"root/sys/class/powercap/intel-rapl:{zone}/energy_uj", "r+") as file:
            file.write(f"{int(start + used * watts) % (limit + 1)}\n")
            file.truncate()
    time.sleep(0.005)
END_PY
python3 burn.py &
echo $! >burn.pid
has_power() { # COMPONENT WATTS: the newest ten are near, and none is far
    query rapl_average_power "$1" | sed 1d | sed 's/.*,//' | tail -n 10 | awk -v w="$2" '
        { n++; sum += $1; bad += $1 < 0 || $1 > 3 * w } END { exit !(n == 10 && !bad && sum / n > 0.8 * w && sum / n < 1.2 * w) }'
}
ok "the power of a socket is that of its counter" wait_for 20 has_power alex/n1/socket:0 100
ok "that of its memory is a zone of it" wait_for 5 has_power alex/n1/socket:0/zone:dram 8
ok "the counter came around meanwhile" sh -c '[ "$(cat "root/$1:0/energy_uj")" -lt 200000000000 ]' sh $rapl
kill "$(cat burn.pid)"
rm burn.pid

# ---- the driver hangs ----
is "one process reads GPUs" "$(readers)" 1
pid_before=$(ps -o pid= --ppid "$(cat agent.pid)")
gpus hang 4
ok "a driver that hangs is counted" wait_for 20 is_over gpu_process_hangs_total 0
ok "its process is ended" wait_for 5 is_ended "$pid_before"
samples=$(counter samples_total)
printf '3.50 0.75 0.50 3/456 789\n' >root/proc/loadavg
ok "all else is sampled on" wait_for 5 has load_one alex/n1 3.5
ok "and sent" is_over samples_total "$samples"
ok "it hangs again at the next trial" wait_for 20 is_over gpu_process_hangs_total 1
is "that is logged once" "$(grep -c 'GPUs are not read' agent.log)" 1
ok "with what it is" grep -q "GPUs are not read: no response in 500ms: the driver hangs" agent.log
ok "at most one process is there" sh -c '[ "$1" -le 1 ]' sh "$(readers)"
ok "what was read before the GPU that hangs arrived" has acc_utilization $one 87
gpus ok 44
ok "when it responds it is read again" wait_for 30 has acc_utilization $two 44
is "which is logged" "$(grep -c 'GPUs are read again' agent.log)" 1

# ---- a call ends its process ----
failures=$(counter gpu_process_failures_total)
gpus die 4
ok "a call that ends its process is counted" wait_for 20 is_over gpu_process_failures_total "$failures"
ok "and logged" wait_for 5 grep -q "GPUs are not read: the process has ended within a call" agent.log
kill -0 "$(cat agent.pid)" && pass "the agent goes on" || fail "the agent goes on"
gpus ok 45
ok "it is started again" wait_for 40 has acc_utilization $two 45

# ---- a GPU is lost; the library prints; what it can reach ----
gpus lost 45
ok "a GPU that is lost is logged" wait_for 10 grep -q "GPU 00000000:CA:00.0: GPU is lost" agent.log
gpus noisy 46
ok "what the library prints is no value" wait_for 10 has acc_utilization $two 46
is "of no other GPU" "$(last acc_power alex/n1/accelerator:00000000:FF:00.0)" ""
gpus reach 47
ok "it makes no connection, no file, signals no process, and runs no program" wait_for 10 has acc_utilization $two 0
gpus ok 48
ok "and is read on" wait_for 10 has acc_utilization $two 48
is "a GPU that is lost is logged once" "$(grep -c 'GPU is lost' agent.log)" 1

# ---- an end while it hangs ----
late=$(counter gpu_readings_late_total)
reader=$(ps -o pid= --ppid "$(cat agent.pid)")
gpus hang 4
ok "it hangs" wait_for 10 is_over gpu_readings_late_total "$late"
stop_agent
ok "the agent ends while its driver hangs, and no process is left" wait_for 5 is_ended "$reader"
gpus ok 4

# ---- at the triggers of a session, whose loop is another ----
kill "$(cat barod.pid)"
wait "$(cat barod.pid)"
mkdir run
cp agent.conf alone.conf
for file in barod.conf agent.conf; do
    printf '[session]\nsize = 2\naddress = unix:%s/run/%%r.sock\nheartbeat = 500ms\nperiod = 1s\nlead = 300ms\ndeadline = 600ms\nstate = %s/session\nrank = 0\n' \
        "$SCRATCH" "$SCRATCH" >>$file
done
start_barod
gpus ok 51
start_agent session.log --set session.rank=1
ok "at the triggers of a session GPUs are read" wait_for 30 has acc_utilization $two 51
gpus hang 51
ok "one hangs at its triggers" wait_for 30 is_over gpu_process_hangs_total 0
printf '4.75 0.75 0.50 3/456 789\n' >root/proc/loadavg
ok "the rest is sampled on there" wait_for 20 has load_one alex/n1 4.75
ok "the agent ends" stop_agent
printf '3.50 0.75 0.50 3/456 789\n' >root/proc/loadavg
gpus ok 4
mv alone.conf agent.conf

# ---- what is not there ----
start_agent none.log --set "node.gpu_reader=$SCRATCH/no-reader"
ok "a program that is not there is logged by its path" wait_for 10 grep -q "start '$SCRATCH/no-reader'" none.log
stop_agent
start_agent nolib.log --set "node.gpu_library=$SCRATCH/no-library.so"
ok "a library that is not there, too" wait_for 10 grep -q "GPUs are not read: $SCRATCH/no-library.so: cannot open" nolib.log
stop_agent
# ---- a program that is not ours in its place ----
hostile() { # NAME COMMAND REASON
    printf '#!/bin/sh\nread -r line\n%s\n' "$2" >"$1" && chmod +x "$1"
    start_agent "$1.log" --set "node.gpu_reader=$SCRATCH/$1"
    ok "$1: it is ended" wait_for 10 grep -q "GPUs are not read: $3" "$1.log"
    ok "$1: the rest is sampled" is_over samples_total 0
    stop_agent
}
hostile endless 'exec yes "acc_power 00000000:49:00.0 - 1"' "the process sends what is not the protocol"
hostile unended 'exec tr "\\0" x </dev/zero' "the process sends what is not the protocol"
hostile foreign 'echo "load_one 00000000:49:00.0 - 666"; exec sleep 60' "the process sends what is not the protocol"
hostile unasked 'echo "end 2"; exec sleep 60' "the process sends what is not the protocol"
hostile silent 'exec sleep 60' "no response in 3s"
hostile short 'exit 0' "the process has ended"
is "nothing of it is a metric" "$(query load_one alex/n1 | grep -c ',666$')" 0
mv root/proc/driver root/proc/no-driver
start_agent nodriver.log
ok "without the driver that is logged" wait_for 10 grep -q "GPUs are not read until NVIDIA's driver is loaded" nodriver.log
is "and there is no process" "$(counter gpu_process_starts_total) $(readers)" "0 0"
stop_agent
# "all" names no GPU: a node without them logs nothing of them.
sed '/^source = \(load\|infiniband\|rapl\|gpu\)$/d; s/^\[node\]/&\nsource = all/' agent.conf >all.conf
mv all.conf agent.conf
start_agent all.log
ok "all samples the rest" wait_for 20 has load_one alex/n1 3.5
is "and logs nothing of GPUs" "$(grep -c GPU all.log)" 0
stop_agent

# ---- the privilege of energy_uj ----
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    chmod 755 . && chmod -R a+rX root && chmod 400 root/$rapl:0/energy_uj root/$rapl:0:0/energy_uj
    mkdir -p own && chown 65534:65534 own
    as_user() { # OPTION...; in the background: it becomes the agent
        exec setpriv --reuid 65534 --regid 65534 --clear-groups "$@" baro-agent --config agent.conf --set agent.state="$SCRATCH/own/state" \
            --set agent.spool="$SCRATCH/own/spool" --set agent.metrics_listen="unix:$SCRATCH/own/agent.sock" --set node.source=rapl
    }
    as_user --inh-caps=-all --ambient-caps=-all 2>>plain.log &
    echo $! >agent.pid
    ok "a user without the privilege is told which file it is of" wait_for 10 \
        grep -q "power of 2 zones of processors is not read (rapl): /sys/class/powercap/intel-rapl:0/energy_uj: Permission denied" plain.log
    stop_agent
    as_user --inh-caps=-all,+dac_read_search --ambient-caps=-all,+dac_read_search 2>>granted.log &
    echo $! >agent.pid
    ok "with the capability of the unit it samples" wait_for 10 sh -c 'curl -s --unix-socket own/agent.sock http://x/metrics | grep -q "sampling_rounds_total [1-9]"'
    is "and nothing is missing" "$(grep -c 'is not read' granted.log)" 0
    stop_agent
else
    skip "the privilege of energy_uj" "only root can give one"
fi
for log in *.log; do
    ok "$log has no error" not grep -E "Sanitizer|runtime error" "$log"
done
finish
