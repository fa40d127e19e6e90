#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What baro job comment accepts and refuses: lists of sacct's as hostile as they come, and
# a barod that knows some of the jobs.
. "$(dirname "$0")/lib.sh"
requires curl
cd "$SCRATCH" || exit 1
server=unix:$SCRATCH/sock
barod --set "records.path=$SCRATCH/r.db" --set "net.socket=$SCRATCH/sock" --set net.listen=none 2>barod.log &
barod=$!
at_exit "kill $barod; wait $barod"
wait_for 20 baro stats --server "$server"
start=$(($(date +%s) - 9000)) end=$(($(date +%s) - 8980))
cat >records <<END
JobID|JobIDRaw|Cluster|State|Start|End|NNodes|NodeList
1|1|alex|COMPLETED|$start|$end|1|a1
5_2|7|alex|COMPLETED|$start|$end|1|a1
9|9|alex|COMPLETED|$start|$((start + 600))|2|a[1-2]
END
ok "records are stored" baro job import --server "$server" records
cat >./jobs <<END
JobID|JobIDRaw|Cluster|Start|End|AdminComment|JobName
1|1|alex|$start|$end||a
5_2|7|alex|$start|$end||b|c
2|2|alex|$start|$end||unknown
3;reboot|3|alex|$start|$end||bad
4|4|al'ex|$start|$end||bad
8|8|alex|$start|$end|mine|has one
9|9|alex|$start|$((start + 600))||too little is known
END
comments() { baro job comment --server "$server" "$@"; }
is "commands need no quotes, and none is for what a shell would read otherwise" \
    "$(comments --missing jobs 2>said)" \
    "sacctmgr -i modify job where jobid=1 cluster=alex set AdminComment=JS1:Short
sacctmgr -i modify job where jobid=5_2 cluster=alex set AdminComment=JS1:Short"
is "why there is no other is said" "$(sed 's/nothing is known.*/nothing is known/' said)" \
    "baro: no comment for job 2: the server responds with 404: nothing is known
baro: no comment for job 3;reboot: its id is not Slurm's
baro: no comment for job 4: its cluster is not Slurm's
baro job comment: 2 comments; 1 have one; 3 are not known; 1 too little is known of"
is "a row of the database is known by number and start" "$(comments --missing --form sql jobs 2>said | tail -n 1)" \
    "UPDATE \`alex_job_table\` SET admin_comment='JS1:Short' WHERE id_job=7 AND time_start=$start AND coalesce(admin_comment, '') = '';"
is "without --missing a comment is written anew" \
    "$(sed 's/^1|1|alex|\(.*\)||a$/1|1|alex|\1|old|a/' jobs | comments - 2>said | head -n 1)" \
    "sacctmgr -i modify job where jobid=1 cluster=alex set AdminComment=JS1:Short"
is "times in words name no row of the database" \
    "$(sed "s/|$start|/|2026-11-23T18:00:00|/" jobs | comments --form sql - 2>&1 | grep -c SLURM_TIME_FORMAT)" 5
is "a list without the column is refused" "$(comments records 2>&1 | sed 's/column AdminComment.*/column AdminComment/'; comments records >out 2>&1; echo $?)" \
    "baro job comment: 0 comments
baro job comment: records: the first line names no column AdminComment
1"
is "another form is misuse" "$(comments --form xml jobs 2>&1; echo $?)" \
    "baro job comment: --form: invalid value 'xml' (choose sacctmgr, sql)
2"
is "no file is misuse" "$(comments 2>&1; echo $?)" "baro job comment: at least one FILE is wanted, or -
2"
is "no server is a failure" "$(baro job comment --server "unix:$SCRATCH/none" jobs >out 2>&1; echo $?)" 1
finish
