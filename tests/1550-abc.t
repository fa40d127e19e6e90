#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Probes: what they write, that what is read is checked, and that they leave nothing.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
requires jq cmp flock

place=$SCRATCH/fs archive=$SCRATCH/archive
mkdir "$place"
left() { # what a probe left there
    find "$place" -mindepth 1 | wc -l
}
abc() {
    baro-abc --lock "$place" --dir "$place" "$@"
}

# ---- all of them, small ----
baro-abc --lock "$place" --dir "$place" -n 3 --size 3MiB --archive "$archive" --output json \
    >"$SCRATCH/all.json" 2>"$SCRATCH/err" || cat "$SCRATCH/err"
is "four probes write and read" \
    "$(jq -rs '[.[] | .phases[] | select(.done) | .name] | join(" ")' "$SCRATCH/all.json")" \
    "ior_shared_write ior_shared_read ior_fpp_write ior_fpp_read hacc_io_fpp_write hacc_io_fpp_read vpic_io_shared_write bd_cats_io_shared_read"
is "IOR moves all that was asked for" \
    "$(jq -s '[.[] | select(.probe | startswith("ior")) | .phases[].bytes] | unique' -c "$SCRATCH/all.json")" "[3145728]"
is "HACC whole particles of 38 bytes, nine variables a process" \
    "$(jq -c 'select(.probe == "hacc") | .phases[0] | [.bytes % 38, .transfers, .files]' "$SCRATCH/all.json")" "[0,27,3]"
is "BD-CATS three quarters of what VPIC wrote, from one file" \
    "$(jq -c 'select(.probe == "vpic") | [.phases[1].bytes * 4 == .phases[0].bytes * 3, .phases[1].files]' "$SCRATCH/all.json")" "[true,1]"
is "sums are those of the processes" \
    "$(jq -s '[.[].phases[] | .bytes == ([.processes[].bytes] | add)] | all' "$SCRATCH/all.json")" true
is "nothing is left" "$(left)" 0
is "a row each is kept" "$(tail -n +2 "$archive/runs.csv" | wc -l)" 8
is "and each record as it was printed" \
    "$(find "$archive" -name '*.json' | sort | xargs cat | jq -s -c 'sort_by(.id)' | cksum)" \
    "$(jq -s -c 'sort_by(.id)' "$SCRATCH/all.json" | cksum)"
ok "people get a table" sh -c 'baro-abc --lock "$1" --dir "$1" --size 1MiB hacc | grep -q "^hacc_io_fpp_read  *posix  *2 processes .*/s"' sh "$place"

# ---- bytes that are not what was written ----
baro-abc --lock "$place" --dir "$place" --pause 12s --size 1MiB ior-shared --output json >"$SCRATCH/bad.json" 2>"$SCRATCH/err" &
pid=$!
at_exit "kill -9 $pid"
whole() {
    [ "$(stat -c %s "$place"/baro-abc.*/ior-shared.000000)" = 1048576 ] &&
        [ -z "$(pgrep -P "$pid")" ] # its writers have ended: it pauses
}
ok "it pauses between writing and reading" wait_for 15 whole
ok "another at the same time is refused" \
    sh -c '! baro-abc --lock "$1" --dir "$1" hacc 2>&1 >/dev/null | grep -q "another baro-abc runs" && exit 1; exit 0' sh "$place"
mkdir "$place/other"
ok "with another directory and another archive on this file system, too" \
    sh -c 'baro-abc --lock "$1" --dir "$1/other" --archive "$2" hacc 2>&1 >/dev/null | grep -q "another baro-abc runs on this file system"' \
    sh "$place" "$SCRATCH/elsewhere"
rmdir "$place/other"
cp "$place"/baro-abc.*/ior-shared.000000 "$SCRATCH/was"
printf '\125' | dd of="$(echo "$place"/baro-abc.*/ior-shared.000000)" bs=1 seek=700001 conv=notrunc status=none
differs=$(cmp "$SCRATCH/was" "$place"/baro-abc.*/ior-shared.000000 | sed 's/.*byte \([0-9]*\).*/\1/')
[ -n "$differs" ] || printf '\126' | dd of="$(echo "$place"/baro-abc.*/ior-shared.000000)" bs=1 seek=700001 conv=notrunc status=none
wait "$pid"
is "one wrong byte is a failure" "$?" 1
ok "which names it" grep -q "not written there, first at byte 700001" "$SCRATCH/err"
is "and the record too" "$(jq -c '.phases[1] | [.done, .bad_transfers]' "$SCRATCH/bad.json")" "[false,1]"
is "nothing is left of it" "$(left)" 0

# ---- a full disk ----
(
    trap '' XFSZ
    ulimit -f 1024
    abc --size 8MiB ior-fpp >"$SCRATCH/out" 2>"$SCRATCH/err"
)
is "a file that cannot grow is a failure" "$?" 1
ok "with the file and the reason" grep -q "write '.*ior-fpp.00000[01]': File too large" "$SCRATCH/err"
is "and its files go" "$(left)" 0

