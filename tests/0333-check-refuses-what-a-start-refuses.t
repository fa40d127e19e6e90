#!/bin/sh
# barod --check says no to what a start says no to, in the same words, and makes nothing.
. "$(dirname "$0")/lib.sh"

umask 077
# both NAME TEXT: the configuration on standard input is refused by both, with TEXT.
both() {
    rm -rf "$SCRATCH/state"
    mkdir "$SCRATCH/state"
    {
        cat <<CONF
[records]
path = $SCRATCH/state/records.db
CONF
        cat
    } >"$SCRATCH/barod.conf"
    barod --config "$SCRATCH/barod.conf" --check >"$SCRATCH/check" 2>&1
    checked=$?
    made=$(ls -A "$SCRATCH/state")
    timeout 60 barod --config "$SCRATCH/barod.conf" >"$SCRATCH/start" 2>&1
    started=$?
    for said in check start; do
        sed -n 's/^[^ ]* barod error: //p' "$SCRATCH/$said" | tail -n 1 >"$SCRATCH/$said.error"
    done
    is "$1: the check ends as the start does" "$checked $made" "$started "
    is "$1: in the same words" "$(cat "$SCRATCH/check.error")" "$(cat "$SCRATCH/start.error")"
    ok "$1: which name it" grep -q -e "$2" "$SCRATCH/check.error"
}
net="[net]
socket = $SCRATCH/sock
listen = none"
store="[store]
directory = $SCRATCH/state/store"
cluster="[write]
cluster = c"
both "no listener at all" "nothing listens" <<CONF
[net]
listen = none
socket = none
CONF
both "a budget of bodies below one body" "body_budget" <<CONF
$net
body_max = 64MiB
body_budget = 32MiB
CONF
both "half of TLS" "belong together" <<CONF
$net
tls_key = $SCRATCH/none
CONF
: >"$SCRATCH/empty.pem"
chmod 600 "$SCRATCH/empty.pem"
both "an empty certificate" "tls_certificate: the file is empty" <<CONF
$net
tls_certificate = $SCRATCH/empty.pem
tls_key = $SCRATCH/empty.pem
CONF
both "a key that is not there" "$SCRATCH/none" <<CONF
$net
key = $SCRATCH/none
CONF
both "a role that there is not" "jwt_role" <<CONF
$net
jwt_public_key = AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
jwt_role = emperor
CONF
both "a scrape without a cluster" "nothing names the cluster" <<CONF
$net
$store
[scrape x]
url = http://127.0.0.1:1/metrics
CONF
both "a scrape of nothing" "neither a url nor a file" <<CONF
$net
$store
$cluster
[scrape x]
interval = 10s
CONF
both "a timeout over the interval" "timeout is longer than interval" <<CONF
$net
$store
$cluster
[scrape x]
url = http://127.0.0.1:1/metrics
interval = 5s
timeout = 6s
CONF
both "an address of no kind" "one of http" <<CONF
$net
$store
$cluster
[scrape x]
url = ftp://127.0.0.1:1/metrics
CONF
both "a token file that is not there" "$SCRATCH/none" <<CONF
$net
$store
$cluster
[scrape x]
url = http://127.0.0.1:1/metrics
token_file = $SCRATCH/none
CONF
both "a scrape without a store" 'there is no \[store\]' <<CONF
$net
$cluster
[scrape x]
url = http://127.0.0.1:1/metrics
CONF
both "NATS without a subscription" 'no \[nats_subscription\]' <<CONF
$net
$store
[nats]
address = nats://127.0.0.1:1
CONF
both "a subscription without NATS" "no address" <<CONF
$net
$store
[nats_subscription x]
subscribe_to = x
CONF
nats="[nats]
address = nats://127.0.0.1:1"
both "an unknown form" "form" <<CONF
$net
$store
$nats
[nats_subscription x]
subscribe_to = x
form = graphite
CONF
both "a subject that is none" "subscribe_to" <<CONF
$net
$store
$nats
[nats_subscription x]
subscribe_to = a b
CONF
both "a token beside a user's name" "either username" <<CONF
$net
$store
$nats
token = x
username = y
[nats_subscription x]
subscribe_to = x
CONF
both "credentials that are not there" "$SCRATCH/none" <<CONF
$net
$store
$nats
credentials_file = $SCRATCH/none
[nats_subscription x]
subscribe_to = x
CONF
both "metrics of no kind" "write.metrics" <<CONF
$net
$store
[write]
metrics = all
CONF
both "a step that is none" "write.step" <<CONF
$net
$store
[write]
step = often
CONF
both "an unknown strictness without a store" "compat" <<CONF
$net
[store]
directory = none
compat = perhaps
CONF
both "two file systems of one name" "servers" <<CONF
$net
[filesystem a]
fsname = x
[filesystem b]
fsname = x
CONF

# What is right is found right, nothing is made, and root judges as the service would.
rm -rf "$SCRATCH/state"
mkdir "$SCRATCH/state"
cat >"$SCRATCH/barod.conf" <<CONF
[records]
path = $SCRATCH/state/records.db
$net
$store
$cluster
[scrape x]
url = http://127.0.0.1:1/metrics
$nats
[nats_subscription x]
subscribe_to = x
CONF
ok "a good configuration is good" barod --config "$SCRATCH/barod.conf" --check
is "and nothing was made" "$(ls -A "$SCRATCH/state")" ""
ok "a user that there is not is named" \
    sh -c "barod --config '$SCRATCH/barod.conf' --check --user no-such-user 2>&1 | grep -q 'no user'"
if [ "$(id -u)" = 0 ] && id nobody >"$SCRATCH/out" 2>&1; then
    chmod 711 "$SCRATCH"
    ok "root judges as a user who cannot read the file" \
        not barod --config "$SCRATCH/barod.conf" --check --user nobody
    chown nobody "$SCRATCH/barod.conf"
    ok "or write the directory" not barod --config "$SCRATCH/barod.conf" --check --user nobody
    chown nobody "$SCRATCH/state"
    ok "and as one who can" barod --config "$SCRATCH/barod.conf" --check --user nobody
    is "and still makes nothing" "$(ls -A "$SCRATCH/state")" ""
else
    skip "root judges as another user" "this is not root, or there is no user nobody"
fi
finish
