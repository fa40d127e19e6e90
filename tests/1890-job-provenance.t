#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a job ran with, where its owner had it recorded: executables, libraries, files, in her own file and, by the
# agent of the node, with the site; of her run alone, paths that are not hers hashed, and for her alone to see.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
. "$(dirname "$0")/lib-roles.sh"
requires jq curl sqlite3

roles_start
cd "$SCRATCH" || exit 1
chmod 755 "$SCRATCH"
mkdir -p root/proc home/data shown secret
HOME=$SCRATCH/home
XDG_DATA_HOME=$SCRATCH/data
export HOME XDG_DATA_HOME
sessions=$XDG_DATA_HOME/barograph/sessions
T=$(date +%s)
printf '[agent]\nsource = none\nroot = %s/root\nserver = %s\ntoken_file = %s/agent.token\nstate = %s/agent.state\nspool = %s/spool\nhost = n1\ncluster = alex\n[node]\nsocket = %s/agent.sock\n' \
    "$SCRATCH" "$url" "$SCRATCH" "$SCRATCH" "$SCRATCH" "$SCRATCH" >agent.conf
token agent.token --role agent --host n1 --cluster alex
chmod 600 agent.token
baro-agent --config agent.conf 2>agent.log &
echo $! >agent.pid
at_exit 'kill $(cat "$SCRATCH"/*.pid); wait'
ok "the agent has its socket" wait_for 10 test -S agent.sock || sed "s/^/# /" agent.log

echo in >home/data/in.nc
echo in >shown/in.nc
echo in >secret/in.nc
cat >program <<'END_PROGRAM'
#!/bin/sh
# program NAME COUNT OUT: in a job, as far as the agent can see, until COUNT files of it are in the session's file
for pid in $(pgrep -P "$PPID"); do
    mkdir -p "root/proc/$pid"
    echo "0::/system.slice/slurmstepd.scope/job_$JOB/step_0" >"root/proc/$pid/cgroup"
done
exec 3<home/data/in.nc 4<shown/in.nc 5<secret/in.nc 6>"$3"
echo written >&6
until [ "$(sqlite3 -cmd '.timeout 10000' "$XDG_DATA_HOME/barograph/sessions/$1/session.db" 'SELECT count(*) FROM files WHERE kind IN ("read", "written")')" -ge "$2" ]; do
    sleep 0.1
done
until [ -e "over.$1" ]; do sleep 0.1; done
END_PROGRAM
chmod +x program
run() { # NAME JOB OUT: behind our back
    JOB=$2 baro session run --size 2 --quiet --period 300ms --heartbeat 300ms --agent "$SCRATCH/agent.sock" --name "$1" \
        --provenance "$SCRATCH/shown" -- ./program "$1" 4 "$3" 2>"$1.err" &
    echo $! >"$1.pid"
}
data() { # NAME SQL
    sqlite3 -cmd '.timeout 10000' -separator ' ' "$sessions/$1/session.db" "$2"
}
# A process of hers that is not of the run.
sleep 600 3<"$SCRATCH/agent.conf" &
echo $! >other.pid

# ---- her own file ----
run first 71 home/data/out
has_files() { [ "$(data "$1" "SELECT count(*) FROM files WHERE name LIKE '$SCRATCH/home/data/%' OR (name LIKE '#%' AND size = 3)" 2>/dev/null)" -ge 3 ]; }
ok "the run's files are in her file" wait_for 30 has_files first
is "below her home a path is as it is" "$(data first "SELECT kind FROM files WHERE name = '$SCRATCH/home/data/in.nc'")" read
is "and with its size, and what was written" "$(data first "SELECT size FROM files WHERE name = '$SCRATCH/home/data/in.nc'")" 3
is "below a prefix, too" "$(data first "SELECT kind FROM files WHERE name = '$SCRATCH/shown/in.nc'")" read
is "any other is hashed" "$(data first "SELECT count(*) FROM files WHERE name LIKE '#%' AND kind = 'read' AND length(name) = 33 AND size = 3")" 1
is "its name is nowhere" "$(data first "SELECT count(*) FROM files WHERE name LIKE '%secret%'")" 0
is "what she wrote is" "$(data first "SELECT kind FROM files WHERE name = '$SCRATCH/home/data/out'")" written
libc=$(data first "SELECT length(build_id) FROM files WHERE kind = 'library' AND name LIKE '%/libc.so.6'")
is "libraries have their build-id" "$libc" 40
ok "executables, too" test "$(data first "SELECT count(*) FROM files WHERE kind = 'executable' AND build_id != ''")" -ge 1
is "what is not of the run is not there" "$(data first "SELECT count(*) FROM files WHERE name LIKE '%agent.conf'")" 0
is "one of two nodes of one machine looked" "$(data first "SELECT count(DISTINCT host) FROM files")" 1
is "her key is for her alone" "$(stat -c '%a %s' "$XDG_DATA_HOME/barograph/provenance.key")" "600 32"

