#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Stories about jobs that were planted in a played Lustre: what baro job show says of a
# Darshan log and the servers' rows names the planted cause, and what Darshan, the rows and
# the truth know of the job agrees.
. "$(dirname "$0")/lib.sh"
requires jq awk
command -v baro-sim-darshan >/dev/null || skip_all "the players are not built"
cd "$SCRATCH" || exit 1
at=1669014010

# Each story has a file system of its own, with others at work.
play() { # STORY SEED
    baro-sim init --fs "$SCRATCH/$1" epoch=@1669010400 seed="$2" nodes=100 version=2.12 &&
        baro-sim plant --fs "$SCRATCH/$1" --story "$1" --at @$at --length 20s \
            >"$1.planted" &&
        baro-sim-darshan --fs "$SCRATCH/$1" --job 900001 >"$1.darshan" &&
        baro-sim-rounds --fs "$SCRATCH/$1" --path "$1.db" --rounds 9 --interval 5s &&
        baro job show -o json --records "$1.db" "$1.darshan" >"$1.json"
}
page() { jq -r "$2" "$1.json"; }

# Bytes written by a job, as the player knows them: JOB TARGET STORY
truth() {
    baro-sim truth --fs "$SCRATCH/$3" --from @1669010400 --until @1669018000 |
        awk -F, -v job="$1:" -v target="$2" '$3 == "write_bytes" &&
            index($2, job) == 1 && (target == "" || $1 == target) { sum += $5; n += $4 }
            END { printf "%d in %d\n", sum, n }'
}

seed=7
for story in own neighbour both; do
    seed=$((seed + 1))
    play $story $seed >"$SCRATCH/out" 2>&1
    is "$story: played" $? 0
    grep -v '^rows' "$SCRATCH/out" | sed 's/^/# /'
    is "$story: Darshan knows what was written" \
        "$(page $story '[.measures.bytes, (.measures.bytes / .measures.access_bytes | round)] |
            "\(.[0]) in \(.[1])"')" "$(truth 900001 "" $story)"
    is "$story: the servers' rows know it too" \
        "$(page $story '"\(.servers.own.write_bytes) in \(.servers.own.iops)"')" \
        "$(truth 900001 "" $story)"
    is "$story: they cover the whole of the log" "$(page $story .servers.coverage_bytes)" 1
    is "$story: baro jobstats job says the same" \
        "$(baro jobstats job 900001 --records $story.db -o json |
            jq -r '.operations[] | select(.op == "write_bytes").total')" \
        "$(page $story .servers.own.write_bytes)"
done

is "own: small and unaligned records are the finding" \
    "$(page own '[.findings[].name] | join(" ")')" "small unaligned"
is "both: they and the contention are, which comes first" \
    "$(page both '[.findings[].name] | join(" ")')" "contended-target small unaligned"
is "both: either may have cost all the time of I/O" \
    "$(page both '[.findings[].cost | [.low_s, .high_s]] | unique | length')" 1
is "both: the answer names both" \
    "$(baro job show --records both.db both.darshan | sed -n 2p | grep -o 'stands out: [a-z-]*\|may be for .*')" \
    "stands out: contended-target
may be for small."
is "neighbour: contention is what cost it most, and the rest follows" \
    "$(page neighbour '[.findings[] | "\(.name) \(.because)"] | join(", ")')" \
    "contended-target null, slow-target contended-target, slow-process slow-target"
is "neighbour: so many seconds, no more than its I/O took" \
    "$(page neighbour '.findings[0].cost as $c | $c.low_s > 0.5 * .io.high_s and
        $c.low_s <= $c.high_s and $c.high_s < .io.high_s')" true
is "neighbour: the second line states it" \
    "$(baro job show --records neighbour.db neighbour.darshan | sed -n 2p | sed 's/, .*//')" \
    "What cost it most: contended-target"
is "own: no other contends for its target" \
    "$(page own '[.servers.targets[] | select(.is_contended)] | length')" 0
is "own: the page says so" \
    "$(baro job show --records own.db own.darshan | grep -c '^No target that it used was contended')" 1
is "neighbour: its accesses are not the finding" \
    "$(page neighbour '[.findings[].name] | map(select(. == "small" or . == "unaligned")) | length')" 0
is "neighbour: a slow target is, the hammered one" \
    "$(baro job show neighbour.darshan | sed -n 's/^slow-target.*: OST \([0-9]*\) (.*/\1/p')" \
    "$(printf '%d' "0x$(sed -n 's/^neighbour.*-OST//p' neighbour.planted)")"

for story in neighbour both; do
    target=$(sed -n 's/^neighbour 900002 on //p' $story.planted)
    is "$story: the one contended target is the hammered one" \
        "$(page $story '[.servers.targets[] | select(.is_contended) | .target] | join(" ")')" \
        "$target"
    is "$story: the planted neighbour is named first" \
        "$(page $story '.servers.targets[0].neighbours[0] | "\(.job) of \(.user)"')" \
        "900002 of 17600002"
    is "$story: with what it really wrote there" \
        "$(page $story '.servers.targets[0].neighbours[0].did |
            "\(.write_bytes) in \(.iops)"')" "$(truth 900002 "$target" $story)"
    is "$story: the one-line form names both" \
        "$(baro job show --line --records $story.db $story.darshan |
            sed 's/.*contended-target //; s/, most by/ by/; s/ (.*//; s/,.*//')" \
        "$target by job 900002 of user 17600002"
