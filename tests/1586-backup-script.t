#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro-backup: create, verify, restore and rows, with what can go wrong.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
requires curl sqlite3 tar jq

socket=$SCRATCH/barod.sock state=$SCRATCH/lib/barograph config=$SCRATCH/etc/barograph
mkdir -p "$state" "$config"
cat >"$config/barod.conf" <<CONF
[net]
socket = $socket
listen = none
[records]
path = $state/records.db
retention = 36500d
[filesystem scratch]
jobid_name = %j:%u:%H
[store]
directory = $state/store
[write]
cluster = site
metrics = open
CONF
cat >"$SCRATCH/start" <<END
barod --config '$config/barod.conf' >>'$SCRATCH/barod.log' 2>&1 &
echo \$! >'$SCRATCH/pid'
END
cat >"$SCRATCH/stop" <<END
pid=\$(cat '$SCRATCH/pid')
kill -TERM \$pid
while kill -0 \$pid 2>/dev/null; do sleep 0.1; done
END
at_exit 'kill -9 $(cat "$SCRATCH/pid")'
export BARO_STATE="$state" BARO_CONFIG="$config" \
    BARO_STOP="sh $SCRATCH/stop" BARO_START="sh $SCRATCH/start"
backup() {
    sh "$TOP/etc/baro-backup" "$@" 2>said >verified
}
healthy() {
    wait_for 60 curl -sf --unix-socket "$socket" http://x/healthz
}
results() {
    baro jobstats series --server "unix:$socket" -o csv
    baro metric query cpu 'site/*' --server "unix:$socket" --last 1h -o csv
}
send() { # VALUE
    seq 1 50 | sed "s/.*/cpu,hostname=n& value=$1/" |
        curl -sf --data-binary @- --unix-socket "$socket" "http://x/api/write?cluster=site"
}
cd "$SCRATCH" || exit 1
sh start
healthy || fail "barod starts"
ok "rows are accepted" curl -s --fail-with-body -H 'Content-Type: application/json' \
    --data-binary "@$TOP/tests/batches/agent-0.1.0.json" --unix-socket "$socket" http://x/v1/jobstats
ok "and samples" send 1
results >before
mkdir -p "$state/spool"
echo batch >"$state/spool/1"

ok "a backup is made" backup create b.tar.gz
ok "barod runs again after it" healthy
is "only its owner reads it" "$(stat -c %a b.tar.gz)" 600
is "it has the configuration, and no spool" \
    "$(tar -tzf b.tar.gz | grep -c '^config/barod.conf$') $(tar -tzf b.tar.gz | grep -c spool/1)" "1 0"
is "results are as before" "$(results)" "$(cat before)"
ok "a file that exists is not written over" not backup create b.tar.gz
is "and named" "$(cat said)" "baro-backup: b.tar.gz exists: name another file"
ok "barod was not stopped for that" curl -sf --unix-socket "$socket" http://x/healthz
ok "the backup is verified" backup verify b.tar.gz
ok "by the checks of rows and of samples" test "$(wc -l <verified)" -ge 2
ok "rows are copied while barod runs" backup rows rows.db
ok "as a whole database" baro records verify rows.db

# ---- all is lost ----
ok "what comes after the backup" send 2
ok "it is restored" backup restore b.tar.gz
ok "barod runs" healthy
results >after
ok "results are those of the backup" cmp before after
is "the state before was set aside" \
    "$(find lib -maxdepth 1 -name 'barograph.old-*' | wc -l) $(grep -c 'the state before is in' said)" "1 1"
ok "it goes on" send 3

# ---- what is damaged, or is no backup ----
head -c $(($(stat -c %s b.tar.gz) / 2)) b.tar.gz >cut.tar.gz
ok "half a backup is not verified" not backup verify cut.tar.gz
ok "nor restored" not backup restore cut.tar.gz
ok "barod goes on with its own state" send 4
is "which is not set aside" "$(find lib -maxdepth 1 -name 'barograph.old-*' | wc -l)" 1
mkdir x && echo hello >x/file && tar -czf other.tar.gz x
ok "another archive is refused" not backup restore other.tar.gz
ok "by name" grep -q 'other.tar.gz is not a backup of baro-backup' said
mkdir damaged && tar -C damaged -xzf b.tar.gz
dd if=/dev/urandom of=damaged/state/records.db bs=4096 seek=2 count=8 conv=notrunc 2>/dev/null
tar -C damaged -czf damaged.tar.gz state
ok "one with a damaged database is not restored" not backup restore damaged.tar.gz
ok "and the state is as it was" grep -q "its state is damaged; $state is as it was" said
is "nothing is left behind" "$(find lib -maxdepth 1 -name '*.new-*' | wc -l)" 0
sh "$TOP/etc/baro-backup" sideways x 2>said
is "an unknown command is misuse" "$? $(cat said)" \
    "2 baro-backup: invalid command 'sideways' (choose create, verify, restore, rows)"
sh "$TOP/etc/baro-backup" create 2>/dev/null
is "so is no file" $? 2
ok "--help describes it" sh -c "sh '$TOP/etc/baro-backup' --help | grep -q 'restore FILE'"
finish
