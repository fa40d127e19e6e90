#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Datasets pushed to a server: what is missing alone, by users who are known, whatever is killed; a sender that
# lies, quotas, and that no user learns what another one has.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-dataset.sh
. "$(dirname "$0")/lib-dataset.sh"
requires python3
chmod 755 "$SCRATCH"
ok "a dataset is made" dataset_make 6
there=$SCRATCH/there
mkdir "$there" && baro dataset gc --repository "$there" >"$SCRATCH/out" 2>&1
mkdir "$SCRATCH/seed"
head -c 50000 /dev/urandom >"$SCRATCH/seed/file"
baro dataset create "$SCRATCH/seed" --repository "$there" >"$SCRATCH/out" 2>&1
door=unix:$SCRATCH/origin.sock
origin_start() {
    serve origin "repository=$there" push=yes socket_mode=0666 "$@"
}
push() { # DATASET [OPTION...]
    timeout 120 baro dataset push "$@" --to "$door" --output json 2>"$SCRATCH/push.err" >"$SCRATCH/push.json"
}
sent() { # COLUMN
    python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[0][sys.argv[2]])' "$SCRATCH/push.json" "$1"
}
chunks=$(baro dataset show "$dataset" --output csv | sed -n 's/^chunks,//p')

# ---- a server that does not want them ----
serve origin "repository=$there"
ok "a server accepts none unless it is configured" not push code:v1
ok "which is stated, with the key" grep -q "accepts no datasets: see dataset.push" "$SCRATCH/push.err"
kill_server origin
baro-datasetd --config /dev/null --check --set "dataset.upstream=$door" --set dataset.listen=unix:/x --set dataset.push=yes \
    >"$SCRATCH/out" 2>&1
ok "a forwarder has no repository to push to" grep -q "dataset.push: a forwarder has no repository" "$SCRATCH/out"

# ---- one dataset ----
ok "a server that accepts them listens" origin_start
baro dataset view code:v1 default set SOFT_HOME=%m/soft >"$SCRATCH/out" 2>&1
repository_of() { # FACT DATASET: of the server's
    baro dataset show "$2" --output csv --repository "$there" | sed -n "s/^\"\{0,1\}$1\"\{0,1\},//p"
}
ok "a dataset is pushed" push code:v1 --tag code:v1 --label from=here --access public
is "it is the same" "$(sent dataset)" "$dataset"
is "each chunk was sent" "$(sent sent_chunks) $(sent was_there)" "$chunks 0"
ok "every chunk is right there" baro dataset verify code:v1 --repository "$there"
ok "the repository is whole" baro dataset fsck --repository "$there"
is "its files are known" "$(baro dataset show code:v1 --files --repository "$there")" "$(baro dataset show code:v1 --files)"
is "what it was made of goes with it: the directory" "$(repository_of source "$dataset")" "$SCRATCH/tree"
is "the tool" "$(repository_of tool "$dataset")" "$(baro dataset show "$dataset" --output csv | sed -n 's/^tool,//p')"
is "labels" "$(repository_of 'label from' "$dataset")" here
is "views" "$(baro dataset view code:v1 --repository "$there" --output csv | tail -n 1)" "default,set,SOFT_HOME,%m/soft"
is "nothing else stays there" "$(find "$there/pushes" -type f)" ""
ok "once more it is the same" push code:v1
is "and nothing is sent" "$(sent sent_chunks) $(sent was_there)" "0 1"
head -c 100000 /dev/urandom >"$SCRATCH/tree/new"
next=$(baro dataset create "$SCRATCH/tree" --tag code:v2 2>/dev/null)
ok "another version is pushed" push code:v2
ok "where it differs, alone" test "$(sent sent_chunks)" -lt 12
is "what was saved is stated" "$(($(sent sent_chunks) + $(sent saved_chunks)))" "$(sent chunks)"
ok "it is right there" baro dataset verify "$next" --repository "$there"
image_bytes=$(baro dataset show "$next" --output csv | sed -n 's/^bytes,//p')
is "a table has figures in full where that is wanted" \
    "$(baro dataset push code:v2 --to "$door" --raw 2>/dev/null | grep -cw "$image_bytes") $(baro dataset push code:v2 --to "$door" 2>/dev/null | grep -cw "$image_bytes")" "1 0"
