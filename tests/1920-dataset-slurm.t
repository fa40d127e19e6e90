#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The SPANK plugin with Debian's Slurm: srun, sbatch and salloc with --dataset.  Two users; what is private is refused
# to the other; a job's references are taken before it runs and given back when it has ended, also where slurmstepd is
# killed, or there is no agent at the time; four tasks have one mount.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-slurm.sh
. "$(dirname "$0")/lib-slurm.sh"
[ "$(id -u)" = 0 ] || skip_all "only root can mount, and be other users"
[ -e /dev/fuse ] || skip_all "this kernel has no FUSE (/dev/fuse)"
grep -q erofs /proc/filesystems || modprobe erofs 2>/dev/null || skip_all "this kernel has no EROFS"
unshare -Urm true 2>/dev/null || skip_all "no user and mount namespaces here"
plugin=$BUILD/src/dataset/spank/baro_dataset.so
[ -e "$plugin" ] || skip_all "the plugin was not built: libslurm-dev is not installed"
why=$(slurm_available) || skip_all "$why"
{ id games && id news; } >/dev/null 2>&1 || skip_all "there are no users games and news"
# shellcheck source=tests/lib-dataset.sh
. "$(dirname "$0")/lib-dataset.sh"
# shellcheck source=tests/lib-barod.sh
. "$(dirname "$0")/lib-barod.sh"
# shellcheck source=tests/lib-roles.sh
. "$(dirname "$0")/lib-roles.sh"
requires baro-dataset-agent python3 pgrep setpriv sqlite3
chmod 755 "$SCRATCH"
cd "$SCRATCH" || exit 1
agent=$SCRATCH/run
at_exit 'grep " $agent[/ ]" /proc/self/mounts | cut -d" " -f2 | tac | xargs -r -n1 umount -l'
export SLURM_PLUGSTACK="required $plugin agent=$agent/agent.sock"
slurm_start || {
    slurm_why | sed 's/^/# /'
    skip_all "no Slurm could be started here"
}
chmod 755 "$SLURM_DIR"

serve_agent() {
    rm -f "$agent/agent.sock"
    baro-dataset-agent --config /dev/null --directory "$agent" --user nobody --set "dataset.upstream=unix:$SCRATCH/origin.sock" \
        --set "jobs.server=$url" --set "jobs.token_file=$SCRATCH/n1" --set jobs.host=n1 --set "jobs.spool=$SCRATCH/spool" \
        --set "dataset.patience=${1:-60s}" >>"$SCRATCH/agent.log" 2>&1 &
    echo $! >"$SCRATCH/pids/agent"
    wait_for 20 test -S "$agent/agent.sock"
}
as() { # USER COMMAND...
    as_user=$1
    shift
    timeout 100 setpriv --reuid="$as_user" --regid="$(id -g "$as_user")" --init-groups env HOME=/ "$@"
}
refs() { baro dataset show "$dataset" --output csv | grep -c "$1 "; }
has_refs() { [ "$(refs "$1")" = "$2" ]; } # KIND COUNT
refused() { # PATTERN COMMAND...
    refused_pattern=$1
    shift
    "$@" >"$SCRATCH/out" 2>"$SCRATCH/err"
    refused_status=$?
    cat "$SCRATCH/err"
    [ "$refused_status" != 0 ] && grep -q "$refused_pattern" "$SCRATCH/err" && ! grep -q ran "$SCRATCH/out"
}

mkdir -p "$SCRATCH/tree/bin" "$SCRATCH/secret" "$SCRATCH/here" "$SCRATCH/other" "$SCRATCH/outputs"
chmod 777 "$SCRATCH/other" "$SCRATCH/outputs"
printf '#!/bin/sh\necho right\n' >"$SCRATCH/tree/bin/program"
chmod 755 "$SCRATCH/tree/bin/program"
echo hidden >"$SCRATCH/secret/file"
ok "a dataset is made" dataset_make 2
baro dataset create "$SCRATCH/secret" --tag secret:v1 --access private >/dev/null 2>&1
baro dataset access secret:v1 --owner games
serve origin "repository=$BARO_DATASETS" socket_mode=0666 trusted=nobody
roles_start
token n1 --role agent --host n1 --cluster alex
chmod 600 n1
chown nobody n1
recorded() { sqlite3 -cmd '.timeout 10000' "$SCRATCH/records.db" "SELECT count(*) FROM job_datasets WHERE cluster = 'alex' AND host = 'n1' AND $1"; }
is_recorded() { [ "$(recorded "$1")" -ge 1 ]; }
ok "an agent listens" serve_agent

