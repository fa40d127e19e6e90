#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Heads that a proxy could understand in another way are refused and end the connection;
# TLS is 1.2 at least; a key and a certificate that are no pair are found before a start.
. "$(dirname "$0")/lib.sh"
requires python3 curl openssl

cat >"$SCRATCH/framing.py" <<'END'
import socket, sys
CASES = [
    ("one Host", b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", b"200"),
    ("HTTP/1.0 without Host", b"GET /healthz HTTP/1.0\r\n\r\n", b"200"),
    ("no Host", b"GET /healthz HTTP/1.1\r\n\r\n", b"400"),
    ("two Hosts", b"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", b"400"),
    ("both lengths", b"POST /v1/jobs HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n"
     b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", b"400"),
    ("both, the other way round", b"POST /v1/jobs HTTP/1.1\r\nHost: a\r\n"
     b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n", b"400"),
    ("unequal lengths", b"POST /v1/jobs HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n"
     b"Content-Length: 4\r\n\r\nabcd", b"400"),
    ("a list of lengths", b"POST /v1/jobs HTTP/1.1\r\nHost: a\r\nContent-Length: 3, 3\r\n"
     b"\r\nabc", b"400"),
    ("a length with a sign", b"POST /v1/jobs HTTP/1.1\r\nHost: a\r\nContent-Length: +3\r\n"
     b"\r\nabc", b"400"),
    ("a blank before the colon", b"POST /v1/jobs HTTP/1.1\r\nHost: a\r\n"
     b"Content-Length : 3\r\n\r\nabc", b"400"),
    ("a tab before the colon", b"POST /v1/jobs HTTP/1.1\r\nHost: a\r\n"
     b"Transfer-Encoding\t: chunked\r\n\r\n0\r\n\r\n", b"400"),
    ("another coding", b"POST /v1/jobs HTTP/1.1\r\nHost: a\r\n"
     b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", b"400"),
    ("two codings", b"POST /v1/jobs HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"
     b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", b"400"),
    ("chunks in HTTP/1.0", b"POST /v1/jobs HTTP/1.0\r\nHost: a\r\n"
     b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", b"400"),
]
SECOND = b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

def answers(path, head):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(60)
    s.connect(path)
    s.sendall(head)
    try:
        s.sendall(SECOND)
    except OSError:
        pass
    got = b""
    try:
        while True:
            piece = s.recv(65536)
            if not piece:
                break
            got += piece
    except OSError:
        pass
    return got

bad = 0
for name, head, want in CASES:
    got = answers(sys.argv[1], head)
    status, goes_on = got[9:12], got.count(b" 200 OK\r\n") > (want == b"200")
    # What follows a refused head on its connection is no request.
    if status != want or (want == b"400" and goes_on):
        print("%s: %s, want %s, %s" % (name, status.decode(), want.decode(),
                                       "and goes on" if goes_on else "and ends"))
        bad += 1
sys.exit(bad > 0)
END

pair() { # NAME DAYS
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days "$2" \
        -subj /CN=localhost -addext 'subjectAltName=IP:127.0.0.1' \
        -keyout "$SCRATCH/$1.key" -out "$SCRATCH/$1.crt" 2>"$SCRATCH/out"
    chmod 600 "$SCRATCH/$1.key"
}
config() { # CERTIFICATE KEY
    cat >"$SCRATCH/barod.conf" <<CONF
[net]
listen = 127.0.0.1:0
socket = $SCRATCH/sock
tls_certificate = $SCRATCH/$1
tls_key = $SCRATCH/$2
[records]
path = $SCRATCH/baro.db
CONF
}
check() {
    barod --config "$SCRATCH/barod.conf" --check >"$SCRATCH/said" 2>&1
}
pair good 60
pair other 60
pair old 1
# One that ended years ago; "openssl req" makes none.
mkdir "$SCRATCH/ca"
: >"$SCRATCH/ca/index.txt"
echo 01 >"$SCRATCH/ca/serial"
cat >"$SCRATCH/ca/ca.cnf" <<CONF
[ca]
default_ca = past
[past]
database = $SCRATCH/ca/index.txt
serial = $SCRATCH/ca/serial
new_certs_dir = $SCRATCH/ca
default_md = sha256
policy = any
[any]
commonName = supplied
CONF
openssl req -new -key "$SCRATCH/old.key" -subj /CN=localhost -out "$SCRATCH/ca/csr" \
    2>"$SCRATCH/out"
openssl ca -batch -selfsign -notext -config "$SCRATCH/ca/ca.cnf" -keyfile "$SCRATCH/old.key" \
    -in "$SCRATCH/ca/csr" -startdate 20200101000000Z -enddate 20210101000000Z \
    -out "$SCRATCH/old.crt" >"$SCRATCH/out" 2>&1
config good.crt other.key
ok "a key of another certificate is refused by --check" not check
ok "both are named" grep -q 'tls_key is not the key of .*tls_certificate' "$SCRATCH/said"
config good.key good.key
ok "a file without a certificate is refused" not check
ok "and named" grep -q 'tls_certificate: no certificate' "$SCRATCH/said"
install -m 600 "$SCRATCH/good.crt" "$SCRATCH/no.key"
config good.crt no.key
ok "a file without a key is refused" not check
ok "and named, too" grep -q 'tls_key: no private key' "$SCRATCH/said"
config old.crt old.key
ok "an expired certificate is no error" check
ok "but a warning" grep -q 'warn: net: tls_certificate has expired' "$SCRATCH/said"
config good.crt good.key
ok "a good pair is good" check
ok "without a warning" not grep -q 'warn: net' "$SCRATCH/said"

barod --config "$SCRATCH/barod.conf" >"$SCRATCH/log" 2>&1 &
pid=$!
at_exit "kill $pid"
port_known() { grep -q '127.0.0.1:[1-9]' "$SCRATCH/log"; }
ok "barod starts" wait_for 30 port_known
address=$(grep -o '127.0.0.1:[1-9][0-9]*' "$SCRATCH/log" | head -n 1)
speak() { # OPTION
    openssl s_client -connect "$address" "$1" -cipher 'DEFAULT@SECLEVEL=0' </dev/null 2>&1 |
        grep -q 'Cipher is [A-Z]'
}
speak_13() {
    openssl s_client -connect "$address" -tls1_3 </dev/null 2>&1 | grep -q 'Cipher is TLS'
}
ok "TLS 1.3 is spoken" speak_13
ok "and 1.2" speak -tls1_2
ok "1.1 is not" not speak -tls1_1
ok "and neither is 1.0" not speak -tls1
# A server that speaks 1.1 only: our client does not.
openssl s_server -accept 127.0.0.1:0 -cert "$SCRATCH/good.crt" -key "$SCRATCH/good.key" \
    -tls1_1 -cipher 'DEFAULT@SECLEVEL=0' -www >"$SCRATCH/server" 2>&1 &
at_exit "kill $!"
listens() { grep -q '^ACCEPT .*:[1-9]' "$SCRATCH/server"; }
if wait_for 10 listens; then
    old=$(sed -n 's/^ACCEPT .*:\([0-9]*\)$/\1/p' "$SCRATCH/server" | head -n 1)
    ok "the client does not speak 1.1 either" not baro stats --server "https://127.0.0.1:$old"
else
    skip "the client does not speak 1.1 either" "openssl does not serve TLS 1.1 here"
fi
ok "heads that can be understood in two ways are refused" \
    python3 "$SCRATCH/framing.py" "$SCRATCH/sock"

finish
