#!/bin/sh
# NATS by TLS, and each way to say who we are: password, token, credentials file.
. "$(dirname "$0")/lib.sh"
requires curl jq python3 nats-server openssl

socket=$SCRATCH/barod.sock
port=$(free_port)
now=$(date +%s)
t=$((now - now % 60 - 600))
# An authority, a server's certificate by it, and another authority.
certificate() { # name subject
    openssl req -new -newkey rsa:2048 -nodes -keyout "$SCRATCH/$1.key" -out "$SCRATCH/$1.csr" \
        -subj "/CN=$2" 2>/dev/null
}
for ca in ca other; do
    openssl req -x509 -newkey rsa:2048 -nodes -keyout "$SCRATCH/$ca.key" -out "$SCRATCH/$ca.pem" \
        -subj "/CN=$ca" -days 2 2>/dev/null
done
certificate server localhost
printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\n' >"$SCRATCH/server.ext"
openssl x509 -req -in "$SCRATCH/server.csr" -CA "$SCRATCH/ca.pem" -CAkey "$SCRATCH/ca.key" \
    -CAcreateserial -days 2 -extfile "$SCRATCH/server.ext" -out "$SCRATCH/server.pem" 2>/dev/null
mkdir "$SCRATCH/accounts"
ok "keys are made" python3 "$TOP/tests/sim/nats_accounts.py" "$SCRATCH/accounts"

start_nats() { # line...
    {
        echo "listen: \"127.0.0.1:$port\""
        printf '%s\n' "$@"
    } >"$SCRATCH/nats.conf"
    nats-server --config "$SCRATCH/nats.conf" >>"$SCRATCH/nats.log" 2>&1 &
    nats_pid=$!
}
stop_nats() {
    kill -TERM $nats_pid
    wait $nats_pid
}
start_barod() { # line of [nats]...
    rm -rf "$SCRATCH/store"
    {
        cat <<CONF
[net]
socket = $socket
listen = none
[records]
path = $SCRATCH/records.db
[store]
directory = $SCRATCH/store
[metric cpu_load]
step = 60s
[nats_subscription all]
subscribe_to = metrics
cluster_tag = alex
[nats]
reconnect_max = 300ms
CONF
        printf '%s\n' "$@"
    } >"$SCRATCH/barod.conf"
    chmod 600 "$SCRATCH/barod.conf"
    barod --config "$SCRATCH/barod.conf" >"$SCRATCH/barod.log" 2>&1 &
    pid=$!
    wait_for 20 curl -sf --unix-socket "$socket" -o "$SCRATCH/out" http://x/healthz
}
stop_barod() {
    kill -TERM "$pid"
    wait "$pid"
}
at_exit 'kill -9 $pid $nats_pid'
is_connected() {
    curl -s --unix-socket "$socket" http://x/metrics | grep -q '^baro_ingest_nats_connected 1'
}
is_taken() { # value
    [ "$(curl -s --unix-socket "$socket" -X GET http://x/api/query -d '{"cluster":"alex","from":'$t',"to":'$((t + 60))',
        "queries":[{"metric":"cpu_load","host":"h1"}]}' | jq -c '.results[0][0].data')" = "[$1]" ]
}
publish() { # value address option...
    value=$1
    shift
    echo "cpu_load,hostname=h1 value=$value $t" | python3 "$TOP/tests/sim/nats_publish.py" "$1" metrics 1 "$2" "$3"
}
tls="tls { cert_file: \"$SCRATCH/server.pem\", key_file: \"$SCRATCH/server.key\" }"
works() { # name value publisher's address, CA and directory
    ok "$1: it connects" wait_for 20 is_connected
    ok "and a message is published" publish "$2" "$3" "$4" "$5"
    ok "and taken in" wait_for 20 is_taken "$2"
}

start_nats "$tls" 'authorization { user: barod, password: "correct horse" }'
start_barod "address = nats://localhost:$port" "tls_ca = $SCRATCH/ca.pem" "username = barod" "password = correct horse"
works "a password by TLS" 1 "localhost:$port:barod:correct horse" "$SCRATCH/ca.pem"
stop_barod
start_barod "address = tls://localhost:$port" "tls_ca = $SCRATCH/other.pem" "username = barod" "password = correct horse"
ok "a server of another authority is not believed" wait_for 20 grep -q 'nats: cannot connect.*SSL' "$SCRATCH/barod.log"
ok "nor told a password" not is_connected
stop_barod
start_barod "address = nats://localhost:$port" "username = barod" "password = correct horse"
ok "without an authority the system's are asked, who do not know it" wait_for 20 grep -q 'nats: cannot connect.*SSL' "$SCRATCH/barod.log"
stop_barod
stop_nats

start_nats "$tls" 'authorization { token: "open sesame" }'
start_barod "address = tls://localhost:$port" "tls_ca = $SCRATCH/ca.pem" "token = open sesame"
works "a token by TLS" 2 "localhost:$port:open sesame" "$SCRATCH/ca.pem"
stop_barod
start_barod "address = tls://localhost:$port" "tls_ca = $SCRATCH/ca.pem" "token = open barley"
ok "a wrong token is said" wait_for 20 grep -q 'nats: cannot connect.*Authentication Violation' "$SCRATCH/barod.log"
stop_barod
stop_nats

start_nats "$tls" "include accounts/accounts.conf"
chmod 600 "$SCRATCH/accounts/user.creds"
start_barod "address = tls://localhost:$port" "tls_ca = $SCRATCH/ca.pem" \
    "credentials_file = $SCRATCH/accounts/user.creds"
works "credentials by TLS" 3 "localhost:$port" "$SCRATCH/ca.pem" "$SCRATCH/accounts"
stop_barod
mkdir "$SCRATCH/others"
ok "another operator has keys too" python3 "$TOP/tests/sim/nats_accounts.py" "$SCRATCH/others"
chmod 600 "$SCRATCH/others/user.creds"
start_barod "address = tls://localhost:$port" "tls_ca = $SCRATCH/ca.pem" \
    "credentials_file = $SCRATCH/others/user.creds"
ok "whose user is refused" wait_for 20 grep -q 'nats: cannot connect.*Authentication Violation' "$SCRATCH/barod.log"
stop_barod
stop_nats

ok "two ways to say who we are are refused" sh -c \
    "barod --config '$SCRATCH/barod.conf' --set nats.token=x 2>&1 | grep -q 'either username and password, or token'"
finish
