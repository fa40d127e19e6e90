#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# From the id of a job to the answer: jobs and summaries told to a barod, and the same
# page, differences and slice by id as by the path of the log.
. "$(dirname "$0")/lib.sh"
requires jq curl python3
cd "$SCRATCH" || exit 1
log_make=$BUILD/src/source/darshan/darshan_make
series_make=$BUILD/src/source/lmt/series_make
[ -x "$log_make" ] && [ -x "$series_make" ] || skip_all "built without tests or HDF5"
command -v baro-sim-darshan >/dev/null || skip_all "the players are not built"

# Two jobs of a played Lustre, as in the demo, and one whose servers' series are known.
at=1669014010
for story in own neighbour; do
    baro-sim init --fs "$SCRATCH/$story" epoch=@1669010400 seed=8 nodes=100 version=2.12 &&
        baro-sim plant --fs "$SCRATCH/$story" --story "$story" --at @$at --length 20s
    baro-sim-darshan --fs "$SCRATCH/$story" --job 900001 >played.darshan
    mkdir -p "logs/$story" && mv played.darshan "logs/$story/"
done >out 2>&1
"$log_make" 341 little zlib >logs/job.darshan # 4711 starts at 1500000000, lasts 60 s
"$series_make" database day.sqlite3
cat >sacct.txt <<'END'
JobID|Cluster|State|Start|End|NNodes|User|JobName
4711|big|COMPLETED|1500000000|1500000061|2|ann|ours
4712|big|COMPLETED|1499996400|1500000001|10|bob|a|b
4712|small|COMPLETED|1499996400|1500000001|7|bob|elsewhere
4800|big|RUNNING|1500000100|Unknown|1|eve|later
END

server=unix:$SCRATCH/sock
start_barod() {
    barod --config /dev/null --set "records.path=$SCRATCH/r.db" --set "net.socket=$SCRATCH/sock" \
        --set net.listen=none --set records.retention_jobs=30000d 2>>barod.log &
    barod=$!
    wait_for 20 baro stats --server "$server"
}
start_barod
at_exit "kill $barod; wait $barod"

# ---- jobs ----
is "jobs are told to barod" "$(baro job import --server "$server" sacct.txt 2>&1)" \
    "baro job import: 4 new, 0 changed, 0 known, 0 refused"
is "told again they are known" "$(baro job import --server "$server" sacct.txt 2>&1)" \
    "baro job import: 0 new, 0 changed, 4 known, 0 refused"
# The barod of the environment, but for what is named.
BARO_SERVER=$server baro job import "sacct.txt" >"printed" 2>"said"
is "BARO_SERVER is where an import goes" "$(tail -n 1 "said")$(cat "printed")" \
    "baro job import: 0 new, 0 changed, 4 known, 0 refused"
is "--into - prints all the same" "$(BARO_SERVER=$server baro job import --into - "sacct.txt" 2>"said" | wc -l)" 4
is "a file that is named gets them" "$(BARO_SERVER=$server baro job import --into "into" "sacct.txt" 2>"said"
    wc -l <"into")" 4
is "all of them" "$(baro job list --server "$server" -o json | jq length)" 4
is "they are listed as out of the file" \
    "$(baro job list --server "$server" -o json | jq -cS 'sort_by(.job, .cluster)')" \
    "$(baro job list -o json sacct.txt | jq -cS 'sort_by(.job, .cluster)')"
is "so they are where barod is named in place of a file" \
    "$(baro job list -o json "$server" | cksum)" "$(baro job list --server "$server" -o json | cksum)"
for ask in "-i 4711" "-c small" "-f @1500000000 -t @1500000050" "-n nobody -f @1500000000"; do
    # shellcheck disable=SC2086 # several words
    is "job list $ask is answered alike" \
        "$(baro job list --server "$server" -o json $ask | jq -cS 'sort_by(.job, .cluster)')" \
        "$(baro job list -o json $ask sacct.txt | jq -cS 'sort_by(.job, .cluster)')"
done
is "the load of a window, too" \
    "$(baro job list --server "$server" -l -c big -f @1500000000 -t @1500000060 -o csv)" \
    "$(baro job list -l -c big -f @1500000000 -t @1500000060 -o csv sacct.txt)"
