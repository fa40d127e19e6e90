#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every route by every way in which a client states who it is: a JSON Web Token in the header
# and in a cookie, a token in a cookie, a session, a proxy's header, the kernel's word.  Each
# is worth what tests/roles/table has for the role; cookies in GET alone.  And what admins
# did is in the log, by each way.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
. "$(dirname "$0")/lib-roles.sh"
. "$(dirname "$0")/lib-login.sh"
requires curl jq openssl

roles_table >"$SCRATCH/table"
admin_routes="GET /v1/store/senders
GET /v1/tokens
POST /api/free
POST /v1/events/{name}
POST /v1/resources/drain
POST /v1/resources/resume
POST /v1/store/exempt"
me=$(id -u)
chmod 755 "$SCRATCH"
printf 'not-what-is-wanted' >"$SCRATCH/nonsense"
openssl genpkey -algorithm ed25519 -out "$SCRATCH/jwt.key" 2>"$SCRATCH/out"
jwt_public=$(openssl pkey -in "$SCRATCH/jwt.key" -pubout -outform DER | tail -c 32 | base64 -w0)
roles_start "$(roles_session)"
roles_fill
end_barod
cp "$SCRATCH/barod.conf" "$SCRATCH/base.conf"

# with NET-LINES LINES: barod anew, with these lines in [net] and after all.
with() {
    sed "/^\[net\]/a $1" "$SCRATCH/base.conf" >"$SCRATCH/barod.conf"
    printf '%s\n' "$2" >>"$SCRATCH/barod.conf"
    : >"$SCRATCH/barod.log"
    start_barod
}

# run_routes [CURL OPTION...]: a line "METHOD ROUTE LETTER" each, in the order of the table, by one curl.
run_routes() {
    awk -v base="$base" -v nonsense="$SCRATCH/nonsense" -v body="$SCRATCH/body" '{
        gsub(/\{id\}/, "9", $2)
        gsub(/[{}]/, "", $2)
        if (NR > 1) print "next"
        printf "url = \"%s%s\"\noutput = \"%s\"\nsilent\nwrite-out = \"%%{http_code}\\n\"\ngloboff\n", base, $2, body
        if ($1 == "POST")
            printf "header = \"Content-Type: application/x-nonsense\"\ndata-binary = \"@%s\"\n", nonsense
        while ((getline line < "'"$SCRATCH/way"'") > 0) print line
        close("'"$SCRATCH/way"'")
    }' "$SCRATCH/table" >"$SCRATCH/curl.conf"
    $run_as curl -K "$SCRATCH/curl.conf" 2>"$SCRATCH/curl.err" |
        awk '{ print $1 ~ /^2/ ? 2 : $1 == 401 ? 1 : $1 == 403 ? 3 : $1 ~ /^4(00|04|15|22)$/ ? 4 : $1 }' >"$SCRATCH/letters"
    paste -d' ' "$SCRATCH/table" "$SCRATCH/letters" | awk '{ print $1, $2, $NF }'
}

# want ROLE all|get: the same out of the table; get: POST is as without a token.
want() {
    case $1 in
    none) want_column=3 ;; reader) want_column=4 ;; agent) want_column=5 ;; scheduler) want_column=6 ;;
    support) want_column=7 ;; api) want_column=8 ;; user) want_column=9 ;; manager) want_column=10 ;;
    admin) want_column=11 ;;
    esac
    awk -v c="$want_column" -v which="$2" '{ print $1, $2, which == "get" && $1 == "POST" ? $3 : $c }' "$SCRATCH/table"
}

# way NAME ROLE all|get LINE...: all routes, with these lines of curl's configuration.
base=$url
run_as=
way() {
    way_name=$1 way_role=$2 way_which=$3
    shift 3
    printf '%s\n' "$@" >"$SCRATCH/way"
    audit_before=$(grep -c 'audit: .*role=admin' "$SCRATCH/barod.log")
    run_routes >"$SCRATCH/got"
    want "$way_role" "$way_which" >"$SCRATCH/want"
    is "$way_name: $way_role, every route" "$(diff "$SCRATCH/want" "$SCRATCH/got")" ""
    [ "$way_role" = admin ] || return 0
    way_actions=$admin_routes
    [ "$way_which" = all ] || way_actions=$(echo "$admin_routes" | grep GET)
    is "$way_name: each action of an admin is in the log" \
        "$(grep 'audit: .*role=admin' "$SCRATCH/barod.log" | tail -n "+$((audit_before + 1))" |
            sed 's/.*audit: \([A-Z]* [^:]*\):.*/\1/' | sort)" "$way_actions"
}
curl_header() { echo "header = \"$*\""; }

# ---- tokens in the header, and in a cookie ----
ok "barod reads cookies" with "token_cookie = baro_token" ""
is "the table is run as tests/0340 runs it" "$(wc -l <"$SCRATCH/table")" "$(roles_table | wc -l)"
for role in reader agent scheduler support api user manager admin; do
    way "token in the header" $role all "$(curl_header "Authorization: Bearer $(cat "$SCRATCH/$role")")"
    way "token in a cookie" $role get "$(curl_header "Cookie: baro_token=$(cat "$SCRATCH/$role")")"
