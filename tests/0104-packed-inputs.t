#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Whatever reads a text reads it packed by gzip, bzip2, xz or zstd, under any name and from
# standard input, and finds the same.
. "$(dirname "$0")/lib.sh"
for packer in gzip bzip2 xz zstd jq; do
    requires "$packer"
done
cd "$SCRATCH" || exit 1

cat >jobstats.txt <<'END'
obdfilter.a-OST0001.job_stats=
job_stats:
- job_id:          4711
  snapshot_time:   1669010520.5
  read_bytes:      { samples: 3, unit: bytes, min: 1, max: 9, sum: 12 }
END
echo 'cpu_load,hostname=h1 value=1.5 1700000000' >metric.txt
printf '%s\n' 'JobID|User|Start|End|NNodes|NodeList' '17|ann|1500000000|1500003600|1|n1' >sacct.txt
cat >dl.txt <<'END'
BEGIN 1500000000
  5 UP osc a-OST0000-osc-ffff88 0 4 10.0.0.1@o2ib
  6 UP osc a-OST0001-osc-ffff88 0 4 10.0.0.2@o2ib
END
printf 'obdfilter.a-OST0001.stats=\nread_bytes 9 samples [bytes] 1 2 3\n' >totals.txt
cat >runs.csv <<'END'
app,when,speed
ior,1500000000,3
ior,1500000060,6
ior,1500000120,5
END
printf '[study]\ntime = when\nperformance = speed\nclass = app\n' >map.conf
for i in 0 1 2 3 4; do
    echo "_fs_io_s_ _n_ 10.0.0.1 _nn_ n1 _rc_ 0 _t_ $((1500000000 + 5 * i)) _tu_ 0 _cl_ c _fs_ f" \
        "_d_ 2 _br_ $((100 * i)) _bw_ 7 _oc_ 1 _cc_ 1 _rdc_ 1 _wc_ 1 _dir_ 1 _iu_ 1"
done >mmpmon.txt

# same WHAT FILE COMMAND...: the output of COMMAND FILE is that of each packed copy.
same() {
    what=$1 file=$2
    shift 2
    "$@" "$file" >want 2>err || fail "$what: $(cat err)"
    [ -s want ] || fail "$what prints nothing"
    for packer in gzip bzip2 xz zstd; do
        case $packer in
        gzip) end=gz ;; bzip2) end=bz2 ;; xz) end=xz ;; zstd) end=zst ;;
        esac
        "$packer" -c <"$file" >"$file.$end"
        "$@" "$file.$end" >got 2>err
        sed "s/$file\.$end/$file/g" got >named
        is "$what, packed by $packer" "$? $(cat named)" "0 $(cat want)"
    done
}

same "jobstats" jobstats.txt baro jobstats parse
same "metric lines" metric.txt baro metric parse
same "lists of jobs" sacct.txt baro job list -o csv
same "health" dl.txt baro health show -o csv
same "totals" totals.txt baro lustre stats -o csv
same "tables of runs" runs.csv baro climate show -o csv -t classes -m map.conf
same "series" mmpmon.txt baro series show -o csv -f @1500000000 -t @1500000020
is "standard input" "$(xz -c jobstats.txt | baro jobstats parse -)" "$(baro jobstats parse jobstats.txt)"
is "pieces that follow one another" \
    "$( (bzip2 -c jobstats.txt; bzip2 -c /dev/null) | baro jobstats parse -)" \
    "$(baro jobstats parse jobstats.txt)"

# The files of a directory that baro health record fills, packed when their day is over.
mkdir dir
cp dl.txt dir/dl-2017-07-14.txt
want=$(baro health show -o csv --at @1500000060 dir)
ok "a directory has its readings" test -n "$want"
for packer in gzip bzip2 xz zstd; do
    rm -f dir/dl-*
    case $packer in
    gzip) end=gz ;; bzip2) end=bz2 ;; xz) end=xz ;; zstd) end=zst ;;
    esac
    "$packer" -c <dl.txt >"dir/dl-2017-07-14.txt.$end"
    is "a directory of health, packed by $packer" \
        "$(baro health show -o csv --at @1500000060 dir)" "$want"
done

# What is cut short says so, whatever packed it.
for end in gz bz2 xz zst; do
    head -c 40 "jobstats.txt.$end" >"cut.$end"
    baro jobstats parse "cut.$end" >got 2>err
    is "a file that is cut, .$end" "$? $(grep -c "cut.$end: .*short" err)" "1 1"
done
finish
