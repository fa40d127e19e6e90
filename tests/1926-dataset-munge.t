#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Datasets pulled and pushed over TCP by who is known by MUNGE: a credential of this connection alone; a
# server, or a host, that has no MUNGE.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip_all "only root can be other users"
PATH=$PATH:/usr/sbin
# shellcheck source=tests/lib-dataset.sh
. "$(dirname "$0")/lib-dataset.sh"
requires python3 munged mungekey munge
chmod 755 "$SCRATCH"
if baro-datasetd --config /dev/null --check --set dataset.upstream=unix:/x --set dataset.listen=unix:/y --set dataset.munge=yes 2>&1 |
    grep -q "without libmunge"; then
    skip_all "these programs are built without MUNGE"
fi
ok "a dataset is made" dataset_make 2
port=$(free_ports 2)
mkdir "$SCRATCH/munge" "$SCRATCH/munge2"
chmod 755 "$SCRATCH/munge" "$SCRATCH/munge2"
munge_start() { # DIRECTORY: with a key of its own
    mungekey --create --bits 1024 --keyfile "$1/key"
    chmod 600 "$1/key"
    munged --foreground --force --key-file "$1/key" --socket "$1/socket" --pid-file "$1/pid" \
        --log-file "$1/log" --seed-file "$1/seed" >"$1/out" 2>&1 &
    echo $! >"$SCRATCH/pids/$(basename "$1")"
    wait_for 10 test -S "$1/socket"
}
ok "munged is there" munge_start "$SCRATCH/munge"
socket=$SCRATCH/munge/socket
as() { # UID COMMAND...
    as_uid=$1
    shift
    ASAN_OPTIONS=detect_leaks=0 setpriv --reuid "$as_uid" --regid "$as_uid" --clear-groups "$@"
}
own_make() { # UID
    rm -rf "$SCRATCH/own.$1"
    mkdir "$SCRATCH/own.$1"
    chown "$1:$1" "$SCRATCH/own.$1"
}
pull_as() { # UID DATASET [OPTION...]
    pull_uid=$1
    shift
    own_make "$pull_uid"
    as "$pull_uid" timeout 120 baro dataset pull "$@" --repository "$SCRATCH/own.$pull_uid" --from "127.0.0.1:$port" \
        2>"$SCRATCH/pull.err"
}
push_as() { # UID DATASET [OPTION...]
    push_uid=$1
    shift
    as "$push_uid" timeout 120 baro dataset push "$@" --repository "$SCRATCH/own.$push_uid" --to "127.0.0.1:$port" \
        >"$SCRATCH/push.out" 2>"$SCRATCH/push.err"
}
cp -R "$SCRATCH/tree" "$SCRATCH/secret"
head -c 300000 /dev/urandom >"$SCRATCH/secret/only-here"
secret=$(baro dataset create "$SCRATCH/secret" --tag secret:v1 --access private 2>/dev/null)
baro dataset access secret:v1 --owner 4001 --group 4001
serve origin "repository=$BARO_DATASETS" push=yes "munge=$socket" --set "dataset.listen=127.0.0.1:$port"

# ---- pull ----
is "its owner pulls a private dataset over TCP" "$(pull_as 4001 secret:v1 --munge "$socket")" "$secret"
ok "another user does not" not pull_as 4003 secret:v1 --munge "$socket"
ok "as if it were not there" grep -q "it has no such dataset, or you may not read it" "$SCRATCH/pull.err"
is "what is public each pulls" "$(pull_as 4003 code:v1 --munge "$socket")" "$dataset"
is "without a credential, too" "$(pull_as 4003 code:v1 --munge no)" "$dataset"
ok "without one its owner is not known" not pull_as 4001 secret:v1 --munge no
is "credentials were decoded" "$(counter origin munge_decoded_total)" 3
ok "a value that is none is misuse" not pull_as 4001 secret:v1 --munge maybe
ok "which is stated" grep -q "munge: invalid value 'maybe' (choose auto, yes, no, or the path" "$SCRATCH/pull.err"

# ---- push ----
own_make 4001
mkdir "$SCRATCH/mine"
head -c 200000 /dev/urandom >"$SCRATCH/mine/file"
chmod -R a+rX "$SCRATCH/mine"
mine=$(as 4001 baro dataset create "$SCRATCH/mine" --repository "$SCRATCH/own.4001" --access private 2>/dev/null)
ok "who is not known pushes nothing" not push_as 4001 "$mine" --munge no
ok "with the remedy" grep -q "who pushes is not known: use a unix socket, or --munge" "$SCRATCH/push.err"
ok "a user pushes over TCP" push_as 4001 "$mine" --munge "$socket" --tag 4001/mine
is "and is its owner" "$(baro dataset show 4001/mine --output csv | sed -n 's/^owner,//p')" 4001
is "others do not read it" "$(pull_as 4003 4001/mine --munge "$socket"; echo $?)" 1
ok "root of some host is not known" not baro dataset push code:v1 --munge "$socket" --to "127.0.0.1:$port"

# ---- each credential is of its connection ----
python3 - "$port" "$((port + 1))" "$SCRATCH/seen" <<'END' &
import socket, sys, threading
# What a client sends is passed on, and its credential stored.
listener = socket.create_server(("127.0.0.1", int(sys.argv[2])))
def pump(source, target, seen):
    try:
        while data := source.recv(65536):
            if seen is not None:
                seen += data
            target.sendall(data)
    except OSError:
        pass
    for s in (source, target):
        try:
            s.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
