#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sign-in in trouble: modules that hang and that crash, guessing of passwords, a proxy, TLS,
# a helper behind a socket, pam_userdb; and barod serves others meanwhile.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
. "$(dirname "$0")/lib-roles.sh"
. "$(dirname "$0")/lib-login.sh"
requires curl jq openssl cc
requires_pam

pam_users
# A module of the test's own: MODULE STATEMENT.
pam_module() {
    printf '#include <security/pam_modules.h>\n#include <unistd.h>\n#include <signal.h>\n' >"$SCRATCH/$1.c"
    printf 'int pam_sm_authenticate(pam_handle_t *p, int f, int c, const char **v) { (void)p, (void)f, (void)c, (void)v; %s }\n' \
        "$2" >>"$SCRATCH/$1.c"
    printf 'int pam_sm_setcred(pam_handle_t *p, int f, int c, const char **v) { (void)p, (void)f, (void)c, (void)v; return PAM_SUCCESS; }\n' \
        >>"$SCRATCH/$1.c"
    cc -shared -fPIC -o "$SCRATCH/$1.so" "$SCRATCH/$1.c" &&
        pam_service "$1" "auth required $SCRATCH/$1.so" "account required pam_permit.so"
}
ok "a module that hangs is built" pam_module hangs 'signal(SIGTERM, SIG_IGN); for (;;) (void)sleep(1000);'
ok "one that crashes" pam_module crashes 'raise(SIGKILL); return PAM_SUCCESS;'
ok "one that prints" pam_module prints 'return write(1, "ok 1 0 root\\n", 12) == 12 ? PAM_AUTH_ERR : PAM_AUTH_ERR;'
ok "one that exits" pam_module exits '_exit(0);'
pam_service wants_more "auth required pam_unix.so" "account required pam_permit.so"
pam_service nothing "auth required pam_nosuchmodule.so" "account required pam_permit.so"

roles_start
login=$url
end_barod
cp "$SCRATCH/barod.conf" "$SCRATCH/base.conf"
with() { # SERVICE LINE...
    with_service=$1
    shift
    {
        cat "$SCRATCH/base.conf"
        printf '[login]\nservice = %s\ndirectory = %s\nhelper = %s\ndelay = 0s\n' "$with_service" "$SCRATCH/pam" \
            "$BUILD/src/cmd/baro-pam"
        printf '%s\n' "$@"
    } >"$SCRATCH/barod.conf"
    start_barod
}

# ---- modules ----
ok "barod starts with a module that hangs" with hangs 'timeout = 2s'
page >"$SCRATCH/out"
for i in 1 2 3 4 5 6; do
    curl -s -o "$SCRATCH/hangs.$i" -w '%{http_code}\n' -b "$jar" --data "user=u$i&password=x&form=$form" "$url/v1/login" \
        >"$SCRATCH/hangs.status.$i" &
    eval "hang_$i=\$!"
done
is "barod serves others meanwhile" "$(status admin /v1/tokens)$(status none /healthz)" 200200
for i in 1 2 3 4 5 6; do eval "wait \$hang_$i"; done
is "each gets 503, more of them than there are workers" "$(cat "$SCRATCH"/hangs.status.* | sort | uniq -c | tr -d ' \n')" 6503
ok "with what to do" grep -q 'Passwords cannot be checked at the moment' "$SCRATCH/hangs.1"
ok "the log has why" grep -q "login: PAM service 'hangs': no result within 2 s; the user gets 503" "$SCRATCH/barod.log"
# shellcheck disable=SC2009 # pgrep knows no arguments of others
ok "no helper is left" not eval "ps -eo args | grep -q '^[^ ]*baro-pam hangs $SCRATCH'"
curl -s -m 20 -o "$SCRATCH/out" -b "$jar" --data "user=u&password=x&form=$form" "$url/v1/login" &
last=$!
sleep 0.3
ok "a stop does not wait for one that hangs" end_barod
wait $last
ok "nor does its client wait on" [ $? != 28 ]

for module in crashes exits prints nothing; do
    ok "barod starts with one that $module" with $module
    is "$module: the password cannot be checked" "$(sign_in root x)" 503
    is "$module: barod goes on" "$(status admin /v1/tokens)" 200
    ok "$module: the log has it" grep -q "login: PAM service '$module'" "$SCRATCH/barod.log"
    end_barod
done

