#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a job ran with, where its owner had it recorded: executables, libraries, files, in her own file and, by the
# agent of the node, with the site; of her run alone, paths that are not hers hashed, and for her
# alone to see; what is not known of it is stated.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
. "$(dirname "$0")/lib-roles.sh"
requires jq curl sqlite3

roles_start
cd "$SCRATCH" || exit 1
chmod 755 "$SCRATCH"
mkdir -p root/proc home/data shown secret
ln -s "$SCRATCH/home" home.link
HOME=$SCRATCH/home.link
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
# barod ends later: nobody waits for it here.
at_exit 'ended=$(cat "$SCRATCH"/*.pid); kill $ended; wait $ended'
ok "the agent has its socket" wait_for 10 test -S agent.sock || sed "s/^/# /" agent.log

echo in >home/data/in.nc
echo in >home/other.in
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
until [ "$(sqlite3 -readonly -cmd '.timeout 10000' "$XDG_DATA_HOME/barograph/sessions/$1/session.db" 'SELECT count(*) FROM files WHERE kind IN ("read", "written")')" -ge "$2" ]; do
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
    session_rows "$sessions/$1/session.db" "$2"
}
# Processes of hers that are not of the run: one of none, one of another run of the same name.
sleep 600 3<"$SCRATCH/agent.conf" &
echo $! >other.pid
BARO_SESSION=first BARO_SESSION_ID=0123456789abcdef0123456789abcdef sleep 600 3<"$SCRATCH/home/other.in" &
echo $! >namesake.pid

# ---- her own file ----
run first 71 home/data/out
has_files() { [ "$(data "$1" "SELECT count(*) FROM files WHERE name LIKE '$SCRATCH/home/data/%' OR (name LIKE '#%' AND kind = 'read')" 2>/dev/null)" -ge 3 ]; }
ok "the run's files are in her file" wait_for 30 has_files first
is "below her home a path is as it is" "$(data first "SELECT kind FROM files WHERE name = '$SCRATCH/home/data/in.nc'")" read
is "and with its size, and what was written" "$(data first "SELECT size FROM files WHERE name = '$SCRATCH/home/data/in.nc'")" 3
is "below a prefix, too" "$(data first "SELECT kind FROM files WHERE name = '$SCRATCH/shown/in.nc'")" read
hashed="name LIKE '#%' AND kind = 'read' AND length(name) = 33 AND length(version) = 32"
ok "any other is hashed" test "$(data first "SELECT count(*) FROM files WHERE $hashed")" -ge 1
is "without size, time or build, by which it could be found" \
    "$(data first "SELECT count(*) FROM files WHERE name LIKE '#%' AND (size != -1 OR mtime_s != 0 OR build_id != '')")" 0
is "its name is nowhere" "$(data first "SELECT count(*) FROM files WHERE name LIKE '%secret%'")" 0
is "what she wrote is" "$(data first "SELECT kind FROM files WHERE name = '$SCRATCH/home/data/out'")" written
libc=$(data first "SELECT length(build_id) FROM files WHERE kind = 'library' AND name LIKE '%/libc.so.6'")
is "libraries have their build-id" "$libc" 40
ok "executables, too" test "$(data first "SELECT count(*) FROM files WHERE kind = 'executable' AND build_id != ''")" -ge 1
is "what is not of the run is not there" "$(data first "SELECT count(*) FROM files WHERE name LIKE '%agent.conf'")" 0
is "nor what another run of its name has" "$(data first "SELECT count(*) FROM files WHERE name LIKE '%other.in'")" 0
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
ok "a hash" grep -qE '^    #[0-9a-f]{32}  version [0-9a-f]{12}$' page
ok "and that it has not ended there yet" grep -qE '^  n1 was not heard of since [0-9T:Z-]+, nor that it has ended' page
is "it is not stated as whole" "$(json user 71 '.ran_with | .is_whole, .hosts[0].host, .hosts[0].has_ended')" 'false
"n1"
false'
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
RUN=0123456789abcdef0123456789abcdef
printf '{"cluster":"alex","job":"71","uid":%s,"host":"n2","run":"%s","t":%s,"files":["read 1 1 - - /x"]}\n' "$(id -u)" $RUN "$T" >other.line
is "not an administrator either" "$(post admin /v1/provenance other.line) $(jq -c '[.refused, .accepted]' posted)" "200 [1,0]"
token gateway --role agent --cluster alex
is "nor an agent of many hosts for a node that the job has not" \
    "$(post gateway /v1/provenance other.line) $(jq -c '.refused, .refusals[0].reason' posted | tr '\n' ' ')" \
    "200 1 \"its host is not a node of the job\" "