ok "what there is not is refused" not push nosuch:v1
ok "a server that is not there, too" not timeout 60 baro dataset push code:v1 --to "unix:$SCRATCH/no.sock"
BARO_DATASET_SERVER=$door baro dataset push code:v1 >"$SCRATCH/out" 2>&1
ok "the environment names the server" grep -q "it was there already" "$SCRATCH/out"
baro dataset push code:v1 >"$SCRATCH/out" 2>&1
is "without one it is misuse" "$? $(grep -c 'BARO_DATASET_SERVER' "$SCRATCH/out")" "2 1"

# ---- killed: either side, at random moments ----
random() { # BELOW
    od -An -N2 -tu2 /dev/urandom | awk -v below="$1" '{ print $1 % below }'
}
received() { # bytes of `have` that are 1, of the push under way
    cat "$there/pushes/0/$1/have" 2>/dev/null | tr -d '\0' | wc -c
}
version=0
version_make() {
    version=$((version + 1))
    mkdir -p "$SCRATCH/killed"
    head -c 24000000 /dev/urandom >"$SCRATCH/killed/file"
    killed=$(baro dataset create "$SCRATCH/killed" 2>/dev/null)
    before=0
}
version_make
lost=0 kills=0 finished=0 round=0
while [ $round -lt 30 ]; do
    round=$((round + 1))
    baro dataset push "$killed" --to "$door" >"$SCRATCH/kill.out" 2>&1 &
    pushing=$!
    sleep "0.$(printf %02d "$(random 60)")"
    if [ $((round % 2)) = 0 ]; then
        kill_server origin KILL
        kills=$((kills + 1))
        # The push goes on by itself.
        [ $((round % 4)) = 0 ] || kill -KILL $pushing 2>/dev/null
        origin_start >/dev/null
    else
        kill -KILL $pushing 2>/dev/null && kills=$((kills + 1))
    fi
    wait $pushing 2>/dev/null && finished=$((finished + 1))
    now=$(received "$killed")
    # A sender that was killed last may not have been responded to: it is being admitted.
    [ "$now" -ge "$before" ] ||
        wait_for 20 baro dataset verify "$killed" --repository "$there" >/dev/null 2>&1 || lost=$((lost + 1))
    if baro dataset verify "$killed" --repository "$there" >/dev/null 2>&1; then
        version_make
    elif grep -q "^$killed" "$SCRATCH/kill.out"; then
        lost=$((lost + 1))
    fi
    before=$(received "$killed")
done
echo "# $kills kills, $finished pushes finished among them, $version images"
ok "killed 30 times, either side: nothing that was received is lost" test "$lost" = 0
ok "in the middle, some times" test "$kills" -ge 15
ok "a push goes on by itself when its server is back" test "$finished" -ge 3
until [ "$before" -gt 0 ]; do
    baro dataset push "$killed" --to "$door" >"$SCRATCH/kill.out" 2>&1 &
    pushing=$!
    sleep 0.25
    kill -KILL $pushing 2>/dev/null
    wait $pushing 2>/dev/null
    sleep 0.2
    before=$(received "$killed")
    [ "$before" -gt 0 ] || version_make
done
ok "it ends" push "$killed"
is "only the rest was sent" "$((before + $(sent sent_chunks)))" "$(sent chunks)"
ok "the dataset is right" baro dataset verify "$killed" --repository "$there"
ok "the repository is whole" baro dataset fsck --repository "$there"
# What was killed between a dataset's admission and its end stays for a day.
is "nothing stays of what was finished" "$(find "$there/pushes" -type f -path "*$killed*")" ""

