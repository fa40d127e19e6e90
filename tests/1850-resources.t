#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Resources: what administrators, agents and users state about components is stored once, whatever
# is sent again; hosts have their health by it, and by their parts and enclosures; a scheduler's
# check is responded to from memory, after a restart, too; changes are followed.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
. "$(dirname "$0")/lib-roles.sh"
requires jq curl sqlite3 python3
cd "$SCRATCH" || exit 1

roles_start '[resource]
host = alex/a[1-8]
part = fan: up
part = accelerator: down
[enclosure c1]
cluster = alex
member = a[5-6]
[filesystem scratch]
jobid_name = %j
'
token node --role agent --host a3 --cluster alex
chmod 600 reader support admin user node
as() { # TOKEN ARGUMENTS: a command of baro with that token
    as_token=$1
    shift
    baro "$@" --server "$url" --token-file "$SCRATCH/$as_token"
}
post() { # TOKEN: lines of standard input; the counts
    curl -s -H "Authorization: Bearer $(cat "$SCRATCH/$1")" -H 'Content-Type: application/x-ndjson' \
        --data-binary @- "$url/v1/resources"
}
counts() { jq -c '[.accepted, .changed, .duplicate, .refused]' 2>/dev/null; }
state() { as reader resource list -o json "$1" | jq -r '.[] | [.component, .health, .reason // "-"] | join(" ")'; }
rows() { sqlite3 records.db "select count(*) from resource_changes"; }

is "hosts are there by the configuration" "$(as reader resource list -o json | jq -r '[.[].component] | join(" ")')" \
    "alex/a1 alex/a2 alex/a3 alex/a4 alex/a5 alex/a6 alex/a7 alex/a8 alex/c1"
is "and nothing is known of them" "$(state alex/a1)" "alex/a1 unknown -"
ok "what is unknown may be used" as node resource check --hosts 'a[1-8]'

# ---- statements ----
adminid=$(baro token show admin | jq -r .id)
line='{"component":"alex/a3/dimm:3","health":"degraded","reason":"edac: 14 corrected errors","source":"edac"}'
is "an agent states something about its host" "$(echo "$line" | post node | counts)" "[1,0,0,0]"
is "again it makes no row" "$(printf '%s\n' "$line" "$line" | post node | counts) $(rows)" "[0,0,2,0] 1"
is "about another host it may not" \
    "$(echo '{"component":"alex/a4","health":"down","reason":"r"}' | post node | jq -r '.refusals[0].reason')" \
    "the token is for the host a3"
is "nor drain" "$(echo '{"component":"alex/a3","health":"drained","reason":"r"}' | post node | jq -r '.refusals[0].reason')" \
    "only an administrator drains"
is "a reader states nothing" "$(echo "$line" | post reader | jq .status)" 403
is "a bad line costs that line" "$(printf '%s\nnonsense\n{"component":"alex/a3","health":"up","source":"ping"}\n' "$line" | post node | counts)" \
    "[1,0,1,1]"
is "a host with a bad part is degraded" "$(state alex/a3)" "alex/a3 degraded edac: 14 corrected errors"
is "and names the part" "$(as reader resource list -o json alex/a3 | jq -r '.[0].cause')" alex/a3/dimm:3
is "a fan is no matter of its host" "$(echo '{"component":"alex/a4/fan:1","health":"down","reason":"0 rpm","source":"ipmi"}' |
    post admin | counts) $(state alex/a4)" "[1,0,0,0] alex/a4 unknown -"
echo '{"component":"alex/a4/accelerator:0","health":"down","reason":"gpu: fell off the bus","source":"gpu"}' | post admin >out
is "a GPU that is down is by the rule" "$(state alex/a4)" "alex/a4 down gpu: fell off the bus"
echo '{"component":"alex/c1","health":"down","reason":"bmc: no power","source":"bmc"}' | post admin >out
is "so is a chassis" "$(state 'alex/a[5-6]')" "alex/a5 down bmc: no power
alex/a6 down bmc: no power"

