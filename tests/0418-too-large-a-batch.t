#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A batch that is too large for barod is split between its rows: with a real barod whose
# body_max is small, an agent that is killed between the halves, and rows that barod had
# already.  Whatever happens, the rows are those of a barod that never refused anything.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/agent/agent.sh
. "$TOP/tests/agent/agent.sh"
requires curl sqlite3

agent_world 2.12
# A proxy that passes requests on, one of them as the file "gate" says: "kill N" ends the
# agent by SIGKILL behind the N-th request of this run that barod accepted.
cat >"$SCRATCH/proxy.py" <<'PY'
import hashlib, http.client, http.server, os, signal, socket, sys
scratch = sys.argv[1]

class Unix(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(scratch + "/sock")

def text(name):
    try:
        return open(f"{scratch}/{name}").read().split()
    except FileNotFoundError:
        return []

def set_gate(what):
    # Renamed, for the test and other requests read the file at any time.
    open(f"{scratch}/gate.new", "w").write(what)
    os.rename(f"{scratch}/gate.new", f"{scratch}/gate")

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        gate = text("gate")
        digest = hashlib.sha256(body).hexdigest()
        if gate[:1] == ["html413"]:
            status, answer = 413, b"<html>Request Entity Too Large</html>"
        elif gate[:1] == ["later"] and self.path == "/v1/jobstats" and text("taken") and digest not in text("seen"):
            left = int(gate[1]) - 1
            set_gate(f"later {left}" if left else "")
            status, answer = 503, b""
        else:
            barod = Unix("barod")
            barod.request("POST", self.path, body,
                          {k: v for k, v in self.headers.items()
                           if k.lower() in ("content-type", "content-encoding")})
            response = barod.getresponse()
            status, answer = response.status, response.read()
        with open(f"{scratch}/requests", "a") as f:
            f.write(f"{status} {answer.decode()}\n")
        if status != 503 and self.path == "/v1/jobstats":
            with open(f"{scratch}/seen", "a") as f:
                f.write(f"{digest}\n")
            with open(f"{scratch}/{'taken' if status == 200 else 'large'}", "a") as f:
                f.write(f"{digest}\n")
        if gate[:1] == ["kill"] and status == 200:
            left = int(gate[1]) - 1
            set_gate(f"kill {left}" if left else "")
            if not left:
                os.kill(int(text("agent.pid")[0]), signal.SIGKILL)
        self.send_response(status)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *args):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.handle_error = lambda *args: None  # a killed agent's connection
open(scratch + "/proxy.new", "w").write(str(server.server_address[1]))
os.rename(scratch + "/proxy.new", scratch + "/proxy")
server.serve_forever()
PY
python3 "$SCRATCH/proxy.py" "$SCRATCH" &
proxy=$!
at_exit "kill $proxy"
wait_for 20 test -s "$SCRATCH/proxy"

start_barod() { # DATABASE OPTION...
    database=$1
    shift
    barod --set "net.socket=$SCRATCH/sock" --set net.listen=none \
        --set "records.path=$SCRATCH/$database.db" --set records.retention=20000d \
        --set "store.directory=$SCRATCH/store" "$@" >>"$SCRATCH/barod.log" 2>&1 &
    pid=$!
    wait_for 30 curl -sf --unix-socket "$SCRATCH/sock" http://localhost/healthz
}
stop_barod() {
    kill "$pid"
    wait "$pid"
    rm -f "$SCRATCH/sock"
}
at_exit 'kill $pid'
# Everything of the rows but the numbers of their series and the instants of reading: an
# agent that is killed reads again, a millisecond later.
rows_of() {
    for kind in mdt ost; do
        sqlite3 "$SCRATCH/$1.db" "SELECT s.target, hex(s.entry_id), r.*
            FROM jobstats_$kind r JOIN series s USING (sid)" |
            cut -d'|' -f"${2:-1,2,7-}"
    done | sort
}

# ---- the truth: a barod that takes everything ----
sed -i "s|^server = .*|server = http://127.0.0.1:$(cat "$SCRATCH/proxy")|" "$CONF"
ok "barod starts" start_barod truth
for minute in 0 2 4; do
    at $minute
    agent --once || fail "round $minute"
done
sqlite3 "$SCRATCH/truth.db" .schema >"$SCRATCH/schema"
stop_barod
rows_of truth >"$SCRATCH/truth"
is "it has rows of all targets" "$(cut -d'|' -f1 "$SCRATCH/truth" | sort -u | wc -l)" 3
ok "and many" test "$(wc -l <"$SCRATCH/truth")" -gt 50

# ---- the same rounds again, to a barod with little room ----
rm -rf "$SCRATCH/state" "$SCRATCH/spool" "$FS"
at 0
baro-sim init --fs "$FS" --clock "$CLOCK" nodes=100 version=2.12
: >"$SCRATCH/requests"
ok "barod starts with a small body_max" start_barod small --set net.body_max=8KiB
agent_killed_at() { # N: behind the N-th accepted half; then again until all is there
    echo "kill $1" >"$SCRATCH/gate"
    sh -c 'echo $$ >"$1/agent.pid"; exec baro-agent --config "$2" --once' - \
        "$SCRATCH" "$CONF" >>"$LOG" 2>&1
    killed=$?
    : >"$SCRATCH/gate"
    agent --once
}
for minute in 0 2 4; do
    at $minute
    ok "round $minute: the agent killed between two halves sends them all" agent_killed_at $((minute + 1))
    is "it was killed" "$killed" 137