# ---- the admission ----
admitting() { # processes below the server's own for that
    for admitter in $(ps -o pid= --ppid "$(cat "$SCRATCH/pids/origin")"); do
        ps -o pid= --ppid "$admitter"
    done | wc -l
}
is_admitting() { [ "$(admitting)" -gt 0 ]; }
is_not_admitting() { [ "$(admitting)" = 0 ]; }
version_make
flock -o "$there/writer.lock" sleep 8 &
locking=$!
baro dataset push "$killed" --to "$door" >"$SCRATCH/kill.out" 2>&1 &
pushing=$!
ok "an admission waits for who writes to the repository" wait_for 10 is_admitting
kill -KILL $pushing
ok "and ends with its client" wait_for 5 is_not_admitting
wait $pushing 2>/dev/null
kill $locking
ok "what was sent is there" test "$(received "$killed")" -gt 0
ok "so that nothing is sent again" push "$killed"
is "indeed" "$(sent sent_chunks)" 0

# ---- senders that lie ----
hostile() { timeout 120 python3 "$TOP/tests/dataset/push_hostile.py" 0 "$SCRATCH/origin.sock" "$@" 2>&1; }
datasets=$(baro dataset list --repository "$there" --output csv | wc -l)
baro dataset export code:v1 "$SCRATCH/image"
mkdir "$SCRATCH/other"
head -c 400000 /dev/urandom >"$SCRATCH/other/file"
baro dataset create "$SCRATCH/other" --tag other:v1 >"$SCRATCH/out" 2>&1
baro dataset export other:v1 "$SCRATCH/other.image"
is "what is no image is refused, and stated" "$(hostile none | cut -c1-34)" "26 15:4 the image is refused: supe"
is "so is one that ends early" "$(hostile truncated "$SCRATCH/image")" "26 15:4"
is "chunks of another image than is named are not accepted as it" "$(hostile name)" "26 15:2"
is "wrong chunks are refused, the right one is accepted" "$(hostile wrong)" "15:2 15:2 15:2 15:2 15:2 17"
is "sizes that are not possible are refused before a byte is" "$(hostile sizes | tr '\n' ' ')" "15:4 15:4 15:4 15:4 15:4 15:4 15:4 "
is "what is not there wholly is no dataset" "$(hostile early)" "15:5"
is "what does not follow ends the connection" "$(hostile order)" "closed closed closed closed 15:4 closed closed"
ok "a flood of chunks is served or ended" hostile flood
is "facts that are none are refused" "$(hostile facts "$SCRATCH/other.image")" \
    "15:4 15:4 15:4 15:4 15:4 15:4 15:4 15:4 15:4 15:4 29 15:4"
is "of a user four connections push at a time" "$(hostile many)" "26 26 26 26 15:5"
is "an image is pushed by one at a time" "$(hostile twice)" "26 15:5"
begun=$(find "$there/pushes" -name part | wc -l)
is "16 are begun by a user, then the next is refused" "$(hostile images)" \
    "$((16 - begun)) 15:4 15:4 a user may push 16 images at a time: finish others first, or wait until they are a day old"
ok "the server is there, and has the time" is_listening origin
is "refusals are counted" "$([ "$(counter origin pushes_refused_total)" -ge 8 ] && echo yes)" yes
ok "and logged with their user" grep -q "a push of user 0 was refused: dataset [0-9a-f]*: the image is refused" "$SCRATCH/origin.log"
ok "what is honest is accepted among them" push other:v1
ok "the repository is whole" baro dataset fsck --repository "$there"
is "none of the others is a dataset" "$(baro dataset list --repository "$there" --output csv | wc -l)" $((datasets + 1))

