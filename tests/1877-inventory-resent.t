#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Reports of parts whose acknowledgement is lost: barod is killed after it stored one and before it responds,
# the agent is killed before it knows, each with SIGKILL; what is sent again changes nothing, what moved
# meanwhile has moved once, and nothing that was reported is missing.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
. "$(dirname "$0")/lib-roles.sh"
requires jq curl python3 sqlite3 baro barod baro-agent
at_exit 'kill -9 $(cat "$SCRATCH"/*.pid) 2>/dev/null'
cd "$SCRATCH" || exit 1

# Hands requests on; while there is a file "lose" the response is lost, and barod with it.
cat >between.py <<'END'
import http.client, http.server, os, signal, sys, time
listen, to = int(sys.argv[1]), int(sys.argv[2])
class Between(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        lose = self.path == "/v1/resources/inventory" and os.path.exists("lose")
        try:
            barod = http.client.HTTPConnection("127.0.0.1", to, timeout=30)
            barod.request("POST", self.path, body, {k: v for k, v in self.headers.items() if k != "Host"})
            response = barod.getresponse()
            text = response.read()
        except OSError:
            self.close_connection = True
            return
        if lose:
            with open("lost", "ab") as f:
                f.write(body)
            os.unlink("lose")
            os.kill(int(open("barod.pid").read()), signal.SIGKILL)
            self.close_connection = True
            return
        self.send_response(response.status)
        for name in ("Content-Type", "Retry-After"):
            if response.getheader(name):
                self.send_header(name, response.getheader(name))
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
    def log_message(self, *args):
        pass
http.server.ThreadingHTTPServer(("127.0.0.1", listen), Between).serve_forever()
END
barod_again() {
    start_barod && echo "$pid" >barod.pid
}
play() { # HOST DIMM...
    play_host=$1
    shift
    python3 "$TOP/tests/sim/parts" "$SCRATCH/$play_host" "$@"
}
agent() { # HOST
    baro-agent --config "$1.conf" 2>>"$1.log" &
    echo $! >"$1.pid"
}
sql() { sqlite3 -cmd '.timeout 10000' records.db "$1"; }
is_sql() { [ "$(sql "$1")" = "$2" ]; }
changes() { sql "SELECT change || ' ' || host FROM part_changes WHERE serial = '$1' ORDER BY start_ns" | tr '\n' ' '; }
lose() { : >lose; }
is_lost() { [ ! -e lose ]; }

roles_start
end_barod
barod_again
between=$(free_port)
python3 between.py "$between" "$port" 2>>between.err &
echo $! >between.pid
for host in n1 n2; do
    token "token.$host" --role agent --host "$host" --cluster alex
    chmod 600 "token.$host"
    cat >"$host.conf" <<END
[agent]
source = none
root = $SCRATCH/$host
server = http://127.0.0.1:$between
token_file = $SCRATCH/token.$host
state = $SCRATCH/$host.state
spool = $SCRATCH/$host.spool
host = $host
cluster = alex
[node]
interval = 500ms
inventory_interval = 300ms
END
done

lose
play n1 A1:3C4D5E6F:5
agent n1
ok "barod is killed with a report stored, and not acknowledged" wait_for 60 is_lost
ok "it is stored" wait_for 10 is_sql "SELECT count(*) FROM part_stays WHERE serial = '3C4D5E6F'" 1
before=$(sql "SELECT count(*) FROM part_stays; SELECT count(*) FROM part_changes")
ok "barod starts again" barod_again
ok "the report is sent again" wait_for 60 eval '[ "$(curl -s --unix-socket "$socket" http://x/metrics |
    awk "\$1 == \"baro_ingest_inventory_duplicate_total\" { print \$2 }")" -ge 1 ]'
is "and changes nothing" "$(sql "SELECT count(*) FROM part_stays; SELECT count(*) FROM part_changes")" "$before"
is "its errors are counted once" "$(sql "SELECT corrected FROM part_stays WHERE serial = '3C4D5E6F'")" 5

play n2 B1:BBBB2222:0
agent n2
ok "another host" wait_for 60 is_sql "SELECT count(*) FROM part_stays WHERE serial = 'BBBB2222'" 1
lose
play n2 B1:3C4D5E6F:0
ok "a module moves, and barod is killed with that" wait_for 60 is_lost
kill -9 "$(cat n1.pid)" "$(cat n2.pid)"
play n1 A1::0
ok "barod starts again after that" barod_again
agent n2
agent n1
ok "both agents report again" wait_for 60 eval '[ "$(curl -s --unix-socket "$socket" http://x/metrics |
    awk "/^baro_ingest_inventory_bodies_total/ { print \$2 }")" -ge 3 ]'
is "it moved once" "$(changes 3C4D5E6F)" "found n1 moved n2 "
is "what it replaced is so once" "$(changes BBBB2222)" "found n2 replaced n2 "
is "and it is in one place" "$(sql "SELECT host || ' ' || slot FROM part_stays WHERE serial = '3C4D5E6F' AND gone_ns IS NULL")" "n2 B1"
kill "$(cat n1.pid)" "$(cat n2.pid)"
wait "$(cat n1.pid)" "$(cat n2.pid)"
for log in *.log between.err; do
    ok "$log has no error" not grep -E "Sanitizer|runtime error|Traceback" "$log"
done
finish
