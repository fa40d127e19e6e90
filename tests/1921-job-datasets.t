#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Which datasets a job had mounted: reported by the agent of its node, whatever is killed meanwhile, stored once, on the
# job's page and in what two jobs differ; a private one's name for the job's owner and administrators alone; and what is
# mounted on a node now.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-dataset.sh
. "$(dirname "$0")/lib-dataset.sh"
# shellcheck source=tests/lib-barod.sh
. "$(dirname "$0")/lib-barod.sh"
# shellcheck source=tests/lib-roles.sh
. "$(dirname "$0")/lib-roles.sh"
requires jq curl python3
roles_start
cd "$SCRATCH" || exit 1
chmod 755 "$SCRATCH"
token n1 --role agent --host n1 --cluster alex
token bob --role user --user bob
a=$(printf 'a%.0s' $(seq 64)) b=$(printf 'b%.0s' $(seq 64)) c=$(printf 'c%.0s' $(seq 64))

post() { # TOKEN PATH FILE
    curl -s -o posted -w '%{http_code}' -H "Authorization: Bearer $(cat "$SCRATCH/$1")" -H 'Content-Type: application/x-ndjson' \
        --data-binary "@$3" "$url$2"
}
counts() { jq -c '[.accepted, .changed, .duplicate, .refused]' posted; }
record() { # ID UID
    printf '{"cluster":"alex","id":"%s","raw_id":"%s","user":"alice","uid":%s,"account":"phys","nodes":"n[1-2]","start":%s,"state":"RUNNING"}\n' \
        "$1" "$1" "$2" "$T"
}
mounted() { # JOB HOST DIGEST NAME PATH PRIVATE [AFTER]
    printf '{"job":"%s","host":"%s","digest":"%s","name":"%s","path":"%s","private":%s,"uid":1000,"t":%s,"options":"ro,nosuid,nodev","command":"srun --dataset"}\n' \
        "$1" "$2" "$3" "$4" "$5" "$6" $((T + 60 + ${7:-0}))
}
json() { # TOKEN JOB JQ
    get "$1" "/v1/jobs/$2?cluster=alex" | jq -c "$3"
}
page() { get "$1" "/v1/jobs/$2?cluster=alex&format=text"; }

# ---- stored once ----
for id in 71 72; do record $id 1000; done >jobs.lines
is "the batch system knows two jobs" "$(post scheduler /v1/jobs jobs.lines)" 200
{
    mounted 71 n1 "$a" python:3.11 /opt/python false
    mounted 71 n1 "$b" input:v1 /data false
    mounted 71 n1 "$c" secret:v1 /secret true
    mounted 71 n1 "$c" old:v1 /old false
} >first.lines
is "what its node reports is stored" "$(post n1 /v1/datasets first.lines) $(counts)" "200 [4,0,0,0]"
is "sent again it changes nothing" "$(post n1 /v1/datasets first.lines) $(counts)" "200 [0,0,4,0]"
mounted 71 n2 "$a" python:3.11 /opt/python false >other.line
is "an agent reports of its own host alone" "$(post n1 /v1/datasets other.line) $(counts)" "200 [0,0,0,1]"
is "and of its own cluster" "$(sed 's/{/{"cluster":"fritz",/; s/"n2"/"n1"/' other.line >wrong.line; post n1 /v1/datasets wrong.line) $(counts)" "200 [0,0,0,1]"
is "nobody but an agent reports" "$(for who in reader scheduler user support; do post $who /v1/datasets first.lines; done)" 403403403403
sed 's/"job"/"cluster":"alex","job"/' other.line >n2.line
is "one of another node" "$(post gateway /v1/datasets n2.line) $(counts)" "200 [1,0,0,0]"
sed 's/"host":"n2"/"host":"n9"/; s/python:3.11/forged:v1/' n2.line >forged.line
is "one of a node that is none of the job's is stored, as its record may be late" "$(post gateway /v1/datasets forged.line) $(counts)" "200 [1,0,0,0]"
echo '{"job":"71"}' >wrong.line
is "a line that is none is named" "$(post n1 /v1/datasets wrong.line) $(counts) $(jq -r '.refusals[0].reason' posted | grep -c missing)" "200 [0,0,0,1] 1"
is "a later step is seen" "$(mounted 71 n1 "$b" input:v1 /data false 100 >later.line; post n1 /v1/datasets later.line) $(counts)" "200 [0,1,0,0]"