# ---- what is abandoned ----
ok "what was begun and left is there" test "$(find "$there/pushes" -name part | wc -l)" -gt 0
baro dataset gc --dry-run --repository "$there" --output csv >"$SCRATCH/out" 2>/dev/null
ok "gc states of it who pushed it, and when" grep -q "retain,.*pushed by user 0, .* ago" "$SCRATCH/out"
find "$there/pushes" -mindepth 2 -exec touch -d "2 days ago" {} +
baro dataset gc --dry-run --repository "$there" --output csv >"$SCRATCH/out" 2>/dev/null
ok "a day later it would go" grep -q "remove,.*pushed by user 0, .* ago" "$SCRATCH/out"
ok "it is there until then" test "$(find "$there/pushes" -name part | wc -l)" -gt 0
baro dataset gc --repository "$there" >"$SCRATCH/out" 2>&1
is "gc removes it" "$(find "$there/pushes" -type f)" ""
kill_server origin
origin_start client_timeout=2s
is "who sends nothing whole for long is ended" "$(hostile idle)" closed
is "so is who repeats its beginning" "$(hostile repeat)" closed
kill_server origin
origin_start push_bytes=1MiB
version_make
ok "a user's images under way are bounded" not push "$killed"
ok "which is stated" grep -q "images that a user pushes at a time may have 1.00 MiB in all" "$SCRATCH/push.err"
is "and nothing of it was accepted" "$(find "$there/pushes/0/$killed" -type f 2>/dev/null)" ""
kill_server origin

# ---- users ----
if [ "$(id -u)" != 0 ]; then
    skip "users push what is theirs" "only root can be other users"
    servers_end
    finish
fi
port=$(free_port)
origin_start --set "dataset.listen=127.0.0.1:$port"
as() { # UID COMMAND...
    as_uid=$1
    shift
    ASAN_OPTIONS=detect_leaks=0 setpriv --reuid "$as_uid" --regid "$as_uid" --clear-groups "$@"
}
own_make() { # UID: a repository of the user's
    mkdir "$SCRATCH/own.$1"
    chown "$1:$1" "$SCRATCH/own.$1"
}
own_make 4001
own_make 4003
push_as() { # UID DATASET [OPTION...]
    push_uid=$1
    shift
    as "$push_uid" timeout 120 baro dataset push "$@" --repository "$SCRATCH/own.$push_uid" --to "$door" --output json \
        2>"$SCRATCH/push.err" >"$SCRATCH/push.json"
}
pull_as() { # UID DATASET
    rm -rf "$SCRATCH/pulled"
    mkdir "$SCRATCH/pulled"
    chown "$1:$1" "$SCRATCH/pulled"
    as "$1" timeout 120 baro dataset pull "$2" --repository "$SCRATCH/pulled" --from "$door" 2>"$SCRATCH/pull.err"
}
mkdir "$SCRATCH/secret"
chmod 755 "$SCRATCH/secret"
head -c 1500000 /dev/urandom >"$SCRATCH/secret/file"
chmod 644 "$SCRATCH/secret/file"
secret=$(as 4001 baro dataset create "$SCRATCH/secret" --repository "$SCRATCH/own.4001" --access private 2>/dev/null)
ok "a user pushes a private dataset" push_as 4001 "$secret" --tag 4001/secret:v1 --label whose=first
secret_chunks=$(sent chunks)
is "all of it" "$(sent sent_chunks) $(sent owner)" "$secret_chunks 4001"
is "who sent it is its owner, with the access of its repository" "$(repository_of owner "$secret") $(repository_of access "$secret")" \
    "4001 private"
ok "the owner pulls it by the tag" pull_as 4001 4001/secret:v1
ok "another user does not" not pull_as 4003 4001/secret:v1
ok "and does not find out that it is there" grep -q "it has no such dataset, or you may not read it" "$SCRATCH/pull.err"
ok "a tag of another name is refused" not push_as 4001 "$secret" --tag code:v1
ok "with those that may be" grep -q "tag 'code:v1': tags that you push begin with '4001/'" "$SCRATCH/push.err"
is "it is where it was" "$(repository_of name code:v1)" "$dataset"