# ---- the site ----
json() { # TOKEN JOB JQ
    get "$1" "/v1/jobs/$2?cluster=alex" | jq -c "$3"
}
post() { # TOKEN PATH FILE
    curl -s -o posted -w '%{http_code}' -H "Authorization: Bearer $(cat "$SCRATCH/$1")" -H 'Content-Type: application/x-ndjson' \
        --data-binary "@$3" "$url$2"
}
record() { # ID USER
    printf '{"cluster":"alex","id":"%s","raw_id":"%s","user":"%s","uid":%s,"account":"phys","nodes":"n1","start":%s,"state":"RUNNING"}\n' \
        "$1" "$1" "$2" "$(id -u)" "$((T - 60))"
}
for id in 71 72; do record $id alice; done >jobs.lines
is "the batch system knows two jobs of hers" "$(post scheduler /v1/jobs jobs.lines)" 200
knows() { # JOB
    [ "$(json user "$1" '.ran_with.library > 0 and .ran_with.read >= 3 and .ran_with.written >= 1')" = true ]
}
ok "the site knows what the first ran with" wait_for 30 knows 71
page() { get "$1" "/v1/jobs/$2?cluster=alex&format=text"; }
page user 71 >page
ok "it is on her page" grep -q '^Ran with, as samples' page
ok "with her file" grep -q "    $SCRATCH/home/data/in.nc  3 bytes" page
ok "a hash" grep -qE '^    #[0-9a-f]{32}  3 bytes' page
ok "a library and its build" grep -qE '/[a-z0-9._-]+\.so[.0-9]*  build [0-9a-f]{12}$' page
not_there() { ! grep -q "$SCRATCH/secret" "$@"; }
ok "and no name that is not hers to show" not_there page
is "in the document it is a list" "$(json user 71 "[.ran_with.files[] | select(.name == \"$SCRATCH/home/data/in.nc\") | .kind, .size]")" '["read",3]'

# ---- for her alone ----
page admin 71 >page
is "an administrator sees how many there are" "$(grep -c '^Ran with: .*which, its owner alone sees' page)" 1
is "and no name or hash of one" "$(grep -c "in.nc\|  #\|libc" page) $(json admin 71 '.ran_with | has("files")')" "0 false"
for who in reader support manager; do
    is "of $who it is as if there were none" "$(page $who 71 | grep -c 'Ran with') $(json $who 71 'has("ran_with")')" "0 false"
done
token bob --role user --user bob
is "another user has no such job" "$(status bob '/v1/jobs/71?cluster=alex')" 404
is "nobody but an agent submits them" "$(for who in reader scheduler user admin; do post $who /v1/provenance jobs.lines; echo; done | tr '\n' ' ')" \
    "403 403 403 200 "
printf '{"cluster":"alex","job":"71","uid":%s,"host":"n2","t":%s,"files":["read 1 1 1 - /x"]}\n' "$(id -u)" "$T" >other.line
is "an agent of another host's processes is refused" "$(post agent.token /v1/provenance other.line) $(jq -c '[.refused, .accepted]' posted)" "200 [1,0]"

# ---- sent twice ----
sed 's/"n2"/"n1"/' other.line >twice.line
is "what is new is stored" "$(post agent.token /v1/provenance twice.line) $(jq -c '[.accepted, .duplicate]' posted)" "200 [1,0]"
json user 71 .ran_with >before
is "sent again it is known" "$(post agent.token /v1/provenance twice.line) $(jq -c '[.accepted, .duplicate]' posted)" "200 [0,1]"
json user 71 .ran_with >after
ok "and changes nothing" cmp before after
touch over.first
wait "$(cat first.pid)"
is "the command's end is its own" $? 0

# ---- a second job ----
echo longer >home/data/in.nc
run second 72 home/data/other
ok "the site knows the second" wait_for 30 knows 72
diff_of() { # TOKEN
    get "$1" '/v1/diff?jobs=71,72&cluster=alex&format=text'
}
diff_of user >page
ok "they differ in a file's size" grep -q "  changed read $SCRATCH/home/data/in.nc  3 bytes, then 7 bytes" page
ok "in a file that is gone" grep -q "  gone written $SCRATCH/home/data/out" page
ok "and one that is new" grep -q "  added written $SCRATCH/home/data/other" page
hash=$(data second "SELECT name FROM files WHERE name LIKE '#%' AND kind = 'read' AND size = 3")
is "both have the same hash" "$hash" "$(data first "SELECT name FROM files WHERE name LIKE '#%' AND kind = 'read' AND size = 3")"
ok "which is no difference" not grep -qF "$hash" page
is "for others there is no such difference" "$(for who in admin reader bob; do diff_of $who; done | grep -c 'Ran with\|in.nc')" 0
touch over.second
wait "$(cat second.pid)"

# ---- without the option ----
run_plain() { JOB=73 baro session run --size 1 --quiet --period 200ms --heartbeat 300ms --agent "$SCRATCH/agent.sock" --name plain "$@"; }
# shellcheck disable=SC2016
run_plain -- sh -c 'exec 3<home/data/in.nc; until [ "$(sqlite3 -cmd ".timeout 10000" "$XDG_DATA_HOME/barograph/sessions/plain/session.db" "SELECT count(DISTINCT t_ms) FROM results")" -ge 4 ]; do sleep 0.1; done' 2>plain.err
is "without --provenance nothing is recorded" "$? $(data plain 'SELECT count(*) FROM files')" "0 0"
baro session run --size 1 --provenance not/whole -- true 2>err
is "a prefix is a whole path" "$? $(grep -c 'has to begin with /' err)" "2 1"

# ---- its retention ----
printf '{"cluster":"alex","job":"71","uid":%s,"host":"n1","t":%s,"files":["read 1 1 1 - /x"]}\n' "$(id -u)" "$((T - 100 * 86400))" >old.line
is "what is older than it is refused" "$(post agent.token /v1/provenance old.line) $(jq -c '[.refused, (.refusals[0].reason | test("retention_provenance"))]' posted)" \
    "200 [1,true]"
finish