# ---- opinions ----
is "a user's is an opinion, about what is known" "$(printf '%s\n' '{"component":"alex/a1","health":"down","reason":"slow"}' \
    '{"component":"alex/nowhere","health":"down","reason":"slow"}' | post user | counts)" "[1,0,0,1]"
is "and changes nothing" "$(state alex/a1)" "alex/a1 unknown -"
is "others see that there is one" "$(as reader resource show -o json alex/a1 | jq -c '.[] | [.source, .health, .reason, .counts, .by]')" \
    '["user","down",null,"opinion",null]'
is "support sees whose, and why" "$(as support resource show -o json alex/a1 | jq -c '.[] | [.source, .reason, .by]')" \
    '["user:alice","slow","alice"]'
echo '{"component":"alex/a1","health":"down","reason":"ping: no response","source":"ping"}' | post admin >out
is "a system confirms it" "$(as user resource show -o json alex/a1 | jq -c '[.[].counts]') $(state alex/a1)" \
    '["confirmed","yes"] alex/a1 down ping: no response'
echo '{"component":"alex/a1","health":"up","source":"ping"}' | post admin >out

# ---- drained and resumed ----
ok "an administrator drains" as admin resource drain --reason 'board swap' 'a[1-2]'
is "a user does not" "$(as user resource drain --reason r a1 2>&1 | grep -o '403: the role user may not do this')" \
    "403: the role user may not do this"
is "without a reason it is misuse" "$(as admin resource drain a1 2>said; echo $?)" 2
is "an unknown host wants its cluster" "$(as admin resource drain --reason r x9 2>&1 | grep -o 'barod knows no host x9')" "barod knows no host x9"
ok "with it, it is one" as admin resource drain --reason r --cluster alex x9
rows_before=$(rows)
ok "again it changes nothing" as admin resource drain --reason 'board swap' 'a[1-2]'
is "and makes no row" "$(rows)" "$rows_before"
echo '{"component":"alex/a1","health":"up","source":"ping"}' | post admin >out
echo '{"component":"alex/a1","health":"down","reason":"ping: no response","source":"ping"}' | post admin >out
echo '{"component":"alex/a1","health":"up","source":"ping"}' | post admin >out
is "whatever systems state, it stays so" "$(state alex/a1)" "alex/a1 drained board swap"

# ---- the check ----
as node resource check --hosts 'a[1-8]' >out 2>err
is "a check names what is not to be used, a line a host" "$? $(cat out)" "1 a1: drained: board swap (alex/a1)
a2: drained: board swap (alex/a2)
a4: down: gpu: fell off the bus (alex/a4/accelerator:0)
a5: down: bmc: no power (alex/c1)
a6: down: bmc: no power (alex/c1)"
is "degraded is no reason" "$(as node resource check --hosts a3; echo $?)" 0
is "a host that is not known is none, but named" "$(as node resource check --hosts 'b[1-2]' 2>&1; echo $?)" \
    "baro resource check: barod does not know b[1-2], and states nothing of them.
0"
is "a barod that is away is no reason against a host" \
    "$(baro resource check --hosts a1 --server "unix:$SCRATCH/nowhere" >out 2>err; echo "$?$(cat out)")" 3
is "this host by itself" "$(as node resource check >out 2>&1; echo $?)" 0

# ---- after a restart ----
before=$(as support resource list -p -o json | jq -cS .)
end_barod
ok "barod starts again" start_barod
is "after a restart it is as before" "$(as support resource list -p -o json | jq -cS .)" "$before"
ok "hosts are resumed" as admin resource resume --reason 'board is new' 'a[1-2]'
is "and have what systems state" "$(state 'alex/a[1-2]')" "alex/a1 up -
alex/a2 up board is new"
ok "a component is drained by its path" as admin resource drain --reason maintenance alex/c1
is "and its members with it" "$(state alex/a5)" "alex/a5 drained maintenance"
ok "until it is resumed" as admin resource resume alex/c1

# ---- history ----
is "the history has who and why" "$(as support resource history -o json alex/a1 | jq -r '.[] | [.health, .source, .reason // "-", .by] | join(" ")')" \
    "up admin board is new $adminid
