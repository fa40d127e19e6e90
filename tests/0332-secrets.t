#!/bin/sh
# Secrets that others may read are refused, new ones are their owner's alone, and no
# password stands in a log or an error.  And two file systems of one fsname need servers.
. "$(dirname "$0")/lib.sh"
requires curl openssl

key=$SCRATCH/site.key
umask 022
baro token key new "$key" >"$SCRATCH/out"
ok "a token goes to a file" \
    baro token new --role reader --key "$key" --output "$SCRATCH/token"
is "that its owner alone can read" "$(stat -c %a "$SCRATCH/token")" 600
is "nothing is printed" "$(baro token new --role reader --key "$key" --output "$SCRATCH/second")" ""
ok "a file that is there is not replaced" \
    not baro token new --role reader --key "$key" --output "$SCRATCH/token"
ok "what is in it is a token" baro token show --key "$key.pub" - <"$SCRATCH/token"

cp "$SCRATCH/token" "$SCRATCH/open"
chmod 644 "$SCRATCH/open"
refused() { # FILE COMMAND...: fails, and names the file and the remedy
    refused_file=$1
    shift
    "$@" >"$SCRATCH/said" 2>&1 && return 1
    cat "$SCRATCH/said"
    grep "chmod 600" "$SCRATCH/said" | grep -q "$refused_file"
}
ok "a client's token that others may read is refused" \
    refused "$SCRATCH/open" baro stats --server http://127.0.0.1:1 --token-file "$SCRATCH/open"
ok "an agent's likewise" refused "$SCRATCH/open" baro jobstats replay "$SCRATCH" \
    --to http://127.0.0.1:1 --token-file "$SCRATCH/open"
chmod 644 "$key"
ok "a private key likewise" refused "$key" baro token new --role reader --key "$key"
chmod 600 "$key"

conf() {
    cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $SCRATCH/sock
listen = none
[records]
path = $SCRATCH/records.db
[store]
directory = none
[write]
cluster = c
CONF
    cat >>"$SCRATCH/barod.conf"
}
barod_says() {
    timeout 60 barod --config "$SCRATCH/barod.conf" "$@"
}
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
    -keyout "$SCRATCH/tls.key" -out "$SCRATCH/tls.crt" 2>"$SCRATCH/out"
chmod 640 "$SCRATCH/tls.key"
[ "$(id -u)" = 0 ] && chmod 644 "$SCRATCH/tls.key"
echo | conf
ok "a TLS key that others may read is refused" refused "$SCRATCH/tls.key" barod_says \
    --set "net.tls_certificate=$SCRATCH/tls.crt" --set "net.tls_key=$SCRATCH/tls.key"
conf <<CONF
[scrape x]
url = http://127.0.0.1:1/metrics
token_file = $SCRATCH/open
CONF
ok "an exporter's token likewise" refused "$SCRATCH/open" barod_says
conf <<CONF
[nats]
address = nats://127.0.0.1:1
credentials_file = $SCRATCH/open
[nats_subscription x]
subscribe_to = x
CONF
ok "NATS credentials likewise" refused "$SCRATCH/open" barod_says

for line in 'password = geheim' 'token = geheim' 'address = nats://u:geheim@127.0.0.1:1'; do
    printf '[nats]\n%s\n' "$line" | conf
    chmod 644 "$SCRATCH/barod.conf"
    ok "a configuration with ${line%%geheim*} is a secret" refused "$SCRATCH/barod.conf" barod_says --check
done
conf <<CONF
[scrape x]
url = http://u:geheim@127.0.0.1:1/metrics
CONF
ok "so is one with a password in a URL" refused "$SCRATCH/barod.conf" barod_says --check

# Nobody answers there; what is said of it holds no password.
silent() { # NAME COMMAND...
    silent_name=$1
    shift
    "$@" >"$SCRATCH/said" 2>&1
    if grep -q 'ge.heim\|geheim' "$SCRATCH/said"; then
        fail "$silent_name"
        sed 's/^/# /' "$SCRATCH/said"
    else
        ok "$silent_name" test -s "$SCRATCH/said"
    fi
}
for connection in 'host=127.0.0.1 port=1 password=geheim' 'postgresql://u:geheim@127.0.0.1:1/x' \
    'postgresql://u:ge%heim@127.0.0.1:1/x' 'host=127.0.0.1 password=a geheim' \
    "host=127.0.0.1 password='geheim"; do
    silent "PostgreSQL: $(echo "$connection" | sed 's/geheim/.../') is not printed" \
        baro jobstats top --records "$connection"
done
silent "a server's URL has no password in errors" baro stats --server http://u:geheim@127.0.0.1:1
silent "nor one that is none" baro stats --server ftp://u:geheim@127.0.0.1:1
conf <<CONF
[nats]
address = nats://u:geheim@127.0.0.1:1
reconnect_max = 1s
[nats_subscription x]
subscribe_to = x
[scrape x]
url = http://v:geheim@127.0.0.1:1/metrics
interval = 1s
timeout = 1s
CONF
chmod 600 "$SCRATCH/barod.conf"
barod --config "$SCRATCH/barod.conf" >"$SCRATCH/barod.log" 2>&1 &
pid=$!
at_exit "kill $pid"
both() { grep -q 'cannot connect to nats' "$SCRATCH/barod.log" && grep -q 'scrape: x' "$SCRATCH/barod.log"; }
ok "barod logs that NATS and an exporter are away" wait_for 30 both
ok "without their passwords" not grep geheim "$SCRATCH/barod.log"
curl -s --unix-socket "$SCRATCH/sock" http://x/v1/store/senders >"$SCRATCH/said"
ok "nor are they in the list of senders" grep -q 'v:\*\*\*@127' "$SCRATCH/said"

# Of the same fsname, without servers.
printf '[filesystem one]\nfsname = scratch\n[filesystem two]\nfsname = scratch\n' | conf
for option in --check --verbose; do
    barod_says $option --set "net.socket=$SCRATCH/sock2" >"$SCRATCH/said" 2>&1
    is "two file systems of one fsname are refused ($option)" $? 2
    ok "with the line and the remedy ($option)" grep -q 'barod.conf:12: .*"servers"' "$SCRATCH/said"
done
finish
