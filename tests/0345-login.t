#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A user signs in by name and password, with a real PAM: the page, the cookie and what it is
# worth, who is granted what, what is refused, and what the log has of it.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
. "$(dirname "$0")/lib-roles.sh"
. "$(dirname "$0")/lib-login.sh"
requires curl jq
requires_pam

pam_users
roles_start "[access]" "manager = carol: phys" "manager = carol: chem" "support = dave" "admin = @daemon" "manager = @nogroup: bio"
# shellcheck disable=SC2034 # for lib-login.sh
login=$url
is "without [login] there is no page" "$(status none /v1/login 2>"$SCRATCH/out")$(jq -r .detail "$SCRATCH/body")" \
    "404users do not sign in here: see [login] in barod.conf(5)"
end_barod
cat >>"$SCRATCH/barod.conf" <<CONF
[login]
service = users
directory = $SCRATCH/pam
helper = $BUILD/src/cmd/baro-pam
delay = 300ms
lifetime = 1h
CONF
sed -i "/^\[net\]/a revoked = $SCRATCH/revoked" "$SCRATCH/barod.conf"
: >"$SCRATCH/revoked"
ok "barod starts with it" start_barod
roles_fill

# ---- the page ----
is "the page is there for every client" "$(page)" 200
is "it is HTML, and not stored" "$(header Content-Type) $(header Cache-Control)" "text/html; charset=utf-8 no-store"
ok "no script may run in it, and no other site show it" eval \
    'header Content-Security-Policy | grep "default-src .none." | grep "frame-ancestors .none." | grep -q "form-action .self."'
ok "it has none" not grep -qi '<script\|javascript:\|onload' "$SCRATCH/page"
ok "nor anything from elsewhere" not grep -qi 'http[s]*://\|src=\|@import\|url(' "$SCRATCH/page"
page >"$SCRATCH/out"
ok "the field is as long as its cookie" eval '[ ${#form} = 32 ] && grep -q "$form" "$jar"'

# ---- in and out ----
is "the right password signs in" "$(sign_in alice alice-secret)$(header Location)" 303/v1/login
ok "the cookie is the browser's alone, and bounded" eval \
    'header Set-Cookie | grep -qx "baro_session=[A-Za-z0-9_-]\{43\}; Path=/; Max-Age=3600; HttpOnly; SameSite=Strict"'
is "the server knows her" "$(by_cookie /v1/whoami)$(jq -c '[.roles, .user, .accounts]' "$SCRATCH/body")" '200[["user"],"alice",[]]'
is "she sees her jobs" "$(by_cookie /v1/jobs)$(jq -r '[.rows[] | .[0] + "/" + .[1]] | sort | join(" ")' "$SCRATCH/body")" \
    "200alex/5 alex/7 alex/9 fritz/8"
is "and her page, as HTML" "$(by_cookie /v1/jobs/5/page)$(grep -ci '<html' "$SCRATCH/body")" 2001
is "but not another's" "$(by_cookie /v1/jobs/6/page)" 404
is "nor what readers see" "$(by_cookie /v1/status)" 403
by_cookie /v1/login >"$SCRATCH/out"
ok "the page states who she is" grep -q 'Signed in as <strong>alice</strong> (user) until' "$SCRATCH/body"
ok "the log has it, with the id that can be revoked" grep -q \
    'audit: POST /v1/login: 303; role=user user="alice" token="[0-9a-f-]*" from="127.0.0.1"' "$SCRATCH/barod.log"
is "a cookie changes nothing" "$(by_cookie '/api/free?to=1' -X POST -H 'Content-Type: application/json' --data '[]')" 401
is "not in what another site caused" "$(by_cookie /v1/whoami -H 'Sec-Fetch-Site: cross-site')" 401
is "the value is no token in a header" "$(curl -s -o "$SCRATCH/out" -w '%{http_code}' \
    -H "Authorization: Bearer $(awk '$6 == "baro_session" { print $7 }' "$jar")" "$url/v1/whoami")" 401