up system:ping - $adminid
down system:ping ping: no response $adminid
drained admin board swap $adminid
up system:ping - $adminid
down system:ping ping: no response $adminid
down user:alice slow alice"
is "others see no names" "$(as reader resource history -o json alex/a1 | jq -c '[.[].by] | unique') $(
    as reader resource history -o json alex/a1 | jq -c '.[-1] | [.source, .reason]')" '[null] ["user",null]'
is "it is by source, and cut" "$(as reader resource history -o json --source system:ping --limit 1 | jq length)" 1
is "each action has a record for the administrator" \
    "$(grep -c 'POST /v1/resources/drain: 200; role=admin.*reason=board swap' barod.log)" 2

# ---- changes ----
baro resource watch -o csv --after 0.0 --server "$url" --token-file reader >watched 2>err &
watch_pid=$!
at_exit 'kill $watch_pid 2>/dev/null'
is_watching() { grep -q "alex/c1,down,drained\|alex/c1" watched; }
ok "those that were come first" wait_for 10 is_watching
echo '{"component":"alex/a7/dimm:1","health":"degraded","reason":"edac: 1 error","source":"edac"}' | post admin >out
has_change() { grep -q "alex/a7,unknown,degraded,edac: 1 error,system:edac" watched; }
ok "then those that come" wait_for 10 has_change
kill $watch_pid
id=$(as reader resource watch --once -o json | jq -r '.[-1].id')
curl -s -H "Authorization: Bearer $(cat reader)" "$url/v1/resources/changes?after=$id&wait=30s" >waited &
echo '{"component":"alex/a7/dimm:1","health":"up","source":"edac"}' | post admin >out
has_waited() { jq -e '.rows[0] | index("alex/a7/dimm:1") != null' waited >out 2>&1; }
ok "who waits gets the next" wait_for 10 has_waited

# ---- targets of file systems ----
now=$(date +%s)
reading() { # USED ACTIVE
    printf '{"cluster":"alex","target":"scratch-OST0001","t":%s,"total_kib":1000,"used_kib":%s,"available_kib":1}\n' "$now" "$1"
    printf '{"cluster":"alex","target":"scratch-OST0001","t":%s,"active":%s,"source":"login1","server":"oss1"}\n' "$now" "$2"
}
health() { # USED ACTIVE: a second later
    now=$((now + 1))
    reading "$1" "$2" | curl -s -H "Authorization: Bearer $(cat admin)" -H 'Content-Type: application/x-ndjson' --data-binary @- "$url/v1/health" >out
}
now=$((now - 60))
health 500 true
is "a target has its health by its readings" "$(state scratch/scratch-OST0001)" "scratch/scratch-OST0001 up -"
health 970 true
health 980 true
is "a full one is degraded, by the first reading that was so" "$(state scratch/scratch-OST0001 | sed 's/ at .*,/,/')" \
    "scratch/scratch-OST0001 degraded space: 97.0 % full, the limit is 95 %"
health 500 false
is "so is one that a client does not reach" "$(state scratch/scratch-OST0001 | sed 's/ at .*,/,/')" \
    "scratch/scratch-OST0001 degraded target: inactive, as login1 sees it"
health 500 true
is "until it does, and who serves it stands there" "$(state scratch/scratch-OST0001)" "scratch/scratch-OST0001 up server: oss1"
server() { # NAME: another second later it serves the target, as login1 sees it
    now=$((now + 1))
    printf '{"cluster":"alex","target":"scratch-OST0001","t":%s,"active":true,"source":"login1","server":"%s"}\n' "$now" "$1" |
        curl -s -H "Authorization: Bearer $(cat admin)" -H 'Content-Type: application/x-ndjson' --data-binary @- "$url/v1/health" >out
}
server oss2
is "a target on another server than its usual one is degraded" "$(state scratch/scratch-OST0001 | sed 's/ at .*,/,/')" \
    "scratch/scratch-OST0001 degraded server: served by oss2, usually by oss1"
