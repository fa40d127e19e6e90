#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tables on terminals of three sizes: no line is wider than the terminal, what is left out is
# named, --follow keeps its header; redirected nothing is cut.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
requires curl jq python3 baro-sim
unset COLUMNS
cd "$SCRATCH" || exit 1

end=$(($(date +%s) / 300 * 300))
from=$((end - 3600))
baro-sim init --fs "$SCRATCH/fs" epoch=@$((end - 4500)) seed=5 nodes=60 logins=20 mds=1 mdts=1 \
    oss=2 osts=4
baro-sim-rounds --fs "$SCRATCH/fs" --path "$SCRATCH/records.db" --rounds 20 --interval 5s >out
barod_conf cpu_load mem_bw clock cpu_temp swap_used gpu_power gpu_temp net_bytes
BARO_SERVER=$server
export BARO_SERVER
ok "barod starts" start_barod
nodes="python3 $TOP/tests/sim/nodes.py"
is "metrics of nodes are sent" "$($nodes play $end | curl -s -o out -w '%{http_code}' \
    --unix-socket "$socket" --data-binary @- http://x/api/write)" 200
$nodes jobs $end | curl -s -o out --unix-socket "$socket" --data-binary @- \
    -H 'Content-Type: application/x-ndjson' http://x/v1/jobs
{
    printf 'obdfilter.%s.stats=\nread_bytes 9 samples [bytes] 1 2 3\n' \
        "a-file-system-with-a-long-name-OST0001"
} >totals.txt

screens="python3 $TOP/tests/sim/screens.py"
job=$(baro jobstats top --last 1h --output csv 2>out | sed 1d | cut -d, -f1 | grep -m 1 '^[A-Za-z0-9._:@-][A-Za-z0-9._:@-]*$')
ok "there is a job to look at" [ -n "$job" ]
while read -r command; do
    for size in "80 24" "120 40" "200 60"; do
        # shellcheck disable=SC2086 # words
        $screens $size sh -c "baro $command" >screen 2>&1
        status=$?
        is "no line of baro $command is wider than $size" "$status" 0
        [ $status = 0 ] || head -n 60 screen | sed 's/^/# /'
    done
    # Without a terminal nothing is cut, and all columns of the CSV are there.
    sh -c "baro $command" >piped 2>err
    ok "redirected it has no cut cell and leaves nothing out: $command" \
        sh -c "! grep -q '…\|left out of' piped && [ -s piped ]"
done <<TABLES
jobstats top --last 1h
jobstats top --last 1h --by node
jobstats rates --by job --last 1h
jobstats job $job
job show $job
weather --last 1h 2>/dev/null
jobstats series
node --from @$from --to @$end
metric list
metric query mem_bw alex/a033 --from @$from --to @$end
metric plot mem_bw alex/a033 --from @$from --to @$end
metric plot mem_bw 'alex/*' --from @$from --to @$end
job list barod
job list --worst cpu
stats
store status
token list --server $BARO_SERVER
lustre stats totals.txt
TABLES

for size in "80 24" "120 40" "200 60"; do
    # shellcheck disable=SC2086 # words
    $screens -f $size baro jobstats top --follow --last 1h >screen 2>err
    is "a picture of --follow fits $size" "$?$(cat err)" 0
    is "its header stands above the rows ($size)" "$(sed -n 3p screen | cut -d' ' -f1)" job
    ok "and rows below it ($size)" sh -c "[ \$(wc -l <screen) -gt 6 ]"
done
ok "barod ends" end_barod
finish
