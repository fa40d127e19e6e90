#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Bytes from outside reach no terminal as they came: names of files, what hosts say
# through ssh, problems of servers.  A host that closes its pipes and lives on is given up.
. "$(dirname "$0")/lib.sh"
requires jq python3
cd "$SCRATCH" || exit 1
order=$(printf '\033]0;title\007\302\233\177')

# clean FILE: no control byte but the newline, and the order can be read.
clean() {
    LC_ALL=C grep -q '\\x1B]0;title\\x07' "$1" &&
        ! LC_ALL=C grep -q "$(printf '[\001-\011\013-\037\177]')" "$1"
}

baro climate show -m "$order" runs.csv >out 2>&1
ok "the name of a file that is not there is made readable" clean out

cat >host <<END
#!/bin/sh
printf 'no route \033]0;title\007\302\233\177\377 here\n' >&2
exit 255
END
chmod +x host
baro top --ssh oss01 --command "$SCRATCH/host" --rounds 1 --every 1ms >out 2>&1
ok "what a host says is made readable" clean out
ok "the note names the host" grep -q 'oss01: ' out

cat >server.py <<'END'
import http.server, json
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps({"type": "about:blank", "title": "x", "status": 400,
                           "detail": "bad \x1b]0;title\x07 \x9b"}).encode()
        self.send_response(400)
        self.send_header("Content-Type", "application/problem+json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    do_POST = do_GET
    def log_message(self, *args):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Answer)
print(server.server_port, flush=True)
server.serve_forever()
END
python3 server.py >port &
server=$!
at_exit kill "$server"
wait_for 10 test -s port
baro jobstats top --server "http://127.0.0.1:$(cat port)" >out 2>&1
ok "the detail of a problem is made readable" clean out

# Its pipes are closed, and it lives on, and so does what it has begun.
cat >closed <<'END'
#!/bin/sh
sleep 600 >/dev/null 2>&1 </dev/null &
echo "$$ $!" >>pids
exec >&- 2>&-
wait
END
chmod +x closed
timeout 60 baro top --ssh oss01 --command "$SCRATCH/closed" --rounds 1 --every 1ms \
    --timeout 300ms >out 2>&1
is "a host that closes both pipes and lives on is given up" "$?" 0
ok "which is said" grep -q 'oss01: .*timed out' out
gone() {
    ! kill -0 "$(cut -d' ' -f1 pids)" 2>/dev/null && ! kill -0 "$(cut -d' ' -f2 pids)" 2>/dev/null
}
ok "it is ended, with what it has begun" wait_for 10 gone
finish
