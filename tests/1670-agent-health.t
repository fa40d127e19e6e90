#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Agents send how full their targets are and who has them by themselves: a played file system, a
# played clock, a barod without a metric store; the page of a job knows fullness and a failover,
# across a barod that was away and an agent that was killed; a token is for its host's targets.
. "$(dirname "$0")/lib.sh"
requires curl jq sqlite3 baro-agent baro-sim
cd "$SCRATCH" || exit 1

epoch=1669014000
FS=$SCRATCH/fs CLOCK=$SCRATCH/clock
at() { baro-sim clock --clock "$CLOCK" --set "@$((epoch + $1))"; }
at 0
baro-sim init --fs "$FS" --clock "$CLOCK" nodes=20 version=2.12
export BARO_CLOCK="$CLOCK"
port=$(free_port)
baro token key new site.key >out
token() { baro token new --key site.key --role agent --output "$SCRATCH/$1.token" --host "$@"; }
printf '[filesystem scratch]\njobid_name = %%j\n' >barod.conf
start_barod() {
    barod --config barod.conf --set "net.socket=$SCRATCH/sock" --set "net.listen=127.0.0.1:$port" \
        --set "net.key=$SCRATCH/site.key.pub" --set "records.path=$SCRATCH/records.db" \
        --set records.retention=20000d >>barod.log 2>&1 &
    barod_pid=$!
    wait_for 30 curl -sf --unix-socket sock -o healthz http://x/healthz
}
start_agent() { # HOST
    baro-agent --set "agent.server=http://127.0.0.1:$port" --set "agent.host=$1" \
        --set "agent.token_file=$SCRATCH/$1.token" --set "agent.state=$SCRATCH/$1.state" \
        --set "agent.spool=$SCRATCH/$1.spool" --set "agent.lctl=$FS/servers/$1/lctl" \
        --set agent.health_interval=5m --set agent.backoff_max=1s --set "agent.metrics=$SCRATCH/$1.metrics" >>"$1.log" 2>&1 &
    eval "$1_pid=$!"
    wait_for 20 grep -q observing "$1.log"
}
at_exit 'kill -9 $barod_pid $oss01_pid $oss02_pid 2>/dev/null'
# rows SQL: what is stored, read without barod's clock
rows() { sqlite3 records.db "$1"; }
has_rows() { [ "$(rows "$1")" -ge "$2" ]; }
targets_of() { "$FS/servers/$1/lctl" get_param -N "obdfilter.*.stats" | wc -l; }
all="select count(*) from target_readings"

token oss01; token oss02
ok "barod starts, without a metric store" start_barod
at 1
ok "an agent starts" start_agent oss01
ok "and another" start_agent oss02
n1=$(targets_of oss01) n2=$(targets_of oss02)
at 5
ok "each sends its targets at once" wait_for 10 has_rows "$all" $((n1 + n2))
is "with their space, their server and who read them" \
    "$(rows "select count(*) from target_health where server = source and total_kib > 0")" "$((n1 + n2))"
param() { baro-sim lctl --fs "$FS" --server oss01 --at "@$((epoch + 5))" get_param -n "osd-ldiskfs.scratch-OST0000.$1"; }
is "which are the server's own figures" "$(rows "select total_kib, total_kib - used_kib, available_kib
    from target_health where target = 'scratch-OST0000'" | tr '|' ' ')" \
    "$(param kbytestotal) $(param kbytesfree) $(param kbytesavail)"

# A slot of five minutes later all again; nothing in between.
for t in 10 150; do at $t; sleep 0.3; done
is "between two intervals nothing is sent" "$(rows "$all")" $((n1 + n2))
at 305
ok "after the interval all are sent again" wait_for 10 has_rows "$all" $((2 * (n1 + n2)))

