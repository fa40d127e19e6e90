#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Persons without a token: a proxy on the unix socket names them, or the kernel does by
# their uid; JSON Web Tokens that state roles; and what admins did is in the log.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
. "$(dirname "$0")/lib-roles.sh"
requires curl jq openssl

me=$(id -u)
chmod 755 "$SCRATCH"
openssl genpkey -algorithm ed25519 -out "$SCRATCH/jwt.key" 2>"$SCRATCH/out"
jwt_public=$(openssl pkey -in "$SCRATCH/jwt.key" -pubout -outform DER | tail -c 32 | base64 -w0)
roles_start "[access]" "proxy_user_header = X-Remote-User" "proxy_user = $me" \
    "manager = carol: phys" "manager = carol: chem" "support = dave" "admin = erin"
roles_fill

# ask PATH [CURL OPTION...]: through the socket, as this test's own user.
ask() {
    ask_path=$1
    shift
    curl -s -o "$SCRATCH/body" -w '%{http_code}' --unix-socket "$socket" "$@" "http://x$ask_path"
}
as() { # USER PATH [CURL OPTION...]
    as_user=$1 as_path=$2
    shift 2
    ask "$as_path" -H "X-Remote-User: $as_user" "$@"
}
ids() { jq -r '[.rows[] | .[0] + "/" + .[1]] | sort | join(" ")' "$SCRATCH/body"; }
mine="alex/5 alex/7 alex/9 fritz/8"
all="alex/10 alex/5 alex/5 alex/6 alex/7 alex/9 fritz/7 fritz/8"

# ---- the proxy's header ----
is "the proxy names a user" "$(as alice /v1/jobs)$(ids)" "200$mine"
is "whoami knows the name" "$(as alice /v1/whoami)$(jq -c '[.roles, .user]' "$SCRATCH/body")" '200[["user"],"alice"]'
is "a manager of the configuration has her accounts" "$(as carol /v1/jobs)$(ids)" "200alex/5 alex/6"
is "support reads all" "$(as dave /v1/jobs)$(ids)" "200$all"
is "the header's name has no case" "$(ask /v1/jobs -H 'x-remote-USER: alice')$(ids)" "200$mine"
is "without the header the proxy is no one, though its uid is the daemon's own" "$(ask /v1/jobs)" 401
is "nor may it administer" "$(ask /v1/tokens)$(as alice /v1/tokens)$(as root /v1/tokens)" 401403403
is "two names are none" "$(ask /v1/jobs -H 'X-Remote-User: alice' -H 'X-Remote-User: bob')" 401
is "nor are they with an admin's token" "$(ask /v1/jobs -H 'X-Remote-User: alice' -H 'X-Remote-User: bob' \
    -H "Authorization: Bearer $(cat "$SCRATCH/admin")")" 401
is "an empty one" "$(ask /v1/jobs -H 'X-Remote-User;')" 401
is "one that is no text" "$(ask /v1/jobs -H "$(printf 'X-Remote-User: a\377')")" 401
is "one that is too long" "$(as "$(printf %0256d 0)" /v1/jobs)" 401
is "another header" "$(ask /v1/jobs -H 'X_Remote_User: alice')" 401
is "the proxy's name counts before a token that its client sent" \
    "$(as alice /v1/jobs -H "Authorization: Bearer $(cat "$SCRATCH/admin")")$(ids)" "200$mine"
is "without a name a token does" "$(ask /v1/jobs -H "Authorization: Bearer $(cat "$SCRATCH/user")")$(ids)" "200$mine"
is "by TCP the header is nothing" "$(status manager /v1/jobs -H 'X-Remote-User: dave')$(ids)" "200alex/5 alex/6"
is "without a token it is nothing either" "$(curl -s -o "$SCRATCH/body" -w '%{http_code}' -H 'X-Remote-User: dave' "$url/v1/jobs")" 401
spare="/v1/store/exempt?cluster=alex&hosts=n1&until=%2B1h"
is "an admin that the proxy names may act" "$(as erin "$spare" -X POST | cut -c1)" 2
is "a page of another site may not in her name" \
    "$(as erin "$spare" -X POST -H 'Sec-Fetch-Site: cross-site')$(as erin "$spare" -X POST -H 'Sec-Fetch-Site: same-site')" 403403
is "it may read as she may" "$(as erin /v1/tokens -H 'Sec-Fetch-Site: cross-site')" 200
is "what needs no role needs no name" "$(ask /healthz)" 200
if [ "$me" = 0 ] && command -v setpriv >"$SCRATCH/out"; then
    by() { # UID PATH [CURL OPTION...]
        by_uid=$1 by_path=$2
        shift 2
        setpriv --reuid="$by_uid" --regid=65534 --clear-groups \
            curl -s -w '\n%{http_code}' --unix-socket "$socket" "$@" "http://x$by_path" >"$SCRATCH/both"
        sed '$d' "$SCRATCH/both" >"$SCRATCH/body"
        tail -n 1 "$SCRATCH/both"
    }
    is "of another uid the header is nothing" "$(by 65534 /v1/whoami -H 'X-Remote-User: alice')$(jq -c '[.roles, .user]' "$SCRATCH/body")" \
        '200[["reader"],null]'
else
    skip "of another uid the header is nothing" "this needs root and setpriv"
fi