# ---- who sees what ----
is "its owner sees all" "$(json user 71 '[.datasets.hidden, (.datasets.mounts | length)]')" "[0,4]"
is "but what is of another host is left out, and counted" "$(json user 71 '[.datasets.foreign, (.datasets.mounts | map(select(.name == "forged:v1")) | length)]')" "[1,0]"
is "digest, name, path, options, command, hosts" "$(json user 71 '.datasets.mounts[] | select(.path == "/opt/python") | [.digest == ("a" * 64), .name, .options, .command, .hosts, .host_count, .private]')" \
    '[true,"python:3.11","ro,nosuid,nodev","srun --dataset","n[1-2]",2,false]'
is "and from when to when" "$(json user 71 '.datasets.mounts[] | select(.path == "/data") | .last_s - .first_s')" 100
page user 71 >page
ok "on her page" grep -qxF "  python:3.11  aaaaaaaaaaaa at /opt/python on n[1-2]  ro,nosuid,nodev  (srun --dataset)" page
is "and how many were left out" "$(grep -cx '  1 are left out: of hosts that are not its nodes.' page) $(grep -c forged page)" "1 0"
ok "with the private one" grep -qxF "  secret:v1  cccccccccccc at /secret on n1  ro,nosuid,nodev,private  (srun --dataset)" page
for who in admin user; do
    is "so has $who" "$(page $who 71 | grep -c secret) $(json $who 71 '[.datasets.mounts[].name] | index("secret:v1") != null')" "1 true"
done
for who in reader support manager; do
    page $who 71 >page
    is "$who sees how many are private" "$(grep -c '^  1 private: which, its owner and administrators see.$' page) $(json $who 71 '[.datasets.hidden, (.datasets.mounts | length)]')" "1 [1,3]"
    is "and nothing of them" "$(grep -c 'secret' page) $(json $who 71 . | grep -c secret)" "0 0"
done
is "another user has no such job" "$(status bob '/v1/jobs/71?cluster=alex')" 404
get user "/v1/jobs/71/page?cluster=alex" >page
ok "it is on the HTML page" grep -q '<h2>Datasets</h2>' page
ok "with names" grep -q 'python:3.11' page
BARO_SERVER=$url BARO_TOKEN_FILE=$SCRATCH/user
export BARO_SERVER BARO_TOKEN_FILE
chmod 600 user n1
baro job show 71 --cluster alex >page 2>err
ok "baro job show has it" grep -qF "python:3.11  aaaaaaaaaaaa at /opt/python" page