# barod is away; meanwhile an interval passes, a target moves, and an agent is killed.
kill -9 $barod_pid; wait $barod_pid 2>/dev/null
baro-sim move --fs "$FS" --target scratch-OST0001 --to oss02 --at "@$((epoch + 700))" --gap 15s
waiting() { [ "$(find "$1.spool/readings" -name '*.spool' -size +"$2"c 2>/dev/null | wc -l)" -ge 1 ]; }
size() { stat -c %s "$1".spool/readings/*.spool | awk '{ n += $1 } END { print n }'; }
was1=$(size oss01) was2=$(size oss02)
at 610
ok "without barod readings are stored" wait_for 10 waiting oss01 "$was1"
ok "on each server" wait_for 10 waiting oss02 "$was2"
kill -9 $oss01_pid; wait $oss01_pid 2>/dev/null
at 905
ok "another interval passes" wait_for 10 waiting oss02 $((was2 + 700))
ok "barod starts again" start_barod
ok "so does the agent that was killed" start_agent oss01
at 910
has_t() { [ "$(rows "select count(*) from target_readings where start_ns / 1000000000 = $((epoch + $1)) and source = '$2'")" -ge 1 ]; }
ok "what it had stored arrives" wait_for 10 has_t 610 oss01
at_last() { at $((t += 5)); [ "$(rows "select server from target_health where target = 'scratch-OST0001' order by start_ns desc limit 1")" = oss02 ]; }
t=910
ok "the server that has the target now reports it" wait_for 10 at_last
spooled() { sed -n 's/^baro_agent_health_waiting //p' "$1.metrics"; }
done_sending() { [ "$(spooled oss02)" = 0 ]; }
next() { at $((t += 60)); done_sending; }
ok "nothing waits any more" wait_for 10 next

# Sent again, nothing changes.
rows "select json_object('target', target, 't', start_ns / 1000000000, 'server', server, 'total_kib', total_kib,
    'used_kib', used_kib, 'available_kib', available_kib, 'source', source) from target_health where source = 'oss01'" >lines
post() { # TOKEN < LINES
    curl -s -H "Authorization: Bearer $(cat "$1.token")" -H 'Content-Type: application/x-ndjson' \
        --data-binary @- "http://127.0.0.1:$port/v1/health"
}
before=$(rows "select * from target_readings where source = 'oss01' order by 1, 2, 3, 4" | cksum)
is "sent twice it is known" "$(post oss01 <lines | jq -c '[.accepted, .changed, .refused, .duplicate > 5]')" "[0,0,0,true]"
is "and nothing changes" "$(rows "select * from target_readings where source = 'oss01' order by 1, 2, 3, 4" | cksum)" "$before"

# A token is for the targets that its host serves, unless it names others.
line() { printf '{"target":"%s","t":%s,"server":"%s"}\n' "$1" $((epoch + 5)) "$2"; }
why() { jq -r '.accepted, .refusals[0].reason' | tr '\n' ' '; }
is "an agent may not report what another server has" "$(line scratch-OST0003 oss09 | post oss01 | why)" \
    "0 the token is for targets that oss01 serves: for others it has to name them (baro token new --targets) "
is "nor how full a target is that it does not serve" \
    "$(printf '{"target":"scratch-OST0003","t":%s,"total_kib":9,"used_kib":9,"available_kib":0}\n' $((epoch + 5)) |
        post oss01 | jq .refused)" 1
is "nor in the name of another host" \
    "$(printf '{"target":"scratch-OST0003","t":%s,"server":"oss01","source":"oss02"}\n' $((epoch + 5)) | post oss01 | why)" \
    "0 the token is for the host oss01 "
token login1 --targets 'scratch-OST*'
is "a client whose token names targets reports them" "$(line scratch-OST0003 10.1.1.2@tcp | post login1 | jq .accepted)" 1
is "and no others" "$(line home-OST0003 10.1.1.2@tcp | post login1 | why)" "0 the token is not for the target home-OST0003 "

# The page of a job knows it, without a recorder and without a metric store.
get() { curl -s --unix-socket sock "http://x$1"; }
is "GET /v1/health has how it was and where it moved" \
    "$(get "/v1/health?fs=scratch&from=@$((epoch + 300))&to=@$((epoch + 2000))" |
        jq -r '[.columns[].name] as $c | .rows[] | [$c, .] | transpose | map({(.[0]): .[1]}) | add |
            select(.target == "scratch-OST0001") | .server' | uniq | tr '\n' ' ')" "oss01 oss02 "
printf 'JobID|Cluster|State|Start|End|NNodes|NodeList|User|Account\n601|nova|COMPLETED|%s|%s|1|n01|ann|physics\n' \
    $((epoch + 320)) $((epoch + 950)) >sacct.txt
row() { # TIME SINCE SUM SERVER: what the servers counted of the job
    since=null
    [ -z "$2" ] || since=\"$(date -u -d "@$((epoch + $2))" +%FT%T.000Z)\"
    printf '{"format":"baro-jobstats-1","agent":"00000000-0000-4000-8000-000000000601","sequence":%s,"server":"%s","targets":[{"target":
        "scratch-OST0001","kind":"ost","timestamp":"%s","entries":[{"entry_id":"601","exact":true,"since":%s,"previous":%s,
        "reset":%s,"snapshot_time":%s,"start_time":null,"ops":{"write_bytes":{"samples":%s,"unit":"bytes","min":4096,"max":4194304,
        "sum":%s000000}}}]}]}' "$1" "$4" "$(date -u -d "@$((epoch + $1))" +%FT%T.000Z)" "$since" "$since" \
        "$([ -n "$2" ] && echo false || echo true)" $((epoch + $1)) "$3" "$3" |
        curl -s -o out -w '%{http_code} ' --unix-socket sock -H 'Content-Type: application/json' --data-binary @- http://x/v1/jobstats
}
is "what servers counted of a job is stored" "$(row 330 '' 1 oss01; row 400 330 1000 oss01; row 600 400 5000 oss01)" "200 200 200 "
ok "a job is known" baro job import --server "unix:$SCRATCH/sock" sacct.txt
baro job show --server "unix:$SCRATCH/sock" 601 -o json >page.json
is "its page has how full targets were when it began, and which moved" \
    "$(jq -c '.health | [.fshealth_ost_fullness_lead_secs, .fshealth_ost_count, .fshealth_moved_targets, .fshealth_moved_from, .fshealth_moved_to]' page.json)" \
    '[15,'"$((n1 + n2))"',"scratch-OST0001","oss01","oss02"]'
finish