server oss1
is "until it is back" "$(state scratch/scratch-OST0001)" "scratch/scratch-OST0001 up -"

# ---- a clock that was set back ----
echo '{"component":"alex/a8","health":"down","reason":"ping: no response","source":"ping"}' | post admin >out
end_barod
sqlite3 records.db "update resource_statements set start_ns = start_ns + 3600000000000 where component = 'alex/a8'"
ok "barod starts, and what is stored is of a time to come" start_barod
is "a host that is well again is not down until then" \
    "$(echo '{"component":"alex/a8","health":"up","source":"ping"}' | post admin | counts) $(state alex/a8)" "[0,1,0,0] alex/a8 up -"
is "whatever its own clock" "$(printf '{"component":"alex/a8","health":"%s","reason":"r","source":"ping","t":%s}\n' down "$(date +%s)" up "$(date +%s)" |
    post admin | counts) $(state alex/a8)" "[0,2,0,0] alex/a8 up r"

# ---- senders whose clocks are behind, and lines sent again ----
echo '{"component":"alex/a7","health":"up","source":"clock"}' | post admin >out
late() { printf '{"component":"alex/a7","health":"down","reason":"r","source":"clock","t":%s}\n' "$1"; }
hour=$(($(date +%s) - 3600))
is "a node whose clock is behind is heard" "$(late $hour | post admin | counts) $(state alex/a7)" "[0,1,0,0] alex/a7 down r"
is "the same sent again changes nothing" "$(late $hour | post admin | counts) $(rows)" "[0,0,1,0] $(rows)"
flip() { late $((hour + 1)); printf '{"component":"alex/a7","health":"up","source":"clock","t":%s}\n' $((hour + 2)); }
is "two of one source in a body are in order" "$(flip | post admin | counts) $(state alex/a7)" "[0,1,1,0] alex/a7 up -"
before=$(rows)
is "nor do they, sent again" "$(flip | post admin | counts) $(rows) $(state alex/a7)" "[0,0,2,0] $before alex/a7 up -"
late $((hour + 5)) | post admin >out
is "another reason comes, too, by such a clock" "$(late $((hour + 6)) | sed 's/"r"/"r2"/' | post admin | counts) $(state alex/a7)" "[0,1,0,0] alex/a7 down r2"
is "and an older one does not come back" "$(late $((hour + 5)) | post admin | counts) $(state alex/a7)" "[0,0,1,0] alex/a7 down r2"
echo '{"component":"alex/a7","health":"up","source":"clock"}' | post admin >out
both() { printf '{"component":"alex/a7","health":"%s","reason":"r","source":"both"}\n' "$@"; }
is "without a time, too: the last holds" "$(both up down | post admin | counts) $(state alex/a7)" "[1,1,0,0] alex/a7 down r"
is "whichever it is" "$(both up down up | post admin | counts) $(state alex/a7)" "[0,3,0,0] alex/a7 up -"
printf '{"component":"alex/a7","health":"down","reason":"r","source":"old","t":1}\n' | post admin >out
is "since is barod's time, whatever the sender has" "$(as reader resource list -o json alex/a7 | jq -r '.[0].since[:4]')" "$(date -u +%Y)"
is "so is it in what each states" "$(as reader resource show -o json alex/a7 | jq -r '[.[] | select(.source == "system:old") | .since[:4]] | join(" ")')" "$(date -u +%Y)"

# ---- a node that would make itself one that cannot be drained ----
fill() { jq -nc 'range(2000) | {component: "alex/a3", health: "up", source: "s\(.)"}'; }
echo '{"component":"alex/a3","health":"down","reason":"zz","source":"zz"}' | post node >out
is "one body has as many sources as can be, no more" "$(fill | post node | jq -c '[.accepted, .refused > 1900, .refusals[0].reason]')" \
    '[30,true,"as many sources as can have stated something about it"]'
