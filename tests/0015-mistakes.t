#!/bin/sh
# Typical mistakes: each gets a line that names the thing and the remedy, and
# with the exit status of the rule in baro(1).  The table is tests/mistakes.
. "$(dirname "$0")/lib.sh"
TESTS=$(cd "$(dirname "$0")" && pwd)
requires python3
cd "$SCRATCH" || exit 1

: >empty
mkdir dir
echo 'these are words, and no data of any kind' >plain.txt
echo '{"hello": ["world"]}' >other.json
printf '%200000s' x | gzip | head -c 60 >cut.gz
printf 'job_stats:\n' >ok.txt
printf 'id,start,end,nodes\n1,2026-11-21T06:00:00,2026-11-21T07:00:00,a1\n' >jobs.csv
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

# The server is another program: with a /metrics of its own, and with a page for people.
for page in 'go_goroutines 8' '<!DOCTYPE html>'; do
    rm -f port
    python3 - "$page" >port.new <<'PY' &
import http.server, os, sys
class Other(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
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
PY
    server=$!
    at_exit "kill $server"
    while [ ! -s port ] && kill -0 $server; do sleep 0.05; done
    mistake 1 "is not of barod: its /metrics has no counter of barod and begins with '$page'" \
        "baro stats --server http://127.0.0.1:$(cat port)"
    wait $server
done

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
    "baro job list --zone +01:00 --output csv jobs.csv" "baro job import --zone +01:00 jobs.csv" \
    "barod --help" "baro-agent --print-config" "baro-abc --list"; do
    # shellcheck disable=SC2086 # words
    is "a closed pipe is no failure of $command" "$(closed $command)" "0 "
done
finish
