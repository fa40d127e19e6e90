#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Whose jobs a user sees, from outside: her own whole, of others totals, whatever she asks
# for; a job of another's is as one that does not exist.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
. "$(dirname "$0")/lib-roles.sh"
requires curl jq

roles_start
token newcomer --role user --user nil
token fritz --role user --user alice --cluster fritz
token alex --role user --user alice --cluster alex
token bob --role user --user bob
token wildcard --role user --user 'b%'
token capital --role user --user Alice
token unicode --role user --user 'аlice' # its first letter is Cyrillic
roles_fill

# ---- lists ----
ids() { jq -r '[.rows[] | .[0] + "/" + .[1]] | sort | join(" ")'; }
list() { get "$1" "/v1/jobs?$2" | ids; }
all="alex/10 alex/5 alex/5 alex/6 alex/7 alex/9 fritz/7 fritz/8"
for who in reader support api scheduler admin; do
    is "$who lists every job" "$(list $who limit=100)" "$all"
done
is "a user lists hers" "$(list user limit=100)" "alex/5 alex/7 alex/9 fritz/8"
is "another has others" "$(list bob limit=100)" "alex/5 alex/6 fritz/7"
is "a manager those of her accounts" "$(list manager limit=100)" "alex/5 alex/6"
is "a cluster limits them" "$(list fritz limit=100)" "fritz/8"
is "and is no filter to get around" "$(list fritz 'limit=100&cluster=alex')" ""
for who in newcomer wildcard capital unicode; do
    is "$who has no jobs" "$(list $who limit=100)" ""
done
for filter in user=bob user=3 account=phys account=chem id=6 id=10 node=n3\&id=6 array=6 \
    "from=@$((T - 4000))&to=@$((T - 1900))"; do
    is "no filter finds what is not hers: $filter" "$(list user "$filter")" ""
done
is "a filter of her name finds hers" "$(list user 'user=alice&cluster=alex')" "alex/5 alex/7 alex/9"
curl -s -D "$SCRATCH/head" -o "$SCRATCH/body" -H "Authorization: Bearer $(cat "$SCRATCH/user")" \
    "$url/v1/jobs?limit=4&format=lines"
ok "whether there are more counts hers alone" not grep -qi baro-more "$SCRATCH/head"
is "lines are hers" "$(jq -r .user "$SCRATCH/body" | sort | uniq -c | tr -s ' ')" " 4 alice"
is "usage is of hers" "$(get user '/v1/jobs?worst=cpu&limit=100' |
    jq -c '(.columns | map(.name) | index("user")) as $u | [.rows[][$u]] | unique')" '["alice"]'
is "her usage is the same as the reader's of her" \
    "$(get user '/v1/jobs?worst=cpu&limit=100' | jq -c '[.rows[][0:7]]')" \
    "$(get reader '/v1/jobs?worst=cpu&limit=100&user=alice' | jq -c '[.rows[][0:7]]')"
is "no bytes of another's job are in any form" \
    "$(for form in format=table format=lines worst=cpu 'worst=cpu&format=json' \
        footprint=cpu_load 'footprint=cpu_load&worst=cpu_load&format=json'; do
        get user "/v1/jobs?$form&limit=100"
    done | grep -c 'bob\|eve\|n3\|n8')" 0

# ---- summaries ----
logs() { get "$1" "/v1/summaries?format=lines&$2" | jq -r ._log | sort | tr '\n' ' '; }
is "a reader has every summary" "$(logs reader limit=9)" \
    "alice.darshan bob.darshan bob6.darshan bob7.darshan norecord.darshan "
is "a user those of her runs, whatever name the log has" "$(logs user limit=9)" "alice.darshan "
is "the other run of the number has the other" "$(logs bob limit=9)" "bob.darshan bob6.darshan bob7.darshan "
is "a manager those of her accounts" "$(logs manager limit=9)" "bob.darshan bob6.darshan "
is "naming the job changes nothing" "$(logs user job=6)$(logs user job=99)$(logs user 'user=alice&job=99')" ""
for form in table csv lines; do
    is "in $form there is no other" "$(get user "/v1/summaries?format=$form" | grep -c 'bob\|norecord')" 0
done

# ---- one job: what is not hers is as if it were not ----
# refused PATH-OF-A-JOB... : the responses to each of hers, but for the id itself, are equal.
body_of() { # TOKEN PATH ID: status and body, with the id taken out
    printf '%s ' "$(status "$1" "$2")"
    sed "s/\\b$3\\b/ID/g" "$SCRATCH/body"
}
for route in /v1/jobs/ID '/v1/jobs/ID?format=text' '/v1/jobs/ID?format=js1' /v1/jobs/ID/page /v1/jobs/ID/nodes '/v1/diff?jobs=ID,9' /v1/jobstats/job/ID \
    '/v1/jobs/ID?cluster=alex' '/v1/jobstats/top?job=ID' '/v1/jobstats/rates?job=ID' '/v1/jobstats/series?job=ID' \
    "/v1/jobstats/job/ID?from=@$((T - 4000))" '/v1/jobstats/job/ID?user=bob'; do
    path() { printf %s "$route" | sed "s/ID/$1/"; }
    none=$(body_of user "$(path 123456)" 123456)
    is "$route: there is no 123456" "${none%% *}" 404
    for id in 6 10 99; do
        is "$route: of $id she learns the same" "$(body_of user "$(path $id)" $id)" "$none"
    done
    is "$route: neither does another cluster's token help" "$(body_of fritz "$(path 5)" 5)" "$none"