done
ok "barod refused batches as too large" grep -q '^413 ' "$SCRATCH/requests"
ok "and knew halves again" grep -q '"replayed":true' "$SCRATCH/requests"
stop_barod
rows_of small >"$SCRATCH/small"
ok "its rows are those of the truth" cmp "$SCRATCH/truth" "$SCRATCH/small"
is "nothing was set aside" "$(find "$SCRATCH/spool" -name '*.json.zst' | wc -l)" 0

# ---- barod had the whole already: the acknowledgement was lost ----
rows_of small 1-3,5- >"$SCRATCH/small"
at 6
ok "barod starts with room" start_barod small
echo "kill 1" >"$SCRATCH/gate"
sh -c 'echo $$ >"$1/agent.pid"; exec baro-agent --config "$2" --once' - \
    "$SCRATCH" "$CONF" >>"$LOG" 2>&1
: >"$SCRATCH/gate"
stop_barod
cp "$SCRATCH/small.db" "$SCRATCH/before.db"
rows_of before 1-3,5- >"$SCRATCH/before"
ok "rows of a batch are there before it is known as accepted" \
    not cmp -s "$SCRATCH/small" "$SCRATCH/before"
: >"$SCRATCH/requests"
ok "barod starts with a small body_max again" start_barod small --set net.body_max=8KiB
ok "the agent sends it again, split" agent --once
ok "the halves' rows are known" grep -q '"accepted":0,"duplicate":[1-9]' "$SCRATCH/requests"
stop_barod
rows_of small 1-3,5- >"$SCRATCH/small"
is "no row stands twice" "$(cut -d'|' -f1-3 "$SCRATCH/small" | uniq -d)" ""
is "and those that were there are as they were" \
    "$(comm -23 "$SCRATCH/before" "$SCRATCH/small")" ""

# ---- one row over the limit ----
at 8
ok "barod starts with almost no room" start_barod small --set net.body_max=1KiB
: >"$SCRATCH/requests"
agent --once
set_aside=$(count agent_set_aside_entries_total)
if grep -q '^413 ' "$SCRATCH/requests"; then
    ok "barod refused something" true
else
    fail "barod refused nothing"
fi
stop_barod
rows_of small 1-3,5- >"$SCRATCH/last"
sent=$(($(count observe_rows_total) + $(count observe_zero_rows_total)))
is "each row is stored or set aside" \
    "$(($(comm -13 "$SCRATCH/small" "$SCRATCH/last" | wc -l) + set_aside))" "$sent"

# ---- the second half has to wait: what is done is neither sent nor counted again ----
at 10
ok "barod starts with a small body_max" start_barod small --set net.body_max=8KiB
: >"$SCRATCH/requests"
rm -f "$SCRATCH/seen" "$SCRATCH/taken" "$SCRATCH/large"
echo "later 3" >"$SCRATCH/gate"
env -u BARO_CLOCK baro-agent --config "$CONF" --set agent.interval=2s --set "agent.metrics=$SCRATCH/metrics" \
    >"$SCRATCH/daemon.log" 2>&1 &
daemon=$!
at_exit "kill $daemon"
metric() {
    sed -n "s/^baro_$1 //p" "$SCRATCH/metrics"
}
is_all_sent() {
    [ -s "$SCRATCH/taken" ] && [ ! -s "$SCRATCH/gate" ] &&
        grep -q '^baro_spool_records 0' "$SCRATCH/metrics" &&
        [ "$(metric agent_sent_batches_total)" -ge "$(wc -l <"$SCRATCH/taken")" ]
}
ok "an agent that runs on sends all" wait_for 20 is_all_sent
is "the server was away three times" "$(grep -c '^503' "$SCRATCH/requests")" 3
stop_barod
answered() { # WHAT: what barod said of the parts, added up
    sed -n '/"replayed"/s/^200 //p' "$SCRATCH/requests" | jq -s "map($1) | add"
}
is "each entry is counted as sent once" "$(metric agent_sent_entries_total)" \
    "$(answered '.accepted + .duplicate + .refused')"
is "and each refused one" "$(metric agent_refused_entries_total)" "$(answered .refused)"
is "each part is taken once" "$(sort "$SCRATCH/taken" | uniq -d)" ""
is "and counted once" "$(metric agent_sent_batches_total)" "$(wc -l <"$SCRATCH/taken")"
is "each split is counted once" "$(metric agent_split_batches_total)" \
    "$(sort -u "$SCRATCH/large" | wc -l)"
kill "$daemon"
wait "$daemon"

# ---- a proxy's 413 is not barod's ----
at 12
echo html413 >"$SCRATCH/gate"
before=$(find "$SCRATCH/spool/refused" -name '*.zst' 2>/dev/null | wc -l)
ok "where a proxy refuses every size the agent does not send" not agent --once
is "and sets nothing aside for its words" \
    "$(find "$SCRATCH/spool/refused" -name '*.zst' 2>/dev/null | wc -l)" "$before"
ok "but says who refused" grep -q 'the server responds with 413: our batches are not accepted' "$LOG"

finish
