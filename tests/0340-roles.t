#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every route that the program has, requested by every role: a row each in tests/roles/table, and a route
# without a row is a failure.  Then tokens that are none, and roles that are no longer.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
. "$(dirname "$0")/lib-roles.sh"
requires curl jq

# The table: tests/roles/table.
roles_table >"$SCRATCH/table"

roles_start "$(roles_session)"
roles_fill
: >"$SCRATCH/none"
printf 'not-what-is-wanted' >"$SCRATCH/nonsense"

status none /v1/openapi.json >"$SCRATCH/out"
awk '{ sub(/\?.*/, "", $2); print $1, $2 }' "$SCRATCH/table" | sort >"$SCRATCH/rows"
rows_missing() { # DOCUMENT: routes without a row, and rows without a route
    jq -r '.paths | to_entries[] | .key as $p | .value | keys[] | (. | ascii_upcase) + " " + $p' "$1" | sort |
        diff - "$SCRATCH/rows"
}
is "every route of the program has a row, and no other" "$(rows_missing "$SCRATCH/body")" ""
jq '.paths["/v1/added"] = {get: {}}' "$SCRATCH/body" >"$SCRATCH/added"
is "a route that is added without one is found" "$(rows_missing "$SCRATCH/added" | grep '^<')" "< GET /v1/added"
jq '.paths["/v1/jobs"].put = {}' "$SCRATCH/body" >"$SCRATCH/added"
is "so is a method of a route" "$(rows_missing "$SCRATCH/added" | grep '^<')" "< PUT /v1/jobs"

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
