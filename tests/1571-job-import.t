#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Lists of jobs of Slurm, PBS, Flux and any other: read as the same jobs, and kept.
. "$(dirname "$0")/lib.sh"
requires jq gzip
cd "$SCRATCH" || exit 1

# One job and one that runs, in every tongue; 1500000000 is 2017-07-14T02:40:00Z.
cat >slurm.json <<'END'
{"meta": {"slurm": {"cluster": "c"}}, "jobs": [
 {"cluster": "c", "job_id": 12, "array": {"job_id": 0, "task_id": {"set": false, "number": 0}},
  "name": "cfd", "user": "ann", "account": "phys", "partition": "batch", "nodes": "n[1-2]",
  "allocation_nodes": 2, "state": {"current": ["COMPLETED"], "reason": "None"},
  "steps": [{"step": {"id": "0", "name": "a.out"}, "time": {"start": {"number": 1, "set": true}}}],
  "time": {"submission": 1499999990, "start": 1500000000, "end": 1500003600, "new": {"in": [26]}}},
 {"cluster": "c", "job_id": 13, "name": "on", "user": "bob", "state": {"current": ["RUNNING"]},
  "nodes": "n3", "allocation_nodes": 1, "time": {"submission": 1499999990, "start": 1500000000, "end": 0}}
]}
END
cat >pbs.json <<'END'
{"timestamp": 1500003700, "pbs_version": "23.06.06", "pbs_server": "p", "Jobs": {
 "12": {"Job_Name": "cfd", "Job_Owner": "ann@login1", "Account_Name": "phys", "job_state": "F", "queue": "batch",
   "ctime": "Fri Jul 14 04:39:50 2017", "stime": "Fri Jul 14 04:40:00 2017", "obittime": "Fri Jul 14 05:40:00 2017",
   "exec_host": "n1/0*8+n2/0*8", "Resource_List": {"nodect": 2, "walltime": "02:00:00"},
   "Variable_List": {"PBS_O_HOST": "login1", "name": "else"}},
 "13": {"Job_Name": "on", "Job_Owner": "bob@login1", "job_state": "R", "exec_host": "n3/0",
   "ctime": "Fri Jul 14 04:39:50 2017", "stime": "Fri Jul 14 04:40:00 2017"}}}
END
cat >pbs.log <<'END'
07/14/2017 04:39:50;Q;12;queue=batch
07/14/2017 04:40:00;S;12;user=ann group=g account="phys" jobname=cfd queue=batch ctime=1499999990 start=1500000000 exec_host=n1/0*8+n2/0*8 Resource_List.nodect=2
07/14/2017 04:40:00;S;13;user=bob jobname=on ctime=1499999990 start=1500000000 exec_host=n3/0
07/14/2017 05:40:00;E;12;user=ann group=g account="phys" jobname=cfd queue=batch ctime=1499999990 qtime=1499999990 start=1500000000 exec_host=n1/0*8+n2/0*8 Resource_List.nodect=2 session=7 end=1500003600 Exit_status=0 resources_used.walltime=01:00:00
END
# Cobalt: keys in alphabetical order, seconds with decimals, kinds of two letters; nodes of a Cray
# are numbers.  What a job was called with is the user's: it says nothing of the job.
cat >cobalt.log <<'END'
07/14/2017 02:39:50;Q;12;Resource_List.ncpus=128 Resource_List.nodect=2 account=phys queue=batch resource=theta user=ann
07/14/2017 02:39:52;HA;12;hold_type=user resource=theta start=1499999992 user=ann
07/14/2017 02:40:00;S;12;Resource_List.nodect=2 account=phys args="a user=root \" start=7 user=root account=\"x" ctime=1499999990.0 cwd=/home/ann etime=1499999990.0 exe=/home/ann/cfd exec_host=1-2 group=g jobname=cfd mode=script qtime=1499999990.0 queue=batch resource=theta session=7 start=1500000000.0 user=ann
07/14/2017 02:40:01;TS;12;location=1,2 resource=theta start=1500000001.5 task_id=1
07/14/2017 02:40:00;S;13;Resource_List.nodect=1 args= ctime=1499999990.0 exec_host=3 jobname=on start=1500000000.0 user=bob
07/14/2017 03:40:00;E;12;Exit_status=0 Resource_List.nodect=2 account=phys args="a user=root \" start=7 user=root account=\"x" ctime=1499999990.0 end=1500003600.0 etime=1499999990.0 exe=/home/ann/cfd exec_host="1,2" group=g jobname=cfd priority_core_hours=128 queue=batch resource=theta resources_used.walltime=1:00:00 session=7 start=1500000000.0 user=ann
END
cat >flux.json <<'END'
{"jobs": [{"id": 12, "username": "ann", "bank": "phys", "queue": "batch", "name": "cfd", "nodelist": "n[1-2]",
  "nnodes": 2, "ranks": "[0-1]", "state": "INACTIVE", "status": "COMPLETED", "result": "COMPLETED",
  "t_submit": 1499999990.0, "t_depend": 1499999991.0, "t_run": 1500000000.0, "t_cleanup": 1500003600.0,
  "t_inactive": 1500003601.5, "exception": {"occurred": false, "type": "", "note": ""}},
 {"id": 13, "username": "bob", "name": "on", "nodelist": "n3", "nnodes": 1, "state": "RUN", "status": "RUN",
  "t_submit": 1499999990.0, "t_run": 1500000000.0}]}
END
jq -c '.jobs[] | del(.username, .status) + {state: (if .id == 12 then 64 else 16 end), userid: 1000} |
    if .id == 12 then .result = 1 else . end' flux.json >flux.lines