lines() { echo $(($(grep -c "audit: POST /v1/login: $1" "$SCRATCH/barod.log") - $2)); } # of STATUS, more than COUNT
before=$(lines 503 0)
ok "barod starts without a module, with low rates" with nothing 'rate_name = 3' 'rate_address = 8'
is "PAM is away: one name can be tried so often" "$(sign_in alice 1)$(sign_in Alice 2)$(sign_in ALICE 3)$(sign_in alice 4)" \
    503503503429
for i in 1 2 3 4 5; do sign_in "u$i" x >"$SCRATCH/out"; done
is "one address, too" "$(sign_in bob x)" 429
is "of eight that could not be checked the log has one line" "$(lines 503 "$before")" 1
for i in 1 2 3 4 5 6 7 8; do sign_in bob x >"$SCRATCH/out"; done
is "and of ten that came too often five" "$(lines 429 0)" 5
end_barod

# ---- pam_userdb and pam_unix ----
if command -v db5.3_load >"$SCRATCH/out"; then
    printf 'alice\nopen-sesame\nbob\nother\n' | db5.3_load -T -t hash "$SCRATCH/users.db"
    pam_service userdb "auth required pam_userdb.so db=$SCRATCH/users" "account required pam_permit.so"
    ok "barod starts with pam_userdb" with userdb
    is "its password" "$(sign_in alice open-sesame)" 303
    is "another's" "$(sign_in alice other)$(sign_in eve other)" 401401
    end_barod
else
    skip "pam_userdb" "db5.3_load is not installed"
fi
ok "barod starts with pam_unix" with wants_more
is "who has no password is refused" "$(sign_in daemon x)" 401
end_barod

# ---- one account, several names ----
ok "a module that has all names for daemon is built" pam_module daemons \
    'return pam_set_item(p, PAM_USER, "daemon") == PAM_SUCCESS ? PAM_SUCCESS : PAM_AUTH_ERR;'
ok "barod starts with it" with daemons 'rate_name = 3'
is "in another case the session is the account's" "$(sign_in DAEmon x)$(by_cookie /v1/whoami)$(jq -r .user "$SCRATCH/body")" \
    303200daemon
ok "and so is the line of the log" grep -q 'audit: POST /v1/login: 303; role=user user="daemon"' "$SCRATCH/barod.log"
is "another name does not sign in to it" "$(sign_in daemon@site x)$(sed -n 's/.*role="alert">\([^<]*\).*/\1/p' "$SCRATCH/body")" \
    "401The user name or the password is wrong."
is "nor is it given back to the rates" "$(sign_in daemon@site x)$(sign_in daemon@site x)$(sign_in DAEMON@site x)" 401401429
ok "the log has why" grep -q "login: 'daemon@site' is the account 'daemon', which signs in by that name only" "$SCRATCH/barod.log"
end_barod
# A name service that has names in any case, and with a domain.
cat >"$SCRATCH/names.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pwd.h>
#include <string.h>
#include <strings.h>
struct passwd *getpwnam(const char *name)
{
    struct passwd *(*next)(const char *) = (struct passwd *(*)(const char *))dlsym(RTLD_NEXT, "getpwnam");
    return next(strcasecmp(name, "daemon") == 0 || strcmp(name, "daemon@site") == 0 ? "daemon" : name);
}
C
ok "a name service is built" cc -shared -fPIC -o "$SCRATCH/names.so" "$SCRATCH/names.c" -ldl
pam_service all "auth required pam_permit.so" "account required pam_permit.so"
pam_service ends "auth required pam_permit.so" "account required $SCRATCH/ends.so"
reported() { # SERVICE USER
    printf '1\0a\0%s\0x\0' "$2" | LD_PRELOAD=$SCRATCH/names.so ASAN_OPTIONS=verify_asan_link_order=0 \
        "$BUILD/src/cmd/baro-pam" "$1" "$SCRATCH/pam"
}
is "baro-pam reports the name that passwd has" "$(reported all DAEMON) $(reported all daemon@site)" "ok 1 0 daemon ok 1 0 daemon"
is "and that of PAM where passwd has none" "$(reported all NoSuchUser)" "ok 0 0 NoSuchUser"
printf '#include <security/pam_modules.h>\nint pam_sm_acct_mgmt(pam_handle_t *p, int f, int c, const char **v) { (void)p, (void)f, (void)c, (void)v; return PAM_ACCT_EXPIRED; }\n' \
    >"$SCRATCH/ends.c"