# ---- ended from outside ----
baro-abc --lock "$place" --dir "$place" --pause 60s --size 1MiB ior-shared --archive "$archive" >/dev/null 2>&1 &
pid=$!
ok "it pauses again" wait_for 15 whole
kill -TERM "$pid"
wait "$pid"
is "SIGTERM ends it" "$?" 143
is "and leaves nothing" "$(left)" 0
is "the record says how far it came" \
    "$(find "$archive" -name '*ior-shared.json' | sort | tail -n 1 | xargs jq -c '[.failure, (.phases | length)]')" \
    '["stopped",1]'

# ---- what the site file says ----
cat >"$SCRATCH/site.conf" <<CONF
[filesystem scratch]
path = $place
peak = 4MiB
[filesystem other]
path = $place/deeper
[probes]
measure = 2s
CONF
is "sizes follow from the peak" \
    "$(abc --site "$SCRATCH/site.conf" ior-fpp -o json | jq -c '[.file_system, .phases[0].bytes]')" '["scratch",8388608]'
abc --site "$SCRATCH/site.conf" --core-hours 0.001 ior-fpp >/dev/null 2>"$SCRATCH/err"
is "what cannot end is not begun" "$?" 1
ok "and says what would help" grep -q "is not begun: .* lower --size or raise --core-hours" "$SCRATCH/err"
abc --core-hours 0.0005 --pause 60s --size 1MiB ior-fpp >/dev/null 2>"$SCRATCH/err"
is "what lasts longer than its core-hours is ended" "$?" 1
ok "which is said" grep -q "the time that was given is over" "$SCRATCH/err"
is "and leaves nothing behind" "$(left)" 0
ok "a file system that is not in the file is refused" \
    sh -c '! baro-abc --lock "$1" --dir "$1" --site "$2" --file-system home' sh "$place" "$SCRATCH/site.conf"

# ---- striping ----
cat >"$SCRATCH/lfs" <<'LFS'
#!/bin/sh
echo "$@" >>"$0.said"
LFS
chmod +x "$SCRATCH/lfs"
is "files are striped over all targets, and that is kept" \
    "$(abc --lfs "$SCRATCH/lfs" --size 1MiB hacc -o json | jq -r .stripes)" "-c -1"
ok "in the probe's own directory" grep -q "^setstripe -c -1 $place/baro-abc\." "$SCRATCH/lfs.said"
ok "an lfs that fails is a failure" not abc --lfs false --size 1MiB hacc

# ---- the last N ----
abc --size 1MiB --archive "$archive" --archive-max 3 hacc >/dev/null
is "the oldest records go" "$(find "$archive" -name '*.json' | wc -l)" 3
is "rows stay" "$(grep -c ior_fpp_write "$archive/runs.csv")" 1

# ---- the batch system's job, and where it ran ----
is "outside of a job none is named, but the node" \
    "$(env -u SLURM_JOB_ID -u PBS_JOBID -u COBALT_JOBID -u FLUX_JOB_ID -u LSB_JOBID baro-abc --lock "$place" --dir "$place" --size 1MiB -o json hacc | jq -c '[.job, .cluster, .nodes]')" \
    "[null,null,\"$(hostname)\"]"
is "a job is" \
    "$(SLURM_JOB_ID=4711 SLURM_CLUSTER_NAME=alex baro-abc --lock "$place" --dir "$place" --size 1MiB -o json hacc | jq -c '[.job, .cluster]')" \
    '["4711","alex"]'
mount=$(stat -c %m "$place")
is "and where the file system begins" "$(abc --size 1MiB -o json hacc | jq -r .mount)" "$mount"
ok "which is what is locked" \
    sh -c 'flock --wait 60 "$1" sh -c "! baro-abc --dir $2 --size 1MiB hacc" 2>&1 | grep -q "another baro-abc runs on this file system (.$1. is locked)"' \
    sh "$mount" "$place"

# ---- the climate reads them ----
for _ in 1 2 3 4 5 6; do
    abc --size 1MiB --archive "$archive" --archive-max 3 hacc >/dev/null
done
id=$(tail -n 1 "$archive/runs.csv" | cut -d, -f1)
ok "the last one stands among its like" sh -c 'baro climate umami --map "$1" --id "$2" "$3" | grep -q "beside 6 runs before it"' \
    sh "$TOP/etc/studies/abc.conf" "$id" "$archive/runs.csv"
ok "a study tells what is normal" sh -c 'baro climate study --map "$1" --table sets "$2" | grep -q hacc_io_fpp_write_2' \
    sh "$TOP/etc/studies/abc.conf" "$archive/runs.csv"

is "an unknown probe is wrong use" "$(abc nothing 2>&1; echo $?)" "baro-abc: there is no probe 'nothing': see --list
2"
finish