# What another user has is not learnt: neither by its name, nor by what is missing, nor by the responses.
hostile_as() { # UID CASE...
    hostile_uid=$1
    shift
    timeout 120 python3 "$TOP/tests/dataset/push_hostile.py" "$hostile_uid" "$SCRATCH/origin.sock" "$@" 2>&1
}
nosuch=$(printf nosuch | sha256sum | cut -c1-64)
is "what is private has the same responses as what is not there: by name, digits, tag" \
    "$(hostile_as 4003 replies "$secret" "$nosuch"), $(hostile_as 4003 replies "$(echo "$secret" | cut -c1-12)" "$(echo "$nosuch" | cut -c1-12)"), \
$(hostile_as 4003 replies 4001/secret:v1 4001/nosuch:v1)" "same 15 1, same 15 1, same 15 1"
is "over TCP, too" "$(timeout 60 python3 "$TOP/tests/dataset/push_hostile.py" 4003 "$port" replies "$secret" "$nosuch")" "same 15 1"
is "its owner has others" "$(hostile_as 4001 replies "$secret" "$nosuch" | cut -c1-6)" differ
mkdir "$SCRATCH/guess"
cp "$SCRATCH/secret/file" "$SCRATCH/guess/file"
chmod 755 "$SCRATCH/guess"
echo more >"$SCRATCH/guess/more"
guess=$(as 4003 baro dataset create "$SCRATCH/guess" --repository "$SCRATCH/own.4003" 2>/dev/null)
ok "another user pushes what has chunks of it" push_as 4003 "$guess" --access private
is "and sends all of them" "$(sent sent_chunks)" "$(sent chunks)"
as 4003 baro dataset create "$SCRATCH/secret" --repository "$SCRATCH/own.4003" >/dev/null 2>&1
ok "another user pushes the same dataset" push_as 4003 "$secret" --access group --label whose=second --tag 4003/mine
ok "sends what is in no dataset that the user may read" test "$(sent sent_chunks)" -ge 1
is "and learns of no other owner" "$(sent was_there) $(sent owner)" "0 4003"
ok "both have it then" pull_as 4003 4003/mine
ok "the first, too" pull_as 4001 4001/secret:v1
ok "no other user has it" not pull_as 4004 "$secret"
is "its first owner and what that one states stay" "$(repository_of owner "$secret") $(repository_of 'label whose' "$secret")" "4001 first"
is "both are shown to who has the repository" "$(repository_of 'other owner' "$secret")" "4003 (group)"
ok "the repository is whole" baro dataset fsck --repository "$there"
cp -R "$SCRATCH/tree" "$SCRATCH/mixed"
chmod -R a+rX "$SCRATCH/mixed" "$SCRATCH/tree"
echo mine >"$SCRATCH/mixed/mine"
mixed=$(as 4003 baro dataset create "$SCRATCH/mixed" --repository "$SCRATCH/own.4003" 2>/dev/null)
ok "what shares chunks with what is public" push_as 4003 "$mixed"
ok "is sent where it differs, alone" test "$(sent sent_chunks)" -lt 12

is "users with several idle connections make way for one who has none" "$(hostile places 4010 4011 4012 4013)" "16 15:5 26"

# ---- quotas ----
echo "4001 2MiB" >"$there/quotas"
head -c 900000 /dev/urandom >"$SCRATCH/secret/more"
chmod 644 "$SCRATCH/secret/more"
big=$(as 4001 baro dataset create "$SCRATCH/secret" --repository "$SCRATCH/own.4001" 2>/dev/null)
accepted=$(counter origin push_bytes_total)
ok "what is beyond its user's quota is refused" not push_as 4001 "$big"
ok "with figures" grep -q "user 4001 has images of .*, and the quota is 2.00 MiB" "$SCRATCH/push.err"
is "before a byte is accepted" "$(counter origin push_bytes_total) $(find "$there/pushes/4001/$big" -type f 2>/dev/null)" "$accepted "
ok "what is there is not" push_as 4001 "$secret"
rm "$there/quotas"
ok "afterwards it is accepted" push_as 4001 "$big"
is "its owner by TCP is not known without a credential" \
    "$(as 4001 baro dataset push "$big" --munge no --repository "$SCRATCH/own.4001" --to "127.0.0.1:$port" 2>&1 | sed 's/.*: who/who/')" \
    "who pushes is not known: use a unix socket, or --munge"
servers_end
finish
