#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro session run in jobs of Debian's Slurm, of two users at the same time: each has her plugins on all of
# her nodes and her own data, and neither reads or joins the other's.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-slurm.sh"
requires python3 sqlite3 setpriv
why=$(slurm_available) || skip_all "$why"
cd "$SCRATCH" || exit 1
setpriv --reuid 65534 --clear-groups test -x "$BUILD/src/cmd/baro" || skip_all "other users cannot reach the build"
slurm_start || {
    slurm_why | sed 's/^/# /'
    skip_all "no Slurm could be started here"
}
# Users have to reach munge and the configuration; the key of munge stays root's.
chmod 755 "$SCRATCH" "$SLURM_DIR" "$SLURM_DIR/munge"
[ "$SLURM_NODES" = 'slurm[1-3]' ] || skip_all "this Slurm is one node"

as() { # UID COMMAND...
    as_uid=$1
    shift
    setpriv --reuid "$as_uid" --regid "$as_uid" --clear-groups env HOME="$SCRATCH/home$as_uid" \
        XDG_DATA_HOME="$SCRATCH/home$as_uid/data" "$@"
}
for uid in 1 2; do
    mkdir -m 755 "home$uid"
    mkdir "home$uid/plugins"
    cat >"home$uid/plugins/mine$uid.lua" <<END
plugin { name = "mine$uid", version = "1", reads = { "/proc/loadavg" }, metrics = { { "of_$uid", "1" } },
         events = { { "second", "info" } } }
local calls = 0
function source(t)
    calls = calls + 1
    sample("of_$uid", $uid)
    contribute("nodes", "sum", 1)
    if calls == 2 then event("second", "call") end
end
END
    # The application: it ends when all nodes have been called twice.
    cat >"home$uid/app" <<'END'
#!/bin/sh
# app UID: a task of the job
db=$XDG_DATA_HOME/barograph/sessions/step0.job-$SLURM_JOB_ID.weather/session.db
until [ "$(sqlite3 -readonly -cmd '.timeout 10000' "$db" "SELECT count(*) FROM events WHERE name = 'mine$1.second'" || echo 0)" -ge 3 ] && [ ! -e "$HOME/stay" ]; do
    sleep 0.2
done
[ "$SLURM_PROCID" != 0 ] || exit "$1"
END
    cat >"home$uid/job" <<END
#!/bin/sh
#SBATCH --nodes=3 --ntasks-per-node=1 --output=$SCRATCH/home$uid/out
exec baro session run --plugins \$HOME/plugins --period 300ms --heartbeat 400ms -- srun ./app $uid
END
    chmod 755 "home$uid/app"
    chown -R "$uid:$uid" "home$uid"
done
submit() { # UID: the number of the job
    as "$1" sbatch --parsable --chdir="$SCRATCH/home$1" "home$1/job" 2>"submit.err"
}
sessions() { # UID
    echo "$SCRATCH/home$1/data/barograph/sessions"
}
data() { # UID JOB SQL
    session_rows "$(sessions "$1")/step0.job-$2.weather/session.db" "$3"
}
is_over() { [ -z "$(squeue -h -j "$1" 2>/dev/null)" ]; }

touch home1/stay
one=$(submit 1)
two=$(submit 2)
ok "two users submit" test -n "$one" -a -n "$two"
three_contribute() { [ "$(data "$1" "$2" "SELECT count(*) FROM events WHERE name = 'mine$1.second'" || echo 0)" -ge 3 ]; }
ok "the first one's plugins run on her nodes" wait_for 60 three_contribute 1 "$one"
ok "the other's, at the same time, on hers" wait_for 60 is_over "$two"
is "and her command has ended" "$(tail -n 1 home2/out | sed 's/[0-9]* triggers, [0-9]* contr/N triggers, N contr/')" \
    "baro session run: step0.job-$two.weather: 3 of 3 ranks, N triggers, N contributions, 3 events; data: $(sessions 2)/step0.job-$two.weather/session.db"