done
way "no token" none all "$(curl_header "Accept: */*")"
way "a cookie in what another site caused" none all "$(curl_header "Cookie: baro_token=$(cat "$SCRATCH/admin")")" \
    "$(curl_header "Sec-Fetch-Site: cross-site")"
end_barod

# ---- JSON Web Tokens ----
url64() { base64 -w0 | tr '/+' '_-' | tr -d =; }
jwt() { # CLAIMS
    printf '%s.%s' "$(printf '{"alg":"EdDSA","typ":"JWT"}' | url64)" "$(printf %s "$1" | url64)" >"$SCRATCH/jwt.text"
    openssl pkeyutl -sign -rawin -inkey "$SCRATCH/jwt.key" -in "$SCRATCH/jwt.text" -out "$SCRATCH/jwt.signature"
    printf '%s.%s' "$(cat "$SCRATCH/jwt.text")" "$(url64 <"$SCRATCH/jwt.signature")"
}
ok "barod believes claims" with "token_cookie = baro_token\njwt_public_key = $jwt_public\njwt_role = claims\njwt_role = agent" ""
for role in support api user manager admin; do
    case $role in
    user) claims='{"sub":"alice","roles":["user"]}' ;;
    manager) claims='{"sub":"carol","roles":["manager"],"projects":["phys","chem"]}' ;;
    *) claims="{\"sub\":\"eve\",\"roles\":[\"$role\"]}" ;;
    esac
    jwt "$claims" >"$SCRATCH/jwt"
    way "JWT in the header" $role all "$(curl_header "Authorization: Bearer $(cat "$SCRATCH/jwt")")"
    way "JWT in a cookie" $role get "$(curl_header "Cookie: baro_token=$(cat "$SCRATCH/jwt")")"
done
ok "whom the token names is in the log" grep -q 'audit: GET /v1/tokens: 200; role=admin user="eve"' "$SCRATCH/barod.log"
jwt '{"sub":"collector"}' >"$SCRATCH/jwt"
way "JWT without roles" agent all "$(curl_header "Authorization: Bearer $(cat "$SCRATCH/jwt")")"
jwt '{"sub":"eve","roles":["admin"],"exp":1600000000}' >"$SCRATCH/jwt"
way "JWT that has expired" none all "$(curl_header "Authorization: Bearer $(cat "$SCRATCH/jwt")")"
end_barod

# ---- a proxy on the unix socket ----
base=http://x
proxy="unix-socket = \"$socket\""
people="[access]
manager = carol: phys, chem
support = dave
admin = erin"
ok "barod believes a proxy" with "plaintext = no" "$people
proxy_user_header = X-Remote-User
proxy_user = $me"
way "proxy's header" user all "$proxy" "$(curl_header "X-Remote-User: alice")"
way "proxy's header" manager all "$proxy" "$(curl_header "X-Remote-User: carol")"
way "proxy's header" support all "$proxy" "$(curl_header "X-Remote-User: dave")"
way "proxy's header" admin all "$proxy" "$(curl_header "X-Remote-User: erin")"
ok "whom the proxy names is in the log" grep -q 'audit: GET /v1/tokens: 200; role=admin user="erin"' "$SCRATCH/barod.log"
way "a proxy that names no user" none all "$proxy"
base=$url
way "the header by TCP" none all "$(curl_header "X-Remote-User: erin")"
end_barod

# ---- the kernel's word ----
base=http://x
ok "barod serves users of the host" with "plaintext = no" ""
way "peer" admin all "$proxy"
if [ "$me" = 0 ] && command -v setpriv >"$SCRATCH/out"; then
    run_as="setpriv --reuid=65534 --regid=65534 --clear-groups"
    chmod 666 "$SCRATCH/body" "$SCRATCH/nonsense"
    way "peer" reader all "$proxy"
    end_barod
    ok "barod knows a group of schedulers" with "scheduler_group = $(id -gn 65534 2>"$SCRATCH/out" || echo nogroup)" ""
    way "peer" scheduler all "$proxy"
    end_barod
    run_as="setpriv --reuid=5 --regid=60005 --clear-groups"
    ok "barod knows users by their uid" with "plaintext = no" "[access]
socket_role = user"
    way "peer" user all "$proxy"
    run_as=
    end_barod
else
    skip "peer: reader, scheduler, user" "this needs root and setpriv"
    end_barod
fi

# ---- sessions ----
if [ -x "$BUILD/src/cmd/baro-pam" ]; then
    pam_users
    sed -i 's/^alice |/erin | alice |/' "$SCRATCH/check"
    # shellcheck disable=SC2034 # login: for lib-login.sh
    base=$url login=$url
    sed -i "s,^\(GET  /v1/login  *\).*,\12 2 2 2 2 2 2 2 2," "$SCRATCH/table" # there is a page now
    ok "users sign in" with "plaintext = no" "$people
[login]
service = users
directory = $SCRATCH/pam
helper = $BUILD/src/cmd/baro-pam"
    for role in user:alice manager:carol support:dave admin:erin; do
        is "${role#*:} signs in" "$(sign_in "${role#*:}" "${role#*:}-secret")" 303
        way "session" "${role%:*}" get "header = \"Cookie: $(tr -d '\r' <"$SCRATCH/head" | sed -n 's/^Set-Cookie: \([^;]*\).*/\1/Ip')\""
    done
    ok "who signed in is in the log, with the id of the session" \
        grep -q 'audit: GET /v1/tokens: 200; role=admin user="erin" token="[0-9a-f-]\{36\}"' "$SCRATCH/barod.log"
    end_barod
else
    skip "sessions" "baro-pam is not built: libpam0g-dev"
fi
finish
