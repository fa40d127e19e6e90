#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every unit's program runs under its unit: the system calls that SystemCallFilter lists,
# denials included, end a program that makes another one (tests/agent/sandbox.py).  Each
# does what it is for: barod with its roll-ups, store, listeners, scraper and NATS, the
# agent that reads and sends, health, GPFS, probes, summaries.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/agent/agent.sh
. "$TOP/tests/agent/agent.sh"
requires systemd-analyze curl jq nats-server

unset BARO_CLOCK
# What the sanitizers would do at their start and end, and no program of ours does.
export ASAN_OPTIONS=detect_leaks=0:disable_coredump=0 TSAN_OPTIONS=disable_coredump=0
SYSTEM_UNITS=$SCRATCH/units
mkdir -p "$SYSTEM_UNITS"
units="barod baro-bmc baro-agent baro-datasetd baro-dataset-agent baro-abc baro-health baro-gpfs-record baro-summarize"
for unit in $units; do
    sed "s|@sbindir@|/srv/bin|; s|@bindir@|/srv/bin|; s|@libexecdir@|/srv/libexec|
        s|/etc/barograph|/srv/etc|g; s|/usr/lpp/mmfs/bin|/srv/lpp|" \
        "$TOP/etc/systemd/$unit.service.in" >"$SYSTEM_UNITS/$unit.service"
done
sandbox() { # UNIT OPTION... -- ARGUMENT...; with EXEC=exec it becomes the program
    sandbox_unit=$SYSTEM_UNITS/$1.service
    shift
    ${EXEC:-} python3 "$TOP/tests/agent/sandbox.py" "$sandbox_unit" \
        --install "$BUILD/src/cmd/baro:/srv/bin/baro" "$@"
}
why=$(sandbox barod -- true 2>&1)
case $? in
0) ;;
77) skip_all "${why#sandbox: }" ;;
*) echo "# $why" ;;
esac
is "every unit is run below" "$(cd "$TOP/etc/systemd" && echo *.service.in | tr ' ' '\n' |
    sed 's/.service.in//' | sort | tr '\n' ' ')" "$(echo "$units" | tr ' ' '\n' | sort | tr '\n' ' ')"

# ---- it is in force: a call that a unit denies ends the program ----
for unit in barod baro-agent baro-health baro-summarize; do
    sandbox $unit -- /srv/bin/baro --version >/dev/null 2>&1
    is "$unit: a program that makes allowed calls runs" "$?" 0
    sandbox $unit -- ionice -c 3 true >/dev/null 2>&1
    is "$unit: ioprio_set, which ~@resources denies, ends it" "$?" 159
    sandbox $unit --errors -- ionice -c 3 true >/dev/null 2>&1
    is "$unit: and fails, no more, as the unit has it" "$?" 1
done
sandbox barod -- nice -n 5 true
is "barod: its own priority may be lowered" "$?" 0