sed "s/\"cluster\":\"alex\",//; s/n2/n1/" other.line >nowhere.line
token anywhere --role agent --host n1
is "and none without a cluster" "$(post anywhere /v1/provenance nowhere.line) $(jq -c '.refused, .refusals[0].reason' posted | tr '\n' ' ')" \
    '200 1 "it names no cluster" '
is "an agent of another host's processes is refused" "$(post agent.token /v1/provenance other.line) $(jq -c '[.refused, .accepted]' posted)" "200 [1,0]"

# ---- sent twice ----
sed 's/"n2"/"n1"/' other.line >twice.line
is "what is new is stored" "$(post agent.token /v1/provenance twice.line) $(jq -c '[.accepted, .duplicate]' posted)" "200 [1,0]"
json user 71 .ran_with >before
is "sent again it is known" "$(post agent.token /v1/provenance twice.line) $(jq -c '[.accepted, .duplicate]' posted)" "200 [0,1]"
json user 71 .ran_with >after
ok "and changes nothing" cmp before after
echo more >>home/data/out # while it runs: it is known at the end
touch over.first
wait "$(cat first.pid)"
is "the command's end is its own" $? 0
whole() { [ "$(json user "$1" '.ran_with | .is_whole and .hosts[0].has_ended')" = true ]; }
ok "at the end it is whole" wait_for 30 whole 71
ok "and no word on the page says otherwise" eval 'page user 71 >page; ! grep -q "not heard of\|no session read\|More was open" page'

# ---- a second job ----
echo longer >home/data/in.nc
run second 72 home/data/other
ok "the site knows the second" wait_for 30 knows 72
diff_of() { # TOKEN
    get "$1" '/v1/diff?jobs=71,72&cluster=alex&format=text'
}
diff_of user >page
ok "while the second runs not all of it is known" grep -q '  Of the second not all is known' page
ok "so that nothing is gone" not grep -q '  gone ' page
touch over.second
wait "$(cat second.pid)"
ok "at its end it is" wait_for 30 whole 72
diff_of user >page
ok "they differ in a file's size" grep -q "  changed read $SCRATCH/home/data/in.nc  3 bytes, then 7 bytes" page
ok "in a file that is gone" grep -q "  gone written $SCRATCH/home/data/out" page || sed "s/^/# /" page
ok "and one that is new" grep -q "  added written $SCRATCH/home/data/other" page
hash=$(data second "SELECT name FROM files WHERE $hashed" | head -1)
ok "both have the same hash" eval 'data first "SELECT name FROM files WHERE $hashed" | grep -qF "$hash"'
ok "which is no difference" not grep -qF "$hash" page
is "for others there is no such difference" "$(for who in admin reader bob; do diff_of $who; done | grep -c 'Ran with\|in.nc')" 0
# ---- a job of two nodes, on one of which no session read; what has a limit ----
printf '{"cluster":"alex","id":"74","raw_id":"74","user":"alice","uid":%s,"account":"phys","nodes":"n[1-2]","start":%s,"state":"RUNNING"}\n' \
    "$(id -u)" "$((T - 60))" >two.line
