#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro resource act --actions: the site's own commands for what a system states as bad, by configured
# rules alone: at most so many hosts in a window, once for a cause, a deadline each that is also its
# children's, on a node that is drained by us and idle; an opinion, an administrator, a Slurm that is away
# are no reason; a kill -9 in the middle is found and never repeated; hostile names and reasons stay within
# their word; a dry run changes nothing.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
requires jq curl
cd "$SCRATCH" || exit 1
baro token key new site.key >out
baro token new --key site.key --role user --user mallory >mallory
chmod 600 mallory
barod_conf
port=$(free_port)
sed -i "s#^listen = .*#listen = 127.0.0.1:$port\nkey = $SCRATCH/site.key.pub#" barod.conf
start_barod || fail "barod starts"

# ---- a played Slurm: nodes/NODE is STATE|REASON; while nodes.away is there it does not respond ----
cat >sinfo <<'END'
#!/bin/sh
one=
while [ $# -gt 0 ]; do
    case $1 in --nodes) one=$2 && shift ;; esac
    shift
done
[ ! -e "$SLURM.away" ] || { echo 'slurm_load_node: Unable to contact slurm controller' >&2; exit 1; }
cd "$SLURM" || exit 1
[ -z "$one" ] || [ -z "${LISTS:-}" ] || . "$LISTS"
for node in *; do
    [ -z "$one" ] || [ "$one" = "$node" ] || continue
    printf '%s|%s\n' "$node" "$(cat "$node")"
done
END
cat >scontrol <<'END'
#!/bin/sh
[ ! -e "$SLURM.away" ] || { echo 'slurm_load_ctl_conf error: Unable to contact slurm controller' >&2; exit 1; }
[ "$1 $2" != 'show config' ] || exec printf 'ClusterName = alex\n'
node=$SLURM/${2#nodename=}
case $3 in
state=drain) printf 'idle+drain|%s' "${4#reason=}" >"$node" ;;
state=resume) printf 'idle|none' >"$node" ;;
esac
END
chmod +x sinfo scontrol
SLURM=$SCRATCH/nodes
export SLURM
state() { # COMPONENT HEALTH [REASON] [SOURCE]
    jq -nc --arg c "alex/$1" --arg h "$2" --arg r "${3-}" --arg s "${4-ping}" '{component: $c, health: $h, reason: $r, source: $s}' |
        curl -sf --unix-socket "$socket" -H 'Content-Type: application/x-ndjson' --data-binary @- http://x/v1/resources >posted
}
run() { # OPTIONS: as a timer calls it
    baro resource act --server "$server" --cluster alex --drain-on down --nodes-max 10 --drain-after 1ns --resume-after 1h --state "$SCRATCH/act" \
        --sinfo "$SCRATCH/sinfo" --scontrol "$SCRATCH/scontrol" "$@" 2>&1
}
act() { # OPTIONS: with the actions
    run --actions "$SCRATCH/act.conf" "$@" | grep action | sed 's/, since [^:]*:[^:]*:[^:]*Z//; s/[0-9-]\{10\}T[0-9:.]*Z/TIME/g'
}
ran() { # what the command wrote, a call each
    cat "$SCRATCH/ran" 2>/dev/null
}
# The site's command: its words, with < > around each.
cat >serves <<END
#!/bin/sh
{ for word in "\$@"; do printf '<%s>' "\$word"; done; echo; } >>"$SCRATCH/ran"
echo "served \$BARO_HOST"
echo "a second line"
END
chmod +x serves
conf() { # then lines of [action reboot]
    { printf '[action reboot]\ncommand = %s {host} {check}\ncheck = ping\n' "$SCRATCH/serves" && cat; } >act.conf
    grep -q '^after' act.conf || echo 'after = 0s' >>act.conf
}
reset() {
    rm -rf nodes act ran
    mkdir -p nodes
    for one in n1 n2 n3 n4; do
        printf 'idle|none' >"nodes/$one"
        state $one up
    done
    run >out
}
result() { jq -r 'select(.name) | [.node, .name, .result] | join(" ")' act/actions.log; }

