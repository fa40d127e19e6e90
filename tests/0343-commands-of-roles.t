#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every command that asks a barod, with the token of a user, a manager and support: what
# each may see works, of the rest the command states who may; what is another's is as what
# does not exist, in errors, counts and completion.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
. "$(dirname "$0")/lib-roles.sh"
requires curl jq
roles_start "$(roles_session)"
roles_fill
cd "$SCRATCH" || exit 1
chmod 600 user manager support admin
BARO_SERVER=$url
export BARO_SERVER
{
    echo 'JobID|JobIDRaw|Cluster|Start|End|AdminComment'
    echo "5|5|alex|$((T + 60))|$((T + 600))|"
    echo "10|10|alex|$((T + 60))|$((T + 720))|"
} >sacct.txt
baro job import sacct.txt >jobs.ndjson
mkdir empty
printf '[finding any]\ncondition = run_time > 1s\nsentence = x\n' >findings.conf
printf '#!/bin/sh\necho "  4 UP osc scratch-OST0000-osc-ffff88 8dbd 5 oss01@tcp"\n' >lctl
printf '#!/bin/sh\necho "n8|idle|none"\n' >sinfo
printf '#!/bin/sh\necho "ClusterName = alex"\n' >scontrol
chmod +x lctl sinfo scontrol

# By role: user, manager, support.  2 works (exit 0), 3 refused: who may is stated, and where
# that token is named (exit 1), 4 there is no such thing here (exit 1).  Job 5 is one of each;
# 10 is another's to the user and the manager.
cat >table <<'END'
jobstats top                            3 3 2
jobstats top --by target                2 2 2
jobstats top --by user                  3 3 2
jobstats top --job 5                    2 2 2
jobstats top --job 10                   4 4 2
jobstats top --user alice               3 3 2
jobstats rates                          2 2 2
jobstats rates --by target,op           2 2 2
jobstats rates --by node                3 3 2
jobstats rates --job 10                 4 4 2
jobstats job 5                          2 2 2
jobstats job 10                         4 4 2
jobstats series                         3 3 2
jobstats series --job 9                 2 4 2
jobstats series --job 10                4 4 2
job list                                2 2 2
job list --user bob                     2 2 2
job list --worst cpu                    2 2 2
job list --output json                  2 2 2
job show 5                              2 2 2
job show 5 --output json                2 2 2
job show 5 --output html                2 2 2
job show 5 --comment js1                2 2 2
job show 10                             4 4 2
job show alex/10                        4 4 2
job show 10 --output html               4 4 2
job show 10 --comment js1               4 4 2
job diff 5 10                           4 4 2
job slice 10                            4 4 4
job summarize 5                         2 2 2
job summarize 10                        4 4 4
job comment sacct.txt                   2 2 2
job findings findings.conf --try --server URL 2 2 2
job import --server URL sacct.txt       3 3 3
config grafana --url http://a:1 made    3 3 2
metric list                             3 3 2
metric query load                       3 3 2
metric query load alex/n8               3 3 2
metric query --job 5 load               2 2 2
metric query --job 10 load              4 4 2
metric query --job alex/10 load         4 4 2
metric plot load alex/n2                3 3 4
metric top --job 5 load                 2 2 2
metric top load                         3 3 2
node                                    3 3 2
node top                                3 3 2
space                                   3 3 4
stats                                   3 3 2
store status                            3 3 2
store free --to -1d                     3 3 3
store export --server URL               3 3 2
store import --server URL empty         4 4 4
store shadow http://127.0.0.1:1         3 3 4
token list                              3 3 3
weather -2h now -s URL                  3 3 2
session show                            3 3 2
session nodes                           3 3 2
session list                            2 2 2
session show none                       4 4 4
session run --size 1 --quiet true       2 2 2
session start --help                    2 2 2
event list                              3 3 2
event publish site.drained              3 3 3
resource list                           2 2 2
resource act --cluster alex --drain-on down --nodes-max 1 --state act --sinfo ./sinfo --scontrol ./scontrol 2 2 2
resource show alex/none                 4 4 4
resource history                        2 2 2
resource report                         2 2 2
resource inventory                      2 2 2
resource check --hosts zz9              2 2 2
resource watch --once                   2 2 2
resource drain --reason r zz9           3 3 3
resource resume zz9                     3 3 3
health record --dir kept --lfs true --lctl ./lctl --server URL 3 3 3
series show URL                         3 3 2
END

# ---- no command without a row ----
baro --dump-options | while read -r command; do
    # shellcheck disable=SC2086 # words of a command
    baro $command --dump-options | grep -qx -- '--server' && echo "$command"
