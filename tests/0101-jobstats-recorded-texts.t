#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every recorded text that holds job_stats is read: the table says what is in each file
# and what is lost of it.
. "$(dirname "$0")/lib.sh"
[ -n "$SHARED" ] || skip_all "the recorded texts are not here"
cd "$SHARED/data/lustre" || skip_all "the recorded texts are not here"

# file, entries, dropped, targets, boot_time, then each kind of fault that is not 0
table='
gsi_lustre_exporter/embedded/job_id_lines.txt 6 1 0 0 bad_id=1
gsi_lustre_exporter/embedded/procfs_test.0.txt 1 1 0 0 bad_id=1
gsi_lustre_exporter/embedded/procfs_test.1.txt 1 0 0 0
gsi_lustre_exporter/embedded/procfs_test.2.txt 1 0 0 0
gsi_lustre_exporter/embedded/procfs_test.3.txt 2 0 0 0
gsi_lustre_exporter/proc/fs/lustre/mdt/lustrefs-MDT0000/job_stats 15 0 0 0
gsi_lustre_exporter/proc/fs/lustre/obdfilter/lustrefs-OST0000/job_stats 35 1 0 0 bad_id=1
gsi_lustre_exporter/proc/fs/lustre/obdfilter/lustrefs-OST0002/job_stats 1 0 0 0
hpe_lustre_exporter/proc/fs/lustre/mdt/lustrefs-MDT0000/job_stats 15 0 0 0
hpe_lustre_exporter/proc/fs/lustre/obdfilter/lustrefs-OST0000/job_stats 35 0 0 0
issue_threads/gsi_26_kworker_2.12.txt 1 0 0 0
issue_threads/gsi_46_lustre_2.16.1_mdt_TRUNCATED.txt 1 0 0 0 entry_cut=1
issue_threads/telegraf_15185_ost_2.14ddn_TRUNCATED.txt 1 0 1 0 entry_cut=1
synthetic_by_version/2.12.txt 26 0 3 0
synthetic_by_version/2.14.txt 26 0 3 0
synthetic_by_version/2.15.0.txt 26 0 3 26
synthetic_by_version/2.15.8.txt 26 0 3 0
synthetic_by_version/2.16.1.txt 26 0 3 0
synthetic_by_version/2.17.0.txt 26 0 3 0
synthetic_by_version/2.5.txt 26 0 3 0 line_stray=2
synthetic_by_version/2.8.txt 26 0 3 0
telegraf/custom_locations/host_proc/fs/lustre/mdt/OST0001/job_stats 2 0 0 0
telegraf/custom_locations/host_proc/fs/lustre/obdfilter/OST0001/job_stats 2 0 0 0
telegraf/embedded_2016/mdtJobStatsContents.txt 1 0 0 0
telegraf/embedded_2016/obdfilterJobStatsContents.txt 1 0 0 0
telegraf/embedded_2019_PR5771/mdtJobStatsContents.txt 2 0 0 0
telegraf/embedded_2019_PR5771/obdfilterJobStatsContents.txt 2 0 0 0
telegraf/embedded_2021_PR7967/mdtJobStatsContents.txt 2 0 0 0
telegraf/embedded_2021_PR7967/obdfilterJobStatsContents.txt 2 0 0 0
telegraf/embedded_pre2025/mdtJobStatsContents.txt 2 0 0 0
telegraf/embedded_pre2025/obdfilterJobStatsContents.txt 2 0 0 0
telegraf/v2.12/proc/fs/lustre/mdt/OST0001/job_stats 2 0 0 0
telegraf/v2.12/proc/fs/lustre/obdfilter/OST0001/job_stats 2 0 0 0
telegraf/v2.12_no_client_stats/proc/fs/lustre/mdt/OST0001/job_stats 2 0 0 0
telegraf/v2.12_no_client_stats/proc/fs/lustre/obdfilter/OST0001/job_stats 2 0 0 0
whamcloud_lustrefs-exporter/embedded/jobstats.0.txt 1 0 0 0
'

