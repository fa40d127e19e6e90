#!/bin/sh
# Tokens, revocation, TLS and refused listeners, asked from outside; and a recorded batch
# of every released agent is taken.
. "$(dirname "$0")/lib.sh"
requires curl jq openssl

key=$SCRATCH/site.key
baro token key new "$key" >"$SCRATCH/out"
baro token new --role agent --host oss01 --key "$key" --output "$SCRATCH/agent"
baro token new --role reader --key "$key" --output "$SCRATCH/reader"
: >"$SCRATCH/revoked"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
    -subj /CN=localhost -addext 'subjectAltName=IP:127.0.0.1' \
    -keyout "$SCRATCH/tls.key" -out "$SCRATCH/tls.crt" 2>"$SCRATCH/out"

write_config() {
    cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $SCRATCH/sock
$1
[records]
path = $SCRATCH/baro.db
retention = 20000d
CONF
}

check() {
    barod --config "$SCRATCH/barod.conf" --check >"$SCRATCH/said" 2>&1
}
write_config "listen = 0.0.0.0:0"
ok "an open listener without a key is refused" not check
ok "and why is told" grep 'set "key"' "$SCRATCH/said"
write_config "listen = 0.0.0.0:0
key = $key.pub"
ok "with a key it wants TLS" not check
ok "and says so" grep 'tls_certificate' "$SCRATCH/said"

write_config "listen = 127.0.0.1:0
key = $key.pub
revoked = $SCRATCH/revoked
tls_certificate = $SCRATCH/tls.crt
tls_key = $SCRATCH/tls.key"
barod --config "$SCRATCH/barod.conf" --verbose >"$SCRATCH/barod.log" 2>&1 &
pid=$!
at_exit "kill $pid"
ok "barod starts with TLS" wait_for 20 test -S "$SCRATCH/sock"
port_known() { grep -q '127.0.0.1:[1-9]' "$SCRATCH/barod.log"; }
ok "it says where it listens" wait_for 20 port_known
url=https://$(grep -o '127.0.0.1:[1-9][0-9]*' "$SCRATCH/barod.log" | head -n 1)

# post TOKENFILE FILE: the status, then the answer in $SCRATCH/answer.
post() {
    curl -s -o "$SCRATCH/answer" -w '%{http_code}' --cacert "$SCRATCH/tls.crt" \
        -H "Authorization: Bearer $(cat "$1")" -H 'Content-Type: application/json' \
        --data-binary "@$2" "$url/v1/jobstats"
}

is "/healthz is for anybody, over TLS" \
    "$(curl -s -o "$SCRATCH/out" -w '%{http_code}' --cacert "$SCRATCH/tls.crt" "$url/healthz")" 200
ok "plain HTTP is not spoken there" not curl -sf "http://${url#https://}/healthz"
: >"$SCRATCH/none"
batch=$TOP/tests/batches/agent-0.1.0.json
is "no token: 401" "$(post "$SCRATCH/none" "$batch")" 401
is "a reader may not send: 403" "$(post "$SCRATCH/reader" "$batch")" 403
for file in "$TOP"/tests/batches/*.json; do
    name=$(basename "$file" .json)
    is "the batch of $name is taken" "$(post "$SCRATCH/agent" "$file")" 200
    is "all of $name's entries are" \
        "$(jq -c '[.duplicate, .refused, .replayed]' "$SCRATCH/answer")" '[0,0,false]'
    is "$name sends it again" \
        "$(post "$SCRATCH/agent" "$file")$(jq .replayed "$SCRATCH/answer")" 200true
done
sed 's/"oss01"/"oss02"/' "$batch" >"$SCRATCH/other.json"
is "another host's batch: 403" "$(post "$SCRATCH/agent" "$SCRATCH/other.json")" 403
agent_says() { # TEXT OPTION...
    text=$1
    shift
    baro-agent --check --user "$(id -un)" --set "agent.server=$url" --set "agent.ca_file=$SCRATCH/tls.crt" \
        --set "agent.state=$SCRATCH/state" --set "agent.spool=$SCRATCH/spool" "$@" \
        >"$SCRATCH/said" 2>&1
    grep -q "server: $text" "$SCRATCH/said"
}
failed=$(curl -s --cacert "$SCRATCH/tls.crt" -H "Authorization: Bearer $(cat "$SCRATCH/reader")" \
    "$url/metrics" | grep '^baro_ingest_batches_failed_total')
ok "baro-agent --check says that it may send" \
    agent_says "responds, and lets us send" --set "agent.token_file=$SCRATCH/agent" \
    --set agent.host=oss01
ok "and until when the token holds" grep -q "the token is valid until 20" "$SCRATCH/said"
ok "that it may not for another host" \
    agent_says "would refuse us: the token is for the host 'oss01', this one reports as 'oss09'" \
    --set "agent.token_file=$SCRATCH/agent" --set agent.host=oss09
is "asking who one is counts as no failed batch" "$(curl -s --cacert "$SCRATCH/tls.crt" \
    -H "Authorization: Bearer $(cat "$SCRATCH/reader")" "$url/metrics" |
    grep '^baro_ingest_batches_failed_total')" "$failed"
ok "that it may not without a token, and what to set" \
    agent_says "the server responds with 401: .*see token_file"
ok "nor with a reader's" \
    agent_says "responds, and lets us query but not send: .*see token_file" --set "agent.token_file=$SCRATCH/reader"
baro token show - <"$SCRATCH/agent" | jq -r .id >"$SCRATCH/revoked"
is_revoked() { [ "$(post "$SCRATCH/agent" "$batch")" = 401 ]; }
ok "a revoked token holds no more" wait_for 20 is_revoked

kill "$pid"
wait "$pid"
is "barod ends cleanly" $? 0

finish