# ---- two jobs ----
echo one >one
mkdir tree1 tree2
cp one tree1/same
cp one tree2/same
echo two >tree2/added
v1=$(baro dataset create tree1 --tag input:v1 2>/dev/null)
v2=$(baro dataset create tree2 --tag input:v2 2>/dev/null)
{
    mounted 72 n1 "$a" python:3.11 /opt/python false
    mounted 72 n1 "$v2" input:v2 /data2 false
    mounted 72 n1 "$b" new:v1 /new false
    mounted 71 n1 "$v1" input:v1 /data2 false
} >second.lines
post n1 /v1/datasets second.lines >out
diff_of() { get "$1" '/v1/diff?jobs=71,72&cluster=alex&format=text'; }
diff_of user >page
ok "they have one that is the same" grep -qxF "  same python:3.11  aaaaaaaaaaaa at /opt/python" page
ok "one that is another" grep -qxF "  changed input:v1  $(echo "$v1" | cut -c1-12) at /data2, then input:v2  $(echo "$v2" | cut -c1-12)" page
ok "with the command that states which files differ" grep -qxF "    which files differ: baro dataset diff $v1 $v2" page
ok "one that is gone" grep -qxF "  gone old:v1  cccccccccccc at /old" page
ok "and one that was added" grep -qxF "  added new:v1  bbbbbbbbbbbb at /new" page
ok "the private one for her" grep -q "gone secret:v1" page
diff_of reader >page
is "for others it is not there" "$(grep -c secret page) $(grep -c 'Private ones are compared for their owner' page)" "0 1"
(unset BARO_DATASETS; baro job diff 71 72 --cluster alex) >page 2>err
ok "baro job diff has the command to type" grep -q "which files differ: baro dataset diff $v1 $v2" page
baro job diff 71 72 --cluster alex --repository "$BARO_DATASETS" >page 2>err
ok "with a repository it has the files" grep -qx "    added added" page
baro job diff 71 72 --cluster alex --repository "$SCRATCH/nosuch" >page 2>err
is "one that is not there is named" "$? $(grep -c 'which files differ' page) $(grep -c nosuch err)" "0 1 1"

# ---- a node ----
why=
[ "$(id -u)" = 0 ] || why="only root can mount, and be other users"
[ -e /dev/fuse ] || why="this kernel has no FUSE (/dev/fuse)"
grep -q erofs /proc/filesystems || modprobe erofs 2>/dev/null || why="this kernel has no EROFS"
unshare -Urm true 2>/dev/null || why="no user and mount namespaces here"
if [ "$why" ]; then
    skip "a node reports what is mounted" "$why"
    finish
    exit
fi
requires baro-dataset-agent setpriv pgrep
agent=$SCRATCH/run
at_exit 'grep " $agent[/ ]" /proc/self/mounts | cut -d" " -f2 | tac | xargs -r -n1 umount -l'
# step.py SOCKET DONE LINE...: slurmstepd to the agent, until DONE exists.
cat >step.py <<'END'
import array, os, socket, sys, time
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
for line in sys.argv[3:]:
    s.sendall(line.encode() + b"\n")
    if not line.startswith("used"):
        data, fds, *_ = s.recvmsg(1000, 64)
        print(data.decode().split()[0], flush=True)
while not os.path.exists(sys.argv[2]):
    time.sleep(0.1)
END
serve_agent() { # [KEY=VALUE...]
    rm -f "$agent/agent.sock"
    serve_more=
    for serve_key in "$@"; do serve_more="$serve_more --set $serve_key"; done
    # shellcheck disable=SC2086
    baro-dataset-agent --config /dev/null --directory "$agent" --user nobody --set "dataset.upstream=unix:$SCRATCH/origin.sock" \
        --set "jobs.server=$url" --set "jobs.token_file=$SCRATCH/nobody.token" --set jobs.host=n1 --set "jobs.spool=$SCRATCH/spool" \
        $serve_more >>"$SCRATCH/agent.log" 2>&1 &
    echo $! >"$SCRATCH/pids/agent"
    wait_for 20 test -S "$agent/agent.sock"
}
step() { # JOB DONE NAME PATH [COMMAND]
    python3 step.py "$agent/agent.sock" "$2" "mount-for 5 60 $1 $3" "used 0 ${5:-srun} $4" >>"step.$1" 2>&1 &
}
has() { # JOB COUNT
    [ "$(json admin "$1" '.datasets.mounts | length')" = "$2" ]
}
spooled() { [ "$(find spool -name '[0-9]*' | wc -l)" = "$1" ]; }
for id in 81 82 83 84 85 86 87; do record $id 5; done >jobs.lines
post scheduler /v1/jobs jobs.lines >out
cp n1 nobody.token
chown nobody nobody.token
chmod 600 nobody.token
baro dataset create tree1 --tag secret:v1 --access private >/dev/null 2>&1
mkdir tree3
echo hidden >tree3/hidden
baro dataset create tree3 --tag hidden:v1 --access private >/dev/null 2>&1
baro dataset access hidden:v1 --owner games
serve origin "repository=$BARO_DATASETS" socket_mode=0666 trusted=nobody
ok "an agent listens" serve_agent
step 81 done.81 input:v2 "/opt/a b" sbatch
ok "a job has a dataset on its page, by its node's agent" wait_for 30 has 81 1
is "with all that is known" "$(json admin 81 '.datasets.mounts[0] | [.digest, .name, .path, .options, .command, .hosts, .private]')" \
    "[\"$v2\",\"input:v2\",\"/opt/a b\",\"ro,nosuid,nodev\",\"sbatch --dataset\",\"n1\",false]"