is "all of its ranks contributed" "$(data 2 "$two" "SELECT max(value) FROM results WHERE metric = 'mine2_nodes_sum'")" 3.0
is "each by its node's name" "$(data 2 "$two" "SELECT DISTINCT host, value FROM samples ORDER BY host" | tr '\n' ',')" \
    "slurm1 2.0,slurm2 2.0,slurm3 2.0,"
is "the job's exit status is the command's" "$(data 2 "$two" "SELECT value FROM session WHERE key = 'exit_status'") $(scontrol show job "$two" | grep -o 'ExitCode=[0-9:]*')" \
    "2 ExitCode=2:0"
is "nothing of the one is in the other's data" "$(data 2 "$two" "SELECT count(*) FROM samples WHERE metric != 'of_2'") $(data 1 "$one" "SELECT count(*) FROM samples WHERE metric != 'of_1'")" "0 0"

# ---- the other user ----
own=$(sessions 1)/step0.job-$one.weather
as 1 test -r "$own/session.db" || fail "the owner reads hers"
is "another user reads nothing of it" "$(as 2 cat "$own/session.db" 2>&1 | grep -c 'Permission denied') $(as 2 ls "$own" 2>&1 | grep -c 'Permission denied')" "1 1"
root_of() { # UID: the program of the run
    pgrep -u "$1" -f '^baro session run'
}
port=$(python3 - "$(root_of 1)" <<'END'
import os, sys
inodes = set()
for fd in os.listdir(f"/proc/{sys.argv[1]}/fd"):
    to = os.readlink(f"/proc/{sys.argv[1]}/fd/{fd}")
    if to.startswith("socket:["):
        inodes.add(to[8:-1])
for line in open("/proc/net/tcp").readlines()[1:]:
    part = line.split()
    if part[3] == "0A" and part[9] in inodes:
        print(int(part[1].split(":")[1], 16))
END
)
joins_and_losses() { # of several ranks that join together, one
    data 1 "$one" "SELECT count(*) FROM events WHERE name IN ('session.join', 'session.lost')"
}
before=$(joins_and_losses)
mkfifo -m 666 invitation
as 2 baro-session-node <invitation 2>another.err &
another=$!
exec 9>invitation
echo "barograph session 1 $(printf 'b%.0s' $(seq 64))" >&9
printf '[session]\nname = step0.job-%s.weather\nhosts = control,slurm[1-3]\naddress = %%h:%%p\nport = %s\nfanout = 3\nheartbeat = 100ms\nperiod = 200ms\nlead = 50ms\ndeadline = 100ms\nrank = 1\n[child]\ncontrol_address = 127.0.0.1:%s\nend\n' \
    "$one" "$port" "$port" >&9
wait "$another"
exec 9>&-
is "who has another key does not join" "$? $(joins_and_losses)" "0 $before"
secrets() {
    for secrets_pid in $(pgrep -u 1); do
        cat "/proc/$secrets_pid/cmdline" "/proc/$secrets_pid/environ"
    done 2>/dev/null | grep -acE '(^|[^0-9a-f])[0-9a-f]{64}($|[^0-9a-f])'
}
is "the key is in no argument and no environment" "$(secrets)" 0

# ---- ends that nobody planned ----
nodes() { # UID
    pgrep -u "$1" -x baro-session-no
}
is "a node of each host is there" "$(nodes 1 | wc -l)" 3
kill -9 "$(root_of 1)"
has_no_nodes() { ! nodes 1; }
ok "when the run is killed its nodes leave" wait_for 2 has_no_nodes
rm home1/stay
scancel "$one" 2>/dev/null
wait_for 30 is_over "$one"
touch home1/stay
chown 1 home1/stay
one=$(submit 1)
ok "another job" wait_for 60 three_contribute 1 "$one"
scancel "$one"
ok "is cancelled" wait_for 60 is_over "$one"
ok "and no node stays" wait_for 10 has_no_nodes
finish