# ---- off, dry, done, once ----
reset
state n1 down 'ping: no response for 30 s'
conf </dev/null
is "without --actions none is run" "$(run | grep -c action) $(ran)" "0 "
reset
state n1 down 'ping: no response for 30 s'
run >out
find act/drained act/lock nodes -type f -exec cat {} + >before
is "a dry run states it, with its words" "$(act --dry-run)" \
    "n1: action reboot: would be run: alex/n1 down by ping: ping: no response for 30 s: $SCRATCH/serves n1 ping"
is "and runs none" "$(ran)$(ls act/actions 2>/dev/null)" ""
is "nor changes a record" "$(find act/drained act/lock nodes -type f -exec cat {} + | cmp - before)" ""
is "only the log has it" "$(jq -c 'select(.name) | [.node, .name, .result, .dry_run]' act/actions.log)" '["n1","reboot","would be run",true]'
is "a drained and idle host's action is run" "$(act)" "n1: action reboot: done: alex/n1 down by ping: ping: no response for 30 s: served n1"
is "with its words" "$(ran)" "<n1><ping>"
is "never twice" "$(act)$(act)$(ran)" "<n1><ping>"
is "why not is there" "$(act --dry-run)" "n1: action reboot: held back: alex/n1 down by ping: ping: no response for 30 s: done at TIME, not again before TIME"
is "and in JSON" "$(run --actions act.conf --json | jq -c 'select(.action) | [.node, .what, .action, .component, .check, .result[0:7]]')" \
    '["n1","action reboot: held back","reboot","alex/n1","ping","done at"]'
is "its start, end, status and first line are recorded" \
    "$(jq -c 'select(.name and (.dry_run | not)) | [.result, .output, .component, .check, .state, .begun != null, .ended != null]' act/actions.log | tr '\n' ' ')" \
    '["begun",null,"alex/n1","ping","down",true,false] ["done","served n1","alex/n1","ping","down",true,true] '
state n1 up
state n1 down 'ping: again'
is "nor when the cause comes again within again_after" "$(act)$(ran)" "<n1><ping>"
sed -i 's/\tdone\t[0-9]*\t[0-9]*\t/\tdone\t1\t1\t/' act/actions
is "after it is" "$(act | cut -d: -f1-3) $(ran | wc -l)" "n1: action reboot: done 2"

# ---- a host has it once ----
reset
conf <<END
class = accelerator
node = any
END
for gpu in 0 1 2 3; do state n1/accelerator:$gpu down 'nvml: gone'; done
is "four devices of a host are one run for the host" "$(act)$(act | cut -d: -f1-3)$(ran)" \
    "n1: action reboot: done: alex/n1/accelerator:0 down by ping: nvml: gone: served n1<n1><ping>"
for gpu in 0 1 2 3; do state n1/accelerator:$gpu up; done
state n1/accelerator:renamed down 'nvml: gone'
is "also under another name" "$(act --dry-run)" "n1: action reboot: held back: alex/n1/accelerator:renamed down by ping: nvml: gone: run for alex/n1/accelerator:0 by ping at TIME, not again before TIME"
echo 'once = component' >>act.conf
is "but where the rule is once for a component" "$(act | cut -d: -f1-4) $(ran | wc -l)" "n1: action reboot: done: alex/n1/accelerator 2"
state n1/accelerator:renamed up
conf <<END
once = row
END
is "a word that is none is refused" "$(run --actions act.conf | grep -c "once: invalid value 'row'")" 1
conf </dev/null

# ---- in one run with its drain ----
reset
state n1 down 'ping: no response'
is "what is drained just now is drained" "$(act | cut -d: -f1-3)" "n1: action reboot: done"

# ---- what holds one ----
reset
state n1 degraded 'fan: slow'
is "a state that the rule does not have is none of its causes" "$(act)" ""
state n1 down 'disk: gone' other
is "nor is another check" "$(act)$(ran)" ""
state n1 up '' other
conf <<END
after = 1h
END
state n1 down 'ping: no response'
is "nor what has not lasted" "$(act)$(act --dry-run | sed 's/.*response: //')" "it has not been so for long enough"
conf </dev/null
printf 'mixed+drain|%s' "$(sed 's/.*|//' nodes/n1)" >nodes/n1
held() { act | sed 's/.*response: //'; }
is "where jobs run it waits" "$(held) $(ran)" "jobs still run there "
printf 'completing+drain|%s' "$(sed 's/.*|//' nodes/n1)" >nodes/n1
is "also while they end" "$(held) $(ran)" "jobs still run there "
conf <<END
node = drained
END
is "a rule may not need it to be idle" "$(act | cut -d: -f3)" " done"
conf </dev/null
rm act/actions ran
ours=$(sed 's/.*|//' nodes/n1)
for other in 'idle+drain|board swap' 'idle|none' 'mixed|none' 'idle+drain|baro: down: forged'; do
    printf '%s' "$other" >nodes/n1
    is "a node that another drained or resumed is left: $other" "$(held) $(ran)" "the node is not drained by us "