is "the site's programs have a place" "$(echo '{"component":"alex/a3","health":"up","source":"bmc"}' | post admin | counts)" "[1,0,0,0]"
is "which is not the node's" "$(echo '{"component":"alex/a3","health":"up","source":"bmc"}' | post node | jq -r '.refusals[0].reason')" \
    "a node states nothing as 'bmc'"
ok "an administrator drains it" as admin resource drain --reason 'board swap' a3
ok "and resumes it" as admin resource resume a3
parts() { jq -nc 'range(2000) | {component: "alex/a3/x:\(.)", health: "up", source: "x"}'; }
is "parts of a host have a bound, too" "$(parts | post node | jq -c '[.accepted, .refusals[0].reason]')" \
    '[1023,"its host has as many parts as can be"]'
is "what is down is so" "$(state alex/a3)" "alex/a3 down zz"
end_barod
ok "barod starts again" start_barod
is "also after a restart" "$(state alex/a3)" "alex/a3 down zz"

# ---- the check of a prolog ----
echo '{"component":"fritz/a2","health":"down","reason":"r","source":"ping"}' | post admin >out
is "a node's token means its own cluster" "$(as node resource check --hosts a2 2>&1; echo $?)" 0
is "without one a name of two clusters is stated" "$(as reader resource check --hosts a2 2>&1; echo $?)" \
    "baro resource check: 1 of these names are of hosts in several clusters: a2 (fritz/a2); cluster=NAME (--cluster) is missing.
a2: down: r (fritz/a2)
1"
baro resource check --closed --hosts a1 --server "unix:$SCRATCH/nowhere" >out 2>err
is "closed, a barod that is away is a reason" $? 1
kill -STOP "$pid"
as node resource check --hosts a1 --timeout 200ms >out 2>err
is "one that hangs is none, in time" "$? $(cat out)" "3 "
kill -CONT "$pid"

# ---- a watch goes on ----
baro resource watch -o csv --server "$url" --token-file reader >watched 2>err &
watch_pid=$!
is_away() { grep -q 'trying again' err; }
is_back() { grep -q 'barod responds again, after [0-9]* s' err; }
sleep 1
end_barod
ok "a watch states that barod is away" wait_for 10 is_away
ok "barod starts again" start_barod
echo '{"component":"alex/a7/dimm:9","health":"down","reason":"gone","source":"edac"}' | post admin >out
ok "and that it is back" wait_for 30 is_back
has_next() { grep -q 'alex/a7/dimm:9,unknown,down,gone' watched; }
ok "with what changed then" wait_for 10 has_next
is "each once" "$(grep -c 'trying again' err) $(grep -c 'responds again' err)" "1 1"
kill $watch_pid
cat >proxy.py <<'END'
import http.server, sys, urllib.request
class Proxy(http.server.BaseHTTPRequestHandler):
    count = 0
    def do_GET(self):
        Proxy.count += 1
        if Proxy.count > 1:
            return self.send_error(502 if Proxy.count < 4 else 403)
        request = urllib.request.Request(sys.argv[1] + self.path, headers={"Authorization": self.headers["Authorization"]})
        body = urllib.request.urlopen(request).read()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *args):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Proxy)
print(server.server_port, flush=True)
server.serve_forever()
END
python3 proxy.py "$url" >port &
proxy_pid=$!
at_exit 'kill $proxy_pid 2>/dev/null'
has_port() { [ -s port ]; }
wait_for 10 has_port
baro resource watch --server "http://127.0.0.1:$(cat port)" --token-file reader >out 2>err
is "an error of a proxy does not end it, what is refused does" "$? $(grep -c 'trying again' err) $(grep -c 403 err)" "1 1 1"
kill $proxy_pid

# ---- who has an opinion is not found by asking ----
echo '{"component":"alex/a1","health":"down","reason":"slow again","source":"x"}' | post user >out
is "another user's filter finds none" "$(as reader resource history -o json --source user:alice alex/a1 | jq length)" 0
ok "support's does" sh -c "$(command -v baro) resource history -o json --source user:alice --server '$url' --token-file '$SCRATCH/support' alex/a1 | jq -e 'length > 0'"
finish
