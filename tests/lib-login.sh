# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# lib-login.sh - users who sign in with a PAM service of the test's own.
#
#   . "$(dirname "$0")/lib-login.sh"     after lib-roles.sh
#   requires_pam              skips the test where baro-pam is not built
#   pam_service NAME LINE...  a service in $SCRATCH/pam
#   pam_users                 the service "users": alice, bob, carol, dave and daemon, whose
#                             password is their name and "-secret"; by pam_exec
#   page [CURL OPTION...]     GET /v1/login into $SCRATCH/page, its cookies into $jar, its
#                             field into $form; the status
#   sign_in USER PASSWORD [CURL OPTION...]   page and its form; the status; the page in
#                             $SCRATCH/body, the head in $SCRATCH/head
#   by_cookie PATH [CURL OPTION...]    with $jar; the status, the response in $SCRATCH/body
#
# $login is the server, and "--unix-socket ..." in $through where it is not TCP.

jar=$SCRATCH/jar
login=
through=

requires_pam() {
    [ -x "$BUILD/src/cmd/baro-pam" ] || skip_all "baro-pam is not built: libpam0g-dev"
}

pam_service() {
    mkdir -p "$SCRATCH/pam"
    pam_name=$1
    shift
    printf '%s\n' "$@" >"$SCRATCH/pam/$pam_name"
}

# pam_exec reports its own failure, not a wrong password: pam_deny does.
pam_users() {
    cat >"$SCRATCH/check" <<'SH'
#!/bin/sh
read -r password
case $PAM_USER in
alice | bob | carol | dave | daemon) [ "$password" = "$PAM_USER-secret" ] ;;
*) exit 1 ;;
esac
SH
    chmod 755 "$SCRATCH/check"
    pam_service users "auth [success=done default=ignore] pam_exec.so quiet expose_authtok $SCRATCH/check" \
        "auth required pam_deny.so" "account required pam_permit.so"
}

# shellcheck disable=SC2086 # $through is two words or none
page() {
    rm -f "$jar"
    curl -sk $through -c "$jar" -D "$SCRATCH/head" -o "$SCRATCH/page" -w '%{http_code}' "$@" "$login/v1/login"
    form=$(sed -n 's/.*name="form" value="\([^"]*\)".*/\1/p' "$SCRATCH/page")
}

# shellcheck disable=SC2086
sign_in() {
    sign_user=$1 sign_password=$2
    shift 2
    page >"$SCRATCH/status"
    form_cookie=$(header Set-Cookie | sed 's/=.*//')
    curl -sk $through -b "$form_cookie=$form" -c "$jar" -D "$SCRATCH/head" -o "$SCRATCH/body" -w '%{http_code}' \
        --data-urlencode "user=$sign_user" --data-urlencode "password=$sign_password" --data "form=$form" "$@" \
        "$login/v1/login"
}

# shellcheck disable=SC2086
by_cookie() {
    cookie_path=$1
    shift
    curl -sk $through -b "$jar" -o "$SCRATCH/body" -w '%{http_code}' "$@" "$login$cookie_path"
}

# header NAME: of the last response, once a line.
header() {
    tr -d '\r' <"$SCRATCH/head" | sed -n "s/^$1: //Ip"
}