cp "$jar" "$SCRATCH/before"
is "another site cannot sign her out" "$(by_cookie /v1/logout -X POST -H 'Sec-Fetch-Site: cross-site')$(by_cookie /v1/whoami)" 403200
is "she signs out" "$(by_cookie /v1/logout -X POST -c "$jar" -D "$SCRATCH/head")$(header Location)" 303/v1/login
ok "the browser forgets" eval 'header Set-Cookie | grep -q "^baro_session=; .*Max-Age=0"'
cp "$SCRATCH/before" "$jar"
is "and so does the server" "$(by_cookie /v1/whoami)$(jq -r .detail "$SCRATCH/body")" "401the session has ended: sign in at /v1/login"
is "the page is there in spite of it" "$(by_cookie /v1/login)" 200
ok "that is in the log, too" grep -q 'audit: POST /v1/logout: 303; role=user user="alice"' "$SCRATCH/barod.log"
sign_in alice alice-secret >"$SCRATCH/out"
cp "$jar" "$SCRATCH/before"
sed -n 's/.*login: 303; .*token="\([^"]*\)".*/\1/p' "$SCRATCH/barod.log" | tail -n 1 >"$SCRATCH/revoked"
is_revoked() { [ "$(by_cookie /v1/whoami)" = 401 ]; }
ok "an admin ends a session by its id" wait_for 20 is_revoked
: >"$SCRATCH/revoked"
is "next opens a page here" "$(sign_in alice alice-secret --data-urlencode next=/v1/jobs/5/page)$(header Location)" \
    303/v1/jobs/5/page
is "and none elsewhere" "$(sign_in alice alice-secret --data-urlencode next=//evil.example/v1/)$(header Location)" 303/v1/login

# ---- who is granted what ----
granted() { # USER
    granted_status=$(sign_in "$1" "$1-secret")
    by_cookie /v1/whoami >"$SCRATCH/out"
    echo "$granted_status$(jq -c '[.roles, .user, .accounts]' "$SCRATCH/body")"
}
is "a manager has the accounts of the configuration" "$(granted carol)" '303[["user","manager"],"carol",["phys","chem"]]'
is "and sees their jobs" "$(by_cookie /v1/jobs)$(jq -r '[.rows[] | .[0] + "/" + .[1]] | sort | join(" ")' "$SCRATCH/body")" \
    "200alex/5 alex/6"
is "support reads" "$(granted dave)$(by_cookie /v1/status)" '303[["reader","user","support"],"dave",[]]200'
is "bob is a user" "$(granted bob)" '303[["user"],"bob",[]]'
if id -nG daemon 2>"$SCRATCH/out" | grep -qw daemon; then
    is "a group of the host makes an admin" "$(granted daemon)$(by_cookie /v1/tokens)" '303[["user","admin"],"daemon",[]]200'
    ok "which is in the log" grep -q 'audit: GET /v1/tokens: 200; role=admin user="daemon"' "$SCRATCH/barod.log"
    is "who changes nothing by a cookie" \
        "$(by_cookie '/api/free?to=1' -X POST -H 'Content-Type: application/json' --data '[]')" 401
else
    skip "a group of the host makes an admin" "there is no user daemon in the group daemon"
fi

# ---- what is refused ----
is "a wrong password" "$(sign_in alice wrong)$(sed -n 's/.*role="alert">\([^<]*\).*/\1/p' "$SCRATCH/body")" \
    "401The user name or the password is wrong."