done
reset
state n1 down 'ping: no response'
run >out
ours=$(sed 's/.*|//' nodes/n1)
for other in down+drain+reboot_issued idle+drain+maintenance idle+drain+powering_down; do
    printf '%s|%s' "$other" "$ours" >nodes/n1
    is "nor is one with another state: $other" "$(held) $(ran)" "the node has another state besides our drain "
done
printf 'down+drain+not_responding|%s' "$ours" >nodes/n1
is "one that is down and drained by us is idle" "$(act | cut -d: -f3)" " done"
rm act/actions ran
baro resource drain alex/n1 --reason 'board swap' --server "$server" >out 2>&1 || cat out
is "what an administrator drained is no cause" "$(act)$(ran)" ""
state n1/accelerator:0 down 'ping: no response' ping
conf <<END
class = accelerator
END
is "nor is a part of it one for its node" "$(held) $(ran)" "an administrator drained the host "
baro resource resume alex/n1 --server "$server" >out 2>&1 || cat out
is "which it is once that is lifted" "$(act | cut -d: -f1-4)" "n1: action reboot: done: alex/n1/accelerator"
state n1/accelerator:0 up
conf </dev/null

# ---- who states it ----
reset
printf '{"component":"alex/n1","health":"down","reason":"ping: no response"}\n' |
    curl -sf -H "Authorization: Bearer $(cat mallory)" -H 'Content-Type: application/x-ndjson' --data-binary @- "http://127.0.0.1:$port/v1/resources" >posted
is "an opinion is stored" "$(jq -r .accepted posted) $(baro resource show -o json alex/n1 --server "$server" | jq -r '.[] | select(.counts == "opinion").source')" "1 user:mallory"
is "and is no cause" "$(act)$(ran)" ""
state n1 down 'ping: no response'
is "unless a system confirms it" "$(act | cut -d: -f1-3)" "n1: action reboot: done"
reset
printf '{"component":"alex/n2","health":"down","reason":"admin: no"}\n' |
    curl -sf --unix-socket "$socket" -H 'Content-Type: application/x-ndjson' --data-binary @- http://x/v1/resources >posted
sed 's/check = ping/check = ping\ncheck = admin/' act.conf >both.conf
is "nor is an administrator's statement" "$(run --actions both.conf | grep -c action) $(ran)" "0 "
printf '{"component":"alex/n2","health":"up"}\n' |
    curl -sf --unix-socket "$socket" -H 'Content-Type: application/x-ndjson' --data-binary @- http://x/v1/resources >posted
state n3 unknown 'ping: timed out'
is "nor what is unknown" "$(act)$(ran)" ""

# ---- limits at their edges ----
reset
conf <<END
hosts_max = 2
running_max = 4
END
for one in n3 n1 n2; do
    state $one down 'ping: no response'
    sleep 0.05
done
is "never more hosts than the limit, those first that are so for longest" "$(act | cut -d: -f1-3 | sort)" "n1: action reboot: done
n2: action reboot: held back
n3: action reboot: done"
is "nor in a later run" "$(act | sed 's/.*response: //') $(ran | wc -l)" "the limit of hosts is reached 2"
sed -i 's/^hosts_max.*/hosts_max = 10\npercent_max = 74/' act.conf
is "nor than so many percent: 2.96 of 4 are 2" "$(act | sed 's/.*response: //')" "the limit of hosts is reached"
sed -i 's/^percent_max.*/percent_max = 75/' act.conf
is "3 of 4 are 3" "$(act | cut -d: -f1-3)" "n2: action reboot: done"
state n4 down 'ping: no response'
is "and then no more" "$(act | sed 's/.*response: //')" "the limit of hosts is reached"
sed -i "s/\tdone\t[0-9]*\t/\tdone\t$(($(date +%s) - 3500))000000000\t/" act/actions
is "within the window" "$(act | sed 's/.*response: //')" "the limit of hosts is reached"
sed -i "s/\tdone\t[0-9]*\t/\tdone\t$(($(date +%s) - 3700))000000000\t/" act/actions
is "after it there is a place" "$(act | cut -d: -f1-3)" "n4: action reboot: done"
reset
conf <<END
percent_max = 24
END
state n1 down 'ping: no response'
is "a percentage of less than a host is none" "$(act | sed 's/.*response: //') $(ran)" "the limit of hosts is reached "