step 82 done.82 hidden:v1 /hidden other
ok "one that is private" wait_for 30 eval '[ "$(json admin 82 ".datasets.mounts[0].private")" = true ]'
is "of a list that no command of Slurm made" "$(json admin 82 '.datasets.mounts[0].command')" '"SLURM_DATASET"'
is "is one for others" "$(json reader 82 .datasets)" '{"hidden":1,"foreign":0,"mounts":[]}'
ok "what barod has is not in the spool" wait_for 20 spooled 0
is "what is sent was read by a user without rights" "$(ps -o user= -p "$(pgrep -P "$(cat pids/agent)" -u nobody | head -1)")" nobody

# ---- where ----
where() { baro dataset where --agent "$agent/agent.sock" --output csv; }
is "root sees what is mounted, where, and by which option of which command" "$(where)" \
    "job,user,dataset,digest,path,options,command
81,games,input:v2,$v2,/opt/a b,\"ro,nosuid,nodev\",sbatch --dataset
82,games,hidden:v1,$(baro dataset show hidden:v1 --output csv | sed -n 's/^name,//p'),/hidden,\"ro,nosuid,nodev\",SLURM_DATASET"
as() { # UID COMMAND...
    as_user=$1
    shift
    setpriv --reuid="$as_user" --regid=60 --clear-groups env HOME=/ "$@"
}
is "its user, too" "$(as 5 baro dataset where --agent "$agent/agent.sock" --output csv | wc -l)" 3
is "another user sees nothing of it" "$(as 9 baro dataset where --agent "$agent/agent.sock" --output csv)" "job,user,dataset,digest,path,options,command"
as 9 baro dataset run --agent "$agent/agent.sock" --dataset input:v2 -- baro dataset where --agent "$agent/agent.sock" --output csv >out 2>err
is "but its own, also of no job" "$(tail -1 out)" ",news,input:v2,$v2,$agent/here/input:v2,\"ro,nosuid,nodev\",baro dataset run --dataset"
is "a command of no job is not recorded" "$(find spool -name '[0-9]*' | wc -l)" 0
touch done.81 done.82
ok "what has ended is not listed" wait_for 20 eval '[ "$(where | wc -l)" = 1 ]'
# where.py SOCKET: the list, and how many descriptors came with it; then who requests lists and reads none.
cat >where.py <<'END'
import select, socket, sys
s = socket.socket(socket.AF_UNIX)
s.settimeout(20)
s.connect(sys.argv[1])
s.sendall(b"where\n")
text, count, data = b"", 0, b"-"
while data and not text.endswith(b"\n\n"):
    data, parts, *_ = s.recvmsg(1000, 64)
    text, count = text + data, count + len(parts)
print(text.split()[0].decode(), count, flush=True)
s.sendall(b"where\n" * 1000)
gone = select.poll()
gone.register(s, 0)
print("ended" if gone.poll(40000) else "waits")
END
is "the agent hands out no memory of its own for that, and does not wait for who reads nothing" "$(python3 where.py "$agent/agent.sock")" "ok 0
ended"
is "where there is no agent the remedy is stated" "$(baro dataset where --agent no.sock 2>&1 | grep -c 'is baro-dataset-agent running')" 1

