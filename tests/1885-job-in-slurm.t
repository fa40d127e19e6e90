#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A job from its submission to its page, with Debian's Slurm and the kernel's cgroups: two users' jobs run under
# baro session run, a check that fails drains a node and its repair resumes it, an administrator's drain survives
# every restart; the owner has job, session, health and provenance on her page, and the other user sees none of it.
#
# Real: munged, slurmdbd, slurmctld, three slurmd, cgroups of version 1 (memory, cpuacct, freezer), barod, an agent
# a node, prolog and epilog as shipped. Played: the nodes are one machine; each slurmd has a mount namespace in which
# /run/barograph is its own node's, so that jobs find the agent where it is by default.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
. "$(dirname "$0")/lib-roles.sh"
. "$(dirname "$0")/lib-slurm.sh"
requires jq curl sqlite3 setpriv unshare
why=$(slurm_available) || skip_all "$why"
host=$BUILD/src/cmd/baro-plugin-host
[ -x "$host" ] || skip_all "no baro-plugin-host"
setpriv --reuid 65534 --clear-groups test -x "$BUILD/src/cmd/baro" || skip_all "other users cannot reach the build"
unshare -m true 2>/dev/null || skip_all "no mount namespaces here"
cgroup=/sys/fs/cgroup
for controller in memory cpuacct freezer; do
    { mkdir "$cgroup/$controller/baro-test" && rmdir "$cgroup/$controller/baro-test"; } 2>/dev/null ||
        skip_all "cgroups of version 1 cannot be made here ($controller)"
done
cd "$SCRATCH" || exit 1
chmod 755 "$SCRATCH"
nodes="slurm1 slurm2 slurm3"
for node in $nodes; do mkdir -p "run.$node" "root.$node"; done

# In the namespace /run is the node's: what is mounted there is seen by its slurmd and jobs alone.
cat >slurmd.node <<END
#!/bin/sh
node=\$1
shift
exec unshare --mount --propagation private sh -c '
    mkdir -p "$SCRATCH/run.\$0/barograph" && mount --bind "$SCRATCH/run.\$0" /run && exec "\$@"' "\$node" "\$@"
END
chmod +x slurmd.node
# shellcheck disable=SC2034 # of lib-slurm.sh
SLURM_CGROUPS=yes SLURM_SLURMD=$SCRATCH/slurmd.node
slurm_start || {
    slurm_why | sed 's/^/# /'
    skip_all "no Slurm with cgroups could be started here"
}
[ "$SLURM_NODES" = 'slurm[1-3]' ] || skip_all "this Slurm is one node"
chmod 755 "$SLURM_DIR" "$SLURM_DIR/munge"
sed -i 's/^ReturnToService=.*/ReturnToService=0/' "$SLURM_CONF"
scontrol reconfigure
{ slurm_account && wait_for 30 slurm_is_known; } || skip_all "Slurm gives no account"