# ---- barod ----
batch() { # of the hours before this one, so that there is something to roll up
    python3 -c '
import json, time
from datetime import datetime, timezone
start = time.time() // 3600 * 3600 - 4 * 3600
def at(n):
    return datetime.fromtimestamp(start + n * 240, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")
print(json.dumps({"format": "baro-jobstats-1", "agent": "c0ffee00-0000-4000-8000-000000000001",
    "sequence": 1, "server": "oss01", "targets": [
    {"target": "scratch-OST0000", "kind": "ost", "timestamp": at(n), "entries": [
        {"entry_id": "7:1000:n1", "exact": True, "since": at(n - 1), "previous": at(n - 1) if n > 1 else None,
         "reset": n == 1, "snapshot_time": int(start) + n * 240, "start_time": None,
         "ops": {"write_bytes": {"samples": n, "unit": "bytes", "min": 1, "max": 9, "sum": n * 1000}}}]}
    for n in range(1, 41)]}))'
}
port=$(free_port)
nats_port=$(free_port)
# In the sandbox summaries are made by nobody where the package is not installed.
group=barograph-scheduler
getent group $group >/dev/null || group=$(id -gn barograph-summarize 2>/dev/null || id -gn nobody)
cat >"$SCRATCH/barod.conf" <<CONF
[barod]
rollup_every = 1s
maintain_every = 1s
[net]
listen = 127.0.0.1:$port
scheduler_group = $group
[filesystem scratch]
jobid_name = %j:%u:%H
[records]
retention_jobs = 0s
[store]
checkpoint = 10s
own_metrics = 1s
[write]
cluster = site
metrics = open
[nats]
address = nats://127.0.0.1:$nats_port
[nats_subscription all]
subscribe_to = all
[scrape itself]
url = http://127.0.0.1:$port/metrics
host = n9
interval = 1s
timeout = 1s
CONF
nats-server -a 127.0.0.1 -p "$nats_port" >"$SCRATCH/nats.log" 2>&1 &
at_exit "kill $!"
kept=$SCRATCH/kept socket=$SCRATCH/kept/run/barograph/barod.sock
EXEC='exec' sandbox barod --install "$BUILD/src/cmd/barod:/srv/bin/barod" --state "$kept" \
    --install "$SCRATCH/barod.conf:/srv/etc/barod.conf" \
    --exec -- --config /srv/etc/barod.conf >"$SCRATCH/barod.log" 2>&1 &
pid=$!
at_exit 'kill -9 $pid; wait $pid'
get() {
    curl -sf --unix-socket "$socket" "http://x$1"
}
metric() {
    get /metrics | sed -n "s/^$1 //p"
}
above() { # METRIC NUMBER
    [ "$(metric "$1" | cut -d. -f1)" -gt "$2" ]
}
ok "barod: starts" wait_for 60 get /healthz
ok "barod: listens on TCP" curl -sf "http://127.0.0.1:$port/healthz"
batch >"$SCRATCH/batch.json"
ok "barod: takes rows" curl -s --fail-with-body -H 'Content-Type: application/json' \
    --data-binary "@$SCRATCH/batch.json" --unix-socket "$socket" http://x/v1/jobstats
ok "barod: makes roll-ups of them" wait_for 60 above baro_records_rollup_hours_total 0
ok "barod: takes samples" sh -c 'seq 1 200 | sed "s/.*/cpu,hostname=n& value=1/" |
    curl -sf --data-binary @- --unix-socket "$1" "http://x/api/write?cluster=site"' sh "$socket"
ok "barod: makes checkpoints" wait_for 60 above 'baro_store_worker_runs_total{worker="checkpoint"}' 0
ok "barod: scrapes" wait_for 60 above 'baro_ingest_scrape_samples_total{scrape="itself"}' 0
ok "barod: answers from the database" sh -c 'baro jobstats rates --server "unix:$1" --job 7 \
    --from -6h -o csv | grep -q write_bytes' sh "$socket"
ok "barod: and of samples" sh -c 'baro metric query cpu site/n7 --server "unix:$1" --last 1h -o csv | grep -q n7' \
    sh "$socket"
ok "barod: is connected to NATS" wait_for 20 above baro_ingest_nats_connected 0

# ---- the agent, as a daemon ----
agent_world 2.15.8
unset BARO_CLOCK
baro-sim materialise --fs "$FS" --server oss01 --root "$SCRATCH/root"
chmod -R a+rX "$SCRATCH/root"
cat >"$SCRATCH/agent.conf" <<CONF
[agent]
server = http://127.0.0.1:$(cat "$SCRATCH/port")
host = oss01
source = files
reader = /srv/libexec/baro-lustre-read
interval = 1s
totals_interval = 1s
CONF
EXEC='exec' sandbox baro-agent --bind "$SCRATCH/root/proc/fs:/proc/fs" --state "$SCRATCH/agent" \
    --install "$BUILD/src/cmd/baro-agent:/srv/bin/baro-agent" \
    --install "$BUILD/src/cmd/baro-lustre-read:/srv/libexec/baro-lustre-read" \
    --install "$SCRATCH/agent.conf:/srv/etc/baro-agent.conf" --exec -- >"$LOG" 2>&1 &
agent_pid=$!
at_exit 'kill -9 $agent_pid'
has_rows() {
    [ "$(rows | wc -l)" -gt 0 ]
}
ok "baro-agent: reads, and what it sends arrives" wait_for 60 has_rows
kill -TERM $agent_pid
wait $agent_pid
is "baro-agent: and ends when it is asked to" "$?" 0

# ---- datasets: a forwarder whose upstream is the same program, with a repository, outside ----
command -v mkfs.erofs >/dev/null || PATH=$PATH:/usr/sbin
if command -v mkfs.erofs >/dev/null && command -v nbdcopy >/dev/null; then
    mkdir "$SCRATCH/tree"
    seq 1 20000 >"$SCRATCH/tree/numbers"
    dataset=$(baro dataset create "$SCRATCH/tree" --repository "$SCRATCH/datasets" 2>/dev/null)
    first=$(free_ports 2)
    baro-datasetd --config /dev/null --set "dataset.repository=$SCRATCH/datasets" \
        --set "dataset.listen=127.0.0.1:$first" >"$SCRATCH/datasets.log" 2>&1 &
    at_exit "kill $!"
    printf '[dataset]\nupstream = 127.0.0.1:%s\ncache = /var/cache/barograph-datasets\nlisten = unix:%s\nnbd = 127.0.0.1:%s\n' \
        "$first" /run/barograph-datasets/chunks.sock "$((first + 1))" >"$SCRATCH/datasetd.conf"
    EXEC='exec' sandbox baro-datasetd --install "$BUILD/src/cmd/baro-datasetd:/srv/bin/baro-datasetd" \
        --install "$SCRATCH/datasetd.conf:/srv/etc/baro-datasetd.conf" --exec -- >"$SCRATCH/datasetd.log" 2>&1 &
    datasetd_pid=$!
    at_exit 'kill -9 $datasetd_pid'
    ok "baro-datasetd: forwards a dataset" \
        wait_for 60 nbdcopy "nbd://127.0.0.1:$((first + 1))/$dataset" "$SCRATCH/numbers.img"
    is "baro-datasetd: which is right" "$(sha256sum <"$SCRATCH/numbers.img" | cut -c1-64)" "$dataset"
    kill -TERM $datasetd_pid
    wait $datasetd_pid
    is "baro-datasetd: and ends when it is asked to" "$?" 0
    # ---- and mounted: the agent is under its unit, the command outside ----
    if [ -e /dev/fuse ] && grep -q erofs /proc/filesystems; then
        mkdir "$SCRATCH/mounter" "$SCRATCH/here"
        printf '[dataset]\nupstream = 127.0.0.1:%s\n[jobs]\nserver = unix:/run/none.sock\n' "$first" >"$SCRATCH/mounter.conf"
        EXEC='exec' sandbox baro-dataset-agent --state "$SCRATCH/mounter" \
            --install "$BUILD/src/cmd/baro-dataset-agent:/srv/bin/baro-dataset-agent" \
            --install "$SCRATCH/mounter.conf:/srv/etc/baro-datasetd.conf" --exec -- --user nobody >"$SCRATCH/mounter.log" 2>&1 &
        mounter_pid=$!
        at_exit 'kill -9 $mounter_pid'
        mounter=$SCRATCH/mounter/run/baro-dataset/agent.sock
        ok "baro-dataset-agent: listens" wait_for 60 test -S "$mounter"
        is "baro-dataset-agent: mounts a dataset" \
            "$(baro dataset run --agent "$mounter" -d "$dataset:$SCRATCH/here" -- tail -n 1 "$SCRATCH/here/numbers")" 20000
        is "baro-dataset-agent: has a spool for what jobs have mounted" \
            "$(find "$SCRATCH/mounter" -path '*baro-dataset/jobs' -perm 770 | wc -l) $(grep -c 'is not recorded\|is not reported' "$SCRATCH/mounter.log")" "1 0"
        kill -TERM $mounter_pid
        wait $mounter_pid
        is "baro-dataset-agent: and ends when it is asked to" "$?" 0
        cat "$SCRATCH/mounter.log"
    else
        skip "baro-dataset-agent: mounts a dataset" "no FUSE or no EROFS here"
    fi
else
    skip "baro-datasetd: forwards a dataset" "no mkfs.erofs or no nbdcopy here"
fi

# ---- health; what it keeps is in tests/0611 ----
cat >"$SCRATCH/lfs" <<'END'
#!/bin/sh
echo "UUID 1K-blocks Used Available Use% Mounted on
scratch-OST0000_UUID 1000 500 500 50% /scratch[OST:0]"
END
sed 's/^UUID.*//; s/^echo.*/echo "  4 UP osc a-OST0000-osc-ff 8dbd 5 oss1@tcp"/; /^scratch/d' \
    "$SCRATCH/lfs" >"$SCRATCH/lctl"
chmod +x "$SCRATCH/lfs" "$SCRATCH/lctl"
ok "baro-health: takes a sample" sandbox baro-health --state "$SCRATCH/health" \
    --install "$SCRATCH/lfs:/srv/lustre/lfs" --install "$SCRATCH/lctl:/srv/lustre/lctl" \
    --exec -- --lfs /srv/lustre/lfs --lctl /srv/lustre/lctl
ok "baro-health: of both commands" sh -c 'set -- "$1"/barograph/health/d[fl]-*.txt && [ $# = 2 ]' \
    sh "$SCRATCH/health"

# ---- GPFS ----
printf '%s\n' BARO_GPFS_CLUSTER=viz "BARO_GPFS_OPTIONS=--side server --step 1s" >"$SCRATCH/gpfs.env"
mkdir "$SCRATCH/mmfs"
"$TOP/tests/sim/mmpmon" --serve "$SCRATCH/mmfs/mmpmonSocket" 100 n1 n2 >"$SCRATCH/ready" &
at_exit "kill $!"
wait_for 20 test -s "$SCRATCH/ready"
ok "baro-gpfs-record: records" sandbox baro-gpfs-record --bind "$SCRATCH/mmfs:/mnt" \
    --install "$SCRATCH/gpfs.env:/srv/etc/baro-gpfs-record.env" \
    --install "$TOP/tests/sim/mmpmon:/srv/lpp/mmpmon" --exec -- --rounds 3

# ---- probes ----
printf '[filesystem scratch]\npath = /mnt\n' >"$SCRATCH/site.conf"
echo BARO_ABC_DIR=/mnt >"$SCRATCH/abc.env"
mkdir -m 1777 "$SCRATCH/mnt"
ok "baro-abc: writes and reads" sandbox baro-abc --bind "$SCRATCH/mnt:/mnt" --state "$SCRATCH/abc" \
    --install "$BUILD/src/cmd/baro-abc:/srv/bin/baro-abc" \
    --install "$SCRATCH/abc.env:/srv/etc/baro-abc.env" \
    --install "$SCRATCH/site.conf:/srv/etc/site.conf" --exec -- --size 1MiB
is "baro-abc: a row each" "$(tail -n +2 "$SCRATCH/abc/barograph/abc/runs.csv" | wc -l)" 8

# ---- summaries, into the barod above, as a user that is not barod's ----
day=$(date -d "1 days ago" +%Y/%-m/%-d)
mkdir -p "$SCRATCH/logs/$day"
if [ -x "$BUILD/src/source/darshan/darshan_make" ]; then
    "$BUILD/src/source/darshan/darshan_make" 341 little zlib >"$SCRATCH/logs/$day/one.darshan"
    # Only its owner may read it.
    chmod 600 "$SCRATCH/logs/$day/one.darshan"
    echo "BARO_DARSHAN_LOGS=/mnt
BARO_SERVER=unix:/media/barod.sock" >"$SCRATCH/summarize.env"
    sed -i 's|^Environment=PATH=|&/srv/bin:|' "$SYSTEM_UNITS/baro-summarize.service"
    summarize() {
        sandbox "$1" --bind "$SCRATCH/logs:/mnt" --bind "$kept/run/barograph:/media" \
            --install "$TOP/etc/baro-summarize-logs:/srv/libexec/baro-summarize-logs" \
            --install "$SCRATCH/summarize.env:/srv/etc/baro-summarize.env" --exec --
    }
    sed '/^AmbientCapabilities/d' "$SYSTEM_UNITS/baro-summarize.service" >"$SYSTEM_UNITS/bare.service"
    summarize bare >"$SCRATCH/said" 2>&1
    is "baro-summarize: without its capability could not read logs that are not its own" \
        "$? $(grep -c 'Permission denied' "$SCRATCH/said")" "1 1"
    ok "baro-summarize: reads them, and barod takes what it says" summarize baro-summarize
    is "baro-summarize: there is a summary" "$(get "/v1/summaries?format=lines" | grep -c "{")" 1
else
    skip "baro-summarize" "built without tests"
fi

# ---- baro-bmc: a file that is installed here is one that others can read ----
printf 'root\nsecret\n' >"$SCRATCH/bmc.secret"
printf '[bmc x]\ncluster = alex\nhost = a1\naddress = %%h-bmc\ncredentials = /srv/etc/bmc.secret\n' >"$SCRATCH/bmc.conf"
sandbox baro-bmc --install "$BUILD/src/cmd/baro-bmc:/srv/bin/baro-bmc" \
    --install "$SCRATCH/bmc.conf:/srv/etc/baro-bmc.conf" --install "$SCRATCH/bmc.secret:/srv/etc/bmc.secret" --exec -- \
    >"$SCRATCH/bmc.log" 2>&1
is "baro-bmc: reads its configuration, and refuses credentials that others can read" \
    "$(grep -c "bmc.secret' holds a secret" "$SCRATCH/bmc.log")" 1

kill -TERM $pid
wait $pid
is "barod: ends when it is asked to" "$?" 0

# ---- how bare the units are: none is more than barod ----
score() {
    systemd-analyze security --offline=yes "$SYSTEM_UNITS/$1.service" 2>/dev/null |
        sed -n 's/.*exposure level for .*: \([0-9.]*\) .*/\1/p'
}
barod_score=$(score barod)
for unit in baro-health baro-summarize baro-abc baro-datasetd; do
    ok "$unit is exposed as little as barod ($(score $unit), $barod_score)" \
        awk "BEGIN { exit !($(score $unit) <= $barod_score) }"
done
for unit in baro-health baro-summarize baro-datasetd baro-bmc; do
    not_root=$(sed -n 's/^User=//p' "$SYSTEM_UNITS/$unit.service")
    ok "$unit has a user of its own, which sysusers.d makes" \
        grep -q "^u $not_root " "$TOP/etc/systemd/barograph.sysusers"
done
# mmpmon answers to root alone (decision 0391).
is "baro-gpfs-record is root without what root may do but reading" \
    "$(sed -n 's/^\(User\|CapabilityBoundingSet\|AmbientCapabilities\)=//p' "$SYSTEM_UNITS/baro-gpfs-record.service" |
        tr '\n' ' ')" "root CAP_DAC_READ_SEARCH "
is "and every unit has the same denials" "$(grep -L '^SystemCallFilter=~@privileged' "$SYSTEM_UNITS"/baro*.service)" ""
finish