# ---- one step ----
is "a task runs a program of a dataset" "$(as games srun --dataset code:v1 "$agent/here/code:v1/bin/program")" right
is "also at a path" "$(as games srun --dataset "code:v1:$SCRATCH/here" "$SCRATCH/here/bin/program")" right
is "its environment has what is mounted where" "$(srun --dataset "code:v1:$SCRATCH/here" printenv BARO_DATASET_MOUNTS)" \
    "$dataset:$SCRATCH/here"
is "without datasets there is no such variable" "$(BARO_DATASET_MOUNTS=x srun sh -c 'echo "${BARO_DATASET_MOUNTS-none}"')" none
is "nobody else sees it" "$(ls "$SCRATCH/here" "$agent/here")" "$SCRATCH/here:

$agent/here:"
is "two of them" "$(srun --dataset code:v1 --dataset "code:v1:$SCRATCH/here" sh -c '"$0/bin/program"; "$1/here/code:v1/bin/program"' \
    "$SCRATCH/here" "$agent")" "right
right"
is "LD_ variables of the user are there" "$(LD_LIBRARY_PATH=/x/y srun --dataset code:v1 sh -c 'echo $LD_LIBRARY_PATH')" /x/y
is "so is the directory, of what is mounted there" "$(cd "$SCRATCH/here" && srun --dataset "code:v1:$SCRATCH/here" sh -c 'pwd; ls bin')" \
    "$SCRATCH/here
program"
is "a task gets no privilege by set-user-ID" "$(as games srun --dataset code:v1 grep NoNewPrivs /proc/self/status | tr -d '\t')" NoNewPrivs:1
is "without datasets it is as ever" "$(as games srun grep NoNewPrivs /proc/self/status | tr -d '\t')" NoNewPrivs:0
cat >tasks.sh <<'END'
readlink /proc/self/ns/mnt
: >"$1/started.$SLURM_PROCID"
while [ ! -e "$1/go" ]; do sleep 0.1; done
END
srun -N1 -n4 --overcommit --dataset "code:v1:$SCRATCH/here" sh tasks.sh "$SCRATCH" >tasks.out 2>&1 &
tasks=$!
wait_for 30 test -e started.0 -a -e started.1 -a -e started.2 -a -e started.3
is "four tasks have one connection to the agent" "$(pgrep -c -P "$(cat pids/agent)" -U root)" 1
is "and one mount" "$(grep -c " $agent/trees/" /proc/self/mounts)" 1
ok "a job's reference is in the repository while it runs" has_refs job 1
ok "baro dataset where has the step once, its job and whose option it was" eval \
    'baro dataset where --agent "$agent/agent.sock" --output csv >where.out; cat where.out; [ "$(grep -c "" where.out)" = 2 ] &&
    grep -qE "^[0-9]+,$(id -un),code:v1,$dataset,$SCRATCH/here,\"ro,nosuid,nodev\",srun --dataset$" where.out'
cat >list.py <<'END'
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.settimeout(20)
s.connect(sys.argv[1])
s.sendall(b"where\n")
text, count, data = b"", 0, b"-"
while data and not text.endswith(b"\n\n"):
    data, parts, *_ = s.recvmsg(1000, 64)
    text, count = text + data, count + len(parts)
print(text.count(b'"command":"srun --dataset"'), count)
END
is "root's memory is in no user's hands for that: lines, and no descriptor" "$(python3 list.py "$agent/agent.sock") $(as news python3 list.py "$agent/agent.sock")" "1 0 0 0"
touch go
wait $tasks
is "and one namespace" "$(grep -c . tasks.out) $(sort -u tasks.out | grep -c mnt)" "4 1"
ok "the reference is given back at its end" wait_for 20 has_refs job 0

# ---- who may ----
is "its owner has what is private" "$(as games srun --dataset "secret:v1:$SCRATCH/here" cat "$SCRATCH/here/file")" hidden
ok "another one is refused, in words" refused "dataset 'secret:v1': it is not yours to read (its owner can grant it: baro dataset access)" \
    as news srun --dataset "secret:v1:$SCRATCH/here" echo ran
is "and has no reference" "$(baro dataset show secret:v1 --output csv | grep -c 'job ')" 0
ok "so is who writes the variable" refused "it is not yours to read" as news env "SLURM_DATASET=secret:v1:$SCRATCH/here" srun echo ran
as news sbatch --wait --parsable --output="$SCRATCH/outputs/refused.out" --dataset "secret:v1:$SCRATCH/here" --wrap "echo ran" >sbatch.out 2>&1
is "a script of another one fails" "$?" 1
ok "and its output has why" eval 'cat outputs/refused.out; grep -q "it is not yours to read" outputs/refused.out && ! grep -qx ran outputs/refused.out'
ok "what is not there is named" refused "dataset 'nosuch:v1': there is no such dataset, or tag" srun --dataset nosuch:v1 echo ran
ok "so is a directory that is not there" refused "mounting it at $SCRATCH/nodir: No such file.*the directory has to be there" \
    srun --dataset "code:v1:$SCRATCH/nodir" echo ran