# ---- the site ----
session() { # RANK
    printf '[session]\nsize = 4\naddress = unix:%s/session.%%r\nrank = %s\nheartbeat = 500ms\nperiod = 500ms\nlead = 100ms\ndeadline = 400ms\nstate = %s/session.state.%s\n' \
        "$SCRATCH" "$1" "$SCRATCH" "$1"
}
roles_start "[resource]
host = weather/slurm[1-3]
$(session 0)"
token daemon --role user --user daemon
token bin --role user --user bin
for node in $nodes; do token "$node.token" --role agent --host "$node" --cluster weather; done
chmod 600 admin scheduler reader daemon bin ./*.token
mkdir site.plugins
cat >site.plugins/scratch.lua <<'END'
plugin { name = "scratch", version = "1", reads = { "/check" }, health = { "host" } }
function source(t)
    local free = tonumber((read("/check") or ""):match("%d+"))
    if free then health("host", free < 10 and "down" or "up", free .. " GB free") end
end
END
# In place: a plugin has its files open.
check() { # NODE GB
    echo "$2" >"root.$1/check"
}
at_exit 'kill $(cat "$SCRATCH"/*.pid 2>/dev/null)'
start_agent() { # NODE
    agent_rank=${1#slurm}
    {
        printf '[agent]\nsource = none\nroot = %s/root.%s\nserver = %s\ntoken_file = %s/%s.token\nstate = %s/%s.state\nspool = %s/%s.spool\nhost = %s\ncluster = weather\n' \
            "$SCRATCH" "$1" "$url" "$SCRATCH" "$1" "$SCRATCH" "$1" "$SCRATCH" "$1" "$1"
        printf '[node]\nsource = load\ninterval = 500ms\nflush_interval = 0s\nsocket = %s/run.%s/barograph/agent.sock\n[plugins]\ndirectory = %s/site.plugins\nhost = %s\nread = /check\n' \
            "$SCRATCH" "$1" "$SCRATCH" "$host"
        session "$agent_rank"
    } >"$1.conf"
    baro-agent --config "$1.conf" 2>>"$1.log" &
    echo $! >"$1.pid"
}
for node in $nodes; do
    ln -s /proc "root.$node/proc"
    check "$node" 100
    start_agent "$node"
done
as_token() { # TOKEN ARGUMENTS
    as_name=$1
    shift
    baro "$@" --server "$url" --token-file "$SCRATCH/$as_name"
}
health_of() { # NODE
    as_token reader resource list -o json "weather/$1" | jq -r --arg c "weather/$1" '.[] | select(.component == $c) | .health'
}
is_health() { [ "$(health_of "$1")" = "$2" ]; }
for node in $nodes; do
    ok "$node: its agent has its socket, and its check is well" wait_for 30 is_health "$node" up
done

# Prolog and epilog as shipped, with the token of a scheduler.
for kind in prolog epilog; do
    cat >"$kind" <<END
#!/bin/sh
BARO_SERVER=$url BARO_TOKEN_FILE=$SCRATCH/scheduler BARO_SPOOL=$SCRATCH/hook.spool BARO_LOG=$SCRATCH/hook.log PATH=$PATH SLURM_CONF=$SLURM_CONF
export BARO_SERVER BARO_TOKEN_FILE BARO_SPOOL BARO_LOG PATH SLURM_CONF
exec "$TOP/etc/slurm-hook-jobs" $kind
END
    chmod +x "$kind"
    slurm_hook "$kind" "$SCRATCH/$kind"
done
act() {
    as_token reader resource act --cluster weather --slurm-conf "$SLURM_CONF" --drain-on down --nodes-max 2 --drain-after 1ns \
        --resume-after 1ns --state "$SCRATCH/act"
}
node_state() { # NODE: state and reason, in one line
    sinfo -h -N -n "$1" -o '%T %E' | sort -u | sed 's/^\([a-z]*\)[^a-z ]*/\1/; s/, since .*//'
}

# ---- two users ----
as() { # UID COMMAND...
    as_uid=$1
    shift
    setpriv --reuid "$as_uid" --regid "$as_uid" --clear-groups env HOME="$SCRATCH/home$as_uid" \
        XDG_DATA_HOME="$SCRATCH/home$as_uid/data" "$@"
}
for uid in 1 2; do
    mkdir -m 755 "home$uid"
    mkdir "home$uid/plugins"
    echo "input of $uid" >"home$uid/private$uid.nc"
    cat >"home$uid/plugins/mine$uid.lua" <<END
plugin { name = "mine$uid", version = "1", reads = { "/proc/loadavg" }, metrics = { { "of_$uid", "1" } },
         events = { { "second", "info" } }, health = { "solver" } }
local calls = 0
function source(t)
    calls = calls + 1
    sample("of_$uid", $uid)
    if calls == 2 then
        event("second", "word$uid")
        health("solver", "degraded", "residual of word$uid")
    end
end
END
    # A task: it has a file of hers open until the test ends it.
    cat >"home$uid/app" <<'END'
#!/bin/sh
exec 3<"$HOME/private$1.nc"
cat /proc/self/cgroup >"$HOME/cgroup.$SLURMD_NODENAME"
while [ ! -e "$HOME/over" ]; do sleep 0.2; done
END
    cat >"home$uid/job" <<END
#!/bin/sh
#SBATCH --nodes=3 --ntasks-per-node=1 --job-name=hers$uid --output=$SCRATCH/home$uid/out
exec baro session run --agent /run/barograph/agent.sock --plugins \$HOME/plugins --period 300ms --heartbeat 400ms \\
    --provenance \$HOME --site-event 'mine$uid.*' -- srun ./app $uid
