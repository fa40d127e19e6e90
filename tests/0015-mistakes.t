#!/bin/sh
# Typical mistakes: each gets a line that names the thing and the remedy, and
# with the exit status of the rule in baro(1).  The table is tests/mistakes.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-barod.sh
. "$(dirname "$0")/lib-barod.sh"
TESTS=$(cd "$(dirname "$0")" && pwd)
requires python3 curl
cd "$SCRATCH" || exit 1

: >empty
mkdir dir
echo 'these are words, and no data of any kind' >plain.txt
echo '{"hello": ["world"]}' >other.json
printf '%200000s' x | gzip | head -c 60 >cut.gz
printf 'job_stats:\n' >ok.txt
printf '\001\002 \377\n\003\377=\n' >binary
printf 'id,start,end,nodes\n1,2026-11-21T06:00:00,2026-11-21T07:00:00,a1\n' >jobs.csv
printf 'id,start,end,nodes\n1,2026-11-21T06:00:00Z,2026-11-21T07:00:00Z,a1\n' >jobs.utc
printf 'id,start,end,nodes\n1,noon,2026-11-21T07:00:00Z,a1\n2,later,soon,a2\n' >jobs.bad
printf 'run,what\n1,2\n' >runs.csv
: >one.darshan
python3 -c 'import sqlite3
c = sqlite3.connect("other.db")
c.execute("create table t (x)")
c.commit()'
printf '[barod]\nlog_lvel = info\n' >typo.conf
printf '[sttore]\ndirectory = x\n' >section.conf
printf '[barod]\nquery_timeout = 30\n' >unit.conf
printf '[barod]\nlog_level info\n' >noassign.conf
printf '[agent]\nintervall = 5s\n' >typo-agent.conf
baro token key new key >/dev/null

# A line of the table: exit status | part of the message | command
mistake() {
    timeout 60 sh -c "$3" </dev/null >said 2>&1
    status=$?
    if [ "$status" = "$1" ] && grep -qF -e "$2" said; then
        pass "$3: $1, $2"
    else
        fail "$3: $1, $2"
        { echo "status $status" && head -n 20 said; } | sed 's/^/# /'
    fi
}
grep -v '^#' "$TESTS/mistakes" >table
ok "the table has a hundred mistakes" [ "$(wc -l <table)" -ge 100 ]
while IFS='|' read -r status text command; do
    mistake "${status% }" "$(echo "$text" | sed 's/^ //; s/ $//')" "${command# }"
done <table
mistake 1 "there is no such socket" "baro stats --server unix:$SCRATCH/no.sock"

# A directory in place of the database's file gets no lock beside it.
timeout 20 barod --config /dev/null --set "records.path=$SCRATCH/dir" --set net.listen=none \
    --set "net.socket=$SCRATCH/sock" >said 2>&1
is "a directory is no database" "$? $(grep -c "/dir' is a directory: records.path" said)" "1 1"
ok "and nothing lies beside it then" [ ! -e dir.lock ]

# What may not be read is named as that: by another user, where this one may read everything.
other=
if [ "$(id -u)" = 0 ]; then
    other="setpriv --reuid 65534 --regid 65534 --clear-groups"
    chmod 711 "$SCRATCH"
fi
mkdir unread
echo x >unread/4711
chmod 0 unread
if $other baro --version >/dev/null 2>&1; then
    mistake 1 "open 'unread': Permission denied" "$other baro store export unread"
    mistake 1 "unread/4711: Permission denied" "$other baro job show unread/4711"
else
    skip "a directory that may not be read is named" "no other user can run the programs"
    skip "and a file in one" "no other user can run the programs"
fi

# The server is another program: with a /metrics of its own, and with a page for people.
for page in 'go_goroutines 8' '<!DOCTYPE html>'; do
    rm -f port
    python3 - "$page" >port.new <<'PY' &
import http.server, os, sys
class Other(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path != "/metrics":
            self.send_error(404)
            return
        body = (sys.argv[1] + "\n").encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *args):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Other)
print(server.server_address[1], flush=True)
os.rename("port.new", "port")
server.handle_request()
server.handle_request()
PY
    server=$!
    at_exit "kill $server"
    while [ ! -s port ] && kill -0 $server; do sleep 0.05; done
    mistake 1 "is not of barod: its /metrics has no counter of barod and begins with '$page'" \
        "baro stats --server http://127.0.0.1:$(cat port)"
    mistake 1 "responds with 404, and not as a barod does: --server or BARO_SERVER names another" \
        "baro node --server http://127.0.0.1:$(cat port)"
    wait $server
done

# What only the server knows: the status is by the same rule, whoever finds the mistake.
barod_conf cpu_load mem_bw
ok "a barod starts" start_barod
printf 'cpu_load,cluster=alex,hostname=a0101,type=node value=1 %s\n' "$(date +%s)" |
    curl -sf --unix-socket "$socket" --data-binary @- 'http://x/api/write?precision=s'
BARO_SERVER=$server
export BARO_SERVER
mistake 2 "last: invalid value '10' (write it as 30s, 10m, 2h, 7d)" "baro node --last 10"
mistake 2 "window: invalid value '1s': Length of the windows" "baro node --window 1s"
mistake 2 "from must lie before to" "baro jobstats rates --from now --to -1h"
mistake 2 "more than 10000 steps: use a longer one" "baro jobstats rates --step 1ms --last 30d"
mistake 1 "metric: there is no cpu_laod; did you mean 'cpu_load'?" "baro metric query cpu_laod 'alex/*'"
mistake 1 "metric: there is no cpu_laod; did you mean 'cpu_load'?" "baro metric list cpu_laod"
mistake 2 "'alex/a0101' is a component: the metric comes before it: '*' alex/a0101" \
    "baro metric list alex/a0101"
mistake 0 "# nothing that is stored fits" "baro metric query mem_bw alex/a0101"
mistake 0 "no *.darshan file, and no record of a probe, is there" "baro job summarize dir"
mistake 0 '"detail":"this path accepts GET"' \
    "curl -s -X DELETE --unix-socket '$socket' http://x/v1/jobstats/top"
mistake 0 "is not accepted here (choose application/x-ndjson" \
    "curl -s -H 'Content-Type: image/png' --data x --unix-socket '$socket' http://x/v1/jobs"
unset BARO_SERVER
ok "it ends" end_barod

# The reader of standard output has enough of it before the first byte.
closed() {
    python3 - "$@" <<'PY'
import os, subprocess, sys
r, w = os.pipe()
os.close(r)
done = subprocess.run(sys.argv[1:], stdout=w, stderr=subprocess.PIPE)
print(done.returncode, done.stderr.decode(), end="")
PY
}
for command in "baro --help" "baro config sample" "baro help job" "baro jobstats top --help" \
    "baro job list --output csv jobs.utc" "baro job import jobs.utc" \
    "barod --help" "baro-agent --print-config" "baro-abc --list"; do
    # shellcheck disable=SC2086 # words
    is "a closed pipe is no failure of $command" "$(closed $command)" "0 "
done
# Neither is a disk that is full a success.
for command in "baro --help" "baro help" "baro --complete ''" "baro --complete job ''" \
    "baro --complete job show --" "barod --complete --" "baro-agent --complete --" \
    "baro-abc --complete --" "baro config sample" "baro job import jobs.utc"; do
    sh -c "$command" >/dev/full 2>"$SCRATCH/err"
    is "a full disk is a failure of $command" "$?" 1
    ok "which it names" grep -q "No space left on device" "$SCRATCH/err"
done
finish