sed 's/value="[^"]*"//' "$SCRATCH/body" >"$SCRATCH/wrong"
is "no user" "$(sign_in nosuchuser wrong)$(sed 's/value="[^"]*"//' "$SCRATCH/body" | cmp - "$SCRATCH/wrong")" 401
is "no name" "$(sign_in '' wrong)$(sed 's/value="[^"]*"//' "$SCRATCH/body" | cmp - "$SCRATCH/wrong")" 401
is "no password" "$(sign_in alice '')" 401
is "a name that is none" "$(sign_in "$(printf 'al\nice')" x)" 401
is "a NUL" "$(sign_in alice '' --data 'password=a%00b' | sed 's/4../4xx/')" 4xx
ok "no refusal is quicker than the others" awk 'BEGIN { exit !('"$(sign_in alice wrong -w '%{time_total}')"' >= 0.3) }'
ok "nor is that of a name that PAM was not called for" awk 'BEGIN { exit !('"$(sign_in '' x -w '%{time_total}')"' >= 0.3) }'
sign_in daemon wrong >"$SCRATCH/out"
ok "the log names who is a user" grep -q 'audit: POST /v1/login: 401; role=none user="daemon" token=null from="127.0.0.1"' \
    "$SCRATCH/barod.log"
is "and not what may be a password in the wrong field" "$(grep -c nosuchuser "$SCRATCH/barod.log")" 0
is "no password is in the log" "$(grep -c -e '-secret' -e wrong "$SCRATCH/barod.log")" 0
refused() { # [CURL OPTION...] of alice's right password
    curl -s -o "$SCRATCH/body" -w '%{http_code}' --data 'user=alice&password=alice-secret' "$@" "$url/v1/login"
}
page >"$SCRATCH/out"
is "a form without the cookie" "$(refused --data "form=$form")" 403
is "the cookie without the field" "$(refused -b "$jar")" 403
is "with another field" "$(refused -b "$jar" --data form=00000000000000000000000000000000)" 403
is "an empty one" "$(refused -b 'baro_form=' --data form=)" 403
is "two cookies" "$(refused -b "baro_form=$form; baro_form=$form" --data "form=$form")" 403
is "a form that another site submits" "$(refused -b "$jar" --data "form=$form" -H 'Sec-Fetch-Site: cross-site')" 403
is "or a neighbour of it" "$(refused -b "$jar" --data "form=$form" -H 'Sec-Fetch-Site: same-site')" 403
is "JSON" "$(refused -b "$jar" --data "form=$form" -H 'Content-Type: application/json')" 415
is "as text, as a form of another site can be" "$(refused -b "$jar" --data "form=$form" -H 'Content-Type: text/plain')" 415
is "a name twice" "$(refused -b "$jar" --data "form=$form&user=bob")" 400
is "much" "$(refused -b "$jar" --data "form=$form&x=$(printf %09000d 0)")" 413
is "GET with a password" "$(by_cookie "/v1/login?user=alice&password=alice-secret")$(by_cookie /v1/whoami)" 200401
is "all of it as it should be" "$(refused -b "$jar" --data "form=$form" -H 'Sec-Fetch-Site: same-origin')" 303

# ---- a restart ----
sign_in alice alice-secret >"$SCRATCH/out"
end_barod
ok "barod starts again" start_barod
is "its sessions are over" "$(by_cookie /v1/whoami)" 401
end_barod
sed -i '/^key = /d' "$SCRATCH/barod.conf"
ok "refused where every client on loopback sees all" not barod --config "$SCRATCH/barod.conf" --check
sed -i "/^\[net\]/a key = $key.pub" "$SCRATCH/barod.conf"
ok "and accepted where not" barod --config "$SCRATCH/barod.conf" --check
sed -i 's,^helper = .*,helper = /nonexistent/baro-pam,' "$SCRATCH/barod.conf"
ok "refused without a helper" not barod --config "$SCRATCH/barod.conf" --check
ok "the error names what to do" eval 'barod --config "$SCRATCH/barod.conf" --check 2>&1 | grep -q "Dpam=enabled"'
for bad in 'admin = @' 'support = @ x	' 'manager = @: phys'; do
    sed "s/^admin = .*/$bad/" "$SCRATCH/barod.conf" >"$SCRATCH/bad.conf"
    sed -i "s,^helper = .*,helper = $BUILD/src/cmd/baro-pam," "$SCRATCH/bad.conf"
    ok "refused: $bad" not barod --config "$SCRATCH/bad.conf" --check
done
finish