END
    chmod 755 "home$uid/app"
    chown -R "$uid:$uid" "home$uid"
done
submit() { # UID
    as "$1" sbatch --parsable --chdir="$SCRATCH/home$1" "home$1/job" 2>>submit.err
}
page() { # TOKEN JOB [OPTION...]
    page_token=$1
    shift
    as_token "$page_token" job show "$@"
}
document() { # TOKEN JOB JQ
    page "$1" "$2" -o json 2>/dev/null | jq -rc "$3"
}
is_over() { [ -z "$(squeue -h -j "$1" 2>/dev/null)" ]; }
# Slurm's times are whole seconds: what is stated now is before what starts or ends in the next one.
next_second() {
    later_now=$(date +%s)
    wait_for 3 is_later
}
is_later() { [ "$(date +%s)" -gt "$later_now" ]; }
next_second
one=$(submit 1)
two=$(submit 2)
ok "two users submit" test -n "$one" -a -n "$two"
name_of() { # JOB
    echo "step0.job-$1.weather"
}
knows_files() { [ "$(document "$1" "$2" '.ran_with.read > 0 and ([.ran_with.hosts[].host] | sort == ["slurm1", "slurm2", "slurm3"])')" = true ]; }
ok "the site knows what the first one's tasks have open, of each node" wait_for 90 knows_files daemon "$one"
ok "and the other's" wait_for 60 knows_files bin "$two"
is "each task is in a cgroup of its job on its node, by the kernel's word" \
    "$(for node in $nodes; do grep -c "/slurm_$node/uid_1/job_$one/" "home1/cgroup.$node"; done | sort -u | grep -cx 0)" 0
sessions_of() { # TOKEN JQ
    as_token "$1" session list -o json | jq -rc "$2"
}
is "her session is listed, of her job" "$(sessions_of daemon '[.[] | [.name, .user, .job, .state]]')" \
    "[[\"$(name_of "$one")\",\"daemon\",\"$one\",\"running\"]]"

# ---- a check fails while they run ----
check slurm3 4
ok "the site's check fails" wait_for 20 is_health slurm3 down
is "its node is drained" "$(act | sed 's/, since .*//; s/;.*//')" "slurm3: drained: baro: down: scratch: 4 GB free"
is "with check, value and time, while jobs run there" "$(node_state slurm3)" "draining baro: down: scratch: 4 GB free"
is "which is in the record" "$(jq -rc 'select(.action == "drain") | [.node, .result, .running_jobs // .jobs_run // .has_jobs]' act/actions.log | head -n 1 | cut -d, -f1,2)" '["slurm3","done"'
third=$(sbatch --parsable --nodelist=slurm3 --output=/dev/null --wrap true)
is_pending() { [ "$(squeue -h -j "$third" -o %T)" = PENDING ]; }
ok "no work starts there" is_pending

# ---- an administrator drains another ----
scontrol update nodename=slurm2 state=drain reason='board swap'
check slurm2 3
ok "whose check fails, too" wait_for 20 is_health slurm2 down
is "it is hers" "$(act) $(node_state slurm2)" " draining board swap"

# ---- the jobs end ----
next_second
touch home1/over home2/over
ok "they end" wait_for 60 is_over "$one"
ok "both" wait_for 60 is_over "$two"
ended_at_site() { [ "$(document "$1" "$2" '.job.end != null and .ran_with.is_whole')" = true ]; }
ok "the first is known as ended, and all that it ran with" wait_for 60 ended_at_site daemon "$one" ||
    document daemon "$one" '[.job, .ran_with.is_whole, .ran_with.hosts]' | sed 's/^/# /'
ok "the other, too" wait_for 60 ended_at_site bin "$two"

# ---- the repair ----
check slurm3 100
ok "the check is well again" wait_for 20 is_health slurm3 up
is "what was drained by it is resumed" "$(act | cut -d: -f1,2)" "slurm3: resumed"
ok "and the work that waited runs" wait_for 60 is_over "$third"