ok "a module is built whose accounts have expired" cc -shared -fPIC -o "$SCRATCH/ends.so" "$SCRATCH/ends.c"
is "the account is reported, too, where it has expired" "$(reported ends DAEMON)" "expired 1 0 daemon"
printf '#!/bin/sh\nLD_PRELOAD=%s ASAN_OPTIONS=verify_asan_link_order=0 exec %s "$@"\n' "$SCRATCH/names.so" "$BUILD/src/cmd/baro-pam" \
    >"$SCRATCH/named"
chmod 755 "$SCRATCH/named"
alert() { sed -n 's/.*role="alert">\([^<]*\).*/\1/p' "$SCRATCH/body"; }
named() { # SERVICE: with that name service
    with "$1" && end_barod && sed -i "s,^helper = .*,helper = $SCRATCH/named," "$SCRATCH/barod.conf" && start_barod
}
ok "barod starts with that name service" named ends
is "who has expired learns that by the account's name" "$(sign_in DAEMON x)$(alert)" "401The password or the account has expired."
is "and by no other" "$(sign_in daemon@site x)$(alert)" "401The user name or the password is wrong."
end_barod

# ---- guessing ----
ok "barod starts with low rates" with users 'rate_name = 3' 'rate_address = 8'
is "one name can be tried so often" \
    "$(sign_in alice 1)$(sign_in alice 2)$(sign_in alice 3)$(sign_in alice 4)" 401401401429
ok "with when to come again" eval '[ "$(header Retry-After)" -ge 1 ] && [ "$(header Retry-After)" -le 60 ]'
is "nor in another case" "$(sign_in ALICE alice-secret)$(sign_in aLice 5)" 429429
is "then the right password does not help" "$(sign_in alice alice-secret)" 429
is "another name does" "$(sign_in bob bob-secret)" 303
is "what was right is not counted" "$(sign_in bob bob-secret)$(sign_in bob bob-secret)$(sign_in bob bob-secret)" 303303303
for i in 1 2 3 4 5; do sign_in "u$i" x >"$SCRATCH/out"; done
is "one address can try so often, whatever the name" "$(sign_in carol carol-secret)" 429
is "a token holds still" "$(status admin /v1/tokens)" 200
is "the unix socket is another address" "$(through="--unix-socket $socket" login=http://x sign_in carol carol-secret)" 303
end_barod
ok "barod starts again" with users 'rate_name = 3'
page >"$SCRATCH/out"
for i in 1 2 3 4 5 6 7 8; do
    curl -s -o "$SCRATCH/out.$i" -w '%{http_code}\n' -b "$jar" --data "user=alice&password=$i&form=$form" "$url/v1/login" \
        >"$SCRATCH/guess.$i" &
    eval "guess_$i=\$!"
done
for i in 1 2 3 4 5 6 7 8; do eval "wait \$guess_$i"; done
is "at the same time no more than one after another" "$(cat "$SCRATCH"/guess.? | grep -c 401)" 3
end_barod

# ---- where the password comes by ----
login=http://x
through="--unix-socket $socket"
ok "barod starts" with users
is "on the unix socket the cookie is for https" "$(sign_in alice alice-secret)$(header Set-Cookie | grep -c \
    '^__Host-baro_session=.*; Path=/; .*; HttpOnly; SameSite=Strict; Secure$')" 3031
session=$(header Set-Cookie | sed 's/;.*//')
is "and read there" "$(curl -s $through -H "Cookie: $session" http://x/v1/whoami | jq -c '[.roles, .user]')" '[["user"],"alice"]'
is "by TCP it has another name" "$(curl -s -o "$SCRATCH/out" -w '%{http_code}' -H "Cookie: $session" "$url/v1/whoami")" 401
end_barod
printf '[access]\nproxy_user_header = X-Remote-User\nproxy_user = %s\n' "$(id -u)" >>"$SCRATCH/base.conf"
ok "barod starts behind a proxy" with users 'rate_address = 1'
is "the proxy's clients have addresses of their own" "$(sign_in alice 1 -H 'X-Forwarded-For: 10.0.0.1, 192.0.2.7')$(sign_in bob \
    1 -H 'X-Forwarded-For: 192.0.2.8')$(sign_in carol carol-secret -H 'X-Forwarded-For: 192.0.2.7')" 401401429
