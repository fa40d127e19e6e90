#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The simulated Lustre prints what every release prints, and stands in for lctl.
. "$(dirname "$0")/lib.sh"

data=$SHARED/data/lustre/synthetic_by_version
# Passes when the command before it did.
check() { # STATUS WORDS
    if [ "$1" = 0 ]; then pass "$2"; else fail "$2"; fi
}

# Every line with its numbers replaced by the room they take, each form once.
shapes() {
    sed -e 's/\(job_id:  *\).*/\1ID/' -e 's/hist: {.*} }/hist }/' \
        -e 's/[0-9]*\.[0-9]\{9\} secs/T secs/' \
        -e 's/^\(  snapshot_time:   \)[0-9]*$/\1T/' \
        -e 's/-\(MDT\|OST\)[0-9a-f]\{4\}\./-\1./' -e '/^b\.0$/d' "$@" |
        awk '{ line = ""
               while (match($0, /(samples|min|max|sum|sumsq):[ ]*[0-9]+/)) {
                   field = substr($0, RSTART, RLENGTH)
                   name = field; sub(/:.*/, "", name)
                   width = RLENGTH - length(name)
                   # a number may be wider than its room: the room is the least width
                   line = line substr($0, 1, RSTART - 1) name ":" \
                          (field ~ /:[ ]/ ? width : "wide")
                   $0 = substr($0, RSTART + RLENGTH)
               }
               print line $0 }' | sort -u
}

clock=$SCRATCH/clock
baro-sim clock --clock "$clock" --set @1669014000
check $? "a clock page is made"
for version in $(baro-sim versions); do
    fs=$SCRATCH/$version
    baro-sim init --fs "$fs" --clock "$clock" version="$version" nodes=300 \
        skip_ppm=0 double_ppm=0
    for kind in mdt obdfilter; do
        server=oss01; [ $kind = mdt ] && server=mds01
        "$fs/servers/$server/lctl" get_param "$kind.*.job_stats"
    done >"$SCRATCH/$version.txt"
    grep -q "job_id:" "$SCRATCH/$version.txt"
    check $? "$version prints entries at the played time"
    baro jobstats parse --output none "$SCRATCH/$version.txt" >"$SCRATCH/understood"
    is "every entry of $version is understood, and nothing dropped" \
        "$(sed -n '1,2p' "$SCRATCH/understood" | tr '\n' ' ')" \
        "entries $(grep -c job_id: "$SCRATCH/$version.txt") dropped 0 "
    baro jobstats parse --output csv "$SCRATCH/$version.txt" | cut -d, -f1,2 |
        sort -u >"$SCRATCH/ids.$version"
    real=$data/$version.txt
    [ -e "$real" ] || continue
    shapes "$real" >"$SCRATCH/real"
    shapes "$SCRATCH/$version.txt" >"$SCRATCH/played"
    if missing=$(comm -23 "$SCRATCH/real" "$SCRATCH/played" | grep -v wide) ||
        [ -n "$missing" ]; then
        echo "# $version: not played: $missing"
        check 1 "$version has the lines of the documented print format"
    else
        check 0 "$version has the lines of the documented print format"
    fi
done
sed -n 1p "$SCRATCH"/ids.2.12 >"$SCRATCH/first"
ok "identifiers are the same bytes in 2.12, 2.15.8 and 2.17.0" sh -c "
    cmp '$SCRATCH/ids.2.12' '$SCRATCH/ids.2.15.8' &&
    cmp '$SCRATCH/ids.2.12' '$SCRATCH/ids.2.17.0' && test -s '$SCRATCH/first'"
[ -n "$SHARED" ] || echo "# ../shared/data is not here: forms were not compared"

fs=$SCRATCH/2.12
lctl=$fs/servers/oss01/lctl
[ "$("$lctl" get_param -n 'obdfilter.scratch-OST0000.job_cleanup_interval')" = 600 ]
check $? "get_param -n prints the value alone"
[ "$("$lctl" get_param obdfilter/scratch-OST0000/job_cleanup_interval)" = \
    "obdfilter.scratch-OST0000.job_cleanup_interval=600" ]
check $? "names may have slashes, and short values stand behind them"
[ "$("$lctl" get_param -N 'obdfilter.*.job_stats' | wc -l)" = 3 ]
check $? "get_param -N names the three targets of a server"
"$lctl" get_param 'obdfilter.none.job_stats' >"$SCRATCH/out" 2>"$SCRATCH/err"
[ $? = 2 ] && grep -q 'No such file or directory' "$SCRATCH/err" && [ ! -s "$SCRATCH/out" ]
check $? "a parameter that is not there is an error as lctl makes it"

"$lctl" get_param 'obdfilter.*.job_stats' >"$SCRATCH/one"
"$lctl" get_param 'obdfilter.*.job_stats' | cmp -s - "$SCRATCH/one"
check $? "the same time gives the same text, byte for byte"
baro-sim clock --clock "$clock" --until 10m --step 10m --pause 0ms >/dev/null
"$lctl" get_param 'obdfilter.*.job_stats' | cmp -s - "$SCRATCH/one"
[ $? = 1 ]
check $? "and ten minutes later another"

baro-sim move --fs "$fs" --target scratch-OST0001 --to oss02 --at @1669014700 --gap 90s
baro-sim clock --clock "$clock" --set @1669014750
[ "$("$lctl" get_param -N 'obdfilter.*.job_stats' | wc -l)" = 2 ] &&
    [ "$("$fs/servers/oss02/lctl" get_param -N 'obdfilter.*.job_stats' | wc -l)" = 3 ]
check $? "during a failover the target is nowhere"
baro-sim clock --clock "$clock" --set @1669014800
"$fs/servers/oss02/lctl" get_param -N 'obdfilter.*.job_stats' | grep -q OST0001
check $? "and then on the other server"
baro-sim upgrade --fs "$fs" --server oss02 --version 2.15.8 --at @1669014900 --gap 10s
baro-sim clock --clock "$clock" --set @1669015900
"$fs/servers/oss02/lctl" get_param 'obdfilter.*-OST0003.job_stats' | grep -q start_time:
check $? "an upgraded server prints the new form"
[ "$("$fs/servers/oss02/lctl" get_param version)" = "version=lustre: 2.15.8" ]
check $? "and says its new version"

baro-sim materialise --fs "$fs" --server oss01 --root "$SCRATCH/root" --at @1669014000
cat "$SCRATCH/root/proc/fs/lustre/obdfilter/"*/job_stats >"$SCRATCH/files"
grep -v '^obdfilter' "$SCRATCH/one" | cmp -s - "$SCRATCH/files"
check $? "the files of a server hold what lctl prints"
grep -q '^dump .* oss01 .* scratch-OST0000 ' "$fs/journal"
check $? "every dump that was read stands in the journal"
finish