cat >other.csv <<'END'
Number,Submitted,Began,Ended,Hosts,user,account,partition,state,name,remark
12,2017-07-14T02:39:50Z,2017-07-14T02:40:00Z,2017-07-14T03:40:00Z,"n1,n2",ann,phys,batch,DONE,cfd,"a ""good"" one,
with two lines"
13,2017-07-14T02:39:50Z,2017-07-14T02:40:00Z,,n3,bob,,,,on,
END
map="--map id=Number --map submit=Submitted --map start=Began --map end=Ended --map nodes=Hosts"
want='["12","cfd","phys","batch","2017-07-14T02:39:50.000Z","2017-07-14T02:40:00.000Z","2017-07-14T03:40:00.000Z",2,2,"n1,n2"]
["13","on",null,null,"2017-07-14T02:39:50.000Z","2017-07-14T02:40:00.000Z",null,1,null,"n3"]'
seen() {
    baro job list --nodes "$@" -o json 2>said |
        jq -c '.[] | [.job, .name, .account, .partition, .submit, .start, .end, .node_count, .node_hours, .nodes]'
}
is "sacct --json" "$(seen slurm.json)" "$want"
is "qstat -f -F json, in the zone that is named" "$(seen pbs.json --zone +02:00)" "$want"
is "an accounting log of PBS" "$(seen pbs.log)" "$want"
is "an accounting log of Cobalt" "$(seen cobalt.log)" "$(echo "$want" | sed 's/"n1,n2"/"nid00001,nid00002"/; s/"n3"/"nid00003"/')"
is "whose records are all known" "$(cat said)" ""
is "the user is not what the job was called with" "$(baro job list cobalt.log -o json | jq -c '[.[].user]')" '["ann","bob"]'
is "flux jobs --json" "$(seen flux.json)" "$want"
is "flux job list" "$(seen flux.lines)" "$want"
# shellcheck disable=SC2086 # options on purpose
is "CSV with names of its own" "$(seen $map other.csv)" "$want"
is "nobody said anything" "$(cat said)" ""
is "users are named" "$(for f in slurm.json pbs.log flux.json; do
    baro job list "$f" -o json | jq -r '.[].user' | tr '\n' ' '; done)" "ann bob ann bob ann bob "
is "states are words" "$(baro job list flux.lines -o csv | cut -d, -f7 | tr '\n' ' ')" "state COMPLETED RUN "
is "times without zone are those of this machine" \
    "$(TZ=Europe/Berlin baro job list pbs.json -o json 2>said >out; sed 's/: [0-9]* times/: times/' said; jq length out)" \
    "pbs.json: times without a zone are read as those of Europe/Berlin (--zone names another)
2"
ok "what is of no form fails" sh -c 'echo hello >x && ! baro job list x 2>said && grep -q "not a list of jobs" said'
ok "JSON that is cut fails" sh -c 'head -c 300 slurm.json >x && ! baro job list x 2>said'
ok "JSON that holds errors in place of jobs fails" sh -c \
    'printf "{\n\"errors\": [{\"error\": \"no\"}]\n}\n" >x && ! baro job list x 2>said && grep -q "not a list of jobs" said'
ok "a field nobody knows is misuse" sh -c 'baro job list --map colour=red x 2>said; [ $? -eq 2 ]'
ok "a format nobody knows is misuse" sh -c 'baro job list --format lsf x 2>said; [ $? -eq 2 ]'

# Our own form, and a file of it that grows.
baro job import slurm.json >lines
is "a line a job" "$(jq -c 'keys' lines | sort -u | head -n 1)" \
    '["account","cluster","end","id","name","node_count","nodes","partition","start","state","submit","user"]'
is "and is read again" "$(seen lines)" "$want"
baro job import lines >again
is "as it was" "$(cat again)" "$(cat lines)"
gzip -k lines
is "compressed, and from a pipe" "$(baro job import - <lines.gz | cksum)" "$(cksum <lines)"
baro job import slurm.json --into kept 2>said
baro job import slurm.json --into kept 2>>said
is "importing twice changes nothing" "$(cksum <kept)$(tail -n 1 said)" \
    "$(cksum <lines)baro job import: 2 jobs, 0 of them new"
sed 's/"end": 0/"end": 1500007200/; s/RUNNING/COMPLETED/' slurm.json | baro job import - --into kept 2>said
baro job import slurm.json --into kept 2>>said
is "a run that has ended takes the place of the one that ran, for good" \
    "$(jq -c '[.id, .end]' kept | tr '\n' ' ')" '["12",1500003600] ["13",1500007200] '
echo '{"cluster":"c","id":"14","start":1500000000,"name":"on"}' | baro job import - --into kept --retention 30d 2>said
is "what ended long ago is left out, what runs is not" "$(jq -r .id kept)" 14
cp slurm.json precious
ok "a file that is something else is left alone" sh -c \
    '! baro job import lines --into precious 2>said && cmp precious slurm.json'
is "a name of many bytes comes back" "$(printf 'id,start,name\n1,100,"a\\b\n\tc|☂\001"\n' |
    baro job import - | baro job import - | jq -r .name | od -c)" "$(printf 'a\\b\n\tc|☂\001\n' | od -c)"

# What ran beside a job: a log that starts at 1500000000 and lasts a minute.
if [ -x "$BUILD/src/source/darshan/darshan_make" ]; then
    "$BUILD/src/source/darshan/darshan_make" 341 little zlib >job.darshan
    for file in slurm.json pbs.log flux.json lines; do
        is "$file says what ran beside a job" \
            "$(baro job summarize --jobs "$file" -o json job.darshan |
                jq -c '.[0] | [.jobsdb_concurrent_jobs, .jobsdb_concurrent_nodes]')" '[2,3]'
    done
else
    skip "what ran beside a job" "built without tests"
fi
finish