done
is "neighbour: it is told that the contended target is the slow one" \
    "$(baro job show --records neighbour.db neighbour.darshan |
        grep -c 'this is the target on which its own files were slowest')" 1

barod --config /dev/null --set "records.path=$SCRATCH/both.db" \
    --set "net.socket=$SCRATCH/barod.sock" --set "net.listen=127.0.0.1:0" \
    2>"$SCRATCH/barod.log" &
barod=$!
at_exit "kill $barod; wait $barod"
wait_for 20 test -S "$SCRATCH/barod.sock"
baro job show --server "unix:$SCRATCH/barod.sock" -o json both.darshan >served.json
is "barod answers as its database does, but that a database has no metrics" \
    "$(jq -cS 'del(.evidence)' served.json)" "$(jq -cS 'del(.evidence)' both.json)"
is "of both it is listed which evidence is missing, and why" \
    "$(jq -c '.evidence[] | select(.name == "nodes") | [.is_found, .reason]' served.json both.json)" \
    '[false,"on which nodes it ran is not known"]
[false,"a database has none: name a barod, --server"]'
is "the environment says where barod is, too" \
    "$(BARO_SERVER=unix:$SCRATCH/barod.sock baro job show -o json both.darshan | jq -cS .)" \
    "$(jq -cS . served.json)"
# What the file system did meanwhile, of the same barod: its rows, and the truth.
all_of() { # STORY FROM UNTIL
    baro-sim truth --fs "$SCRATCH/$1" --from "@$2" --until "@$3" |
        awk -F, '$1 ~ /OST/ && $3 == "write_bytes" { sum += $5 } END { print sum }'
}
BARO_SERVER=unix:$SCRATCH/barod.sock baro job show --series barod -o json both.darshan \
    >weather.json 2>err
is "its weather is told of the rows, which is said" "$(grep -c 'rows are used' err)" 1
is "and is what the file system did, to a reading's time" \
    "$(jq -r .summary.fs_tot_bytes_written weather.json |
        awk -v truth="$(all_of both $at $((at + 25)))" \
            '{ print ($1 > 0.9 * truth && $1 < 1.1 * truth) ? "near" : $1 " of " truth }')" near
is "its part in that is its coverage factor" \
    "$(jq -r '.summary.coverage_factor_write_bw * 100 | round' weather.json)" \
    "$(jq -r '.summary | .darshan_tot_bytes_written_posix / .fs_tot_bytes_written * 100 | round' \
        weather.json)"
BARO_SERVER=unix:$SCRATCH/barod.sock baro job show --series barod both.darshan >both.page 2>err
is "the page says it" "$(grep -c "^The file system moved .* besides this job, [0-9.]* [KMG]iB/s\.$" both.page)" 1
is "and the job's share once" "$(grep -c "^Its part of all .* % of the bytes" both.page)" 1
baro-sim init --fs "$SCRATCH/alone" epoch=@1669010400 seed=5 nodes=1 logins=0 mds=1 mdts=1 oss=2 osts=8
baro-sim plant --fs "$SCRATCH/alone" --story own --at @$at --length 20s >out
baro-sim-darshan --fs "$SCRATCH/alone" --job 900001 >alone.darshan
baro-sim-rounds --fs "$SCRATCH/alone" --path alone.db --rounds 9 --interval 5s >out
barod --config /dev/null --set "records.path=$SCRATCH/alone.db" \
    --set "net.socket=$SCRATCH/alone.sock" --set net.listen=none 2>alone.log &
alone=$!
at_exit "kill $alone; wait $alone"
wait_for 20 test -S "$SCRATCH/alone.sock"
is "a job alone did all that its servers saw" \
    "$(baro job show --series "unix:$SCRATCH/alone.sock" -o json alone.darshan 2>err |
        jq -r '.summary | [.coverage_factor_write_bw, .coverage_factor_opens] |
            map(. * 10 | round) | join(" ")')" "10 10"

is "nobody at the environment's address costs only that part" \
    "$(BARO_SERVER=unix:$SCRATCH/nobody baro job show --line both.darshan 2>err; echo $?
       grep -c 'nothing from the servers' err)" \
    "$(baro job show --line both.darshan)
0
1"
is "nobody at an address that was named is a failure" \
    "$(baro job show --server "unix:$SCRATCH/nobody" both.darshan >out 2>&1; echo $?)" 1
baro-sim plant --fs "$SCRATCH/own" --story own --at @$((at + 9000)) --job 900077 >out
baro-sim-darshan --fs "$SCRATCH/own" --job 900077 >late.darshan
is "a database that does not know the job is said, and the page goes on" \
    "$(baro job show --records own.db --line late.darshan 2>err | grep -c 'io: '; cat err)" \
    "1
baro: nothing from the servers: nothing is known of what job '900077' did in that time"
finish