is "without a file and a barod the command line is wrong" "$(baro job list 2>/dev/null; echo $?)" 2
is "a job that ran, of which no log was summarised, has a page of what is known" \
    "$(baro job show --server "$server" 4800 2>&1 | head -n 3; echo $?)" \
    "Job 4800 on big, user eve, RUNNING
Ran from 2017-07-14T02:41:40Z, it has not ended.
Only the batch system's record is known of it.
0"
is "of an id that nobody knows it is said what was asked where, and what to do" \
    "$(baro job show --server "$server" 1 2>&1; echo $?)" \
    "baro job show: '1' is not a file, and $server has no job of that id: no summary ('baro job summarize --server'), no run ('baro job import --server'), no rows of jobstats
1"
is "what is called as a log is one, also where it is not" \
    "$(baro job show --server "$server" ./4711 2>&1 | grep -c 'knows no job')" 0
is "nobody at the address is said" \
    "$(baro job show --server "unix:$SCRATCH/nobody" 4711 2>&1 | grep -c "'4711' is not a file, and of a job of that id: no response")" 1

# ---- summaries ----
summarize() { baro job summarize --server "$server" --jobs barod -s day.sqlite3 logs "$@"; }
is "each row is put into the database" "$(summarize 2>&1)" "baro: 3 new, 0 changed, 0 known, 0 refused"
is "logs that have a row are passed over" "$(summarize 2>&1)" "baro: 3 of 3 logs had a row already
baro: 0 new, 0 changed, 0 known, 0 refused"
is "or made again, where that is wanted" "$(summarize --again 2>&1)" \
    "baro: 0 new, 0 changed, 3 known, 0 refused"
fields='with_entries(select(.key != "_log"))'
is "the row of an id is the row of its log" \
    "$(baro job summarize --server "$server" -o json 4711 | jq -cS ".[0] | $fields")" \
    "$(baro job summarize -o json --jobs sacct.txt -s day.sqlite3 logs/job.darshan | jq -cS ".[0] | $fields")"
is "its log is called as from everywhere" \
    "$(baro job summarize --server "$server" -o json 4711 | jq -r '.[0]._log')" "$(realpath logs/job.darshan)"
is "barod itself shows all that it knows of the job, and names what it does not" \
    "$(curl -s --unix-socket "$SCRATCH/sock" 'http://x/v1/jobs/4711?cluster=big' |
        jq -c '[.job.id, .job.user, .facts.darshan_jobid, (.weather != null), .health, .nodes,
            (.missing | map(.part) | contains(["health", "servers", "nodes"]))]')" \
    '["4711","ann","4711",true,null,null,true]'
is "of another cluster it knows what ran there" \
    "$(curl -s --unix-socket "$SCRATCH/sock" 'http://x/v1/jobs/4712?cluster=small' |
        jq -c '[.job.user, .facts]')" '["bob",null]'
is "a job without a record is not found" "$(curl -s -o "$SCRATCH/out" -w '%{http_code}' \
    --unix-socket "$SCRATCH/sock" 'http://x/v1/jobs/none')" 404
is "as CSV it stands under the same columns" \
    "$(baro job summarize --server "$server" -o csv 4711 | head -n 1 | cksum)" \
    "$(baro job summarize -o csv logs/job.darshan | head -n 1 | cksum)"
is "neighbours came from barod: those of its cluster" \
    "$(baro job summarize --server "$server" -o json 4711 |
        jq -c '.[0] | [.jobsdb_concurrent_jobs, .jobsdb_concurrent_nodes, .jobsdb_user]')" '[2,12,"ann"]'
is "an id that is not there costs itself only" \
    "$(baro job summarize --server "$server" -o json 1 4711 2>errors | jq length; grep -c "'1' is not a file" errors)" "1
1"

# ---- the same answers ----
map=$TOP/etc/studies/jobs.conf
baro job summarize -o csv --jobs sacct.txt -s day.sqlite3 logs/*.darshan logs/*/*.darshan >runs.csv 2>errors
by_path() { baro job "$@" --jobs sacct.txt -S day.sqlite3 -C runs.csv -m "$map" 2>errors; }
by_id() { baro job "$@" --server "$server" -m "$map" 2>errors; }
# The barod has the batch system's record, too: two lines more, and what else it may know.
without_record() { sed -e '/^Job 4711 on big/d' -e '/^Ran from/d' -e '/^Known of it/,$d'; }
is "the page by the id is the page by the path" "$(by_id show 4711 | without_record)" "$(by_path show logs/job.darshan | without_record)"
is "and has the batch system's record" "$(by_id show 4711 | grep -c '^Job 4711 on big, user ann')" 1
ok "and it has the weather, the neighbours and the climate" sh -c "
    baro job show --server $server -m $map 4711 2>errors | grep -q 'The file system moved 39.9 MiB' &&
    baro job show --server $server -m $map 4711 2>errors | grep -q '2 jobs ran in its time' &&
    baro job show --server $server -m $map 4711 2>errors | grep -q 'Of its class'"
