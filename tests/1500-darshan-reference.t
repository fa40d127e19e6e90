#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro darshan show, field by field against what darshan-parser 3.5.0 printed of real logs.
. "$(dirname "$0")/lib.sh"
[ -n "$SHARED" ] || skip_all "the recorded logs are not here"
requires python3
logs=$SHARED/data/tokio/darshan/v3
more=$SHARED/data/tokio/darshan/more
reference=$SHARED/data/tokio/darshan/reference-output
[ -d "$logs" ] && [ -d "$reference" ] || skip_all "the recorded logs are not here"

# What may differ, and why, are the rules of tests/darshan/compare.py.
compare() {
    python3 "$TOP/tests/darshan/compare.py" "$@"
}

# same LOG BASE.gz TOTAL-PERF-FILE.gz
same() {
    name=$(basename "$1")
    ok "$name: every line of --base" compare base "$1" "$2"
    ok "$name: every line of --total, --perf and --file" compare total "$1" "$2" "$3"
    ok "$name: modules that are not read are named" compare unread "$1"
}

cd "$SCRATCH" || exit 1
for file in "$reference"/*.base.gz; do
    name=$(basename "$file" .base.gz)
    case $name in
    # The outputs of these two names are of other logs than those recorded under them.
    dxt.darshan | example.darshan) continue ;;
    esac
    same "$logs/$name" "$file" "$reference/$name.total-perf-file.txt.gz"
done

# More logs, each beside its outputs.
[ -d "$more" ] || skip "more logs" "no more recorded logs are here"
for log in "$more"/*.darshan; do
    [ -f "$log" ] || continue
    if [ -f "$log.base.gz" ] && [ -f "$log.total-perf-file.txt.gz" ]; then
        same "$log" "$log.base.gz" "$log.total-perf-file.txt.gz"
    else
        skip "$(basename "$log")" "its outputs are not here"
    fi
done

# The comparison sees one number that is another one.
log=$logs/mpi-io-test-x86_64-3.5.0.darshan
recorded=$reference/$(basename "$log")
changed() {
    zcat "$1" | sed "$2" | gzip >"$3"
    [ "$(zcat "$1" | cksum)" != "$(zcat "$3" | cksum)" ]
}
ok "a record is changed" changed "$recorded.base.gz" \
    's/\(POSIX_OPENS	\)[0-9]*/\177777/' base.gz
ok "a changed record differs" not compare base "$log" base.gz
ok "a total is changed" changed "$recorded.total-perf-file.txt.gz" \
    's/^\(total_POSIX_BYTES_WRITTEN: \)[0-9]*/\177777/' total.gz
ok "a changed total differs" not compare total "$log" "$recorded.base.gz" total.gz
ok "a common size is changed" changed "$recorded.base.gz" \
    's/\(POSIX_ACCESS1_ACCESS	\)[0-9]*/\177777/' base.gz
ok "a changed common size differs" not compare total "$log" base.gz \
    "$recorded.total-perf-file.txt.gz"

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
