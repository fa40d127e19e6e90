#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A token in a cookie: for GET alone, never in what another site's page caused, never where
# two are there; and without the key no cookie is read.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
. "$(dirname "$0")/lib-roles.sh"
requires curl jq openssl python3

openssl genpkey -algorithm ed25519 -out "$SCRATCH/jwt.key" 2>"$SCRATCH/out"
jwt_public=$(openssl pkey -in "$SCRATCH/jwt.key" -pubout -outform DER | tail -c 32 | base64 -w0)
roles_start
sed -i "/^\[net\]/a token_cookie = baro_token\njwt_public_key = $jwt_public\njwt_role = claims\nrevoked = $SCRATCH/revoked" \
    "$SCRATCH/barod.conf"
end_barod
: >"$SCRATCH/revoked"
ok "barod starts with cookies" start_barod
roles_fill
token short --role user --user alice --expires 1s

# by COOKIES PATH [CURL OPTION...]: the status, the response in $SCRATCH/body.
by() {
    by_cookies=$1 by_path=$2
    shift 2
    curl -s -o "$SCRATCH/body" -w '%{http_code}' -H "Cookie: $by_cookies" "$@" "$url$by_path"
}
user=$(cat "$SCRATCH/user") admin=$(cat "$SCRATCH/admin")
who() { jq -c '[.roles, .user]' "$SCRATCH/body"; }

# ---- it counts ----
is "a cookie signs in" "$(by "baro_token=$user" /v1/whoami)$(who)" '200[["user"],"alice"]'
is "among others" "$(by "a=1; baro_token=$user; b=2" /v1/whoami)$(who)" '200[["user"],"alice"]'
is "it sees what the token sees" "$(by "baro_token=$user" /v1/jobs)$(jq '.rows | length' "$SCRATCH/body")" 2004
is "her page is opened by a link" "$(by "baro_token=$user" /v1/jobs/5/page)$(grep -ci '<html' "$SCRATCH/body")" 2001
is "another's is not" "$(by "baro_token=$user" /v1/jobs/6/page)" 404
is "HEAD, too" "$(by "baro_token=$user" /v1/whoami -I)" 200
for site in same-origin none; do
    is "from $site" "$(by "baro_token=$user" /v1/whoami -H "Sec-Fetch-Site: $site")" 200
done
is "beside a header it is not looked at" \
    "$(by "baro_token=$admin" /v1/whoami -H "Authorization: Bearer $user")$(who)" '200[["user"],"alice"]'
is "a wrong header is not mended by it" "$(by "baro_token=$admin" /v1/whoami -H 'Authorization: Bearer x')" 401

# ---- it does not ----
for site in cross-site same-site nonsense ''; do
    is "not from '$site'" "$(by "baro_token=$user" /v1/whoami -H "Sec-Fetch-Site${site:+: }${site:-;}")" 401
done
for method in POST PUT DELETE; do
    is "$method has no cookie" "$(by "baro_token=$admin" '/api/free?to=1' -X $method -H 'Content-Type: application/json' \
        --data '[]' | sed 's/405/401/')" 401
done
is "with the header it has" "$(status admin '/api/free?to=1' -X POST -H 'Content-Type: application/json' --data '[]')" 200
is "a page elsewhere cannot submit" "$(by "baro_token=$admin" /v1/jobs -H 'Origin: http://evil.example' \
    -H 'Content-Type: application/x-ndjson' --data '{}')" 401
for cookies in "baro_token=$user; baro_token=$user" "baro_token=$user; baro_token=$admin" "baro_token=" "baro_token" \
    "Baro_Token=$user" "xbaro_token=$user" "baro_token=x$user" "baro_token=\"$user\"" "a=baro_token=$user" ';;=;=;' \
    "baro_token=$(printf %05000d 0)" "baro_token=$user.x"; do
    is "no token: $(printf %.40s "$cookies" | tr '\n' ' ')" "$(by "$cookies" /v1/whoami)" 401
done
is "two headers of cookies are none" "$(by "baro_token=$user" /v1/whoami -H 'Cookie: a=1' | sed 's/400/401/')" 401
printf 'GET /v1/whoami HTTP/1.1\r\nHost: localhost\r\nCookie: a=1\000; baro_token=%s\r\n\r\n' "$user" >"$SCRATCH/nul"
# send FILE: to barod by TCP, as it is.
send() {
    python3 -c 'import socket, sys
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5); s.settimeout(5)
s.sendall(open(sys.argv[2], "rb").read()); print(s.recv(65536).decode())' "$port" "$1"
}
ok "nothing is found behind a NUL" not eval "send '$SCRATCH/nul' | grep -q alice"
is_over() { [ "$(by "baro_token=$(cat "$SCRATCH/short")" /v1/whoami)" = 401 ]; }
ok "it ends when its token does" wait_for 10 is_over
baro token key new "$SCRATCH/other.key" >"$SCRATCH/out"
is "another key's holds not" \
    "$(by "baro_token=$(baro token new --key "$SCRATCH/other.key" --role admin)" /v1/whoami)" 401

# ---- JSON Web Tokens ----
url64() { base64 -w0 | tr '/+' '_-' | tr -d =; }
jwt() { # CLAIMS
    jwt_text=$(printf '{"alg":"EdDSA","typ":"JWT"}' | url64).$(printf %s "$1" | url64)
    printf %s "$jwt_text" >"$SCRATCH/jwt.text"
    openssl pkeyutl -sign -rawin -inkey "$SCRATCH/jwt.key" -in "$SCRATCH/jwt.text" -out "$SCRATCH/jwt.signature"
    printf '%s.%s' "$jwt_text" "$(url64 <"$SCRATCH/jwt.signature")"
}
is "a JSON Web Token signs in" "$(by "baro_token=$(jwt '{"sub":"alice","roles":["user"]}')" /v1/whoami)$(who)" \
    '200[["user"],"alice"]'
is "an expired one does not" "$(by "baro_token=$(jwt '{"sub":"alice","roles":["user"],"exp":1600000000}')" /v1/whoami)" 401

# ---- replayed, and what the log has ----
baro token show "$SCRATCH/user" | jq -r .id >"$SCRATCH/revoked"
is_out() { [ "$(by "baro_token=$user" /v1/whoami)" = 401 ]; }
ok "a revoked one holds no more, however often it is shown" wait_for 20 is_out
is "an admin's GET is in the log as one by the header is" \
    "$(by "baro_token=$admin" /v1/tokens)$(grep -c "audit: GET /v1/tokens: 200; role=admin" "$SCRATCH/barod.log")" 2001
is "no token is in the log" "$(grep -c -F "$admin" "$SCRATCH/barod.log")" 0
end_barod

# ---- configuration ----
sed -i '/^token_cookie/d' "$SCRATCH/barod.conf"
ok "it starts without the key" start_barod
is "then no cookie is read" "$(by "baro_token=$admin" /v1/whoami)" 401
end_barod
for bad in 'a b' 'a=b' 'a;b' 'ä' "$(printf %065d 0)"; do
    sed -i '/^token_cookie/d' "$SCRATCH/barod.conf"
    sed -i "/^\[net\]/a token_cookie = $bad" "$SCRATCH/barod.conf"
    ok "refused as a name: $(printf %.10s "$bad")" not barod --config "$SCRATCH/barod.conf" --check
done
finish
