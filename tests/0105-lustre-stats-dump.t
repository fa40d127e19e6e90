#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro lustre stats FILE: what lctl get_param printed, of many targets and parameters in one
# file, and of a server that is not well.
. "$(dirname "$0")/lib.sh"
requires jq
cd "$SCRATCH" || exit 1

cat >dump.txt <<'END'
memused=5969573401
health_check=device a-OST0012 reported unhealthy
device MDS reported unhealthy
NOT HEALTHY
mdt.a-MDT0000.exports.10.0.0.1@tcp.uuid=
10.0.0.1_UUID
mdt.a-MDT0000.md_stats=
snapshot_time             1669010520.123456789 secs.nsecs
open                      7 samples [usecs] 1 2 3 4
obdfilter.a-OST0001.stats=
read_bytes                9 samples [bytes] 98303 4194304 33554431
obdfilter.a-OST0002.stats=
write_bytes               2 samples [bytes] 1 2 3
nonsense
ldlm.namespaces.filter-a-OST0002_UUID.lock_count=17
obdfilter.a-OST0002.job_stats=
job_stats:
- job_id: x
obdfilter.a-OST0002.kbytesfree=48000000000
END

rows() {
    baro lustre stats --output json "$@" 2>faults |
        jq -r '.[] | [.target, .kind, .file, .name, .bucket, .samples, .sum, .value]
               | map(if . == null then "-" else tostring end) | join(" ")'
}
want="\
a-OST0012 ost health_check health_check - - - unhealthy
- - health_check health_check MDS - - unhealthy
- - health_check health_check - - - NOT HEALTHY
a-MDT0000 mdt md_stats snapshot_time - - - 1669010520.123456789
a-MDT0000 mdt md_stats open - 7 3 -
a-OST0001 ost stats read_bytes - 9 33554431 -
a-OST0002 ost stats write_bytes - 2 3 -
a-OST0002 ost kbytesfree kbytesfree - - - 48000000000"
is "each total of each target is a row, and nothing else" "$(rows dump.txt)" "$want"
is "a line that cannot be read is named" "$(cat faults)" "a-OST0002.stats:3: nonsense"
is "standard input" "$(rows - <dump.txt)" "$want"
printf 'health_check=healthy\n' >other.txt
is "files one after the other" "$(rows other.txt dump.txt)" \
    "- - health_check health_check - - - healthy
$want"

mkdir -p root/sys/fs/lustre
printf 'device a-OST0012 reported unhealthy\nNOT HEALTHY\n' >root/sys/fs/lustre/health_check
is "a server that is not well has its rows below a root, too" "$(rows -r root)" \
    "a-OST0012 ost health_check health_check - - - unhealthy
- - health_check health_check - - - NOT HEALTHY"

echo 'something else' >wrong.txt
baro lustre stats wrong.txt 2>faults
is "a file without a total is an error" "$? $(grep -c 'wrong.txt: no total of a Lustre server' faults)" "1 1"
baro lustre stats gone.txt 2>faults
is "a file that is not there is named" "$? $(grep -c gone.txt faults)" "1 1"
baro lustre stats -r root dump.txt 2>faults
is "a root and a file are misuse" $? 2

# Recorded dumps: exit code, rows, lines that cannot be read.
if [ -n "$SHARED" ]; then
    dumps=$SHARED/data/lustre/whamcloud_lustrefs-exporter/lustre-collector/src/fixtures/valid
    while read -r dump want; do
        got=$(baro lustre stats "$dumps/$dump" -o csv 2>faults | tail -n +2 | wc -l)
        is "$dump: rows, faults" "$got $(wc -l <faults)" "$want"
    done <<END
ex8761-lctl.txt 38 0
params-6.2.0-r9.txt 39 0
valid.txt 95 0
valid2.txt 45 0
valid_no_newline.txt 92 0
valid_unhealthy_host.txt 95 0
END
    is "the devices that are not well" "$(baro lustre stats -o json "$dumps/valid_unhealthy_host.txt" |
        jq -r '.[] | select(.value == "unhealthy") | .target' | tr '\n' ' ')" \
        "lustre-OST0012 lustre-OST0014 lustre-OST0016 "
else
    skip "the recorded dumps" "they are not here"
fi
finish