# ---- how many at once, and in which order ----
cat >slow <<END
#!/bin/sh
mkdir "$SCRATCH/at-once.\$BARO_HOST.\$1"
n=\$(ls -d "$SCRATCH"/at-once.* | wc -l)
echo "\$1 \$BARO_HOST \$n" >>"$SCRATCH/ran"
sleep 3
rmdir "$SCRATCH/at-once.\$BARO_HOST.\$1"
END
chmod +x slow
slow_conf() { # RUNNING_MAX of the first
    cat >act.conf <<END
[action reset]
command = $SCRATCH/slow reset
check = ping
after = 0s
hosts_max = 10
running_max = $1
[action ticket]
command = $SCRATCH/slow ticket
check = ping
after = 0s
hosts_max = 10
running_max = 1
node = any
END
}
reset
slow_conf 2
for one in n1 n2 n3; do
    state $one down 'ping: no response'
    sleep 0.05
done
is "all are done" "$(act | grep -c 'done')" 6
is "rules in their order, hosts by time, each once" "$(grep reset ran | cut -d' ' -f1,2 | tr '\n' ' ')$(grep ticket ran | cut -d' ' -f2 | sort | tr '\n' ' ')" "reset n1 reset n2 reset n3 n1 n2 n3 "
is "one rule's bound is not the other's" "$(cut -d' ' -f3 ran | sort -n | tail -n 1)" 3
is "a host has one at a time" "$(head -n 3 ran | cut -d' ' -f2 | sort | uniq -d)" ""
reset
slow_conf 1
sed -i '/action ticket/,$d' act.conf
for one in n1 n2 n3; do state $one down 'ping: no response'; done
act >out
is "one at once is one at once" "$(cut -d' ' -f3 ran | sort -u)" 1
printf '[actions]\nstart_for = 1s\n' >>act.conf
rm act/actions ran
is "a run starts none any more after so long" "$(act | cut -d: -f3 | sort | uniq -c | tr -s ' ' | tr '\n' ';')" " 1 done; 2 held back;"
is "which the next one does" "$(act | cut -d: -f1,3 | head -n 1)" "n2: done"

# ---- a command that fails, and one that hangs ----
reset
printf '#!/bin/sh\necho tried >>%s\necho out of order >&2\nexit 3\n' "$SCRATCH/ran" >fails
chmod +x fails
cat >act.conf <<END
[action reboot]
command = $SCRATCH/fails
check = ping
after = 0s
retries = 1
pause = 1h
END
state n1 down 'ping: no response'
run --actions act.conf >out
is "one that fails is unknown, and an error" "$? $(grep action out | sed 's/.*reboot: //; s/ alex.*: / /')" "1 unknown: exit status 3: out of order"
is "it is not tried at once" "$(act | sed 's/.*response: //') $(ran | wc -l)" "unknown: exit status 3, not again before TIME 1"
paused() { sed -i 's/\tfailed\t\([0-9]*\)\t[0-9]*\t/\tfailed\t\1\t1\t/' act/actions; }
paused
is "but after the pause" "$(act | sed 's/.*reboot: //; s/ alex.*: / /')" "unknown: exit status 3: out of order"
paused
is "and then no more" "$(act | sed 's/.*response: //') $(ran | wc -l)" "unknown: exit status 3, 2 times: not again before TIME 2"
is "it drains nothing" "$(grep -l drain nodes/* | wc -l) $(run | grep -c drained)" "1 0"
sed -i 's/\tfailed\t[0-9]*\t[0-9]*\t/\tfailed\t1\t1\t/' act/actions
act >out
is "after again_after it begins anew" "$(cut -f 7 act/actions) $(ran | wc -l)" "1 3"
sed -i "s#command = .*#command = $SCRATCH/no-such-program#; s/retries.*/retries = 5/" act.conf
rm act/actions
is "what cannot be started has a reason of its own" "$(act | sed 's/.*reboot: //; s/ alex.*//')" "unknown: could not be started: No such file or directory:"
# shellcheck disable=SC2016 # of the script
printf '#!/bin/sh\nsleep 600 & echo $! >%s/child\nsetsid sh -c "echo \\$\\$ >%s/away; sleep 600" &\ntrap "" TERM\nwait\nsleep 600\n' "$SCRATCH" "$SCRATCH" >hangs
chmod +x hangs
sed -i "s#command = .*#command = $SCRATCH/hangs#" act.conf
echo 'deadline = 4s' >>act.conf
rm act/actions
before=$(date +%s)
is "one that hangs is killed at its deadline" "$(act | sed 's/.*reboot: //; s/ alex.*//')" "unknown: killed at its deadline:"
ok "in time" [ $(($(date +%s) - before)) -le 40 ]
gone() { ! kill -0 "$1" 2>/dev/null || grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; }
ok "with its children" wait_for 5 gone "$(cat child)"
ok "also those of a session of their own" wait_for 5 gone "$(cat away)"

