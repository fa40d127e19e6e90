# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# lib-bmc.sh - a barod with hosts that send or do not, BMCs that are played, a baro-bmc.
#
#   . "$(dirname "$0")/lib-bmc.sh"     after lib.sh, lib-barod.sh and lib-roles.sh
#   bmc_certificate           a CA in $SCRATCH/ca.pem, and bmc.pem with bmc.key for 127.0.0.1
#   bmc_barod [LINE...]       a barod of cluster alex with a session, and these lines
#   bmc_play [OPTION...]      plays a BMC (tests/sim/redfish.py) at $bmc_port, as $SCRATCH/bmc/state is
#   bmc_state JQ...           changes that document
#   bmc_conf [LINE...]        $SCRATCH/bmc.conf: [poller], and [bmc x] with these lines
#   bmc_start, bmc_end        a baro-bmc with it; its log is bmc.log
#   health COMPONENT          its health and reason, times replaced
#   sends HOST..., end_sending    samples of hosts twice a second, until the end
#
# Processes are ended by the ids that were noted when they were started.

at_exit 'for bmc_file in "$SCRATCH"/*.bmcpid; do [ ! -f "$bmc_file" ] || kill -9 "$(cat "$bmc_file")" 2>/dev/null; done'

bmc_certificate() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=ca \
        -keyout "$SCRATCH/ca.key" -out "$SCRATCH/ca.pem" 2>"$SCRATCH/openssl" &&
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=bmc \
            -keyout "$SCRATCH/bmc.key" -out "$SCRATCH/bmc.csr" 2>>"$SCRATCH/openssl" &&
        echo 'subjectAltName = IP:127.0.0.1' >"$SCRATCH/san" &&
        openssl x509 -req -in "$SCRATCH/bmc.csr" -CA "$SCRATCH/ca.pem" -CAkey "$SCRATCH/ca.key" -CAcreateserial \
            -days 2 -extfile "$SCRATCH/san" -out "$SCRATCH/bmc.pem" 2>>"$SCRATCH/openssl"
}

bmc_barod() {
    roles_start "[resource]
silent_after = 2s
[session]
size = 1
rank = 0
cluster = alex
address = unix:$SCRATCH/session.%r
state = $SCRATCH/session.state" "$@"
    chmod 600 "$SCRATCH/reader" "$SCRATCH/admin" "$SCRATCH/gateway" "$SCRATCH/agent"
}

bmc_play() {
    mkdir -p "$SCRATCH/bmc"
    [ -f "$SCRATCH/bmc/state" ] || echo '{}' >"$SCRATCH/bmc/state"
    bmc_port=$(free_ports 2)
    python3 "$TOP/tests/sim/redfish.py" --port "$bmc_port" --tls "$SCRATCH/bmc.pem" "$SCRATCH/bmc.key" "$@" \
        "$SCRATCH/bmc" >"$SCRATCH/played" 2>"$SCRATCH/played.err" &
    echo $! >"$SCRATCH/played.bmcpid"
    wait_for 20 grep -q ready "$SCRATCH/played"
}

bmc_state() {
    jq -c "$@" "$SCRATCH/bmc/state" >"$SCRATCH/bmc/next" && mv "$SCRATCH/bmc/next" "$SCRATCH/bmc/state"
}

bmc_conf() {
    cat >"$SCRATCH/bmc.conf" <<CONF
[poller]
server = $url
token_file = $SCRATCH/gateway
state = $SCRATCH/bmc-state
backoff_max = 2s
[bmc x]
cluster = alex
host = a1
address = 127.0.0.1:$bmc_port
credentials = $SCRATCH/bmc.secret
ca_file = $SCRATCH/ca.pem
interval = 1s
timeout = 2s
CONF
    printf '%s\n' "$@" >>"$SCRATCH/bmc.conf"
    printf 'root\nsecret\n' >"$SCRATCH/bmc.secret"
    chmod 600 "$SCRATCH/bmc.secret"
}

bmc_start() {
    baro-bmc --config "$SCRATCH/bmc.conf" >>"$SCRATCH/bmc.log" 2>&1 &
    bmc_pid=$!
    echo $bmc_pid >"$SCRATCH/poller.bmcpid"
}

bmc_end() { # [SIGNAL]
    kill "-${1:-TERM}" "$bmc_pid"
    wait "$bmc_pid"
}

as() { # TOKEN ARGUMENTS
    as_token=$1
    shift
    baro "$@" --server "$url" --token-file "$SCRATCH/$as_token"
}

health() {
    as reader resource list -p -o json "$1" | jq -r --arg c "$1" '.[] | select(.component == $c) | .health + " " + (.reason // "-")' |
        sed 's/[0-9-]*T[0-9:.]*Z/TIME/g'
}
is_health() { [ "$(health "$1")" = "$2" ]; }

sends() { # HOST...
    while :; do
        for sends_host in "$@"; do
            printf 'load,cluster=alex,hostname=%s,type=node value=1 %s\n' "$sends_host" "$(date +%s%N)"
        done | curl -s --unix-socket "$socket" --data-binary @- 'http://x/api/write?open=1&precision=ns' >"$SCRATCH/written"
        sleep 0.3
    done
}
begin_sending() {
    sends "$@" &
    echo $! >"$SCRATCH/sends.bmcpid"
}
end_sending() {
    kill "$(cat "$SCRATCH/sends.bmcpid")" 2>/dev/null
    wait "$(cat "$SCRATCH/sends.bmcpid")" 2>/dev/null
    rm -f "$SCRATCH/sends.bmcpid"
}
