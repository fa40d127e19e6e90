#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every route that the program has, requested by every role: a row each below, and a route
# without a row is a failure.  Then tokens that are none, and roles that are no longer.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
. "$(dirname "$0")/lib-roles.sh"
requires curl jq

# By role: none (no token), reader, agent, scheduler, support, api, user, manager, admin.
# 2 granted (2xx), 4 granted and refused for what was sent (400, 404, 415, 422), 1: 401,
# 3: 403.  {id} is a job of the user's, which the manager's accounts do not have.
cat >"$SCRATCH/table" <<'END'
GET  /v1/jobstats/top?by=target     1 2 3 2 2 2 2 2 2
GET  /v1/jobstats/rates             1 2 3 2 2 2 2 2 2
GET  /v1/jobstats/series?job=9      1 2 3 2 2 2 2 4 2
GET  /v1/jobstats/job/{id}          1 2 3 2 2 2 2 4 2
POST /v1/jobstats                   1 3 4 3 3 3 3 3 4
GET  /v1/jobs                       1 2 3 2 2 2 2 2 2
GET  /v1/jobs/{id}                  1 2 3 2 2 2 2 4 2
GET  /v1/jobs/{id}/page             1 2 3 2 2 2 2 4 2
GET  /v1/jobs/{id}/nodes            1 2 3 2 2 2 2 4 2
POST /v1/jobs                       1 3 3 4 3 4 3 3 4
GET  /v1/summaries                  1 2 3 2 2 2 2 2 2
POST /v1/summaries                  1 3 3 4 3 4 3 3 4
GET  /v1/metrics                    1 2 3 2 2 2 3 3 2
GET  /v1/series                     1 2 3 2 2 2 3 3 2
GET  /v1/query?metric=load          1 2 3 2 2 2 3 3 2
GET  /v1/nodes                      1 2 3 2 2 2 3 3 2
GET  /v1/space                      1 4 3 4 4 4 3 3 4
GET  /v1/failovers                  1 4 3 4 4 4 3 3 4
GET  /v1/health                     1 4 3 4 4 4 3 3 4
POST /v1/health                     1 3 4 3 3 3 3 3 4
GET  /api/query                     1 4 3 4 4 4 3 3 4
POST /api/query                     1 4 3 4 4 4 3 3 4
GET  /api/healthcheck               1 4 3 4 4 4 3 3 4
POST /api/healthcheck               1 4 3 4 4 4 3 3 4
GET  /api/v1/query?query=1          1 2 3 2 2 2 3 3 2
POST /api/v1/query                  1 4 3 4 4 4 3 3 4
GET  /api/v1/query_range            1 4 3 4 4 4 3 3 4
POST /api/v1/query_range            1 4 3 4 4 4 3 3 4
GET  /api/v1/labels                 1 2 3 2 2 2 3 3 2
POST /api/v1/labels                 1 2 3 2 2 2 3 3 2
GET  /api/v1/label/{name}/values    1 2 3 2 2 2 3 3 2
GET  /api/v1/series                 1 4 3 4 4 4 3 3 4
POST /api/v1/series                 1 4 3 4 4 4 3 3 4
GET  /api/v1/metadata               1 2 3 2 2 2 3 3 2
GET  /api/v1/format_query?query=x   1 2 3 2 2 2 3 3 2
POST /api/v1/format_query           1 4 3 4 4 4 3 3 4
GET  /api/v1/query_exemplars        1 2 3 2 2 2 3 3 2
POST /api/v1/query_exemplars        1 2 3 2 2 2 3 3 2
GET  /api/v1/status/buildinfo       1 2 3 2 2 2 3 3 2
GET  /api/v1/rules                  1 2 3 2 2 2 3 3 2
GET  /api/v1/alerts                 1 2 3 2 2 2 3 3 2
GET  /api/v1/targets                1 2 3 2 2 2 3 3 2
GET  /api/debug                     1 2 3 2 2 2 3 3 2
POST /api/free                      1 3 3 3 3 3 3 3 4
POST /v1/store/exempt               1 3 3 3 3 3 3 3 4
GET  /v1/store/senders              1 3 3 3 3 3 3 3 2
GET  /v1/status                     1 2 3 2 2 2 3 3 2
GET  /v1/whoami                     1 2 2 2 2 2 2 2 2
GET  /v1/tokens                     1 3 3 3 3 3 3 3 2
POST /api/write                     1 3 2 3 3 3 3 3 2
POST /write                         1 3 4 3 3 3 3 3 4
POST /api/v2/write                  1 3 4 3 3 3 3 3 4
GET  /ping                          2 2 2 2 2 2 2 2 2
GET  /health                        2 2 2 2 2 2 2 2 2
GET  /query                         2 2 2 2 2 2 2 2 2
POST /query                         2 2 2 2 2 2 2 2 2
GET  /metrics                       1 2 3 2 2 2 3 3 2
GET  /healthz                       2 2 2 2 2 2 2 2 2
GET  /v1/openapi.json               2 2 2 2 2 2 2 2 2
END