mkdir -m 700 closed
ok "a user mounts nothing where it cannot go" refused "mounting it at $SCRATCH/closed/x: Permission denied" \
    as games srun --dataset "code:v1:$SCRATCH/closed/x" echo ran
ok "a list that is none is refused at once" refused "write NAME, or NAME:/path" srun --dataset "a,,b" echo ran
cat >claim.py <<'END'
import os, socket, sys
os.setgid(9)
os.setuid(9)
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1] + "/agent.sock")
for line in sys.argv[2:]:
    s.sendall(line.encode() + b"\n")
    print(s.recv(1000).decode().strip())
END
is "a user's claim to be another one is not believed" "$(python3 claim.py "$agent" "mount-for 5 60 1 secret:v1" "end 1")" \
    "error 1 only root requests something for another user
error 1 only root requests something for another user"

# ---- what is inherited: sbatch, salloc, nested srun ----
cat >nested.sh <<'END'
#!/bin/sh
#SBATCH --dataset=code:v1
where() { srun "$@" sh -c '
    echo "$SLURM_DATASET:" $(ls "$0/here") $(ls "$1/here") $(ls "$1/other")' "$agent" "$top"; }
echo "$SLURM_DATASET:" $(ls "$agent/here") $(ls "$top/here")
where
where --dataset "secret:v1:$top/here" --dataset "secret:v1:$top/other"
where --dataset none
where --dataset none --dataset "secret:v1:$top/other"
END
export agent top="$SCRATCH"
sbatch --wait --parsable --output=nested.out --error=nested.err nested.sh >/dev/null
is "sbatch has them, nested srun inherits, replaces, or clears" "$(cat nested.out)" "code:v1: code:v1
code:v1: code:v1
secret:v1:$SCRATCH/here,secret:v1:$SCRATCH/other: file file
none:
secret:v1:$SCRATCH/other: file"
sbatch --wait --parsable --export=NONE --output=export.out --dataset="code:v1:$SCRATCH/here" --wrap "$SCRATCH/here/bin/program" >/dev/null
is "also without the user's environment" "$(cat export.out)" right
is "srun of salloc inherits" "$(salloc -Q --dataset="code:v1:$SCRATCH/here" srun "$SCRATCH/here/bin/program")" right

# ---- what jobs had mounted, in barod's records ----
ok "srun's is recorded, of its user" wait_for 60 is_recorded \
    "command = 'srun --dataset' AND uid = '5' AND digest = '$dataset' AND path = '$SCRATCH/here' AND is_private = 0 AND job GLOB '[1-9]*'"
ok "sbatch's, also of srun in it" wait_for 60 is_recorded "command = 'sbatch --dataset' AND name = 'code:v1' AND path = '$agent/here/code:v1'"
ok "salloc's" wait_for 60 is_recorded "command = 'salloc --dataset' AND path = '$SCRATCH/here'"
ok "a private one as private" wait_for 60 is_recorded "command = 'srun --dataset' AND name = 'secret:v1' AND is_private = 1"
is "what was refused is not there" "$(recorded "uid = '9'")" 0

# ---- a tag that is moved ----
cat >moved.sh <<'END'
srun ls "$agent/here/move:v1"
: >"$top/moving"
while [ ! -e "$top/moved" ]; do sleep 0.1; done
srun ls "$agent/here/move:v1"
END
baro dataset tag move:v1 "$dataset"
salloc -Q --dataset=move:v1 sh moved.sh >moved.out 2>moved.err &
mover=$!
wait_for 30 test -e moving
baro dataset tag move:v1 secret:v1
touch moved
wait $mover
is "nothing changes under a job whose tag is moved" "$(sort moved.out | uniq -c | awk '{ print $1 $2 }')" "2bin
2part0
2part1
2part2
2part3"
is "the next one sees it" "$(as games srun --dataset=move:v1 ls "$agent/here/move:v1")" file

# ---- who used it ----
wait_for 20 has_refs job 0
is "jobs that used it are listed, by user and node" "$(baro dataset show secret:v1 --jobs --output csv | awk -F, '$2 == "games" && $5 != ""' | wc -l | tr -d ' ')" 2

# ---- slurmstepd is killed ----
cat >killed.sh <<'END'
: >"$1/running"
exec sleep "$2"
END
daemon_of() { # JOB
    for daemon in $(pgrep -f "^slurmstepd: \[$1\.0\]"); do
        ! tr '\0' '\n' <"/proc/$daemon/environ" | grep -qxF "SLURM_CONF=$SLURM_CONF" || echo "$daemon"
    done
}
rm -f go
as games srun --dataset "code:v1:$SCRATCH/here" sh killed.sh "$SCRATCH/other" 97 >killed.out 2>&1 &
killed=$!
wait_for 30 test -e other/running
job=$(squeue -h -o %A)
task=$(pgrep -u games -xf "sleep 97")
ok "a job runs" test -e "$agent/jobs/$job"
kill -KILL "$(daemon_of "$job")"
ok "its slurmstepd is killed: its task reads on" test -e "/proc/$task/root$SCRATCH/here/bin/program"
ok "and the job still has its reference" has_refs job 1
scancel "$job"
ok "the epilog gives the reference back" wait_for 60 has_refs job 0
kill -KILL "$task" 2>/dev/null
ok "and with the last task the mount" wait_for 60 not grep -q " $agent/trees/" /proc/self/mounts
ok "nothing is left of the job" test ! -e "$agent/jobs/$job"
kill $killed 2>/dev/null
wait $killed 2>/dev/null

# ---- an agent that does not respond ----
rm -f other/running
as games srun --dataset "code:v1:$SCRATCH/here" sh killed.sh "$SCRATCH/other" 95 >killed.out 2>&1 &
killed=$!
wait_for 30 test -e other/running
job=$(squeue -h -o %A)
kill -STOP "$(cat pids/agent)"
scancel "$job"
wait $killed
is_idle() { [ -z "$(squeue -h -t all -j "$job" -o %T | grep -e RUNNING -e COMPLETING)" ] && [ "$(sinfo -h -N -t idle -o %N | sort -u | wc -l)" = 3 ]; }
ok "an agent that does not respond holds no node" wait_for 60 is_idle
kill -CONT "$(cat pids/agent)"
ok "and gives the reference back when it does" wait_for 60 has_refs job 0

# ---- no agent ----
rm -f other/running
as games srun --dataset "code:v1:$SCRATCH/here" sh killed.sh "$SCRATCH/other" 96 >killed.out 2>&1 &
killed=$!
wait_for 30 test -e other/running
job=$(squeue -h -o %A)
kill_server agent KILL
grep " ${agent}[/ ]" /proc/self/mounts | cut -d" " -f2 | tac | xargs -r -n1 umount -l
scancel "$job"
wait $killed
ok "a job ends while there is no agent" wait_for 60 test -e "$agent/jobs/$job.ended"
is "its reference is there" "$(refs job)" 1
ok "a step without an agent states the remedy" refused "is baro-dataset-agent running on this node" srun --dataset code:v1 echo ran
ok "an agent is started" serve_agent 1s
ok "and gives it back" wait_for 60 has_refs job 0

# ---- no server ----
kill_server origin KILL
ok "beyond the patience a step fails, and states where" \
    refused "dataset 'code:v1': no upstream responded within the patience (upstream of baro-dataset-agent on this node)" \
    srun --dataset code:v1 echo ran

# ---- a job that ends while there is no server, and begins again ----
cat >root.py <<'END'
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1] + "/agent.sock")
for line in sys.argv[2:]:
    s.sendall(line.encode() + b"\n")
    print(s.recv(1000).decode().split()[0])
