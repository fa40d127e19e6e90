#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The reference observer of the simulated Lustre, held against a count made of its texts.
. "$(dirname "$0")/lib.sh"

fs=$SCRATCH/fs
first=1669018000

# Totals per entry and operation out of dumps with start_time, by the plainest rule: a
# changed start_time begins a new life, a life counts from zero.
totals_of_texts() {
    cat "$@" | awk '
        /^- job_id:/ { id = $0; sub(/^- job_id: */, "", id); gsub(/"/, "", id)
                       gsub(/\\x3A/, ":", id); next }
        /^  start_time:/ { if (start[id] != $2) { start[id] = $2
                               for (op in ops) delete seen[id, op]
                               for (op in ops) delete seen_sum[id, op] } next }
        /samples:/ { op = $1; sub(/:$/, "", op); ops[op] = 1
                     line = $0; gsub(/[{},]/, " ", line); gsub(/:/, ": ", line)
                     n = split(line, f, /[ ]+/)
                     for (i = 1; i < n; i++) {
                         if (f[i] == "samples:") s = f[i + 1]
                         if (f[i] == "sum:") u = f[i + 1]
                     }
                     total[id, op] += s - seen[id, op]; seen[id, op] = s
                     sum[id, op] += u - seen_sum[id, op]; seen_sum[id, op] = u }
        END { for (k in total) if (total[k] || sum[k]) {
                  split(k, p, SUBSEP)
                  printf "%s,%s,%.0f,%.0f\n", p[1], p[2], total[k], sum[k] } }' | sort
}

baro-sim init --fs "$fs" version=2.15.8 nodes=400 osts=2 oss=1 mdts=1 mds=1 logins=0 \
    skip_ppm=0 double_ppm=0 malformed_ppm=0
set --
for t in 0 120 240 360 480 2400 2520 2640 5000; do
    set -- "$@" "$SCRATCH/text.$t"
    baro-sim lctl --fs "$fs" --server oss01 --at @$((first + t)) \
        get_param -n obdfilter.scratch-OST0000.job_stats >"$SCRATCH/text.$t"
done
totals_of_texts "$@" >"$SCRATCH/texts"
baro-sim reference --fs "$fs" --period 2m --until @$((first + 5000)) series \
    >"$SCRATCH/reference"
sed -n 's/^scratch-OST0000,"\(.*\)",/\1,/p' "$SCRATCH/reference" | sort >"$SCRATCH/series"
ok "there is something to compare" test "$(wc -l <"$SCRATCH/texts")" -gt 500
ok "the reference equals a count made of the texts, to the unit" \
    cmp "$SCRATCH/texts" "$SCRATCH/series"

# The unobserved target is all unseen; what was counted and missed adds up to the truth.
ok "what nobody read is unseen" grep -q '^total,unseen_entry,write_bytes,' \
    "$SCRATCH/reference"
awk -F, '/^total,truth/ { t[$3] = $4 } /^total/ && $2 != "truth" { s[$3] += $4 }
         END { for (op in t) if (t[op] != s[op]) exit 1 }' "$SCRATCH/reference"
is "truth is the reference and the causes" $? 0
ok "with start_time in the text no reset is hidden" \
    sh -c "! grep -q hidden_reset '$SCRATCH/reference'"

# Without start_time the same gap hides resets.
fs=$SCRATCH/old
baro-sim init --fs "$fs" version=2.12 nodes=400 osts=2 oss=1 mdts=1 mds=1
for t in 0 120 240 2400 2520; do
    baro-sim lctl --fs "$fs" --server oss01 --at @$((first + t)) \
        get_param 'obdfilter.*.job_stats' >/dev/null
done
baro-sim reference --fs "$fs" --period 2m --until @$((first + 2600)) >"$SCRATCH/old.csv"
ok "without it they are, and are counted" grep -q '^total,hidden_reset' "$SCRATCH/old.csv"
ok "what was there at the first look has no beginning" \
    grep -q '^total,before_first_look' "$SCRATCH/old.csv"
ok "nothing is counted twice" sh -c "! grep -q counted_again '$SCRATCH/old.csv'"
finish