done
is "a reader sees what has no record" "$(status reader /v1/jobs/99)" 200
is "an admin, too" "$(status admin /v1/jobs/6)" 200
is "the manager sees the job of her account" "$(get manager /v1/jobs/6 | jq -r .job.user)" bob
is "and not one of hers that she has not" "$(status manager /v1/jobs/10)" 404

# ---- one job: hers ----
get user /v1/jobs/5 >"$SCRATCH/own.json"
is "her page is of her run" "$(jq -c '[.job.id, .job.user]' "$SCRATCH/own.json")" '["5","alice"]'
is "with her summary" "$(jq -r '[.. | strings | select(endswith(".darshan"))] | unique | join(" ")' "$SCRATCH/own.json")" \
    "$(get reader '/v1/jobs/5?cluster=alex' | jq -r '[.. | strings | select(endswith(".darshan"))] | unique | join(" ")')"
is "her bytes are those of her run" "$(jq '[.servers.targets[].own.write_bytes] | add' "$SCRATCH/own.json")" 8000
is "others on the target are a sum" \
    "$(jq -c '.servers.targets[0] | [(.others.write_bytes > 200000), .neighbours]' "$SCRATCH/own.json")" '[true,[]]'
is "for a reader they have names" \
    "$(get reader '/v1/jobs/6?cluster=alex' | jq '.servers.targets[0].neighbours | length')" 3
is "no other's name is on it, in any form" "$(for form in json text line; do get user "/v1/jobs/5?format=$form"; done |
    grep -c 'bob\|eve\|n1\b\|n3\|777000')" 0
is "nor on the page" "$(get user /v1/jobs/5/page | grep -c '\bbob\b\|\beve\b\|\bn3\b')" 0
is "her running job has a page" "$(get user /v1/jobs/9 | jq -r .job.state)" RUNNING
is "samples are of her nodes" "$(get user /v1/jobs/5/nodes | jq -c .hosts)" '["n2"]'
is "of an id that is another's elsewhere she sees her own" "$(get user /v1/jobs/7 | jq -c '[.job.user, .job.cluster]')" \
    '["alice","alex"]'
is "but no rows: they cannot be distinguished" "$(get user /v1/jobs/7 | jq -c .servers)" null

# ---- rows of counters ----
total() { get "$1" "$2" | jq -c '(.columns | map(.name) | index("write_bytes")) as $c | [.rows[][$c]] | add'; }
long="from=@$((T - 86400))&op=write_bytes"
is "a reader has all of what 5 wrote" "$(total reader "/v1/jobstats/rates?job=5&$long&to=now")" $((777000 * 5 + 8000))
is "a user what it wrote while it was hers" "$(total user "/v1/jobstats/rates?job=5&$long&to=now")" 8000
is "the other what it wrote before" "$(total bob "/v1/jobstats/rates?job=5&$long&to=@$((T - 1000))")" $((777000 * 5))
is "top has the same" "$(total user "/v1/jobstats/top?job=5&$long&to=now")" 8000
is "by user and node it is hers" "$(get user "/v1/jobstats/top?job=5&by=user,node&$long&to=now" | jq -c '[.rows[][0,1]]')" \
    "$(get reader "/v1/jobstats/top?job=5&by=user,node&from=@$T&op=write_bytes&to=now" | jq -c '[.rows[][0,1]]')"
is "the page of counters is of her run" "$(get user /v1/jobstats/job/5 | jq -c '.summary |
    (.columns | map(.name) | index("write_bytes")) as $c | .rows[0][$c]')" 8000
is "series of an id that was another's are not listed" "$(status user '/v1/jobstats/series?job=5')" 404
is "of one that is hers alone they are" "$(get user '/v1/jobstats/series?job=9' | jq '.rows | length')" 1
is "sums by target are for every user" \
    "$(total newcomer "/v1/jobstats/rates?by=target&$long&to=now")" "$(total reader "/v1/jobstats/rates?by=target&$long&to=now")"
for query in top 'top?by=job' 'top?by=target,user' 'rates?by=job' 'rates?by=node&job=' 'rates?user=bob' \
    'rates?user=alice' 'rates?node=n3' 'rates?executable=x' 'rates?group=1' 'rates?entry=6:3:n3' \
    'rates?density=yes' 'rates?by=executable' 'series' 'series?user=bob' 'series?target=*'; do
    got=$(status user "/v1/jobstats/$query")
    case $query in
    *job=) is "$query: 404" "$got" 404 ;;
    *) is "$query: 403, which states what she may" "$got $(grep -c 'sees its own jobs' "$SCRATCH/body")" "403 1" ;;
    esac
done

# ---- names that are none ----
for bad in '%00' 'alice%00' '%ff' '%c0%80'; do
    is "user=$bad is refused" "$(status user "/v1/jobs?user=$bad")" 400
done
is "twice is refused" "$(status user '/v1/jobs?user=alice&user=bob')" 400
is "a number of hers is a name like others" "$(list user user=5)" "alex/5 alex/7 alex/9 fritz/8"
is "whoami states who she is" "$(get manager /v1/whoami | jq -c '[.roles, .user, .accounts]')" \
    '[["user","manager"],"carol",["phys","chem"]]'
finish
