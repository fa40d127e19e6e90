#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro lustre stats: the totals of a server, wherever its release keeps them.
. "$(dirname "$0")/lib.sh"
requires jq
cd "$SCRATCH" || exit 1

# put PATH TEXT: a file of the tree.
put() {
    mkdir -p "$(dirname "$1")"
    printf '%b' "$2" >"$1"
}

put old/proc/fs/lustre/mds/a-MDT0000/stats 'snapshot_time 1284241188.775657 secs.usecs\nopen 5 samples [reqs]\n'
put old/proc/fs/lustre/mds/MDS/uuid 'x\n'
put old/proc/fs/lustre/obdfilter/a-OST0000/kbytesfree '100\n'
put old/proc/fs/lustre/health_check 'healthy\n'
put new/proc/fs/lustre/mdt/a-MDT0000/md_stats 'open 7 samples [usecs] 1 2 3 4\n'
put new/proc/fs/lustre/mds/a-MDT0000/stats 'open 8 samples [usecs] 1 2 3 4\n'
put new/sys/fs/lustre/obdfilter/a-OST0000/num_exports '12\n'
put new/sys/kernel/debug/lustre/osd-ldiskfs/a-OST0000/brw_stats 'pages per bulk r/w     rpcs  % cum % |  rpcs        % cum %\n1:  1 1 1 | 2 1 1\n'
put new/sys/fs/lustre/osd-ldiskfs/a-OST0000/kbytestotal '18446744073709551615\n'
put new/proc/fs/lustre/obdfilter/a-OST0000/recovery_status 'status: RECOVERING\nnonsense\n'
put new/sys/fs/lustre/health_check 'NOT HEALTHY\n'

rows() {
    baro lustre stats --root "$1" --output json 2>"$SCRATCH/faults" |
        jq -r '.[] | [.target, .kind, .file, .name, .bucket, .samples, .sumsq, .read, .write, .value]
               | map(if . == null then "-" else tostring end) | join(" ")'
}
is "the places of 1.8" "$(rows old)" "\
- - health_check health_check - - - - - healthy
a-MDT0000 mdt stats snapshot_time - - - - - 1284241188.775657000
a-MDT0000 mdt stats open - 5 - - - -
a-OST0000 ost kbytesfree kbytesfree - - - - - 100"
is "the places of 2.12 and later, each target once" "$(rows new)" "\
- - health_check health_check - - - - - NOT HEALTHY
a-MDT0000 mdt md_stats open - 7 4 - - -
a-OST0000 ost brw_stats pages per bulk r/w 1 - - 1 2 -
a-OST0000 ost num_exports num_exports - - - - - 12
a-OST0000 ost kbytestotal kbytestotal - - - - - 18446744073709551615
a-OST0000 ost recovery_status status - - - - - RECOVERING"
is "a line that cannot be read is named" "$(cat faults)" \
    "new/proc/fs/lustre/obdfilter/a-OST0000/recovery_status:2: nonsense"
is "a host without Lustre is an error that names the root" \
    "$(baro lustre stats --root "$SCRATCH" -o json 2>&1; echo $?)" \
    "baro lustre stats: no Lustre server is found below '$SCRATCH': nothing readable in proc/fs/lustre, sys/fs/lustre, sys/kernel/debug/lustre
1"
is "CSV" "$(baro lustre stats -r old -o csv | wc -l)" 5
ok "an unknown form is misuse" sh -c 'baro lustre stats -o xml; [ $? -eq 2 ]'

# Recorded trees: rows, targets, and lines that cannot be read.
if [ -n "$SHARED" ]; then
    data=$SHARED/data/lustre
    mkdir trees && tar xzf "$data/llnl_lmt_lustre_versions.tar.gz" -C trees
    while read -r tree want; do
        got=$(baro lustre stats --root "$tree" -o csv 2>faults | tail -n +2 |
            awk -F, '{ n++; if ($1 != "") t[$1] = 1 } END { for (k in t) c++; print n + 0, c + 0 }')
        is "$(basename "$tree"): rows, targets, faults" "$got $(wc -l <faults)" "$want"
    done <<END
trees/llnl_lmt/lustre_versions/1.8.3 374 3 0
trees/llnl_lmt/lustre_versions/2.0.0.1 141 4 0
trees/llnl_lmt/lustre_versions/2.0.50.zfs 50 2 0
trees/llnl_lmt/lustre_versions/2.0.53 239 4 0
trees/llnl_lmt/lustre_versions/2.0.56 204 4 0
trees/llnl_lmt/lustre_versions/2.10.8 164 2 0
trees/llnl_lmt/lustre_versions/2.10.8.bad_version 164 2 0
trees/llnl_lmt/lustre_versions/2.10.8.missing_version 164 2 0
trees/llnl_lmt/lustre_versions/2.12.9_12 547 20 0
trees/llnl_lmt/lustre_versions/2.15.4_1 119 8 0
$data/hpe_lustre_exporter 123 5 4
$data/telegraf/v2.12 86 1 0
$data/gsi_lustre_exporter 4 1 0
END
else
    skip "the recorded trees" "they are not here"
fi
finish