# ---- the administrator's drain survives everything ----
is_hers() { [ "$(node_state slurm2)" = "drained board swap" ]; }
leaves_it() { # WHAT
    is "$1 leaves it" "$(act) $(node_state slurm2)" " drained board swap"
}
ok "with no job left it is drained" wait_for 20 is_hers
end_barod
act >out 2>err
is "without barod nothing is done" "$? $(cat out)" "1 "
start_barod
ok "barod, started again, knows the health" wait_for 30 is_health slurm2 down
leaves_it "act, with that barod,"
mv act act.lost
leaves_it "an act whose record is lost"
ctld=$(cat "$SLURM_DIR/slurmctld.pid")
kill "$ctld"
wait_for 30 not kill -0 "$ctld"
act >out 2>err
is "without slurmctld nothing is done" "$? $(cat out)" "1 "
slurm_run slurmctld slurmctld -D
ok "slurmctld, started again, has it" wait_for 60 is_hers
leaves_it "act, with that slurmctld,"
check slurm2 100
ok "its check is repaired" wait_for 20 is_health slurm2 up
leaves_it "act, after the repair,"

# ---- her page ----
page daemon "$one" >page.text 2>err || sed 's/^/# /' err
is "the job" "$(document daemon "$one" '[.job.id, .job.user, .job.nodes]')" "[\"$one\",\"daemon\",\"slurm[1-3]\"]"
is "health of its nodes at start and end" "$(grep -A 2 '^Health of its nodes' page.text)" \
    "Health of its nodes at its start: 3 up; at its end: 1 up, 2 down.
  slurm2  up, at the end down (scratch: 3 GB free)
  slurm3  up, at the end down (scratch: 4 GB free)"
is "her session" "$(grep -c "$(name_of "$one")" page.text)" 1
ok "in the document, too" test "$(document daemon "$one" "[.sessions[] | [.name, .state, .reason]]")" = "[[\"$(name_of "$one")\",\"ended\",\"exit status 0\"]]"
ok "what it ran with" grep -q '^Ran with, as samples' page.text
ok "her file by its name" grep -q "/home1/private1.nc" page.text
page daemon "$one" -o html >page.html
is "as an HTML page, too" "$(grep -oE 'Health of its nodes at its start|Ran with, as samples|<h2>Sessions|private1' page.html | sort -u | wc -l)" 4
as_token admin job show "$one" >page.admin
is "an administrator sees no name of a file" "$(grep -c '^Ran with: .*its owner alone sees' page.admin) $(grep -c private1 page.admin)" "1 0"
baro job show --records "$SCRATCH/records.db" "weather/$one" >page.records 2>err || sed 's/^/# /' err
is "without barod, by its database: health, and how many files" \
    "$(grep -c '3 up; at its end: 1 up, 2 down' page.records) $(grep -c '^Ran with: .*its owner alone sees' page.records) $(grep -c private1 page.records)" "1 1 0"
is "the site has her events" "$(as_token daemon session show "$(name_of "$one")" --events -o json | jq -c '[.[] | .name] | group_by(.) | map([.[0], length])')" \
    '[["health",3],["mine1.second",3]]'
is "and her data, of all three nodes" "$(as 1 sqlite3 "$SCRATCH/home1/data/barograph/sessions/$(name_of "$one")/session.db" 'SELECT count(DISTINCT host) FROM samples')" 3

# ---- the other user: by command ----
of_hers="$(name_of "$one")|private1|word1|mine1|hers1|home1"
sees() { # COMMAND...: what of it is hers, by the other user's token
    as_token bin "$@" >seen 2>&1
    grep -cE "$of_hers" seen
}
as_token bin job show "$one" >seen 2>&1
is "the other has no such job" "$? $(grep -cE "$of_hers" seen)" "1 0"
is "she has her own" "$(document bin "$two" .job.user)" bin
is "nor is it in her list" "$(as_token bin job list -o json | jq -c '[.[] | .user] | unique')" '["bin"]'
is "nor in a difference" "$(sees job diff "$two" "$one") $(grep -c 'Ran with' seen)" "0 0"
is "nor is her session in the list" "$(sessions_of bin '[.[] | .name]')" "[\"$(name_of "$two")\"]"
# The name that she gave herself is in the message.
for words in "session show $(name_of "$one")" "session show $(name_of "$one") --events" "session show $(name_of "$two"):$(name_of "$one")"; do
    # shellcheck disable=SC2086 # words
    as_token bin $words >seen 2>err
    is "baro $words: there is none" "$? $(wc -c <seen) $(grep -c "no session '" err) $(grep -cE 'private1|word1|mine1|hers1|home1' err)" "1 0 1 0"