ok "which the log has" grep -q 'POST /v1/login: 401; .* from="192.0.2.7"' "$SCRATCH/barod.log"
is "of IPv6 the /64" "$(sign_in dave 1 -H 'X-Forwarded-For: 2001:db8::1')$(sign_in dave dave-secret \
    -H 'X-Forwarded-For: 2001:db8::2')" 401429
session=$(sign_in alice alice-secret -H 'X-Forwarded-For: 192.0.2.9' >"$SCRATCH/out"
    header Set-Cookie | sed 's/;.*//')
is "a session signs in through it" \
    "$(curl -s $through -H "Cookie: $session" http://x/v1/whoami | jq -c '[.roles, .user]')" '[["user"],"alice"]'
is "the name that the proxy states counts before it" "$(curl -s $through -H "Cookie: $session" -H 'X-Remote-User: bob' \
    http://x/v1/whoami | jq -c '[.roles, .user]')" '[["user"],"bob"]'
end_barod
sed -i '/^\[access\]/,$d' "$SCRATCH/base.conf"
login=$url through=
ok "by TCP no client can state an address" eval 'with users "rate_address = 1" &&
    sign_in alice 1 -H "X-Forwarded-For: 192.0.2.1" >"$SCRATCH/out" && [ "$(sign_in bob 1 -H "X-Forwarded-For: 192.0.2.2")" = 429 ]'
end_barod

openssl req -x509 -newkey ed25519 -nodes -days 2 -subj /CN=localhost -keyout "$SCRATCH/tls.key" -out "$SCRATCH/tls.crt" \
    2>"$SCRATCH/out"
chmod 600 "$SCRATCH/tls.key"
sed -i "/^\[net\]/a tls_certificate = $SCRATCH/tls.crt\ntls_key = $SCRATCH/tls.key" "$SCRATCH/base.conf"
login=https://127.0.0.1:$port
ok "barod starts with TLS" with users
is "by TLS the cookie is for https" "$(sign_in alice alice-secret)$(header Set-Cookie | grep -c '^__Host-baro_session=.*; Secure$')" 3031
is "and read" "$(by_cookie /v1/whoami)" 200
end_barod
sed -i '/^tls_/d' "$SCRATCH/base.conf"
address=$(hostname -I 2>"$SCRATCH/out" | tr ' ' '\n' | grep -m1 '^[0-9.]*$')
if [ -n "$address" ]; then
    sed -i "/^\[net\]/a listen = $address:$port\nplaintext = yes" "$SCRATCH/base.conf"
    login=http://$address:$port
    ok "barod listens without TLS" with users
    is "no password is accepted there" "$(page)$(curl -s -o "$SCRATCH/body" -w '%{http_code}' \
        --data 'user=alice&password=alice-secret' "$login/v1/login")" 403403
    ok "with what to do" grep -q tls_certificate "$SCRATCH/body"
    login=$url
    is "on loopback it is" "$(sign_in alice alice-secret)" 303
    end_barod
    sed -i "/^listen = $address/d; /^plaintext/d" "$SCRATCH/base.conf"
else
    skip "no password is accepted without TLS" "this host has one address"
fi

# ---- a helper behind a socket, as systemd starts it ----
if command -v systemd-socket-activate >"$SCRATCH/out"; then
    helper=$SCRATCH/helper.sock
    systemd-socket-activate --accept --inetd -l "$helper" "$BUILD/src/cmd/baro-pam" users "$SCRATCH/pam" \
        >"$SCRATCH/activate.log" 2>&1 &
    activate=$!
    at_exit "kill $activate"
    ok "the socket is there" wait_for 10 test -S "$helper"
    login=$url
    ok "barod starts with it" eval 'with nothing && end_barod; sed -i "s,^helper = .*,helper = unix:$helper," "$SCRATCH/barod.conf" &&
        start_barod'
    is "passwords are checked there, by that unit's service" "$(sign_in alice alice-secret)$(sign_in alice wrong)" 303401
    kill $activate
    wait $activate
    is "without it they cannot be" "$(sign_in alice alice-secret)" 503
    ok "which the log has" grep -q "login: connect to '$helper'" "$SCRATCH/barod.log"
    end_barod
else
    skip "a helper behind a socket" "systemd-socket-activate is not installed"
fi
is "no password is in the log" "$(grep -c -e '-secret' -e open-sesame "$SCRATCH/barod.log")" 0
finish
