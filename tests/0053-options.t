#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each option of each program stands in --help and in its man page, is completed, and does
# something: tests/options/rows has for each how that is seen.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-barod.sh
. "$(dirname "$0")/lib-barod.sh"
# shellcheck source=tests/lib-postgres.sh
. "$(dirname "$0")/lib-postgres.sh"
# shellcheck source=tests/lib-examples.sh
. "$(dirname "$0")/lib-examples.sh"
for program in scdoc python3 jq curl zstd gzip xz openssl; do
    requires "$program"
done
command -v baro-sim-darshan >/dev/null || skip_all "the players are not built"

# Nothing goes on changing: what two runs do differs by the option alone.
examples_agents() {
    mkdir -p "$SCRATCH/agents/oss01"
    cat >"$SCRATCH/agents/oss01.conf" <<CONF
[agent]
host = oss01
cluster = scratch
server = unix:$SCRATCH/no.sock
state = $SCRATCH/agents/oss01/state
spool = $SCRATCH/agents/oss01/spool
lctl = $SCRATCH/fs/servers/oss01/lctl
root = $SCRATCH/agents/oss01
CONF
}
examples_postgres() { :; }
examples_prepare >"$SCRATCH/prepare.log" 2>&1 || {
    echo "Bail out! the data of the examples could not be made"
    tail -n 30 "$SCRATCH/prepare.log" | sed 's/^/# /'
    exit 1
}

# ---- files that only this test has ----
{
    echo number,user,state,submit,start,end,nodes
    echo '1,ann,COMPLETED,2026-01-01 00:00:00,2026-01-01 00:01:00,2026-01-01 00:02:00,a0101'
} >new.csv
awk '/^```lua/ { on = 1; next } /^```/ { on = 0 } on' "$TOP/doc/plugins.md" >fds.lua
mkdir -p fds-root/proc/sys/fs
echo "9500 0 10000" >fds-root/proc/sys/fs/file-nr
job_of_2026() { # ID START END NODES
    echo "$1,ann,COMPLETED,2026-01-01T00:00:00Z,2026-01-01T$2Z,2026-01-01T$3Z,$4"
}
for id in 5_1 5_2; do
    job_of_2026 $id 00:01:00 00:02:00 'a[0101-0104]'
done | sed '1i id,user,state,submit,start,end,nodes' >array.csv
{
    echo 'JobID|JobIDRaw|Cluster|Start|End|AdminComment'
    echo "4711|4711|alex|$((examples_now - 590))|$((examples_now - 560))|one"
    echo "4712|4712|alex|$((examples_now - 590))|$((examples_now - 560))|"
} >comments.txt
printf 'job_stats:\n- job_id: x.1\n  snapshot_time: 1795460419\n' >noname.txt
printf '  read_bytes: { samples: 1, unit: bytes, min: 1, max: 1, sum: 1 }\n' >>noname.txt
sed 1q FILE.txt >faults.txt
for number in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do
    printf -- '- job_id: x.%d\n  snapshot_time: never\n' $number >>faults.txt
done
printf '[filesystem scratch]\njobid_name = %%e.%%u\n' >top.conf
printf '#!/bin/sh\necho "ClusterName = alex"\n' >"$SCRATCH/scontrol"
chmod +x "$SCRATCH/scontrol"
mkdir "$SCRATCH/try"
printf '[net]\nsocket = %s/try.sock\nlisten = none\n[records]\npath = %s/try/r.db\n[store]\ndirectory = %s/try\n' \
    "$SCRATCH" "$SCRATCH" "$SCRATCH" >try.conf
# The shipped script, but for the PATH that it sets itself: the played lctl must be found.
sed '/^PATH=/d' "$TOP/etc/baro-ssh-read" >"$SCRATCH/read"
SIM_SSH_COMMAND="sh $SCRATCH/read"
baro token key new "$SCRATCH/other.key" >/dev/null

# ---- another barod, which has another value ----
mkdir "$SCRATCH/peer"
cat >"$SCRATCH/peer.conf" <<CONF
[net]
socket = $SCRATCH/peer.sock
listen = none
[records]
path = $SCRATCH/peer/r.db
[store]
directory = $SCRATCH/peer
[metric mem_bw]
step = 60s
unit = B/s
aggregation = sum
CONF
barod --config "$SCRATCH/peer.conf" >"$SCRATCH/peer.log" 2>&1 &
at_exit "kill -9 $!"
wait_for 30 curl -sf --unix-socket "$SCRATCH/peer.sock" -o "$SCRATCH/healthz" http://x/healthz
echo "mem_bw,cluster=alex,hostname=a0101,type=node value=123456789 $((examples_now - 500))" |
    curl -sf --unix-socket "$SCRATCH/peer.sock" --data-binary @- 'http://x/api/write?precision=s'

# ---- a server whose certificate no authority has signed: it has no page ----
cert=$SCRATCH/cert.pem
openssl req -x509 -newkey rsa:2048 -nodes -keyout "$SCRATCH/cert.key" -out "$cert" -days 2 \
    -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 2>/dev/null
cat >"$SCRATCH/tls.py" <<'END'
import http.server, ssl, sys
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()
END
python3 "$SCRATCH/tls.py" "$cert" "$SCRATCH/cert.key" >"$SCRATCH/port" 2>/dev/null &
at_exit "kill -9 $!"
wait_for 30 test -s "$SCRATCH/port"
tls=https://127.0.0.1:$(cat "$SCRATCH/port")

now=$examples_now root=$examples_root store=$examples_root/var/lib/barograph/store
begin=@$((now - 660)) end=@$((now - 480)) clock=$(date -u -d "@$((now - 600))" +'%Y-%m-%d %H:%M')
records=$SCRATCH/records.db key=$root/root/baro.key
other=$SCRATCH/other.key peer=unix:$SCRATCH/peer.sock reader=$BUILD/src/cmd/baro-lustre-read
lctl=$SCRATCH/fs/servers/oss01/lctl mmpmon=$root/usr/lpp/mmfs/bin/mmpmon
EXAMPLES_HOME=$examples_home TZ=UTC
export other peer reader now root store begin end clock records key lctl mmpmon cert tls EXAMPLES_HOME TZ SIM_SSH_COMMAND
python3 "$TOP/tests/options/run.py" "$TOP/tests/options/rows" ${COMMANDS:+"$COMMANDS"}
exit