# ---- what admins did ----
audit() { grep 'audit: ' "$SCRATCH/barod.log" | sed 's/.*audit: //' | tail -n "$1"; }
is "an admin releases memory" "$(status admin '/api/free?to=1' -X POST -H 'Content-Type: application/json' --data '[]')" 200
token_id=$(baro token show "$SCRATCH/admin" | jq -r .id)
is "the log has who, what, from where and what came of it" "$(audit 1)" \
    "POST /api/free: 200; role=admin user=null token=\"$token_id\" from=\"127.0.0.1\" query=\"to=1\""
status user /v1/tokens >"$SCRATCH/out"
is "also what was refused" "$(audit 1)" \
    "GET /v1/tokens: 403; role=user user=\"alice\" token=\"$(baro token show "$SCRATCH/user" | jq -r .id)\" from=\"127.0.0.1\" query=null"
before=$(audit 100 | wc -l)
curl -s -o "$SCRATCH/out" "$url/v1/tokens"
status reader /v1/jobs >"$SCRATCH/out"
is "but no client that is not authenticated, and no query" "$(audit 100 | wc -l)" "$before"
status admin '/v1/store/exempt?cluster=a%0aline:%20x&hosts=n&until=now' -X POST >"$SCRATCH/out"
is "a line stays a line" "$(audit 1 | grep -c 'query="cluster=a.nline: x&hosts=n&until=now"')" 1
end_barod

# ---- the kernel's word ----
sed -i '/^\[access\]/,$d' "$SCRATCH/barod.conf"
printf '[access]\nsocket_role = user\n' >>"$SCRATCH/barod.conf"
ok "it starts again" start_barod
is "an admin's uid is one still" "$(ask /v1/jobs)$(ids)" "200$all"
if [ "$me" = 0 ] && command -v setpriv >"$SCRATCH/out"; then
    is "a uid sees its jobs" "$(by 5 /v1/jobs)$(ids)" "200$mine"
    is "another uid others" "$(by 3 '/v1/jobs?user=bob&cluster=alex')$(ids)" "200alex/5 alex/6"
    is "one that ran none sees none" "$(by 65534 /v1/jobs)$(ids)" 200
    is "and may not what readers may" "$(by 65534 /v1/status)" 403
    is "with a reader's token it may" "$(by 65534 /v1/status -H "Authorization: Bearer $(cat "$SCRATCH/reader")")" 200
else
    skip "a uid sees its jobs" "this needs root and setpriv"
fi
end_barod
check() { barod --config "$SCRATCH/barod.conf" --check >"$SCRATCH/said" 2>&1; }
sed -i '/^key = /d' "$SCRATCH/barod.conf"
ok "it is refused where loopback shows all" not check
ok "with what to do" grep -q 'set "key" in \[net\]' "$SCRATCH/said"
for bad in 'socket_role = root' 'proxy_user_header = X-User' 'proxy_user = 33' 'manager = carol' 'support = a	b' 'colour = red'; do
    printf '[net]\nsocket = %s\nlisten = none\n[records]\npath = %s\n[access]\n%s\n' \
        "$socket" "$SCRATCH/records.db" "$bad" >"$SCRATCH/barod.conf"
    ok "refused: $bad" not check
done

# ---- JSON Web Tokens ----
cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = 127.0.0.1:$port
jwt_public_key = $jwt_public
jwt_role = claims
jwt_role = agent
rate_failures = 0
[records]
path = $SCRATCH/records.db
retention = 20000d
[access]
manager = erin: chem
CONF
ok "it starts with JSON Web Tokens" start_barod
url64() { base64 -w0 | tr '/+' '_-' | tr -d =; }
jwt() { # NAME CLAIMS
    printf '%s.%s' "$(printf '{"alg":"EdDSA","typ":"JWT"}' | url64)" "$(printf %s "$2" | url64)" >"$SCRATCH/jwt.text"
    openssl pkeyutl -sign -rawin -inkey "$SCRATCH/jwt.key" -in "$SCRATCH/jwt.text" -out "$SCRATCH/jwt.signature"
    printf '%s.%s' "$(cat "$SCRATCH/jwt.text")" "$(url64 <"$SCRATCH/jwt.signature")" >"$SCRATCH/$1"
}
jwt person '{"sub":"alice","roles":["user"]}'
jwt boss '{"sub":"carol","roles":["manager"],"projects":["phys"]}'
jwt erin '{"sub":"erin","roles":["manager"]}'
jwt admin2 '{"sub":"root","roles":["admin"]}'
jwt nothing '{"sub":"alice","roles":[]}'
jwt collector '{"sub":"collector"}'
jwt nameless '{"roles":["user"]}'
jwt old '{"sub":"alice","roles":["user"],"exp":1600000000}'
is "its sub is the user" "$(status person /v1/jobs)$(ids)" "200$mine"
is "its projects are a manager's accounts" "$(status boss /v1/jobs)$(ids)" "200alex/6"
is "or those of the configuration" "$(status erin /v1/jobs)$(ids)" "200alex/5"
is "an admin is one" "$(status admin2 /v1/tokens)" 200
is "no roles are none" "$(status nothing /v1/jobs)" 403
is "a token that states no roles has those configured" "$(status collector /v1/jobs)$(status collector /v1/whoami)" 403200
is "a user without a name sees nothing" "$(status nameless /v1/jobs)$(ids)$(status nameless /v1/jobstats/rates)" 200403
is "an expired one is none" "$(status old /v1/jobs)" 401
finish
