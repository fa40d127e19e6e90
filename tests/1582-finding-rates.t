#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How often findings are false: what --help and the man page say is what was measured.
. "$(dirname "$0")/lib.sh"
measured=$TOP/doc/measured/findings.md
cd "$SCRATCH" || exit 1

one_line() { tr '\n' ' ' | tr -s ' '; }
runs=$(sed -n 's/^Runs: .* classes, \([0-9]*\) of them slower.*/\1/p' "$measured")
# "false | 6.0 % (95 of 100 shuffles: 5.4 to 6.7 %; 200 shuffles) |", twice
rates=$(sed -n 's/^| each with that of another run.*false | \([0-9.]* %\) (95 of 100 shuffles: \([0-9.]* to [0-9.]* %\);.*/\1 (\2)/p' "$measured")
climate=$(echo "$rates" | sed -n 1p)
threshold=$(echo "$rates" | sed -n 2p)
logs=$(one_line <"$measured" | sed -n 's/.*: \([0-9]*\) of \([0-9]*\) have a finding, \([0-9.]* % ([0-9.]* to [0-9.]* %)\)\..*/\2 \3/p')
is "all that is to be said was measured" \
    "$(for text in "$runs" "$climate" "$threshold" "$logs"; do [ -n "$text" ] || echo missing; done)" ""
want="of $runs slow runs of the SC18 study, each with the weather of another run of its class, \
$climate had a finding against the climate, $threshold one by \
thresholds; of ${logs%% *} generated logs without a fault ${logs#* } had a finding of the log."
is "baro job show --help says the rates, and of how many" \
    "$(baro job show --help | one_line | grep -cF "$want")" 1
is "so does its man page" "$(one_line <"$TOP/doc/man/baro-job-show.1.scd" | grep -cF "$want")" 1

ok "the rates at the findings of pages are those that were measured" "$TOP/tools/finding-rates"
sed 's/^| idle-node | [0-9]* |/| idle-node | 77 |/' "$measured" >changed
mkdir -p other/doc/measured other/tools other/src/analysis/stats
cp "$TOP/tools/finding-rates" other/tools && cp changed other/doc/measured/findings.md
cp "$TOP/src/analysis/stats/finding_rate_table.h" other/src/analysis/stats
ok "another measurement is noticed" sh -c "! other/tools/finding-rates >/dev/null"

# The rates themselves, where the tables are: the same program, the same seed.
summaries=$SHARED/data/tokio/abcutils/summaries
if [ -n "$SHARED" ] && [ -r "$summaries/README.md" ] && [ -x "$BUILD/bench/bench_findings" ]; then
    "$BUILD/bench/bench_findings" 3 "$TOP/etc/studies/sc18.conf" "$summaries"/*.csv.gz >now
    is "what the runs are told with their own weather is as it was measured" \
        "$(grep 'its own weather' now)" "$(grep 'its own weather' "$measured")"
    is "by chance so many are told still" \
        "$(sed -n 's/^| each with that.*false | \([0-9.]*\) %.*/\1/p' now | head -n 1 |
            awk '{ print ($1 > 4.5 && $1 < 7.5) }')" 1
else
    skip "the rates" "no external data"
fi
finish