counts_of() {
    baro jobstats parse --output none "$1" 2>"$SCRATCH/faults" | awk '
        { value[$1] = $2 }
        /^seconds/ { in_faults = 1; next }
        in_faults && $2 > 0 { faults = faults " " $1 "=" $2; sum += $2 }
        END { print value["entries"], value["dropped"], value["targets"],
                    value["boot_time"] faults; print sum + 0 >"/dev/stderr" }
    ' 2>"$SCRATCH/sum"
}

printf '%s' "$table" | sed '/^$/d' >"$SCRATCH/table"
while read -r file want; do
    is "$file" "$(counts_of "$file")" "$want"
    [ "$(wc -l <"$SCRATCH/faults")" -eq "$(cat "$SCRATCH/sum")" ] ||
        fail "$file: each loss is named with its place"
done <"$SCRATCH/table"
is "no file with job_stats is missing from the table" \
    "$(grep -rl job_id . | sed 's|^\./||' | sort)" "$(cut -d' ' -f1 "$SCRATCH/table" | sort)"

# Entries of each file are as many as its identifiers, less those that were dropped.
while read -r file entries dropped rest; do
    lines=$(grep -c 'job_id' "$file")
    [ "$lines" -eq $((entries + dropped)) ] || fail "$file: $lines identifiers ($rest)"
done <"$SCRATCH/table"
pass "every identifier of every file is an entry or a named loss"

# The same identifiers in all eight versions, but for the one with a line end in it.
ids_of() {
    baro jobstats parse "synthetic_by_version/$1.txt" 2>/dev/null |
        jq -r 'select(.entry_id | test("^a(\\\\x0A|\\?|$)") | not) | [.target, .entry_id] | @tsv' | sort
}
odd_of() {
    baro jobstats parse "synthetic_by_version/$1.txt" 2>/dev/null |
        jq -r 'select(.entry_id | test("^a(\\\\x0A|\\?|$)")) | [.entry_id, (.flags | join(" "))] | @tsv' | sort -u
}
requires jq
want=$(ids_of 2.12)
is "twelve identifiers on each of two targets" "$(echo "$want" | wc -l)" 24
for version in 2.5 2.8 2.14 2.15.0 2.15.8 2.16.1 2.17.0; do
    is "$version has the twelve identifiers of 2.12" "$(ids_of $version)" "$want"
done
tab=$(printf '\t')
is "2.5 cuts an identifier at its line end" "$(odd_of 2.5)" "a${tab}malformed cut_at_line_end"
for version in 2.8 2.12 2.14; do
    is "$version may have replaced a byte" "$(odd_of $version)" "a?b.0${tab}maybe_replaced"
done
is "2.15.0 may have replaced a byte" "$(odd_of 2.15.0)" "a?b.0${tab}maybe_replaced boot_time"
for version in 2.15.8 2.16.1 2.17.0; do
    is "$version is exact" "$(odd_of $version)" "a\\\\x0Ab.0$tab"
done

# Dumps of whole servers that hold no job_stats: other parameters are no faults.
other=$(find whamcloud_lustrefs-exporter/lustre-collector -path '*/valid/*' -name '*.txt')
# shellcheck disable=SC2086 # names without blanks
is "twelve dumps of other parameters hold no entry and no fault" \
    "$(echo "$other" | wc -l) $(baro jobstats parse --output none $other 2>&1 | awk '
        /: no entry of job_stats is in it$/ { next }
        $1 == "seconds" || $1 == "bytes" || $1 == "lines" || $1 == "other_lines" { next }
        $2 > 0')" "12 "

# Numbers are those of the text, checked by another reader of the simplest form.
baro jobstats parse synthetic_by_version/2.12.txt |
    jq -r '.ops | to_entries[] | [.key, .value.samples, .value.sum // "-"] | @tsv' >"$SCRATCH/ours"
sed -n 's/^  \([a-z_]*\): *{ samples: *\([0-9]*\), unit: *[a-z]*\(.*sum: *\([0-9]*\)\)\{0,1\}.*/\1\t\2\t\4/p' \
    synthetic_by_version/2.12.txt | sed 's/\t$/\t-/' >"$SCRATCH/theirs"
is "each operation has its numbers" "$(md5sum <"$SCRATCH/ours")" "$(md5sum <"$SCRATCH/theirs")"
finish