# ---- a kill in the middle ----
reset
printf '#!/bin/sh\necho begun >>%s\nexec sleep 600\n' "$SCRATCH/ran" >long
chmod +x long
cat >act.conf <<END
[action reboot]
command = $SCRATCH/long
check = ping
after = 0s
deadline = 10m
retries = 5
hosts_max = 1
again_after = 1m
END
state n1 down 'ping: no response'
run >out
baro resource act --server "$server" --cluster alex --drain-on down --nodes-max 10 --drain-after 1ns --resume-after 1h --state "$SCRATCH/act" \
    --sinfo "$SCRATCH/sinfo" --scontrol "$SCRATCH/scontrol" --actions act.conf >out 2>&1 &
act_pid=$!
ok "an action runs" wait_for 20 test -s ran
is "its start is recorded before it" "$(cut -f 1-4 act/actions)" "$(printf 'reboot\talex/n1\tping\tbegun')"
kill -9 $act_pid
wait $act_pid 2>/dev/null
sed -i 's/\tbegun\t[0-9]*\t/\tbegun\t1\t/' act/actions
lost="n1: action reboot: its end is not known: alex/n1: begun at TIME, and its end is not known: it is not run again; look at the host, then remove its line from $SCRATCH/act/actions between two runs"
is "a dry run says so, and changes nothing" "$(act --dry-run) $(cut -f 4 act/actions)" "$lost begun"
is "a person hears of it" "$(act)" "$lost"
is "in each run" "$(act)" "$lost"
is "it is in the log once" "$(result | grep -c lost)" 1
is "it is never run again" "$(ran | wc -l) $(cut -f 4 act/actions)" "1 lost"
state n1 up
is "also once the cause is gone" "$(act)" "$lost"
state n2 down 'ping: no response'
is "and counts" "$(act | tail -n 1 | sed 's/.*response: //')" "the limit of hosts is reached"
rm act/actions
sed -i "s#command = .*#command = $SCRATCH/serves {host}#" act.conf
is "until it is removed" "$(act | cut -d: -f1-3)" "n2: action reboot: done"
cp act/actions whole
for damage in 'reboot\talex/n1\tping\tdone\t1\t1\t1' 'reboot\talex/n 1\tping\tdone\t1\t1\t1\tx\n' 'reboot\talex/n2\tping\tdone\t1\t1\t1\tx\n' \
    '\talex/n1\tping\tdone\t1\t1\t1\tx\n' 'reboot\talex/n1\tping\tworn\t1\t1\t1\tx\n' 'reboot\talex/n1\tping\tdone\t-1\t1\t1\tx\n'; do
    # shellcheck disable=SC2059 # a line with its tabs
    { cat whole && printf "$damage"; } >act/actions
    is "a damaged record stops actions: $damage" "$(run --actions act.conf | grep -c 'actions:2: damaged: not ACTION')" 1
done
cp whole act/actions