is "the one-line form, too" "$(by_id show --line 4711)" "$(by_path show --line logs/job.darshan)"
is "of two logs of one id the last is taken, and it is said" \
    "$(by_id show 900001 >out; grep -c 'job 900001 has 2 logs; of the last' errors)" 1
ok "there is something in which they differ" sh -c "baro job diff --server $server 4711 900001 -o csv | grep -q cause"
is "two ids are held against each other as their logs are" \
    "$(by_id diff 4711 900001 -o csv)" \
    "$(by_path diff logs/job.darshan "$(baro job summarize --server "$server" -o json 900001 | jq -r '.[0]._log')" -o csv)"
is "the slice by the id is that of the data" \
    "$(baro job slice --server "$server" 4711 | cksum)" "$(baro job slice -s day.sqlite3 logs/job.darshan | cksum)"
is "a climate of a barod is that of its table" \
    "$(BARO_SERVER=$server baro climate show -m "$map" barod -o json | jq -cS .)" \
    "$(baro climate show -m "$map" runs.csv -o json | jq -cS .)"
is "a scoreboard, too" "$(baro climate scoreboard "$server" -o csv 2>errors)" \
    "$(baro climate scoreboard runs.csv -o csv 2>errors)"

# ---- ids that are called otherwise ----
printf '%s\n' '{"cluster":"big","id":"77_3","raw_id":"4711","start":1500000000,"end":1500000061}' >lines
is "an element of an array is told" "$(curl -s --unix-socket sock -H 'Content-Type: application/x-ndjson' \
    --data-binary @lines http://localhost/v1/jobs | jq .accepted)" 1
is "its summary is that of the number which its log knows" \
    "$(baro job summarize --server "$server" -o json 77_3 | cksum)" \
    "$(baro job summarize --server "$server" -o json 4711 | cksum)"
is "of another cluster it has none" \
    "$(baro job summarize --server "$server" -c small -o json 77_3 2>&1 | grep -c 'has no job of that id on cluster small')" 1
mkdir 4711
is "a directory of that name is no log" "$(by_id show 4711 | without_record)" "$(by_path show logs/job.darshan | without_record)"
rmdir 4711

# ---- where the log is not ----
mv logs/job.darshan elsewhere
by_id show 4711 >page
is "a log that is not here is named, and its summary tells what it can" \
    "$(grep -c "^Its log $(realpath logs)/job.darshan cannot be read here (No such file or directory)" page
       grep -c 'The file system moved 39.9 MiB' page)" "1
1"
is "for programs it is said, too" \
    "$(by_id show -o json 4711 | jq -c '[.job, .log_is_readable, .summary.fs_window_start]')" '["4711",false,1500000000]'
is "differences want both logs" \
    "$(by_id diff 4711 900001 >out; echo $?; grep -c 'its log .*/job.darshan cannot be read here' errors)" "1
1"
ok "a slice does not need it" sh -c "baro job slice --server $server 4711 | grep -q datatargets"
mv day.sqlite3 gone.sqlite3
is "series that are not here are named" \
    "$(baro job slice --server "$server" 4711 2>&1; echo $?)" \
    "baro job slice: 4711: $(pwd -P)/day.sqlite3: No such file or directory
1"

# ---- barod dies ----
mv elsewhere logs/job.darshan
mv gone.sqlite3 day.sqlite3
kill -9 "$barod"
wait "$barod" 2>>out
is "without a barod nothing is made in vain" \
    "$(baro job summarize --server "$server" logs >out 2>&1; echo $?; grep -c 'no response' out)" "1
1"
start_barod
at_exit "kill $barod; wait $barod"
is "what was told before it was killed is there" "$(summarize 2>&1 | head -n 1)" \
    "baro: 3 of 3 logs had a row already"

