# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# lib-examples.sh - a place in which the examples of pages can be run as they stand there.
#
#   . "$(dirname "$0")/lib-examples.sh"      after lib.sh, lib-barod.sh and lib-postgres.sh
#   examples_prepare       makes $SCRATCH/home with files of the names that examples use, and
#                          $SCRATCH/root, which stands for / in their paths; starts a barod
#                          with rows, jobs, summaries and samples, and agents that go on
#   examples_run WHAT...   prepares, runs these examples (tests/examples/run.py) and reports
#                          each of them as a test; the end of the test
#
# A Lustre is played from an hour ago on; of its jobs, 4711 and 4712 have themselves to blame
# and 11317854 a neighbour.  Another was played on 2017-03-20, for examples with old files.

examples_home=$SCRATCH/home
examples_root=$SCRATCH/root
socket=$examples_root/run/barograph/barod.sock

examples_play() { # NAME EPOCH STORY:JOB:AT...
    play_name=$1
    baro-sim init --fs "$SCRATCH/$1" "epoch=@$2" seed=11 nodes=60 version=2.12 || return 1
    shift 2
    for play_job; do
        play_story=${play_job%%:*} play_job=${play_job#*:}
        baro-sim plant --fs "$SCRATCH/$play_name" --story "$play_story" \
            --job "${play_job%:*}" --at "@${play_job#*:}" --length 20s || return 1
        baro-sim-darshan --fs "$SCRATCH/$play_name" --job "${play_job%:*}" \
            >"$SCRATCH/${play_job%:*}.darshan" || return 1
    done
}

# A row for sacct.txt: ID USER START END
examples_job() {
    echo "$1|$1|$2|phys|batch|alex|COMPLETED|$(($3 - 60))|$3|$4|1|a0101|run"
}

# The files of the year 2017.
examples_files_of_2017() {
    examples_day=1489968000 # 2017-03-20T00:00Z
    examples_play old $((examples_day - 3600)) own:4525644:$((examples_day + 34200)) \
        neighbour:4525650:$((examples_day + 86390)) || return 1
    mkdir -p logs probes 2017-03-20 PAGES "$examples_root/darshan-logs/2017" || return 1
    for examples_log in job.darshan log.darshan logs/a.darshan probes/a.darshan \
        LOG_A "$examples_root/darshan-logs/2017/a.darshan"; do
        cp "$SCRATCH/4525650.darshan" "$examples_log" || return 1
    done
    for examples_log in logs/b.darshan LOG_B probes/b.darshan; do
        cp "$SCRATCH/4525644.darshan" "$examples_log" || return 1
    done
    make.py lmt 20.sqlite3 "$examples_day" $((examples_day + 86400))
    make.py lmt 21.sqlite3 $((examples_day + 86400)) $((examples_day + 90000))
    make.py lmt 2021.sqlite3 "$examples_day" $((examples_day + 90000))
    baro series archive -o 2017-03-20.hdf5 20.sqlite3 &&
        baro series archive -o 2017-03-21.hdf5 21.sqlite3 &&
        baro series archive -o day.hdf5 2021.sqlite3 || return 1
    cp day.hdf5 2017-03-20/scratch2.hdf5 && cp day.hdf5 edison.h5lmt &&
        cp day.hdf5 snx11025.h5lmt || return 1
    make.py lmt today.sqlite3 $((examples_now - 10800)) "$examples_now"
    make.py lmt yesterday.sqlite3 $((examples_now - 18000)) $((examples_now - 10800))
    baro series archive -o today.hdf5 today.sqlite3 &&
        baro series archive -o yesterday.hdf5 yesterday.sqlite3 &&
        cp today.hdf5 DAY.hdf5 || return 1
    make.py health $((examples_day + 34000)) $((examples_day + 86300)) \
        $((examples_now - 700)) $((examples_now - 60))
    gzip -k df.txt dl.txt
    {
        echo "JobID|JobIDRaw|User|Account|Partition|Cluster|State|Submit|Start|End|NNodes|NodeList|JobName"
        examples_job 4525644 ann $((examples_day + 34200)) $((examples_day + 34221))
        examples_job 4525650 bob $((examples_day + 86390)) $((examples_day + 86415))
        for examples_id in 4711 4712 11317854; do
            examples_job $examples_id 17627127 $((examples_now - 590)) $((examples_now - 560))
        done
    } >sacct.txt
    printf "cpu=0,cab_row='a,b',x_coord=1,y_coord=2,z_coord=3,processor_id=7\na0101 1 2 3\n" |
        gzip >cori.xtdb2proc.gz
}

# Tables of runs, under the names that the pages give them.
examples_tables() {
    cp "$TOP/etc/studies/sc18.conf" "$TOP/etc/studies/jobs.conf" . || return 1
    for examples_table in cori-1 edison-1 mira-1 runs; do
        make.py study sc18.conf $examples_table.csv && gzip $examples_table.csv || return 1
    done
    make.py study jobs.conf runs.csv && cp runs.csv RUNS.csv || return 1
    baro climate map runs.csv >runs.conf && cp runs.conf mine.conf || return 1
    printf '[finding %s]\ncondition = processes > 0\nsentence = it had {processes}\nstate = active\n' \
        any >findings.conf
    baro job summarize -j sacct.txt -o csv logs/*.darshan >jobs.csv || return 1
    baro job summarize -s day.hdf5 -o csv logs/a.darshan >2017.csv
}

examples_rows() {
    examples_play fs $((examples_now - 600 - 3600)) own:4711:$((examples_now - 590)) \
        own:4712:$((examples_now - 590)) neighbour:11317854:$((examples_now - 590)) || return 1
    for examples_id in 4711 4712 11317854; do
        cp "$SCRATCH/$examples_id.darshan" . || return 1
    done
    cp 11317854.darshan run.darshan
    mkdir LOGS && cp 4711.darshan LOGS/a.darshan && cp 4712.darshan LOGS/b.darshan
    cp 4711.darshan LOG
    baro-sim-rounds --fs "$SCRATCH/fs" --path "$SCRATCH/records.db" --rounds 59 --interval 10s &&
        cp "$SCRATCH/records.db" "$examples_root/var/lib/barograph/records.db"
}

examples_barod() {
    cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = none
key = $examples_root/root/baro.key.pub
[records]
path = $SCRATCH/records.db
retention = 36500d
retention_jobs = 0s
[filesystem scratch]
jobid_name = %j:%u:%H
jobid_name = %e.%u
[resource]
host = alex/a[0101-0104]
[enclosure c07]
cluster = alex
member = a0104
[session]
hosts = ctl,r[01-02]c[01-60]
host = ctl
address = unix:$SCRATCH/session-%r.sock
state = $SCRATCH/session
period = 1h
[store]
directory = $SCRATCH/store
retention = 30d
[metric cpu_load]
step = 60s
aggregation = sum
[metric flops_any]
step = 60s
aggregation = sum
[metric ib_recv]
step = 60s
kind = counter
aggregation = sum
[metric mem_bw]
step = 60s
unit = B/s
aggregation = sum
CONF
    start_barod || return 1
    BARO_SERVER=unix:$socket
    export BARO_SERVER
    baro event publish site.drained r01 || return 1
    baro resource drain --reason maintenance a0102 &&
        printf '{"component":"alex/a0101/dimm:3","health":"degraded","reason":"edac: 14 errors","source":"edac"}\n' |
        curl -sf --unix-socket "$socket" -H 'Content-Type: application/x-ndjson' --data-binary @- \
            http://x/v1/resources || return 1
    printf '{"session":"%032d","name":"step0.job-4711.alex","state":"running","start":%s,"uid":"0","cluster":"alex","host":"a0101","t":%s}\n' \
        1 "$examples_now" "$examples_now" |
        curl -sf --unix-socket "$socket" -H 'Content-Type: application/x-ndjson' --data-binary @- \
            http://x/v1/sessions || return 1
    make.py metrics "$examples_now" cpu_load mem_bw flops_any ib_recv |
        curl -sf --unix-socket "$socket" --data-binary @- 'http://x/api/write/?cluster=alex' &&
        for examples_player in space usage; do
            python3 "$TOP/tests/sim/$examples_player.py" play $((examples_now / 600 * 600)) |
                curl -sf --unix-socket "$socket" --data-binary @- http://x/api/write || return 1
        done &&
        baro job import -s "$BARO_SERVER" sacct.txt &&
        baro job summarize --server "$BARO_SERVER" -j sacct.txt --series barod \
            4711.darshan 4712.darshan 11317854.darshan
}

# The database barograph of a PostgreSQL, where there is one.
examples_postgres() {
    pg_available || return 0
    pg_share || return 1
    barod --config /dev/null --set records.engine=postgres --set net.listen=none \
        --set "records.connection=$PG_CONNECTION" --set "net.socket=$SCRATCH/pg.sock" \
        >"$SCRATCH/pg.log" 2>&1 &
    examples_pid=$!
    wait_for 30 test -S "$SCRATCH/pg.sock" && kill -TERM $examples_pid && wait $examples_pid
}

# A repository with two datasets, where there is mkfs.erofs.
examples_datasets() {
    BARO_DATASETS=$examples_root/var/lib/barograph/datasets
    export BARO_DATASETS
    mkdir -p python-3.11/bin root image && echo 1 >python-3.11/bin/python && echo root >root/file &&
        echo image >image/root.ext4 && echo image >root.ext4 && echo key >dataset.key || return 1
    [ -x /usr/bin/mkfs.erofs ] || return 0
    baro dataset create python-3.11 --tag python:3.11 && echo 2 >python-3.11/bin/python &&
        baro dataset create python-3.11 --tag python:3.11.1 &&
        echo 3 >python-3.11/bin/python && baro dataset create python-3.11 &&
        baro dataset create root --tag node-root:v1 &&
        baro dataset export python:3.11 python.img && baro dataset ref python:3.11 --lasts 1d || return 1
    printf '[dataset]\nrepository = %s\nnbd = unix:%s/datasetd.nbd\n' "$BARO_DATASETS" "$SCRATCH" >datasetd.conf
    mkdir "$examples_root/run/barograph-datasets"
    baro-datasetd --config /dev/null --set "dataset.repository=$BARO_DATASETS" \
        --set "dataset.listen=unix:$examples_root/run/barograph-datasets/chunks.sock" >"$SCRATCH/datasetd.log" 2>&1 &
    at_exit "kill -9 $!"
    wait_for 20 test -S "$examples_root/run/barograph-datasets/chunks.sock"
}

# What only a few pages speak of.
examples_others() {
    "$SCRATCH/fs/servers/oss01/lctl" get_param 'obdfilter.*.job_stats' >FILE.txt &&
        zstd -q FILE.txt -o dump-1.zst || return 1
    printf 'obdfilter.scratch-OST0001.stats=\nread_bytes 9 samples [bytes] 1 2 3\n' |
        xz >oss01.txt.xz || return 1
    "$SCRATCH/fs/servers/oss01/lctl" get_param 'obdfilter.*.stats' >totals.txt
    baro jobstats capture --rounds 2 --interval 1s --lctl "$SCRATCH/fs/servers/oss01/lctl" \
        --host oss01 capture || return 1
    make.py metrics "$examples_now" cpu_load | sed '1,5!d' >FILE
    baro token new --role agent --host oss01 --key "$examples_root/root/baro.key" >some.token &&
        cp some.token "$examples_root/etc/barograph/oss01.token" || return 1
    examples_hour=$((examples_now / 3600 * 3600 - 7200))
    "$BUILD/tests/fill/baro-fill-metrics" "$examples_root/var/lib/barograph/store" <<END || return 1
metric cpu_load 60s sum
alex/a0101 cpu_load $examples_hour..$((examples_hour + 3600)) 1
END
    baro store export --format cc --out checkpoints "$examples_root/var/lib/barograph/store" ||
        return 1
    echo '{"main": {"addr": "localhost:8082"}, "metrics": {"cpu_load": {"frequency": 60}}}' \
        >config.json
    printf '#!/bin/sh\ngrep -v BEGIN df.txt\n' >lfs-here && printf '#!/bin/sh\ngrep -v BEGIN dl.txt\n' >lctl-here &&
        chmod +x lfs-here lctl-here
    mkdir -p "$examples_root/usr/bin" "$examples_root/usr/sbin" \
        "$examples_root/var/lib/barograph/health" && cp lfs-here "$examples_root/usr/bin/lfs" &&
        cp lctl-here "$examples_root/usr/sbin/lctl" || return 1
    mkdir health fresh && cp df.txt "health/df-$(date -u +%Y-%m-%d).txt" &&
        cp health/* "$examples_root/var/lib/barograph/health/" || return 1
    sed "s|agents/oss01|agents/another|" "$SCRATCH/agents/oss01.conf" >agent.conf
    mkdir "$SCRATCH/agents/another"
    baro-sim materialise --fs "$SCRATCH/fs" --server oss01 --root lustre-root || return 1
    cat >barod.conf <<CONF
[net]
socket = own.sock
listen = none
[records]
path = own.db
[store]
directory = own-store
CONF
}

# The plugin that doc/plugins.md shows, and what it is tried on.
examples_plugins() {
    awk '/^```lua/ { on = 1; next } /^```/ { on = 0 } on' "$TOP/doc/plugins.md" >fds.lua
    for examples_step in before after; do
        mkdir -p $examples_step/proc/sys/fs || return 1
        echo "1000 0 10000" >$examples_step/proc/sys/fs/file-nr || return 1
    done
    mkdir "$examples_root/etc/barograph/plugins" && cp fds.lua "$TOP"/plugins/*.lua "$examples_root/etc/barograph/plugins/"
}

# Two servers go on being read, so that there is a "now".
examples_agents() {
    for examples_server in mds01 oss01; do
        mkdir -p "$SCRATCH/agents/$examples_server"
        cat >"$SCRATCH/agents/$examples_server.conf" <<CONF
[agent]
host = $examples_server
cluster = scratch
interval = 5s
server = unix:$socket
state = $SCRATCH/agents/$examples_server/state
spool = $SCRATCH/agents/$examples_server/spool
lctl = $SCRATCH/fs/servers/$examples_server/lctl
root = $SCRATCH/agents/$examples_server
CONF
        baro-agent --config "$SCRATCH/agents/$examples_server.conf" \
            >"$SCRATCH/agents/$examples_server.log" 2>&1 &
        at_exit "kill -9 $!"
    done
}

examples_prepare() {
    examples_now=$(date +%s)
    PATH=$TOP/tests/examples:$SCRATCH/bin:$PATH
    mkdir -p "$examples_home" "$SCRATCH/bin" "$SCRATCH/store" "$examples_root/run/barograph" \
        "$examples_root/etc/barograph" "$examples_root/var/lib/barograph/gpfs" \
        "$examples_root/usr/share/doc/barograph" "$examples_root/usr/share/barograph" "$examples_root/root" "$examples_root/scratch/me" \
        "$examples_root/usr/lpp/mmfs/bin"
    ln -s "$TOP/etc" "$examples_root/usr/share/doc/barograph/examples"
    ln -s "$TOP/etc/studies" "$examples_root/usr/share/barograph/studies"
    ln -s "$TOP/etc" "$examples_home/etc"
    cp "$TOP/etc/barod.conf" "$TOP/etc/baro-agent.conf" "$TOP/etc/baro-datasetd.conf" "$examples_root/etc/barograph/"
    cp "$TOP/tests/sim/mmpmon" "$examples_root/usr/lpp/mmfs/bin/mmpmon"
    SIM_FS=$SCRATCH/fs
    export SIM_FS
    ln -s "$TOP/tests/sim/ssh" "$SCRATCH/bin/ssh"
    cd "$examples_home" || return 1
    baro token key new "$examples_root/root/baro.key" >/dev/null &&
        examples_rows && examples_files_of_2017 && examples_tables &&
        examples_barod && examples_agents && examples_postgres && examples_datasets && examples_others &&
        examples_plugins || return 1
    PLAYED_MMFS=$SCRATCH/mmfs
    export PLAYED_MMFS
    "$examples_root/usr/lpp/mmfs/bin/mmpmon" --serve "$PLAYED_MMFS" 1000 n1 n2 >"$SCRATCH/mmfs.log" 2>&1 &
    at_exit "kill -9 $!"
    ln -s "$SCRATCH/fs/servers/oss01/lctl" "$SCRATCH/bin/lctl"
}

examples_run() {
    for examples_program in scdoc groff python3 jq curl zstd gzip xz; do
        requires "$examples_program"
    done
    command -v baro-sim-darshan >/dev/null || skip_all "the players are not built"
    examples_prepare >"$SCRATCH/prepare.log" 2>&1 || {
        echo "Bail out! the data of the examples could not be made"
        tail -n 30 "$SCRATCH/prepare.log" | sed 's/^/# /'
        exit 1
    }
    HOME=$examples_home EXAMPLES_HOME=$examples_home EXAMPLES_ROOT=$examples_root
    export HOME EXAMPLES_HOME EXAMPLES_ROOT
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export OMPI_MCA_rmaps_base_oversubscribe=1
    python3 "$TOP/tests/examples/run.py" "$@"
    exit
}
