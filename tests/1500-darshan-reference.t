#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro darshan show, line by line against what darshan-parser 3.5.0 printed of real logs.
. "$(dirname "$0")/lib.sh"
[ -n "$SHARED" ] || skip_all "the recorded logs are not here"
logs=$SHARED/data/tokio/darshan/v3
reference=$SHARED/data/tokio/darshan/reference-output
[ -d "$logs" ] && [ -d "$reference" ] || skip_all "the recorded logs are not here"

# What means something: without the sentences that explain counters, and without the
# advice below the line on incomplete data.
essence() {
    sed '/^# .WARNING.: The /,/^$/{/^# .WARNING.: The /!d;}' |
        grep -vE '^$|^# description of|^#  |^# WARNING|^# 	-|^# - |^#	|^# <(file_type|file_count|total_bytes|max_byte_offset)>:? (total|max|type)|^# (To avoid|documentation and|variable in|Darshan from) ' |
        sed 's/^total_STDIO_FDOPENS: -.*/total_STDIO_FDOPENS: -1/'
}

# Where the reference is wrong, and the values by hand below are right: three times of
# big-endian records of POSIX versions 1 to 3 and what follows from them, and the variances
# of records of POSIX version 3.
doubtful() {
    lines='^$'
    version=$(sed -n 's/^# POSIX module: .*ver=//p' "$1")
    case $2.$version in
    *ppc64*.[123]) lines='POSIX_F_META_TIME|POSIX_F_MAX_(READ|WRITE)_TIME|total_POSIX_MAX_(READ|WRITE)_TIME_SIZE' ;;
    esac
    [ "$version" != 3 ] || lines="$lines|POSIX	.*	POSIX_F_VARIANCE_RANK_"
    grep -vE "$lines" "$1"
}

same() {
    doubtful got "$1" >got.sure
    doubtful want "$1" >want.sure
    [ -s want.sure ] && diff got.sure want.sure | head -n 20 >difference
    [ ! -s difference ] || { cut -c1-200 difference; return 1; }
}

cd "$SCRATCH" || exit 1
for file in "$reference"/*.base.gz; do
    name=$(basename "$file" .base.gz)
    case $name in
    # The outputs of these two names are of other logs than those recorded under them.
    dxt.darshan | example.darshan) continue ;;
    esac
    baro darshan show --base "$logs/$name" 2>/dev/null | essence >got
    zcat "$file" | essence >want
    ok "$name: every line of --base" same "$name"
    baro darshan show --total --perf --file "$logs/$name" 2>/dev/null | essence >got
    zcat "$reference/$name.total-perf-file.txt.gz" | essence >want
    ok "$name: every line of --total, --perf and --file" same "$name"
done

# Six more logs, against what darshan-parser 3.1.8 printed: it has the same modules, but
# for Lustre layouts, and loses the same two variances.
records() {
    grep -E '^(POSIX|MPI-IO|STDIO)	' | grep -v '	POSIX_F_VARIANCE_RANK_'
}
expected=$SHARED/data/tokio/expected
for name in sample sample-2 sample-badost sample-goodost noposix noposixopens; do
    [ -f "$expected/darshan318.$name.base.gz" ] || continue
    is "$name: every record, as 3.1.8 saw it" \
        "$(baro darshan show "$SHARED/data/tokio/pytokio/tests/inputs/$name.darshan" 2>/dev/null | records | cksum)" \
        "$(zcat "$expected/darshan318.$name.base.gz" | records | cksum)"
done

# A log packed by bzip2 is the same as that packed by zlib.
numbers() {
    baro darshan show --base "$1" | grep -v '^#'
}
name=mpi-io-test-x86_64-3.5.0
is "$name.bzip2 holds the same" "$(numbers "$logs/$name.bzip2.darshan" | cksum)" \
    "$(numbers "$logs/$name.darshan" | cksum)"

# Values taken out of the unpacked records by hand: word 64 + n of a record's numbers, its
# eight bytes turned round where the log is big-endian.
value() {
    baro darshan show "$logs/mpi-io-test-$1.darshan" | awk -F '	' -v c="$2" '$4 == c { print $5 }'
}
by_hand() {
    is "$1: $2 is what its bytes say" "$(value "$1" "$2")" "$3"
}
by_hand ppc64-3.0.1 POSIX_F_META_TIME 0.128771
by_hand ppc64-3.1.3 POSIX_F_META_TIME 0.344296
by_hand ppc64-3.1.3 POSIX_F_MAX_READ_TIME 0.228394
by_hand ppc64-3.1.3 POSIX_F_MAX_WRITE_TIME 0.066813
by_hand ppc64-3.1.5 POSIX_F_META_TIME 0.335247
by_hand ppc64-3.1.3 POSIX_F_VARIANCE_RANK_TIME 0.009173
by_hand x86_64-3.1.0 POSIX_F_VARIANCE_RANK_TIME 0.000147
by_hand x86_64-3.1.6 POSIX_F_VARIANCE_RANK_TIME 0.000142

finish