END
serve origin "repository=$BARO_DATASETS" socket_mode=0666 trusted=nobody
is_mounted_for() { [ "$(python3 root.py "$agent" "mount-for 5 60 77 code:v1")" = ok ]; }
ok "a job has a reference" wait_for 20 is_mounted_for
ok "in the repository" has_refs "job 77" 1
ok "and has it once, however often it mounts" is_mounted_for
is "one" "$(refs "job 77")" 1
kill_server origin KILL
is "its end is not stated as done without a server" "$(python3 root.py "$agent" "end 77")" error
ok "what is left is known" test -e "$agent/jobs/77.ended"
serve origin "repository=$BARO_DATASETS" socket_mode=0666 trusted=nobody
ok "the job begins again" wait_for 20 is_mounted_for
ok "and has its reference" has_refs "job 77" 1
ok "which no later sweep gives back" test -e "$agent/jobs/77" -a ! -e "$agent/jobs/77.ended"
is "until its end" "$(python3 root.py "$agent" "end 77")" ok
ok "it is given back" has_refs "job 77" 0
is "an end without a beginning is none" "$(python3 root.py "$agent" "end 78")" ok
ok "no node is drained by all this" test "$(sinfo -h -N -t idle,alloc,mix,comp -o %N | sort -u | wc -l)" = 3
servers_end
end_barod
is "barod ends" $? 0
finish