# ---- between two calls ----
reset
conf </dev/null
state n1 down 'ping: no response'
run >out
# shellcheck disable=SC2016 # of the played sinfo
echo 'printf "idle+drain|hers" >"$one"' >hers
is "what an administrator has right before is left" "$(LISTS=$SCRATCH/hers act | sed 's/: alex.*response//') $(ran)" \
    "n1: action reboot: not run: the node is not drained by us "
is "the record has nothing of it" "$(cat act/actions)" ""
reset
state n1 down 'ping: no response'
run >out
cat >up <<END
printf '{"component":"alex/n2","health":"up","source":"ping"}\n' |
    curl -sf --unix-socket "$socket" -H 'Content-Type: application/x-ndjson' --data-binary @- http://x/v1/resources >/dev/null
END
state n2 down 'ping: no response'
run >out
conf <<END
hosts_max = 4
running_max = 1
END
is "a cause that is gone meanwhile is none" "$(LISTS=$SCRATCH/up act | cut -d: -f1-3 | tr '\n' ' ')" "n1: action reboot: done n2: action reboot: not run "

# Repaired and bad again in the same run: it does not last.
reset
state n1 down 'ping: no response'
state n2 down 'ping: no response'
run >out
sleep 2
sed -i 's/"up"/"up","source":"ping"}\\n{"component":"alex\/n2","health":"down","reason":"ping: again"/' up
conf <<END
after = 1500ms
hosts_max = 4
running_max = 1
END
is "nor is one that came again a moment ago" "$(LISTS=$SCRATCH/up act | sed 's/: alex.*response: /: /; s/: it was.*//' | grep -v 'done')" \
    "n2: action reboot: not run: it has not been so for long enough"

# ---- a Slurm that is away ----
reset
state n1 down 'ping: no response'
run >out
cat >act.conf <<END
[action reboot]
command = $SCRATCH/serves reboot
check = ping
after = 0s
[action ticket]
command = $SCRATCH/serves ticket {component}
check = ping
after = 0s
node = any
END
touch nodes.away
run --actions act.conf >out
is "it is an error" "$? $(grep -c 'Unable to contact' out)" "1 1"
is "what needs a node is held back, a ticket is not" "$(grep action out | sed 's/: alex.*response: /: /')" \
    "n1: action reboot: held back: Slurm does not respond: whether jobs run there is not known
n1: action ticket: done: served n1"
is "that alone was run" "$(ran)" "<ticket><alex/n1>"
rm nodes.away
is "then the other is" "$(act | cut -d: -f1-3)" "n1: action reboot: done"
end_barod
is "a barod that is away is no reason for any" "$(rm act/actions ran; act; ran)" ""
start_barod || fail "barod starts again"

# By this host's clock, which was set an hour ahead, all is an hour older.
clock_set() {
    awk -F'\t' -v OFS='\t' '{ $4 = sprintf("%.0f", $4 - 3600e9) } $2 != "*" { $5 = sprintf("%.0f", $5 - 3600e9) } 1' act/drained >shifted
    cp shifted act/drained
}
reset
touch nodes.away
conf <<END
node = any
END
clock_set
anew() { run --actions act.conf | grep -c 'or its clock set'; }
is "that a clock was set is found while Slurm is away, too, and once" "$(anew) $(anew)" "1 0"
conf <<END
node = any
after = 8s
END
state n1 down 'ping: no response'
sleep 9
clock_set
run >out
is "by it no cause lasts that was before" "$(act)$(act --dry-run | sed 's/.*response: //')" "it has not been so for long enough"
sed -i 's/\([[:blank:]]run [^ ]*\) .*/\1/' act/drained
is "which it does by a clock that was not set" "$(act | cut -d: -f1-3)" "n1: action reboot: done"
state n1 up
rm nodes.away

# ---- hostile names and reasons ----
reset
cat >act.conf <<END
[action ticket]
command = $SCRATCH/serves {host} {reason} --why={reason} {component}
check = ping
class = dimm
after = 0s
node = any
hosts_max = 10
running_max = 1
END
# shellcheck disable=SC2016 # the text itself
state n1/dimm:0 down '--help $(touch '"$SCRATCH"'/owned) `id` "; {host} | x'
state '-n2/dimm:0' down 'ping: x'
state '..\\x2Fn3/dimm:0' down 'ping: x'
state '.n3/dimm:0' down 'ping: x'
# shellcheck disable=SC2016 # the text itself
state 'n1/dimm:$(id)' down 'ping: x'
act >out
is "each value is one word, no option, and for no shell" "$(ran)" \
    "<n1><?-help ??touch $SCRATCH/owned? ?id? ?? {host} ? x><--why=?-help ??touch $SCRATCH/owned? ?id? ?? {host} ? x><alex/n1/dimm:0>"