is "the batch system knows a job of two nodes" "$(post scheduler /v1/jobs two.line)" 200
host() { # HOST FILE...
    printf '{"cluster":"alex","job":"74","uid":%s,"host":"%s","run":"%s","t":%s,"files":[%s]}\n' "$(id -u)" "$1" $RUN "$T" "$2"
}
host n1 '"read -1 0 - - /usr/share/x","host 0 0 - - n1"' >one.line
is "one of them is known" "$(post agent.token /v1/provenance one.line) $(jq .accepted posted)" "200 1"
page user 74 >page
ok "the page names the other" grep -q '^  On its node n2 no session read' page
is "it is not whole" "$(json user 74 '.ran_with | [.is_whole, .missing_nodes, .files[0].size, .files[0].changed_s]')" "[false,1,null,null]"
# ---- what two jobs had in common ----
for id in 75 76 77 78; do record $id alice; done >jobs.lines
is "the batch system knows four more" "$(post scheduler /v1/jobs jobs.lines)" 200
for id in 75 76; do host n1 '"library 1 1 - ab /usr/lib/libx.so","read 1 1 - - /usr/share/x","host 0 0 - - n1"' | sed "s/\"74\"/\"$id\"/"; done >pairs.lines
for id in 77 78; do host n1 '"library -1 0 - - /usr/lib/libx.so","host 0 0 - - n1"' | sed "s/\"74\"/\"$id\"/"; done >>pairs.lines
is "and the site what they ran with, in one body" "$(post agent.token /v1/provenance pairs.lines) $(jq .accepted posted)" "200 4"
pair() { get user "/v1/diff?jobs=$1&cluster=alex&format=text"; }
ok "two had the same, as far as samples see" eval "pair 75,76 | grep -q '^Ran with: samples of both saw the same'"
ok "of two it is not known" eval "pair 77,78 | grep -q '  unclear library /usr/lib/libx.so  not known whether it is the same'"
ok "and that they had the same is not stated" eval "! pair 77,78 | grep -q 'saw the same'"
ok "nor of two of which one has no build" eval "pair 75,77 | grep -q '  unclear library /usr/lib/libx.so'"
awk -v uid="$(id -u)" -v t="$T" -v run=$RUN 'BEGIN { for (l = 0; l < 34; l++) {
    printf "{\"cluster\":\"alex\",\"job\":\"74\",\"uid\":%s,\"host\":\"n2\",\"run\":\"%s\",\"t\":%s,\"files\":[\"host 0 0 - - n2\"", uid, run, t
    for (i = 0; i < 127; i++) printf ",\"read 1 1 - - /usr/%d/%d\"", l, i
    print "]}" } }' >many.lines
is "beyond a limit lists are refused" "$(post gateway /v1/provenance many.lines) $(jq -c '[.refused > 0, .refusals[0].reason]' posted)" \
    '200 [true,"a job has 4,096 files at most"]'
page user 74 >page
ok "and the page states that there was more" grep -q '^  More was open than is recorded' page
is "it is not whole for that" "$(json user 74 '.ran_with | [.is_whole, .missing_nodes, .more // 0]')" "[false,0,0]"
# ---- without the option ----
run_plain() { JOB=73 baro session run --size 1 --quiet --period 200ms --heartbeat 300ms --agent "$SCRATCH/agent.sock" --name plain "$@"; }
# shellcheck disable=SC2016
run_plain -- sh -c 'exec 3<home/data/in.nc; until [ "$(sqlite3 -readonly -cmd ".timeout 10000" "$XDG_DATA_HOME/barograph/sessions/plain/session.db" "SELECT count(DISTINCT t_ms) FROM results")" -ge 4 ]; do sleep 0.1; done' 2>plain.err
is "without --provenance nothing is recorded" "$? $(data plain 'SELECT count(*) FROM files')" "0 0"
baro session run --size 1 --provenance not/whole -- true 2>err
is "a prefix is a whole path" "$? $(grep -c 'has to begin with /' err)" "2 1"
baro session run --size 1 --provenance "$SCRATCH/home " -- true 2>err
is "without a blank at its end" "$? $(grep -c 'without a blank' err)" "2 1"

# ---- its retention ----
printf '{"cluster":"alex","job":"71","uid":%s,"host":"n1","run":"%s","t":%s,"files":["read 1 1 - - /x"]}\n' "$(id -u)" $RUN "$((T - 100 * 86400))" >old.line
is "what is older than it is refused" "$(post agent.token /v1/provenance old.line) $(jq -c '[.refused, (.refusals[0].reason | test("retention_provenance"))]' posted)" \
    "200 [1,true]"
finish
