#!/bin/sh
# What people ask of metrics: lists, samples, the largest, pictures; and who may.
. "$(dirname "$0")/lib.sh"
requires curl python3 zstd gzip openssl
PATH=$BUILD/tests/fill:$PATH

socket=$SCRATCH/barod.sock
port=$(free_port)
openssl genpkey -algorithm ed25519 -out "$SCRATCH/jwt.pem" 2>/dev/null
public=$(openssl pkey -in "$SCRATCH/jwt.pem" -pubout -outform DER | tail -c 32 | base64)
cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = 127.0.0.1:$port
jwt_public_key = $public
[records]
path = $SCRATCH/records.db
[store]
directory = $SCRATCH/store
own_metrics = 0s
[metric cpu_load]
step = 60s
aggregation = sum
unit = load
[metric flops]
step = 60s
aggregation = sum
CONF
mkdir "$SCRATCH/store"
n=$(($(date +%s) / 60 * 60 - 3000))
baro-fill-metrics "$SCRATCH/store" <<END
metric cpu_load 60s sum
metric flops 60s sum
alex/a01 cpu_load $n..$((n + 2400)) 1
alex/a02 cpu_load $n..$((n + 2400)) 3
alex/a02 cpu_load $((n + 2460)) 9.125
fritz/f01/hwthread:0 flops $n..$((n + 2400)) 100
fritz/f01/hwthread:1 flops $n..$((n + 2400)) 200
END
barod --config "$SCRATCH/barod.conf" >"$SCRATCH/barod.log" 2>&1 &
at_exit "kill -9 $!"
ok "barod starts" wait_for 20 curl -sf --unix-socket "$socket" http://x/healthz
BARO_SERVER=unix:$socket
export BARO_SERVER

is "list: the metrics" "$(baro metric list -o csv | tail -n +2)" \
    "cpu_load,load,gauge,60,sum
flops,\"\",gauge,60,sum"
is "list: the components of a pattern" "$(baro metric list '*' 'fritz/*/*:1' -o csv | tail -1)" \
    "fritz/f01/hwthread:1,flops,60"
is "query: a sample as it was written" \
    "$(baro metric query cpu_load alex/a02 -o csv | tail -1 | cut -d, -f4)" 9.125
is "query: statistics of all parts together" \
    "$(baro metric query flops --statistics -o csv | tail -1)" \
    "fritz/f01,flops,\"\",41,300.4,300,300.8,12316.4"
is "query: all hosts of a cluster in one" \
    "$(baro metric query cpu_load 'alex/*' -a sum --statistics -o csv | tail -1)" \
    'alex/*,cpu_load,load,42,4.5125,4,9.125,189.525'
is "top: the largest first" "$(baro metric top cpu_load -l 1 -o csv | tail -1 | cut -d, -f1)" \
    alex/a02
ok "top: as a table for people" sh -c "baro metric top cpu_load | grep -q '^alex/a01 .*1.2'"
baro metric plot cpu_load --width 60 --height 8 >"$SCRATCH/plot"
is "plot: so many rows" "$(wc -l <"$SCRATCH/plot")" 12
ok "plot: dots, and whose they are" sh -c \
    "grep -q '⠤\|⣀\|⡠\|⠒\|⠉' '$SCRATCH/plot' && grep -q 'alex/a02' '$SCRATCH/plot'"
baro metric plot cpu_load -o svg >"$SCRATCH/plot.svg"
ok "plot: an SVG with a line each" python3 - "$SCRATCH/plot.svg" <<'PYTHON'
import sys, xml.dom.minidom
assert len(xml.dom.minidom.parse(sys.argv[1]).getElementsByTagName("path")) == 2
PYTHON
is "nothing to draw is said" "$(baro metric plot cpu_load --from 2000-01-01 --to 2000-01-02 2>&1)" \
    "baro metric plot: there are no samples in this range"
is "an unknown metric is said" "$(baro metric query nope 2>&1)" \
    "baro metric query: the server responds with 404: metric: there is no nope"
is "status: how many series" "$(baro store status -o csv | grep '^series,')" "series,4"

url="http://x/v1/query?metric=*&from=@$n"
curl -s --unix-socket "$socket" "$url" >"$SCRATCH/plain"
curl -s --unix-socket "$socket" -H 'Accept-Encoding: gzip' "$url" | gzip -d >"$SCRATCH/gzip"
curl -s --unix-socket "$socket" -H 'Accept-Encoding: gzip, zstd' "$url" | zstd -dq >"$SCRATCH/zstd"
ok "gzip is the same answer" cmp "$SCRATCH/plain" "$SCRATCH/gzip"
ok "zstd is the same answer" cmp "$SCRATCH/plain" "$SCRATCH/zstd"
ok "and it is an answer" grep -q fritz/f01 "$SCRATCH/plain"

# ClusterCockpit's tokens.
base64url() {
    base64 -w0 | tr '+/' '-_' | tr -d '='
}
jwt() { # claims
    message=$(printf '{"alg":"EdDSA","typ":"JWT"}' | base64url).$(printf '%s' "$1" | base64url)
    printf '%s' "$message" >"$SCRATCH/message"
    openssl pkeyutl -sign -inkey "$SCRATCH/jwt.pem" -rawin -in "$SCRATCH/message" \
        -out "$SCRATCH/signature"
    echo "$message.$(base64url <"$SCRATCH/signature")"
}
status_with() { # method path [token]
    curl -s -o "$SCRATCH/out" -w '%{http_code}' -X "$1" -d '{}' \
        ${3:+-H "Authorization: Bearer $3"} "http://127.0.0.1:$port$2"
}
good=$(jwt "{\"sub\":\"demo\",\"roles\":[\"admin\"],\"exp\":$(($(date +%s) + 3600))}")
old=$(jwt '{"sub":"demo","exp":1700000000}')
is "without a token nothing is answered" "$(status_with GET /api/query)" 401
is "with one of ClusterCockpit's it is" "$(status_with GET /api/query "$good")" 200
is "not with one that has expired" "$(status_with GET /api/query "$old")" 401
is "nor with one that was changed" "$(status_with GET /api/query "${good%????}AAAA")" 401
is "what it says of roles is not believed" "$(status_with POST '/api/free?to=1' "$good")" 403
is "no job counters are taken with it" \
    "$(curl -s -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $good" \
        -H 'Content-Type: application/json' -d '[]' "http://127.0.0.1:$port/v1/jobstats")" 403
finish
