#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a job used as an AdminComment in Princeton's form: read by a reader of its own that
# knows the format alone.  What is not known is in no comment.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
requires jq curl python3
cd "$SCRATCH" || exit 1

barod_conf cpu_load mem_used:GB mem_total:GB acc_utilization:% acc_mem_used:GB acc_mem_total:GB
ok "barod starts" start_barod
comment() { baro job show --server "$server" --comment js1 "$@"; }
reader() { comment "$2" | "$TOP/tests/job_comment/js1.py" "$1"; }

# An hour on c01 and c02; two GPUs of d01; c03 by two jobs at once; an array on c04 and c05.
now=$(date +%s)
start=$((now - 4000)) end=$((now - 400))
cat >sacct.txt <<END
JobID|JobIDRaw|Cluster|State|Start|End|NNodes|NodeList|AllocTRES|TotalCPU|TRESUsageInTot|NTasks
601|601|nova|COMPLETED|$start|$end|2|c[01-02]|cpu=16,mem=64G,node=2|08:00:00||
602|602|nova|COMPLETED|$start|$end|1|d01|cpu=8,mem=32G,node=1,gres/gpu=2|04:00:00||
602.batch|602.batch|nova|COMPLETED|$start|$end|1|d01|cpu=8|04:00:00|cpu=04:00:00,mem=8G|1
603|603|nova|COMPLETED|$start|$end|1|c03|cpu=4,mem=16G,node=1|01:00:00||
603.0|603.0|nova|COMPLETED|$start|$end|1|c03|cpu=4|01:00:00|mem=4G|4
604|604|nova|RUNNING|$start|Unknown|1|c03|cpu=4,mem=16G,node=1|||
605|605|nova|COMPLETED|$((end - 30))|$end|2|y[01-02]|cpu=16,node=2|00:00:01||
606|606|nova|COMPLETED|$start|$end|2|x[01-02]|cpu=16,mem=64G,node=2|08:00:00||
610_1|611|nova|COMPLETED|$start|$end|1|c04|cpu=2,mem=2G,node=1|00:30:00||
610_2|610|nova|COMPLETED|$start|$end|1|c05|cpu=2,mem=2G,node=1|02:00:00||
612|612|nova|COMPLETED|$start|$end|2|c[03,06]|cpu=8,mem=32G,node=2|||
613|613|nova|COMPLETED|$start|$end|1|d02|cpu=8,mem=32G,node=1,gres/gpu=1|01:00:00|mem=1G|1
END
awk -v start="$start" -v end="$end" 'function put(metric, host, value) {
        printf "%s,cluster=nova,hostname=%s,type=node value=%g %d\n", metric, host, value, t }
    function gpu(metric, host, id, value) {
        printf "%s,cluster=nova,hostname=%s,type=accelerator,type-id=%s value=%g %d\n", metric, host, id, value, t }
    BEGIN { for (t = start; t < end; t += 60) {
        put("cpu_load", "c01", 6); put("mem_used", "c01", t < start + 120 ? 30 : 8)
        put("cpu_load", "c02", 2); put("mem_used", "c02", 10)
        put("cpu_load", "c03", 9); put("mem_used", "c03", 9)
        put("cpu_load", "c06", 2); put("mem_used", "c06", 4)
        put("mem_used", "c04", 1); put("mem_used", "c05", 100)
        for (n = 1; n <= 2; n++) for (id = 0; id < 2; id++) {
            gpu("acc_utilization", "d0" n, id, id ? 10 : 90)
            gpu("acc_mem_used", "d0" n, id, id ? 1 : 16)
            gpu("acc_mem_total", "d0" n, id, 32) } } }' >metrics.lp
is "metrics are stored" "$(curl -s -o out -w '%{http_code}' --unix-socket sock --data-binary @metrics.lp \
    'http://x/api/write?cluster=nova'; cat out)" 200
ok "jobs are known" baro job import --server "$server" sacct.txt

is "the record's CPU time is divided as the nodes' load was, memory is their highest" \
    "$(reader nodes 601)" "c01 8 21600 30000000000 34359738368
c02 8 7200 10000000000 34359738368"
is "seconds of the whole, and shares as a reader computes them" "$(reader job 601)" "3600 0 50.0 58.2"
is "GPUs have their use and memory" "$(reader gpus 602)" "d01 0 90 16000000000 32000000000
d01 1 10 1000000000 32000000000"
is "of one node the record says all else" "$(reader nodes 602); $(reader job 602)" \
    "d01 8 14400 8589934592 34359738368; 3600 2 50.0 25.0"
is "on a node that two jobs had the record counts, not the node's metrics" "$(reader nodes 603)" \
    "c03 4 3600 4294967296 17179869184"
is "of a job on such a node and another the other is known" "$(reader nodes 612)" \
    "c06 4 7200 4000000000 17179869184"
is "GPUs of which some are another's are not the job's" "$(reader gpus 613); $(reader job 613)" "; 3600 0 12.5 3.1"
is "an element of an array is its own, by either id" "$(reader nodes 610_1); $(reader nodes 611); $(reader nodes 610_2)" \
    "c04 2 1800 1000000000 2147483648; c04 2 1800 1000000000 2147483648; c05 2 7200 2147483648 2147483648"
is "a short job is said to be short" "$(comment 605)" "JS1:Short"
is "of a job on two nodes without metrics there is nothing to say" "$(comment 606)" "JS1:None"
is "a job that runs has no comment" "$(comment 604 2>&1; echo $?)" \
    "baro job show: the server responds with 422: job 604: its batch system has reported no end of it: a comment is of a job that has ended
1"
is "over REST it is the same bytes" \
    "$(curl -s --unix-socket sock 'http://x/v1/jobs/601?format=js1&cluster=nova' | cksum)" "$(comment nova/601 | cksum)"
is "and twice the same" "$(comment 601)" "$(comment 601)"
is "a job that runs is 422 there" \
    "$(curl -s -o out -w '%{http_code}' --unix-socket sock 'http://x/v1/jobs/604?format=js1')" 422
is "another form is refused" "$(baro job show --server "$server" --comment js2 601 2>&1; echo $?)" \
    "baro job show: --comment: choose js1, without --output, --line and --follow
2"
ok "it is one line that a shell needs not quote" sh -c "baro job show --server $server --comment js1 602 |
    grep -Eqx 'JS1:H4s[A-Za-z0-9+/]+=*'"
finish