roles_start
roles_fill
: >"$SCRATCH/none"
printf 'not-what-is-wanted' >"$SCRATCH/nonsense"

status none /v1/openapi.json >"$SCRATCH/out"
jq -r '.paths | to_entries[] | .key as $p | .value | keys[] | (. | ascii_upcase) + " " + $p' "$SCRATCH/body" |
    sort >"$SCRATCH/routes"
awk '{ sub(/\?.*/, "", $2); print $1, $2 }' "$SCRATCH/table" | sort >"$SCRATCH/rows"
is "every route of the program has a row, and no other" "$(diff "$SCRATCH/routes" "$SCRATCH/rows")" ""

letter() { # ROLE METHOD PATH
    case $2 in
    POST) letter_status=$(status "$1" "$3" -H 'Content-Type: application/x-nonsense' --data-binary "@$SCRATCH/nonsense") ;;
    *) letter_status=$(status "$1" "$3") ;;
    esac
    case $letter_status in
    2??) echo 2 ;;
    401) echo 1 ;;
    403) echo 3 ;;
    400 | 404 | 415 | 422) echo 4 ;;
    *) echo "$letter_status" ;;
    esac
}
while read -r method path want; do
    got=
    for role in none reader agent scheduler support api user manager admin; do
        got="$got${got:+ }$(letter $role "$method" "$(printf %s "$path" | sed 's/{id}/9/')")"
    done
    is "$method $path" "$got" "$want"
done <"$SCRATCH/table"
is "and HEAD is as GET" "$(curl -s -o "$SCRATCH/out" -w '%{http_code}' -I -H "Authorization: Bearer $(cat "$SCRATCH/user")" \
    "$url/v1/status")" 403

# ---- tokens ----
ok "a user's token needs a user" not baro token new --key "$key" --role user
ok "a reader's has none" not baro token new --key "$key" --role reader --user alice
ok "accounts are a manager's" not baro token new --key "$key" --role user --user a --account phys
for bad in '' ' a' 'a ' "$(printf 'a\tb')" "$(printf 'a\nb')" "$(printf 'a\377')"; do
    ok "no user: bytes$(printf %s "$bad" | od -An -tx1)" \
        not baro token new --key "$key" --role user --user "$bad"
done
is "baro token show names the user and the accounts" \
    "$(baro token show "$SCRATCH/manager" | jq -c '[.role, .user, .accounts]')" '["manager","carol",["phys","chem"]]'
is "baro token list, too" "$(baro token list -o json "$SCRATCH/user" | jq -c '.[0] | [.role, .user]')" '["user","alice"]'

baro token key new "$SCRATCH/other.key" >"$SCRATCH/out"
baro token new --key "$SCRATCH/other.key" --role admin >"$SCRATCH/foreign"
is "another key's token holds not" "$(status foreign /v1/jobs)" 401
# forge OLD NEW: the user's token, its payload changed, its signature left.
forge() {
    forge_payload=$(cut -d. -f1 "$SCRATCH/user" | tr '_-' '/+')
    while [ $((${#forge_payload} % 4)) != 0 ]; do forge_payload=$forge_payload=; done
    printf '%s.%s' "$(printf %s "$forge_payload" | base64 -d | sed "s/$1/$2/" | base64 -w0 | tr '/+' '_-' | tr -d =)" \
        "$(cut -d. -f2 "$SCRATCH/user")" >"$SCRATCH/forged"
}
forge nothing nothing
is "a token put together again holds" "$(status forged /v1/jobs)" 200
for change in 'alice/bob' '"user","id"/"admin","id"' '"role":"user"/"role":"reader"'; do
    forge "${change%/*}" "${change##*/}"
    cmp -s "$SCRATCH/user" "$SCRATCH/forged" || is "changed to ${change##*/} it holds not" "$(status forged /v1/jobs)" 401
done
token short --role user --user alice --expires 1s
is_expired() { [ "$(status short /v1/jobs)" = 401 ]; }
ok "an expired one holds no more" wait_for 10 is_expired
finish