# ---- barod is killed, then the agent ----
kill -KILL "$pid"
wait "$pid" 2>/dev/null
step 83 done.83 input:v2 /data
ok "without barod a job has its mount" wait_for 20 grep -qx ok step.83
ok "and the record waits" wait_for 20 spooled 1
ok "which is logged" wait_for 20 grep -q "what jobs have mounted waits for barod" agent.log
kill_server agent KILL
grep " ${agent}[/ ]" /proc/self/mounts | cut -d" " -f2 | tac | xargs -r -n1 umount -l
ok "the agent is killed: the record is there" spooled 1
ok "another one listens" serve_agent
ok "barod is started" start_barod
ok "and has it" wait_for 90 has 83 1
is "once" "$(json admin 83 '[.datasets.mounts[] | .first_s == .last_s]')" "[true]"
ok "then the spool is empty" wait_for 20 spooled 0
touch done.83

# ---- a spool that is bad ----
mkdir spool/1
: >spool/2
step 86 done.86 input:v2 /data
ok "what cannot be read, and what is empty, holds up no record" wait_for 30 has 86 1
ok "it is set aside" test -d spool/.bad-1 -a ! -e spool/1 -a ! -e spool/2
ok "and the log has how many" grep -q "1 mounts of jobs are lost in all that were not whole in the spool; 1 cannot be read" agent.log
chmod 750 spool
step 87 done.87 input:v2 /data
ok "a spool that cannot be emptied is sent" wait_for 30 has 87 1
ok "which is logged" wait_for 20 grep -q "the spool of what jobs have mounted cannot be read or emptied" agent.log
sleep 4
is "once, and it stays" "$(grep -c 'cannot be read or emptied' agent.log) $(find spool -name '[0-9]*' | wc -l)" "1 1"
chmod 770 spool
ok "until it can" wait_for 60 spooled 0
ok "which is logged, too" wait_for 20 grep -q "the spool of what jobs have mounted is emptied" agent.log
touch done.86 done.87

# ---- a spool that is full ----
kill_server agent TERM
kill -KILL "$pid"
wait "$pid" 2>/dev/null
ok "an agent with a small spool" serve_agent jobs.spool_max=16
for i in 1 2 3 4 5 6; do
    python3 step.py "$agent/agent.sock" "$SCRATCH" "mount-for 5 60 84 input:v2" "used 0 srun /p$i" >>step.84 2>&1
done
is "it holds up no mount" "$(grep -cx ok step.84)" 6
ok "a user has a quarter of it" wait_for 20 spooled 4
for i in 1 2 3 4 5 6; do
    python3 step.py "$agent/agent.sock" "$SCRATCH" "mount-for 10000$i 60 88 input:v2" "used 0 srun /p" >>step.88 2>&1
done
ok "also with many numbers, by the job" wait_for 20 spooled 8
ok "the others are counted" wait_for 20 eval '[ "$(stat -c %s spool/lost)" = 4 ]'
ok "barod is back" start_barod
ok "what is in it arrives" wait_for 90 has 84 4
ok "and the log states how many are lost" wait_for 20 grep -q "4 mounts of jobs are lost in all" agent.log
is "who connects cannot fill it with one mount" "$(python3 step.py "$agent/agent.sock" "$SCRATCH" "mount-for 5 60 85 input:v2" "used 0 srun /a" "used 0 srun /b" "used 0 srun /c"
    wait_for 30 has 85 1 >/dev/null; sleep 2; json admin 85 '.datasets.mounts | length')" "ok
1"
is "a claim of another mount ends the connection" "$(python3 step.py "$agent/agent.sock" "$SCRATCH" "used 0 srun /a" "where" 2>&1 | tail -1 | grep -c Error)" 1
servers_end
end_barod
is "barod ends" $? 0
finish
