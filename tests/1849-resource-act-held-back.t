#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro resource act where a site is not well: a played Slurm that applies late, lists less or more than
# its nodes, has reasons of several lines; a barod that lost its hosts; two clusters with one record;
# kills between any two steps; clocks that are wrong or set; names that are made to forge the record; a
# Slurm of another cluster; administrators between two calls.  No healthy node is drained, what an
# administrator did is left, never more than the limit, and what was done is in the log.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
requires jq curl
cd "$SCRATCH" || exit 1
barod_conf
start_barod || fail "barod starts"

# ---- a played Slurm: nodes/CLUSTER/NODE is STATE|REASON; HOOK and AFTER run around each change, LISTS before a list ----
cat >sinfo <<'END'
#!/bin/sh
one=
while [ $# -gt 0 ]; do
    case $1 in --nodes) one=$2 && shift ;; esac
    shift
done
cd "$SLURM/${CLUSTER:-alex}" || exit 1
[ -z "${LISTS:-}" ] || . "$LISTS"
for node in *; do
    [ -z "$one" ] || [ "$one" = "$node" ] || continue
    printf '%s|%s\n' "$node" "$(cat "$node")"
done
END
cat >scontrol <<'END'
#!/bin/sh
[ "$1 $2" != 'show config' ] || exec printf 'Configuration data\nClusterName             = %s\n' "${CLUSTER:-alex}"
node=$SLURM/${CLUSTER:-alex}/${2#nodename=}
[ -z "${HOOK:-}" ] || . "$HOOK"
echo "$*" >>"$SLURM.calls"
case $3 in
state=drain) printf 'idle+drain|%s' "${4#reason=}" >"$node" ;;
state=resume) printf 'idle|none' >"$node" ;;
esac
[ -z "${AFTER:-}" ] || . "$AFTER"
END
chmod +x sinfo scontrol
SLURM=$SCRATCH/nodes
export SLURM
state_health() { # NODE HEALTH [REASON] [more JSON]
    case $1 in */*) component=$1 ;; *) component=alex/$1 ;; esac
    printf '{"component":"%s","health":"%s","reason":"%s","source":"ping"%s}\n' "$component" "$2" "${3-}" "${4-}" |
        curl -sf --unix-socket "$socket" -H 'Content-Type: application/x-ndjson' --data-binary @- http://x/v1/resources >posted
}
act() { # OPTIONS
    baro resource act --server "$server" --cluster alex --drain-on down --nodes-max 2 --drain-after 1ns --resume-after 1ns \
        --state "$SCRATCH/act" --sinfo "$SCRATCH/sinfo" --scontrol "$SCRATCH/scontrol" "$@" 2>&1 | sed 's/, since [^:]*:[^:]*:[^:]*Z//'
}
node() { # [CLUSTER/]NODE
    case $1 in */*) node_path=$1 ;; *) node_path=alex/$1 ;; esac
    sed 's/, since .*//' "nodes/$node_path"
}
drained() { grep -l 'drain' nodes/alex/* | wc -l; }
log() { jq -c '[.node, .action, .result]' act/actions.log | tr -d '"[]' | tr '\n' ' '; }
reset() {
    rm -rf nodes act
    mkdir -p nodes/alex
    for one in n1 n2 n3; do
        printf 'idle|none' >"nodes/alex/$one"
        state_health $one up
    done
    act >out
}

# ---- an administrator's state and reason ----
for taken in 'down|board swap' 'down*|board swap' 'fail|failing disk' 'idle+fail|failing disk' 'failing|failing disk' \
    'maint|' 'idle+maintenance|' 'reboot^|fw update' 'down+drain+reboot_issued|fw update : reboot issued' 'idle@|fw update' \
    'idle~|none' 'powering_up|none' 'future|none' 'inval|low memory' 'drained*|board swap'; do
    reset
    printf '%s' "$taken" >nodes/alex/n1
    state_health n1 down 'ping: no response'
    act >out
    is "down: $taken is left" "$(cat nodes/alex/n1) $(cat out)" "$taken "
    state_health n1 up
    is "up: $taken is left" "$(act)$(cat nodes/alex/n1)" "$taken"
done
reset
printf 'idle|fan is loud' >nodes/alex/n1
state_health n1 down 'ping: no response'
is "another's reason is never overwritten, and that is said" "$(act) $(node n1)" \
    "n1: not drained: Slurm has another's reason: fan is loud idle|fan is loud"
reset
printf 'down*|Not responding' >nodes/alex/n1
state_health n1 down 'ping: no response'
is "Slurm's own is" "$(act)" "n1: drained: baro: down: ping: no response"
printf 'down+drain+reboot_issued|%s : reboot issued' "$(sed 's/.*|//' nodes/alex/n1)" >nodes/alex/n1
state_health n1 up
is "what we drained and is rebooting is left" "$(act)$(node n1)" 'down+drain+reboot_issued|baro: down: ping: no response'
printf 'idle+drain|%s' "$(sed 's/.*|//; s/ : reboot.*//' nodes/alex/n1)" >nodes/alex/n1
is "and stays ours" "$(act)" "n1: resumed: baro: down: ping: no response"

# ---- an outcome that is not known ----
cat >late <<'END'
(setsid sh -c "while [ ! -e $SLURM.go ]; do sleep 0.1; done; printf 'idle+drain|%s' '${4#reason=}' >$node; touch $SLURM.late" >/dev/null 2>&1 &)
sleep 60
END
slurm_late() {
    rm -f nodes.go nodes.late
    state_health n1 down 'ping: no response'
    HOOK=$SCRATCH/late act --timeout 500ms "$@" >out
}
slurm_applies() {
    touch nodes.go
    wait_for 20 test -e nodes.late
}
reset
slurm_late
is "a scontrol that does not respond is said" "$(sed 's#: /.*/#: #' out)" "n1: not drained: scontrol: no response in time"
state_health n1 up
is "what was begun is not forgotten" "$(act)" "n1: to be drained, and it is not seen yet: it counts towards the limit"
slurm_applies
act >out
act >>out
is "so that what comes late is resumed" "$(cut -d: -f1,2 out) $(node n1)" "n1: resumed idle|none"
reset
slurm_late --nodes-max 1
state_health n1 degraded
state_health n2 down 'ping: no response'
is "it counts" "$(act --nodes-max 1 | tail -n 1)" "n2: not drained: the limit is reached"
slurm_applies
act --nodes-max 1 >out
is "so that never more than the limit are drained" "$(drained)" 1

# ---- what is not listed ----
reset
state_health n1 down 'ping: no response'
act --nodes-max 1 >out
mv nodes/alex/n1 n1.away
state_health n2 down 'ping: no response'
is "what sinfo does not list counts" "$(act --nodes-max 1 | sort)" \
    "n1: drained by us, and sinfo does not list it so: it counts towards the limit
n2: not drained: the limit is reached"
mv n1.away nodes/alex/n1
state_health n1 up
is "and is resumed when it is seen" "$(act --nodes-max 1 | sort | cut -d: -f1,2)" "n1: resumed
n2: not drained"
is "then there is a place" "$(act --nodes-max 1 | cut -d: -f1,2)" "n2: drained"
printf '%s ticket 42' "$(cat nodes/alex/n2)" >n2.new
mv n2.new nodes/alex/n2
state_health n3 down 'ping: no response'
is "one whose reason was edited counts as long as it is drained" "$(act --nodes-max 1; act --nodes-max 1)" \
    "n3: not drained: the limit is reached
n3: not drained: the limit is reached"
reset
state_health n1 down 'ping: no response'
act --nodes-max 1 >out
end_barod
rm -f records.db*
start_barod || fail "barod starts again"
state_health n2 down 'ping: no response'
state_health n3 up
is "what barod does not list counts" "$(act --nodes-max 1 | sort)" \
    "n1: drained by us, and barod does not list it: it counts towards the limit
n2: not drained: the limit is reached"
state_health n1 up
is "and is resumed when it does" "$(act --nodes-max 1 | grep -c 'n1: resumed')" 1

# ---- health is read again ----
reset
for one in n1 n2; do state_health $one down 'ping: no response'; done
cat >up-meanwhile <<END
printf '{"component":"alex/n2","health":"up","source":"ping"}\n' |
    curl -sf --unix-socket "$socket" -H 'Content-Type: application/x-ndjson' --data-binary @- http://x/v1/resources >/dev/null
END
is "a host that is up meanwhile is not drained" "$(HOOK=$SCRATCH/up-meanwhile act)" "n1: drained: baro: down: ping: no response
n2: left as it is: it was changed meanwhile"
is "its node is idle" "$(node n2)" "idle|none"
reset
for one in n1 n2; do state_health $one down 'ping: no response'; done
# shellcheck disable=SC2154 # pid: of lib-barod.sh
# What ends it has left scontrol's group before: that is killed with its end.
echo "setsid sh -c 'touch $SCRATCH/continues; sleep 3; kill -CONT $pid' >/dev/null 2>&1 &
while [ ! -e $SCRATCH/continues ]; do sleep 0.05; done
kill -STOP $pid" >stop
is "nor is one by what is too old" "$(HOOK=$SCRATCH/stop act --timeout 2s)" "n1: drained: baro: down: ping: no response
n2: left as it is: what barod and sinfo responded is too old"
is "its node is idle, too" "$(node n2)" "idle|none"

# ---- two clusters ----
reset
mkdir nodes/fritz
printf 'idle|none' >nodes/fritz/n1
state_health fritz/n1 up
state_health n1 down 'ping: no response'
act >out
CLUSTER=fritz act --cluster fritz >out
state_health n1 up
is "a node of another cluster with its name is another" "$(cat out)$(act)" "n1: resumed: baro: down: ping: no response"
state_health n1 down 'ping: no response'
act >out
sed -n 's/^alex\tn1\tdrained\t[0-9]*\t[0-9]*\t/n1\tdrained\t/p' act/drained >old
ok "the record has it" test -s old
cp old act/drained
CLUSTER=fritz act --cluster fritz >out
is "an old record's node is of the cluster that has it so" "$(cat out)" \
    "n1: drained by us, and sinfo does not list it so: it counts towards the limit"
state_health n1 up
is "there it is resumed" "$(act)" "n1: resumed: baro: down: ping: no response"

# ---- kills ----
# shellcheck disable=SC2016 # of the played scontrol
echo 'kill -9 $PPID' >ends
reset
state_health n1 down 'ping: no response'
AFTER=$SCRATCH/ends act >out
act >out
is "what a killed run drained is in the log" "$(log)" "n1,drain,done, as a later run found "
state_health n1 up
AFTER=$SCRATCH/ends act >out
is "a killed run resumed it" "$(node n1)" "idle|none"
state_health n1 down again
act >out
is "so is what it resumed, and nobody overruled it" "$(log)" \
    "n1,drain,done, as a later run found n1,resume,done, as a later run found "
is "for so long as --drain-after it is left then" "$(act)" ""
is "it is drained again" "$(act)" "n1: drained: baro: down: again"
printf '{"time":"x' >>act/actions.log
state_health n1 up
act >out
is "a torn line swallows none" "$(tail -n 1 act/actions.log | jq -r .action)" resume

# ---- odd reasons ----
reset
printf 'drained|one\ntwo\nn3|drained|forged' >nodes/alex/n1
state_health n2 down 'ping: no response'
is "a reason of several lines stops no other node" "$(act)" "1 lines of sinfo are of no node: reasons of several lines have them
n2: drained: baro: down: ping: no response
n3: left as it is: sinfo lists it with two states"
reset
printf 'drained|%05000d' 0 >nodes/alex/n1
state_health n2 down 'ping: no response'
is "nor does a long one" "$(act)" "n2: drained: baro: down: ping: no response"

# ---- clocks ----
reset
printf 'idle|none' >nodes/alex/n4
state_health n4 down 'ping: no response' ',"t":1'
is "a host whose clock is wrong waits as others do" "$(act --drain-after 1h)$(node n4)" "idle|none"
sleep 1
is "it is drained after it" "$(act --drain-after 500ms)" "n4: drained: baro: down: ping: no response"
state_health n4 up '' ',"t":2'
is "and resumed after it" "$(act --resume-after 1h)$(node n4)" "idle+drain|baro: down: ping: no response"
state_health n4 down 'ping: no response'
act >out
state_health n4 up
is "also where another check has been well for long" "$(act --resume-after 1h)$(node n4)" \
    "idle+drain|baro: down: ping: no response"

# By this host's clock, which was set an hour ahead, all is an hour older.
clock_set() {
    awk -F'\t' -v OFS='\t' '{ $4 = sprintf("%.0f", $4 - 3600e9) } $2 != "*" { $5 = sprintf("%.0f", $5 - 3600e9) } 1' \
        act/drained >shifted
    cp shifted act/drained
}
anew="since the last run this machine was started, or its clock set: what has to last for a while starts anew"
ago() { # SECONDS: a time that a check states
    printf ',"t":%s' $(($(date +%s) - $1))
}
reset
printf 'idle|none' >nodes/alex/n6
state_health n6 down 'ping: no response' "$(ago 5000)"
act --drain-after 2h >out
clock_set
is "after a clock was set what was seen is seen anew" "$(act --drain-after 30m)" "$anew"
is "so that the node is left" "$(act --drain-after 30m) $(node n6)" " idle|none"
sleep 1
is "until it has been so for that long" "$(act --drain-after 500ms)" "n6: drained: baro: down: ping: no response"
state_health n6 up '' "$(ago 4000)"
clock_set
is "nor is it resumed at once" "$(act --resume-after 30m) $(node n6)" "$anew idle+drain|baro: down: ping: no response"
sed -i "s/\([[:blank:]]run\) .*/\1 another-start/" act/drained
is "another start of the machine is as a clock that was set" "$(act --resume-after 30m)" "$anew"
is "it is resumed after that time" "$(sleep 1; act --resume-after 500ms)" "n6: resumed: baro: down: ping: no response"
state_health n6 down 'ping: no response' "$(ago 3000)"
is "a clock that is behind drains nothing in the run that sees it first" "$(act --drain-after 30m) $(node n6)" " idle|none"
sleep 1
is "but when that was for so long" "$(act --drain-after 500ms | cut -d: -f1,2)" "n6: drained"

# ---- a Slurm of another cluster ----
reset
state_health n1 down 'ping: no response'
mkdir nodes/woody
for one in n1 n2 n3; do printf 'idle|none' >"nodes/woody/$one"; done
is "another cluster's Slurm is refused, and both are named" "$(CLUSTER=woody act | cut -d'(' -f1)$(node woody/n1)" \
    "baro resource act: Slurm here is of cluster 'woody', and not of 'alex': nothing is done idle|none"
is "unless that is its name there" "$(CLUSTER=woody act --slurm-cluster Woody --dry-run)" \
    "n1: would be drained: baro: down: ping: no response"
is "which is compared, too" "$(act --slurm-cluster woody | grep -c "of cluster 'alex', and not of 'woody'")" 1
cat >lists-environment <<'END'
env | grep -E '^(SLURM|SINFO|SQUEUE)_' >>"$SLURM.environment"
END
SLURM_CLUSTERS=woody SLURM_CONF=/x SINFO_FORMAT=%N SQUEUE_FORMAT=%N LISTS=$SCRATCH/lists-environment act --dry-run >out
is "the environment chooses no cluster" "$(cat out) $(cat nodes.environment)" \
    "n1: would be drained: baro: down: ping: no response "
LISTS=$SCRATCH/lists-environment act --slurm-conf /etc/slurm/alex.conf --dry-run >out
is "an option chooses the configuration" "$(sort -u nodes.environment)" "SLURM_CONF=/etc/slurm/alex.conf"

# ---- down behind our drain ----
reset
state_health n1 down 'ping: no response'
act >out
ours=$(sed 's/.*|//' nodes/alex/n1)
printf 'down+drain|%s' "$ours" >nodes/alex/n1
state_health n1 up
is "a node that is down besides is an administrator's to return" "$(act | sed 's/, since.*: resume/: resume/') $(node n1)" \
    "n1: not resumed: it is down in Slurm, too: baro: down: ping: no response: resume it by hand down+drain|baro: down: ping: no response"
printf 'idle+drain|%s' "$ours" >nodes/alex/n1
is "without that it is resumed" "$(act | cut -d: -f1,2)" "n1: resumed"

# ---- an administrator between two calls ----
reset
# shellcheck disable=SC2016 # of the played sinfo
echo '[ -z "$one" ] || { cp "$SLURM/../act/drained" "$SLURM.record" && printf "idle+drain|hers" >"$one"; }' >lists-hers
state_health n1 down 'ping: no response'
is "what is drained right before the call is left" "$(LISTS=$SCRATCH/lists-hers act) $(node n1)" \
    "n1: left as it is: it was changed meanwhile idle+drain|hers"
is "node and health are read behind what waits for a disk" "$(cut -f 1-3 nodes.record | grep begun)" "$(printf 'alex\tn1\tbegun')"
ok "what was begun and not called is not in the record" not grep -q begun act/drained
state_health n1 up
is "hers is not lifted" "$(act) $(node n1)" " idle+drain|hers"
reset
# shellcheck disable=SC2016 # of the played scontrol
echo '[ "$3" != state=drain ] || printf "idle+drain|hers" >"$node"' >hers
state_health n1 down 'ping: no response'
is "what comes right behind the call is hers" "$(AFTER=$SCRATCH/hers act) $(node n1)" \
    "n1: drained, and another changed it meanwhile: hers idle+drain|hers"
is "with her reason in the log" "$(log) $(jq -r 'select(.action == "overruled").reason' act/actions.log)" "n1,drain,done n1,overruled,done  hers"
is "she is not overwritten again" "$(act) $(node n1)" " idle+drain|hers"
state_health n1 up
is "nor lifted" "$(act; act) $(node n1)" " idle+drain|hers"
reset
slurm_late
printf 'idle+drain|hers' >nodes/alex/n1
is "what she did while a call may come late is reported" "$(act)" \
    "n1: another drained it, or gave it a reason, while a call of ours may come to be done late: hers"
slurm_applies
is "then ours is over hers" "$(node n1)" "idle+drain|baro: down: ping: no response"
state_health n1 up
late="n1: a late drain of ours is over another's, whose reason is in actions.log: resume or drain it by hand: it counts towards the limit"
is "and is not lifted, though it is up" "$(act; act)" "$late
$late"
is "hers can be restored" "$(jq -r 'select(.action == "overruled").reason' act/actions.log)" hers
printf 'idle|none' >nodes/alex/n1
is "by hand" "$(act) $(grep -c overruled act/drained)" " 0"
reset
printf 'down*|Not responding' >nodes/alex/n1
state_health n1 down 'ping: no response'
act >out
is "each line of the log has the reason that was there before" "$(jq -r .reason_before act/actions.log)" "Not responding"
echo 'exit 0' >ignores
state_health n1 up
is "a resume that Slurm ignored is not stated as done" "$(HOOK=$SCRATCH/ignores act)" "n1: not resumed: sinfo lists it drained by us as before"
is "nor in the log" "$(jq -r .result act/actions.log | tail -n 1)" "sinfo lists it drained by us as before"
is "and is tried again" "$(act | cut -d: -f1,2) $(node n1)" "n1: resumed idle|none"

# ---- another program, or a lost record ----
reset
state_health n1 down 'ping: no response'
act --nodes-max 1 >out
rm -r act
state_health n2 down 'ping: no response'
lost="drained with a reason of baro's that is not in this record: another program acts here, or a record was lost"
is "what a lost record drained counts" "$(act --nodes-max 1 | sort)" "n1: $lost: it counts towards the limit
n2: not drained: the limit is reached"
state_health n1 up
is "it is not resumed" "$(act --nodes-max 1 | grep -c resumed) $(node n1)" "0 idle+drain|baro: down: ping: no response"
printf 'drained|baro: degraded: fan' >nodes/alex/n5
is "also one that barod does not list" "$(act --nodes-max 2 | sort)" "n1: $lost: it counts towards the limit
n2: not drained: the limit is reached
n5: $lost: it counts towards the limit"
rm nodes/alex/n5
printf 'idle|none' >nodes/alex/n1
is "by hand it is" "$(act --nodes-max 1 | cut -d: -f1,2)" "n2: drained"

# ---- nothing that could work ----
reset
failing() { # OPTIONS
    baro resource act --server "$server" --cluster alex --drain-on down --nodes-max 2 --state "$SCRATCH/act" \
        --sinfo "$SCRATCH/sinfo" --scontrol "$SCRATCH/scontrol" "$@" >out 2>err
    echo "$? $(cat out)"
}
is "a cluster that there is not fails" "$(failing --cluster Alex)" "1 "
ok "which says it" grep -q "barod knows no host of a cluster 'Alex'" err
is "an empty sinfo fails" "$(failing --sinfo true)" "1 "
ok "which says it, too" grep -q "sinfo lists no node" err
mkdir nodes/full
printf 'idle|none' >nodes/full/n1.site.de
is "names that match none fail" "$(CLUSTER=full failing --slurm-cluster full)" "1 "
ok "with one of each" grep -q "barod has 'n1', sinfo 'n1.site.de'" err
is "a cluster that is no name is misuse" "$(failing --cluster ../x)" "2 "
state_health n1 down 'ping: no response'
echo 'echo no >&2; exit 1' >refuses
is "what failed is not stated as done" "$(HOOK=$SCRATCH/refuses act | sed 's#: /.*/#: #')" "n1: not drained: scontrol: no (status 1)"

# ---- names that forge ----
reset
printf 'idle+drain|bad DIMM' >nodes/alex/n1
state_health 'alex/a\\x09seen\\x091\\x091\\x09down\\x0Aalex\\x09n1\\x09drained\\x091\\x091\\x09bad\\x20DIMM\\x0Aalex\\x09b' down x
is "a name with line ends is stated" "$(jq -r .accepted posted)" 1
state_health 'alex/\\x2A' down x
state_health 'alex/n[1-3]' down x
state_health n1 up
is "it is no host of the plan, which is said once" "$(act | sed 's/: alex.*: /: X: /')" \
    "3 hosts of barod have names that no node can have: X: they are never drained"
ok "nothing of it is in the record" not grep -qE 'DIMM|drained|begun' act/drained
is "and an administrator's drain is not lifted" "$(act | grep -c resumed) $(node n1)" "0 idle+drain|bad DIMM"
state_health n2 down 'ping: no response'
is "other nodes go on" "$(act | grep -v names)" "n2: drained: baro: down: ping: no response"
state_health n2 up
cp act/drained whole
now_ns=$(date +%s%N)
for damage in "alex\tn1\tdrained\t1\t1\tbad DIMM\n" "alex\tn2\tdrained\t1\t1\tbaro: x\n" "alex\tn3\tdra" \
    "alex\tn[1-3]\tdrained\t$now_ns\t$now_ns\tbaro: x\n"; do
    # shellcheck disable=SC2059 # a line with its tabs
    { cat whole && printf "$damage"; } >act/drained
    is "a damaged record stops it: $damage" "$(act | grep -c ': damaged: not CLUSTER') $(node n1) $(drained)" "1 idle+drain|bad DIMM 2"
done
cp whole act/drained
is "without the line it goes on" "$(act | grep -v names)" "n2: resumed: baro: down: ping: no response"
finish