# ---- a reference that somebody else made up ----
hostile() { # fs_series as JSON text
    jq -cn --arg r "$1" '{_jobid: "66", _log: "/x.darshan", fs_window_start: 1500000000,
        fs_window_end: 1500000065, fs_timestep: 5, fs_series: $r}' >line
    curl -s --unix-socket sock -X POST -H 'Content-Type: application/x-ndjson' --data-binary @line \
        http://localhost/v1/summaries >out
    baro job slice --server "$server" 66 2>&1
    echo $?
}
for reference in '' '{}' '[1]' '[{}]' '[{"files":[]}]' '[{"files":[""]}]' '[{"files":[1]}]' '[{"files":{"a":1}}]' \
    '[{"files":["a"],"offset_s":99999999999}]' '[{"files":["a","b"],"zone":"X"},{"files":["c"]}]' \
    '[{"files":["/dev/null"]}]' '[[[["deep"]]]]'; do
    is "it is refused: $reference" "$(hostile "$reference" | sed -n 's/^baro job slice: 66: ..*/said/p; $p' | tr '\n' ' ')" "said 1 "
done

mkfifo fifo
is "nobody waits for a pipe that it names" "$(hostile "[{\"files\":[\"$SCRATCH/fifo\"]}]")" \
    "baro job slice: 66: $SCRATCH/fifo: is neither a file nor a directory
1"
python3 - heads port <<'END' 2>strangers.log &
import http.server, os, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        open(sys.argv[1], 'a').write(f'{self.path.split("?")[0]} {self.headers["Authorization"]}\n')
        self.send_error(404)
server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
open('part', 'w').write(str(server.server_port))
os.rename('part', sys.argv[2])
server.serve_forever()
END
stranger=$!
at_exit "kill $stranger $barod; wait $barod"
wait_for 20 test -s port
echo secret >token
chmod 600 token
export BARO_TOKEN_FILE=$SCRATCH/token
hostile "[{\"files\":[\"http://127.0.0.1:$(cat port)\"]}]" >out
is "a server that it names is not shown the caller's token" "$(cut -d ' ' -f 2 heads | sort -u)" None
: >heads
baro job slice --server "$server" -s "http://127.0.0.1:$(cat port)" logs/job.darshan >out 2>&1
is "one that the caller names is" "$(cut -d ' ' -f 2- heads | sort -u)" "Bearer secret"
unset BARO_TOKEN_FILE
kill "$stranger"
at_exit "kill $barod; wait $barod"

# ---- more than one answer holds ----
for part in 1 2 3; do
    python3 -c "for i in range(23): print('{\"id\":\"$part.%d\",\"start\":1600000000,\"name\":\"%s\"}' % (i, 'long-' * 200000))" >lines
    curl -s --unix-socket sock -H 'Content-Type: application/x-ndjson' --data-binary @lines http://localhost/v1/jobs
done | jq -s 'map(.accepted) | add' >out
is "long jobs are taken" "$(cat out)" 69
is "of more than is told at once the newest are listed, and it is said" \
    "$(baro job list --server "$server" -o csv 2>errors | grep -c long-long; grep -c 'has more' errors)" "59
1"

# ---- every night ----
yesterday=$(date -d '1 days ago' +%Y/%-m/%-d)
before=$(date -d '2 days ago' +%Y/%-m/%-d)
mkdir -p "darshan/$yesterday" "darshan/$before"
sed 's/^/x/' logs/job.darshan >"darshan/$before/bad.darshan"
cp logs/job.darshan "darshan/$yesterday/"
nightly() { BARO_DARSHAN_LOGS=$SCRATCH/darshan BARO_SERVER=$server "$TOP/etc/baro-summarize-logs" 2>&1; }
is "the last days' logs are summarised every night, and one that is none is named" \
    "$(nightly >out; echo $?; grep -c 'bad.darshan' out; tail -n 1 out)" "1
1
baro: 1 of 2 logs gave no row"
rm "darshan/$before/bad.darshan"
is "the next night what has a row is passed over" "$(nightly | head -n 1)" "baro: 1 of 1 logs had a row already"
is "without logs of these days nothing is wrong" \
    "$(BARO_DARSHAN_LOGS=$SCRATCH/elsewhere "$TOP/etc/baro-summarize-logs" 2>&1; echo $?)" \
    "baro-summarize-logs: no logs of these days below $SCRATCH/elsewhere
0"
rm -r darshan
finish