done
for words in "event list" "resource list -p" \
    "resource show weather/slurm1" "resource history weather/slurm1" "job list --user daemon" "node metrics slurm1"; do
    # shellcheck disable=SC2086 # words
    is "baro $words: none of it" "$(sees $words)" 0
done

# ---- and by REST ----
rest() { # PATH: status, and what of it is hers
    echo "$(status bin "$1") $(grep -cE "$of_hers" body)"
}
is "no page" "$(rest "/v1/jobs/$one?cluster=weather")" "404 0"
is "none in text" "$(rest "/v1/jobs/$one?cluster=weather&format=text")" "404 0"
is "none in HTML" "$(status bin "/v1/jobs/$one?cluster=weather" -H 'Accept: text/html') $(grep -cE "$of_hers" body)" "404 0"
is "no rows of its page" "$(rest "/v1/jobs/$one/page?cluster=weather")" "404 0"
is "no nodes" "$(rest "/v1/jobs/$one/nodes?cluster=weather")" "404 0"
is "no difference" "$(rest "/v1/diff?jobs=$two,$one&cluster=weather")" "404 0"
for path in "/v1/sessions/$(name_of "$one")" "/v1/sessions/$(name_of "$one")/events"; do
    is "$path: there is none" "$(status bin "$path") $(jq -r .detail body)" "404 no session '$(name_of "$one")' is known"
done
is "no events of the site's session" "$(rest /v1/events)" "403 0"
for path in /v1/jobs "/v1/jobs?user=daemon" /v1/sessions /v1/resources /v1/resources/changes \
    "/v1/resources/history?component=weather/slurm1" /v1/summaries; do
    is "$path: none of it" "$(rest "$path")" "200 0"
done
is "no sources of an opinion" "$(status bin '/v1/resources/sources?component=weather/slurm1') $(grep -c 'word1' body)" "200 0"
is "nor may she state what hers ran with" "$(status bin /v1/provenance -X POST -d '{}')" 403
is "her data are no other user's" "$(as 2 ls "$SCRATCH/home1/data/barograph/sessions/$(name_of "$one")" 2>&1 | grep -c 'Permission denied')" 1
# ---- a job of many nodes ----
for n in $(seq 1500); do
    printf '{"component":"weather/big%d","health":"%s","reason":"%s","source":"ping"}\n' "$n" \
        "$([ "$n" = 1400 ] && echo down || echo up)" "$([ "$n" = 1400 ] && echo 'no response')"
done >big.health
is "a node beyond the first thousand is down" \
    "$(status admin /v1/resources -H 'Content-Type: application/x-ndjson' --data-binary @big.health) $(jq .refused body)" "200 0"
printf '{"cluster":"weather","id":"9000","raw_id":"9000","user":"daemon","uid":1,"node_count":1500,"nodes":"big[1-1500]","start":%d,"end":%d,"state":"COMPLETED"}\n' \
    "$(($(date +%s) + 1))" "$(($(date +%s) + 2))" >big.job
is "of a job" "$(status scheduler /v1/jobs -H 'Content-Type: application/x-ndjson' --data-binary @big.job) $(jq .refused body)" "200 0"
is "whose page has it" "$(baro job show --records "$SCRATCH/records.db" weather/9000 | grep -A 1 '^Health of its nodes')" \
    "Health of its nodes at its start: 1499 up, 1 down; at its end: 1499 up, 1 down.
  big1400  down (no response), as at the end"
# barod looks for two seconds at most.
page daemon weather/9000 >page.big
if grep -q '^Health of its nodes' page.big; then
    ok "so has that of barod" grep -q '^  big1400  down (no response)' page.big
else
    ok "so has that of barod, or it states of how many nodes it is" grep -qE '^Health of the first [0-9]+ of its nodes' page.big
fi
for log in barod.log slurm1.log slurm2.log slurm3.log; do
    ok "$log has no error" not grep -E "Sanitizer|runtime error" "$log"
done
finish