ok "nothing of it is run" test ! -e owned
is "names that no host can have are counted" "$(run --actions act.conf | grep -c 'components have names that no action can have')" 1
# shellcheck disable=SC2016 # the text itself
for one in 'n1/dimm:$(id)' -n2/dimm:0 '..\\x2Fn3/dimm:0' .n3/dimm:0 n1/dimm:0; do state "$one" up; done
printf '#!/bin/sh\nenv | sort >%s/environment\nls /proc/self/fd | wc -l >%s/descriptors\npwd >%s/where\n' "$SCRATCH" "$SCRATCH" "$SCRATCH" >shows
chmod +x shows
sed -i "s#command = .*#command = $SCRATCH/shows#; s/class.*//" act.conf
rm act/actions
state n1 down 'ping: no response'
SECRET=x act >out 7</dev/null
is "it has an environment of its own" "$(sed 's/=.*//' environment | grep -vE '^(_|PWD|OLDPWD|SHLVL)$' | tr '\n' ' ')" \
    "BARO_ACTION BARO_CHECK BARO_CLUSTER BARO_COMPONENT BARO_HOST BARO_REASON BARO_SINCE BARO_STATE LC_ALL PATH "
is "with the cause" "$(grep -E '^BARO_(ACTION|CHECK|CLUSTER|COMPONENT|HOST|REASON|STATE)=' environment | tr '\n' ' ')" \
    "BARO_ACTION=ticket BARO_CHECK=ping BARO_CLUSTER=alex BARO_COMPONENT=alex/n1 BARO_HOST=n1 BARO_REASON=ping: no response BARO_STATE=down "
is "and no descriptor of ours" "$(cat descriptors where | tr '\n' ' ')" "4 / "

# ---- a file that is wrong ----
refused() { # TEXT: what is wrong with it
    printf '%s\n' "$1" >wrong.conf
    baro resource act --server "$server" --cluster alex --drain-on down --nodes-max 10 --state "$SCRATCH/act" --sinfo "$SCRATCH/sinfo" \
        --scontrol "$SCRATCH/scontrol" --actions wrong.conf 2>&1 >/dev/null | sed 's/.*wrong.conf/wrong.conf/'
}
a='[action a]
command = /bin/true'
is "a check is wanted" "$(refused "$a")" "wrong.conf:2: [action a]: check: the name of a check is wanted"
is "and a path" "$(refused '[action a]
command = true
check = x')" "wrong.conf:2: [action a]: command: the whole path of a program is wanted first"
is "one that no cause chooses" "$(refused '[action a]
command = /bin/{host}
check = x')" "wrong.conf:2: [action a]: command: the whole path of a program is wanted first"
is "and states that may be causes" "$(refused "$a
check = x
state = unknown")" "wrong.conf:2: [action a]: state: choose down, degraded, or both"
is "and placeholders that there are" "$(refused "$a {hots}
check = x" | grep -c "'{hots}': choose {action}")" 1
is "and keys" "$(refused "$a
checks = x" | grep -c checks)" 1
is "the sample has no action" "$(run --actions "$TOP/etc/actions.conf" | grep -c 'action')" 0
sed 's/^#\([^ ]\)/\1/' "$TOP/etc/actions.conf" >act.conf
state n1 down 'ping: no response'
is "and is one when its # are removed" "$(act --dry-run | sed 's/: alex.*enough$/: not yet/')" "n1: action reboot: held back: not yet"
for key in $(sed -n 's/^ *{ "\([a-z_]*\)", CONFIG_.*/\1/p' "$TOP/src/act/action_rule.c"); do
    grep -q "^#*$key = " "$TOP/etc/actions.conf" || fail "$key is in the sample"
    grep -q "\*$key\*" "$TOP/doc/man/baro-resource-act.1.scd" || fail "$key is in the man page"
done
conf </dev/null
chmod 666 act.conf
is "what others may write is refused" "$(run --actions act.conf | grep -c 'another user may write it')" 1
finish