done | sort >commands
awk '{ for (i = 2; i <= NF && $i ~ /^[a-z-]+$/; i++) $1 = $1 " " $i; print $1 }' table >rows
while read -r command; do
    grep -q "^$command\b" rows || echo "$command"
done <commands >lacking
is "every command that has --server has a row" "$(cat lacking)" ""

# ---- each of them ----
letter() { # STATUS, of err
    case $1 in
    0) echo 2 ;;
    1) if ! grep -q 403 err; then echo 4; elif grep -Eq '\(these may: .*admin\)|sees .*its own jobs' err &&
        grep -q -- '--token-file' err; then echo 3; else echo "an unclear refusal"; fi ;;
    *) echo "exit $1" ;;
    esac
}
try() { # ROLE COMMAND: its letter; what it printed goes to seen.ROLE
    # shellcheck disable=SC2046 # words of a command
    baro $(echo "$2" | sed "s#URL#$url#") --token-file "$1" >out 2>err
    try_status=$?
    cat out err >>"seen.$1"
    letter $try_status
}
while read -r line; do
    want=${line#"${line%?????}"}
    command=$(echo "${line%?????}" | sed 's/ *$//')
    got=
    for role in user manager support; do
        got="$got${got:+ }$(try $role "$command")"
    done
    is "baro $command" "$got" "$want"
done <table

# ---- what is another's ----
# Names that are in the commands themselves come back in errors.  Which hosts send is of no job: each user
# may know it, as of sinfo.
is "no byte of others' jobs reached the user" "$(grep -v -e '--user' -e system:presence seen.user | grep -nE '\b(bob|eve|n1|n3|n5|n8)\b|777000' | grep -v 'alex/n8')" ""
# The log of bob's job has alice's name in the data of the test.
is "nor the manager" "$(grep -v -e jobsdb_user -e system:presence seen.manager | grep -nE '\b(alice|eve|n2|n4|n6|n7|n8)\b')" ""
while read -r command; do
    for role in user manager; do
        for id in 10 123456; do
            # shellcheck disable=SC2046 # words of a command
            baro $(echo "$command" | sed "s/ID/$id/") --token-file $role >out 2>err
            echo $? >>err
            cat out err | sed "s/\b$id\b/ID/g" >"learned.$id"
        done
        is "baro $command: to the $role another's job is as one that does not exist" \
            "$(cat learned.10)" "$(cat learned.123456)"
    done
done <<'END'
jobstats top --job ID
jobstats rates --job ID
jobstats job ID
jobstats series --job ID
job list --array ID
job show ID
job show alex/ID
job show ID --output json
job show ID --comment js1
job diff ID 5
job slice ID
job summarize ID
metric query --job ID load
END
is "a list counts hers" "$(baro job list --token-file user --output json | jq length)" 4
is "and its last line, too" "$(baro job list --token-file user --worst cpu | grep -c '^# 4 jobs with 4 runs')" 1

# ---- metrics of one's own job ----
is "her job's metrics are of her node" \
    "$(baro metric query --job 5 load --token-file user --output json | grep -o 'alex/n[0-9]*' | sort -u)" alex/n2
is "of an id that is another's elsewhere, of hers" \
    "$(baro metric query --job 7 load --token-file user --output json | grep -o '[a-z]*/n[0-9]*' | sort -u)" alex/n4
is "by naming the other cluster she gains nothing" \
    "$(baro metric query --job fritz/7 load --token-file user >out 2>err || echo $?)$(cat out)" 1
is "a component beside it is refused" "$(status user '/v1/query?metric=load&job=5&component=alex/n8')" 400

# ---- completion ----
completed() { baro --complete "$@" 2>&1 | sed 's/ *$//' | grep -x '[0-9]*' | sort -n | tr '\n' ' '; }
is "to the user her jobs are completed" "$(completed job show --token-file user '')" "5 7 8 9 "
is "to the manager those of her accounts" "$(completed job show --token-file manager '')" "5 6 "
is "what begins as another's has no end" "$(completed job show --token-file user 1)" ""
is "metrics that she may not list are not completed" \
    "$(baro --complete metric query --token-file user lo)" "$(baro --complete metric query --token-file /dev/null lo)"

# ---- no token, and one that is none ----
chmod 600 jobs.ndjson
for token in '' jobs.ndjson; do
    baro job list --token-file "$token" >out 2>err
    is "with '$token' for a token: exit 1, and where to name one" "$?$(cat out)$(grep -c token err)" 11
done
baro job list --token-file user --nonsense >out 2>err
is "an unknown option is misuse, whoever it is" $? 2
finish