client, _ = listener.accept()
upstream = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
seen = bytearray()
other = threading.Thread(target=pump, args=(upstream, client, None))
other.start()
pump(client, upstream, seen)
other.join()
at = bytes(seen).find(b"MUNGE:")
open(sys.argv[3], "wb").write(bytes(seen)[at:bytes(seen).index(b":", at + 6) + 1])
END
listening=$!
echo $listening >"$SCRATCH/pids/proxy"
proxy_pull() {
    own_make 4001
    as 4001 timeout 60 baro dataset pull secret:v1 --munge "$socket" --repository "$SCRATCH/own.4001" \
        --from "127.0.0.1:$((port + 1))" 2>/dev/null
}
wait_for 10 sh -c "grep -q \":$(printf %04X $((port + 1))) \" /proc/net/tcp"
is "through a host between both it works as well" "$(proxy_pull)" "$secret"
wait $listening
rm "$SCRATCH/pids/proxy"
ok "which sees the credential" grep -q "^MUNGE:" "$SCRATCH/seen"
cat >"$SCRATCH/replay.py" <<'END'
import socket, struct, sys
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
s.settimeout(30)
def call(kind, body):
    s.sendall(struct.pack("<IHHQ", len(body), kind, 0, 7) + body)
    data = b""
    while len(data) < 16:
        data += s.recv(16 - len(data))
    size, got, _, _ = struct.unpack("<IHHQ", data)
    body = b""
    while len(body) < size:
        body += s.recv(size - len(body))
    return f"{got}:{struct.unpack('<I', body[:4])[0]}" if got == 15 else str(got)
call(1, b"barochnk" + struct.pack("<IIII", 1, 64, 512, 0))
if sys.argv[3] == "challenge":
    call(20, bytes(32))
print(call(24, open(sys.argv[2], "rb").read()), call(3, b"secret:v1"))
END
is "sent again on another connection it is worth nothing" "$(python3 "$SCRATCH/replay.py" "$port" "$SCRATCH/seen" plain)" "15:6 15:1"
kill_server munge
ok "munged is started anew: it has forgotten what it decoded" munge_start "$SCRATCH/munge" 2>/dev/null
is "then, too, because of the connection's number" "$(python3 "$SCRATCH/replay.py" "$port" "$SCRATCH/seen" challenge)" "15:6 15:1"
ok "each refusal is counted" test "$(counter origin munge_refused_total)" -ge 2
cat >"$SCRATCH/loose.py" <<'END'
import sys
exec(open(sys.argv[2]).read().split("if sys.argv[3]")[0])
credential = sys.stdin.buffer.read().strip()
print(call(24, credential), call(25, bytes(32) + struct.pack("<QQQ", 200000, 1000, 0)))
END
is "a credential that is not over the connection's number does not push" \
    "$(as 4001 munge --socket "$socket" --no-input | python3 "$SCRATCH/loose.py" "$port" "$SCRATCH/replay.py")" "17 15:6"

# ---- where there is none ----
ok "a munged of another key is there" munge_start "$SCRATCH/munge2"
ok "its credentials are not accepted" not pull_as 4001 secret:v1 --munge "$SCRATCH/munge2/socket"
ok "which is stated" grep -q "does not accept your MUNGE credential: has it the same key" "$SCRATCH/pull.err"
ok "no munged: an error, where it was named" not pull_as 4001 code:v1 --munge "$SCRATCH/no.socket"
ok "which is stated" grep -q "MUNGE: .*no.socket" "$SCRATCH/pull.err"
if unshare -m true 2>/dev/null; then
    # libmunge has a path that cannot be changed.
    auto_as() { # UID DIRECTORY|none DATASET
        own_make "$1"
        unshare -m sh -c 'mount -t tmpfs none /run && mkdir /run/munge &&
            { [ "$2" = none ] || mount --bind "$2" /run/munge; } && if [ -e /run/munge/socket ]; then
            ln -s socket /run/munge/munge.socket.2; fi; ASAN_OPTIONS=detect_leaks=0 exec setpriv --reuid "$1" --regid "$1" --clear-groups \
            timeout 60 baro dataset pull "$3" --repository "$4" --from "127.0.0.1:$5"' \
            sh "$1" "$2" "$3" "$SCRATCH/own.$1" "$port" 2>"$SCRATCH/pull.err"
    }
    is "by default it is used where munged listens" "$(auto_as 4001 "$SCRATCH/munge" secret:v1)" "$secret"
    is "where there is none what is public is pulled" "$(auto_as 4001 none code:v1)" "$dataset"
    ok "what is not is refused" not auto_as 4001 none secret:v1
    ok "with why the user is not known" grep -q "you may not read it; you are not known there: MUNGE: " "$SCRATCH/pull.err"
    kill_server origin
    serve origin "repository=$BARO_DATASETS" --set "dataset.listen=127.0.0.1:$port"
    is "a server without MUNGE serves what is public" "$(auto_as 4001 "$SCRATCH/munge" code:v1)" "$dataset"
    ok "where a credential is required it is an error" not pull_as 4001 code:v1 --munge "$socket"
    ok "which is stated" grep -q "accepts no MUNGE credentials" "$SCRATCH/pull.err"
else
    skip "by default" "there are no mount namespaces"
fi
for munged in munge munge2; do
    kill -TERM "$(cat "$SCRATCH/pids/$munged")"
    wait "$(cat "$SCRATCH/pids/$munged")"
    rm "$SCRATCH/pids/$munged"
done
servers_end
finish
