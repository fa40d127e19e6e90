#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Who may read a dataset: its owner, its group, all; on every hop, and of chunks that lie in a cache for
# others.  Other users are played by root (setuid in a script of their own).
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip_all "only root can be other users"
# shellcheck source=tests/lib-dataset.sh
. "$(dirname "$0")/lib-dataset.sh"
requires python3
chmod 755 "$SCRATCH"
ok "a dataset is made" dataset_make 2
cp -R "$SCRATCH/tree" "$SCRATCH/secret"
head -c 300000 /dev/urandom >"$SCRATCH/secret/only-here"
private=$(baro dataset create "$SCRATCH/secret" --tag secret:v1 --access private 2>/dev/null)
facts() { baro dataset show secret:v1 --output csv | sed -n "s/^$1,//p"; }
is "it is private" "$(facts access)" private
ok "and another user's" baro dataset access secret:v1 --owner 4001 --group 4100
is "its owner is shown" "$(facts owner)" 4001
ok "an access that there is not is refused" sh -c '! baro dataset access secret:v1 all 2>&1 | grep -qv "choose public, group, private"'
ok "an owner that there is not, too" not baro dataset access secret:v1 --owner no-such-user

# ---- quotas ----
printf '# of this site\n* 1GiB\n%s 1MiB # small\n' "$(id -un)" >"$BARO_DATASETS/quotas"
mkdir "$SCRATCH/more"
head -c 100000 /dev/urandom >"$SCRATCH/more/file"
baro dataset create "$SCRATCH/more" >"$SCRATCH/out" 2>&1
ok "an image beyond its owner's quota is refused" test "$?" != 0
ok "with figures and remedy" grep -q "has images of .*this one has .*the quota is 1.*MiB: remove tags.*or have it raised in" "$SCRATCH/out"
ok "one that is there is not" baro dataset create "$SCRATCH/tree"
echo "* 1GiB" >"$BARO_DATASETS/quotas"
ok "within it it is made" baro dataset create "$SCRATCH/more"
echo "anna much" >"$BARO_DATASETS/quotas"
mkdir "$SCRATCH/another"
baro dataset create "$SCRATCH/another" >"$SCRATCH/out" 2>&1
ok "a line that cannot be read is reported" grep -q "write USER SIZE, as" "$SCRATCH/out"
rm "$BARO_DATASETS/quotas"

# as.py UID GID[,GID...] SOCKET VERB ...: a client of the chunk door as another user.
cat >"$SCRATCH/as.py" <<'END'
import encodings.idna, os, socket, struct, sys, subprocess
uid, gids = int(sys.argv[1]), [int(g) for g in sys.argv[2].split(",")]
os.setgroups(gids)
os.setgid(gids[0])
os.setuid(uid)
if sys.argv[3] == "run":
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    sys.exit(subprocess.run(sys.argv[4:]).returncode)
FAILED, CHUNK = 15, 8
address = sys.argv[3]
if address.startswith("/"):
    s = socket.socket(socket.AF_UNIX)
    s.connect(address)
else:
    s = socket.create_connection(("127.0.0.1", int(address)))
s.settimeout(30)
def exactly(n):
    data = b""
    while len(data) < n:
        piece = s.recv(n - len(data))
        if not piece:
            raise EOFError
        data += piece
    return data
def frame(kind, body, id=7):
    s.sendall(struct.pack("<IHHQ", len(body), kind, 0, id) + body)
def response():
    size, kind, position, id = struct.unpack("<IHHQ", exactly(16))
    return kind, exactly(size)
def said(kind, body):
    return f"failed {struct.unpack('<I', body[:4])[0]}" if kind == FAILED else f"type {kind}"
frame(1, b"barochnk" + struct.pack("<IIII", 1, 64, 512, 0), 0)
response()
for request in sys.argv[4:]:
    verb, _, rest = request.partition("=")
    if verb == "resolve":
        frame(3, rest.encode())
    elif verb == "index":
        frame(5, bytes.fromhex(rest) + struct.pack("<Q", 0))
    elif verb == "chunk":
        frame(7, bytes.fromhex(rest))
    elif verb == "list":
        frame(9, b"")
    elif verb == "lease":
        frame(16, bytes.fromhex(rest) + struct.pack("<Q", 60) + b"me")
    elif verb == "permit":
        digest, user = rest.split(":")
        frame(18, bytes.fromhex(digest) + struct.pack("<Q", int(user)))
    elif verb == "challenge":
        frame(20, bytes.fromhex(rest) or bytes(32))
    elif verb == "proof":
        frame(19, bytes.fromhex(rest) or bytes(32))
    try:
        print(verb, said(*response()))
    except EOFError:
        print(verb, "closed")
        break
END
as() { python3 "$SCRATCH/as.py" "$@"; }
# A chunk that only the private dataset has, and one of both.
chunks_of() { baro dataset export "$1" - | python3 -c '
import hashlib, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
for (digest,) in db.execute("SELECT digest FROM chunk JOIN dataset_chunk ON chunk = chunk.id JOIN dataset ON dataset = dataset.id WHERE name = ?", (bytes.fromhex(sys.argv[2]),)):
    print(digest.hex())' "$BARO_DATASETS/catalogue.db" "$1" | sort; }
chunks_of "$dataset" >"$SCRATCH/public.chunks"
chunks_of "$private" >"$SCRATCH/private.chunks"
own=$(comm -13 "$SCRATCH/public.chunks" "$SCRATCH/private.chunks" | head -n 1)
shared=$(comm -12 "$SCRATCH/public.chunks" "$SCRATCH/private.chunks" | head -n 1)
ok "it has chunks of its own, and some of the other" test -n "$own" -a -n "$shared"

serve origin "repository=$BARO_DATASETS" socket_mode=0666
serve middle "upstream=unix:$SCRATCH/origin.sock" "cache=$SCRATCH/middle.cache" socket_mode=0666
serve leaf "upstream=unix:$SCRATCH/middle.sock" socket_mode=0666
is "a server reads it through two levels" "$(copy leaf "$private")" "$private"
for hop in origin middle leaf; do
    door=$SCRATCH/$hop.sock
    is "$hop: the owner has its name, its index and its chunks" "$(as 4001 4001 "$door" resolve=secret:v1 "index=$private" "chunk=$own")" "resolve type 4
index type 6
chunk type 8"
    is "$hop: another user has none of them, though they are cached" \
        "$(as 4002 4002 "$door" resolve=secret:v1 "index=$private" "chunk=$own" "chunk=$shared")" "resolve failed 1
index failed 1
chunk failed 6
chunk failed 6"
    is "$hop: not by its group either" "$(as 4002 4002,4100 "$door" "index=$private")" "index failed 1"
    is "$hop: what is public each user has, and its chunks" "$(as 4002 4002 "$door" "index=$dataset" "chunk=$shared" "chunk=$own")" "index type 6
chunk type 8
chunk failed 6"
    is "$hop: a user cannot speak for another, take a lease, or list names" \
        "$(as 4002 4002 "$door" "permit=$private:4001" "lease=$dataset" list)" "permit failed 1
lease failed 4
list failed 4"
    is "$hop: root can" "$(as 0 0 "$door" "permit=$private:4001" "permit=$private:4002" "lease=$dataset" list)" "permit type 17
permit failed 6
lease type 17
list type 10"
    ok "$hop: a user is denied blocks" not as 4002 4002 run nbdinfo "nbd+unix:///$private?socket=$SCRATCH/$hop.nbd"
    ok "$hop: the owner is not" as 4001 4001 run nbdinfo "nbd+unix:///secret:v1?socket=$SCRATCH/$hop.nbd"
    ok "$hop: nor is a user those of what is public" as 4002 4002 run nbdinfo "nbd+unix:///code:v1?socket=$SCRATCH/$hop.nbd"
    ok "$hop: refusals are in the log" grep -q "user 4002 was denied dataset $private" "$SCRATCH/$hop.log"
    ok "$hop: and counted" test "$(counter $hop clients_denied_total)" -ge 4
done

# ---- grants of a connection ----
for hop in origin middle leaf; do
    is "$hop: a permit has the chunks, without the index" \
        "$(as 4001 4001 "$SCRATCH/$hop.sock" "chunk=$own" "permit=$private:4001" "chunk=$own")" "chunk failed 6
permit type 17
chunk type 8"
done
many='' number=0
while [ $number -lt 32 ]; do
    number=$((number + 1))
    mkdir "$SCRATCH/small"
    echo "$number" >"$SCRATCH/small/file"
    many="$many index=$(baro dataset create "$SCRATCH/small" 2>/dev/null)"
    rm -r "$SCRATCH/small"
done
last=$(chunks_of "${many##*=}" | head -n 1)
# shellcheck disable=SC2086 # requests
is "of many datasets those that were read last are granted" \
    "$(as 4001 4001 "$SCRATCH/origin.sock" "index=$private" "chunk=$own" $many "chunk=$last" "chunk=$own" "permit=$private:4001" \
        "chunk=$own" | grep -v "^index type 6$")" "chunk type 8
chunk type 8
chunk failed 6
permit type 17
chunk type 8"

# ---- it changes ----
baro dataset access secret:v1 group
is "a group's: its members have it, through all levels" \
    "$(as 4002 4002,4100 "$SCRATCH/leaf.sock" "index=$private" "chunk=$own")" "index type 6
chunk type 8"
is "others have it not" "$(as 4002 4002 "$SCRATCH/leaf.sock" "index=$private")" "index failed 1"
baro dataset access secret:v1 public
is "public: each user has it" "$(as 4002 4002 "$SCRATCH/leaf.sock" "index=$private" "chunk=$own")" "index type 6
chunk type 8"
baro dataset access secret:v1 private
is "private again: no other user has it" "$(as 4002 4002 "$SCRATCH/leaf.sock" "index=$private" "chunk=$own")" "index failed 1
chunk failed 6"

# ---- TCP, with a key and without ----
port=$(free_ports 2)
head -c 32 /dev/urandom >"$SCRATCH/key" && head -c 32 /dev/urandom >"$SCRATCH/other-key"
chmod 600 "$SCRATCH/key" "$SCRATCH/other-key"
tcp() { serve tcp "repository=$BARO_DATASETS" --set "dataset.listen=127.0.0.1:$port" --set "dataset.nbd=127.0.0.1:$((port + 1))" \
    "key=$SCRATCH/key"; }
tcp
is "over TCP a client has what is public alone" "$(as 4001 4001 "$port" "index=$dataset" "index=$private")" "index type 6
index failed 1"
ok "so it is with blocks" not nbdinfo "nbd://127.0.0.1:$((port + 1))/$private"
ok "and of what is public" nbdinfo "nbd://127.0.0.1:$((port + 1))/$dataset"
is "a proof that is wrong ends the connection" "$(as 4001 4001 "$port" challenge proof)" "challenge type 21
proof closed"
is "so does one that comes first" "$(as 4001 4001 "$port" proof)" "proof closed"
is "and a second challenge" "$(as 4001 4001 "$port" challenge challenge)" "challenge type 21
challenge closed"
ok "which is logged" grep -q "it has another key, or a proof of another connection" "$SCRATCH/tcp.log"
nbd_error() { nbdinfo "nbd://127.0.0.1:$((port + 1))/$1" 2>&1 | sed "s/$1/NAME/g"; }
is "blocks of what is denied are as if there were none" "$(nbd_error "$private")" "$(nbd_error "$(printf %064d 7)")"
serve keyed "upstream=127.0.0.1:$port" "key=$SCRATCH/key"
is "a server with the key has all" "$(copy keyed "$private")" "$private"

# keyed.py PORT KEY STEP...: who has the key, by the format's document; each step is a connection of its own.
cat >"$SCRATCH/keyed.py" <<'END'
import hmac, os, socket, struct, sys
port, key = int(sys.argv[1]), open(sys.argv[2], "rb").read()
private = bytes.fromhex(sys.argv[3])
def exactly(s, n):
    data = b""
    while len(data) < n:
        piece = s.recv(n - len(data))
        if not piece:
            raise EOFError
        data += piece
    return data
def frame(s, kind, body):
    s.sendall(struct.pack("<IHHQ", len(body), kind, 0, 7) + body)
def response(s):
    size, kind = struct.unpack("<IH", exactly(s, 16)[:6])
    return kind, exactly(s, size)
def proof(role, mine, its):
    return hmac.new(key, role.ljust(16, b"\0") + mine + its, "sha256").digest()
def connect(nonce):
    s = socket.create_connection(("127.0.0.1", port))
    s.settimeout(30)
    frame(s, 1, b"barochnk" + struct.pack("<IIII", 1, 64, 512, 0))
    frame(s, 20, nonce)
    response(s)
    kind, body = response(s)
    assert kind == 21
    return s, body[:32], body[32:]
def index(s):
    try:
        frame(s, 5, private + struct.pack("<Q", 0))
        kind, body = response(s)
    except (EOFError, OSError):
        return "closed"
    return f"type {kind}"
nonce = os.urandom(32)
s, its, shown = connect(nonce)
print("it proves itself", hmac.compare_digest(shown, proof(b"baro listens", nonce, its)))
right = proof(b"baro connects", nonce, its)
frame(s, 19, right)
print("with a proof:", index(s))
s, its, shown = connect(nonce)
frame(s, 19, right)
print("the same on another connection:", index(s))
s, its, shown = connect(nonce)
frame(s, 19, shown)
print("the server's own:", index(s))
END
is "a proof is of one connection, and of one side" "$(python3 "$SCRATCH/keyed.py" "$port" "$SCRATCH/key" "$private")" \
    "it proves itself True
with a proof: type 6
the same on another connection: closed
the server's own: closed"

# Who listens in the place of an upstream: what it is sent.
fake=$(free_port)
cat >"$SCRATCH/fake.py" <<'END'
import os, socket, struct, sys
listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
open(sys.argv[2] + "/fake.ready", "w").close()
s, _ = listener.accept()
s.settimeout(30)
out = open(sys.argv[2] + "/fake.sent", "a")
s.sendall(struct.pack("<IHHQ", 24, 2, 0, 0) + b"barochnk" + struct.pack("<IIII", 1, 64, 512, 0))
s.sendall(struct.pack("<IHHQ", 64, 21, 0, 0) + os.urandom(64))
data = b""
try:
    while piece := s.recv(4096):
        data += piece
except OSError:
    pass
while data:
    size, kind = struct.unpack("<IH", data[:6])
    out.write(f"{kind} ")
    data = data[16 + size:]
out.close()
END
python3 "$SCRATCH/fake.py" "$fake" "$SCRATCH" &
fake_pid=$!
wait_for 20 test -e "$SCRATCH/fake.ready"
serve fooled "upstream=127.0.0.1:$fake" "key=$SCRATCH/key" patience=1s
ok "of who has not proved itself nothing is had" not nbdinfo "nbd+unix:///$private?socket=$SCRATCH/fooled.nbd"
wait $fake_pid
is "it is sent neither a proof nor a request" "$(cat "$SCRATCH/fake.sent")" "1 20 "
ok "which is logged" grep -q "is away (it does not prove that it has the site's key" "$SCRATCH/fooled.log"
kill_server fooled
serve local "upstream=unix:$SCRATCH/origin.sock" "key=$SCRATCH/key"
is "a unix socket of one's own user needs no proof" "$(copy local "$private")" "$private"
kill_server local
serve two "upstream=127.0.0.1:$port" "upstream=unix:$SCRATCH/origin.sock"
is "a lease that one upstream refuses the next one grants" "$(as 0 0 "$SCRATCH/two.sock" "lease=$dataset")" "lease type 17"
kill_server two
serve two "upstream=127.0.0.1:$port" "upstream=unix:$SCRATCH/no.sock"
is "where the other one is away it is refused" "$(as 0 0 "$SCRATCH/two.sock" "lease=$dataset")" "lease failed 4"
kill_server two
serve keyless "upstream=127.0.0.1:$port" patience=1s
ok "one without it has not" not nbdinfo "nbd+unix:///$private?socket=$SCRATCH/keyless.nbd"
is "but what is public" "$(copy keyless "$dataset")" "$dataset"

# ---- a connection that is made anew has no grants ----
cat >"$SCRATCH/blocks.py" <<'END'
"""blocks.py SOCKET EXPORT SCRATCH NAME: reads half of an image, and the rest when SCRATCH/NAME.go exists."""
import hashlib, os, socket, struct, sys, time
door, export, scratch, name = sys.argv[1:]
s = socket.socket(socket.AF_UNIX)
s.settimeout(60)
s.connect(door)
def exactly(n):
    data = b""
    while len(data) < n:
        piece = s.recv(n - len(data))
        if not piece:
            sys.exit("closed")
        data += piece
    return data
exactly(18)
s.sendall(struct.pack(">I", 3) + b"IHAVEOPT" + struct.pack(">II", 1, len(export)) + export.encode())
size, _ = struct.unpack(">QH", exactly(10))
total, at = hashlib.sha256(), 0
while at < size:
    if at >= size // 2 and not os.path.exists(f"{scratch}/{name}.half"):
        open(f"{scratch}/{name}.half", "w").close()
        while not os.path.exists(f"{scratch}/{name}.go"):
            time.sleep(0.02)
    length = min(65536, size - at)
    s.sendall(struct.pack(">IHHQQI", 0x25609513, 0, 0, at, at, length))
    _, error, _ = struct.unpack(">IIQ", exactly(16))
    if error:
        sys.exit(f"error {error} at {at}")
    total.update(exactly(length))
    at += length
print(total.hexdigest())
END
kill_server keyless
serve keyless "upstream=127.0.0.1:$port" patience=20s memory=1MiB
serve below "upstream=unix:$SCRATCH/keyless.sock" patience=20s memory=1MiB
for hop in below keyless; do
    python3 "$SCRATCH/blocks.py" "$SCRATCH/$hop.nbd" "$dataset" "$SCRATCH" "$hop" >"$SCRATCH/$hop.sum" 2>&1 &
    echo $! >"$SCRATCH/$hop.reader"
    wait_for 30 test -e "$SCRATCH/$hop.half"
done
for hop in below keyless; do
    kill_server tcp
    tcp
    : >"$SCRATCH/$hop.go"
    wait "$(cat "$SCRATCH/$hop.reader")"
    is "$hop: a dataset is read on from an upstream that was started again and trusts nobody" \
        "$(cat "$SCRATCH/$hop.sum")" "$dataset"
done
kill_server below
serve wrong "upstream=127.0.0.1:$port" patience=1s "key=$SCRATCH/other-key"
ok "one with another key has nothing" not nbdinfo "nbd+unix:///$dataset?socket=$SCRATCH/wrong.nbd"
ok "and the log has why" grep -q "it does not prove that it has the site's key" "$SCRATCH/wrong.log"
chmod 644 "$SCRATCH/key"
ok "a key that others can read is refused" sh -c '! baro-datasetd --config /dev/null --check --set "dataset.repository=$1" \
    --set dataset.listen=unix:/x --set "dataset.key=$2"' sh "$BARO_DATASETS" "$SCRATCH/key"
chmod 600 "$SCRATCH/key"

# ---- mounted ----
if [ -e /dev/fuse ] && grep -q erofs /proc/filesystems && unshare -Ur true 2>/dev/null; then
    agent=$SCRATCH/run
    at_exit 'grep " $agent[/ ]" /proc/self/mounts | cut -d" " -f2 | tac | xargs -r -n1 umount -l'
    serve near "upstream=unix:$SCRATCH/middle.sock" socket_mode=0666 trusted=nobody
    baro-dataset-agent --config /dev/null --directory "$agent" --user nobody --set "dataset.upstream=unix:$SCRATCH/near.sock" \
        >"$SCRATCH/agent.log" 2>&1 &
    echo $! >"$SCRATCH/pids/agent"
    wait_for 20 test -S "$agent/agent.sock"
    cp "$(command -v baro)" "$SCRATCH/baro"
    run_as() { as "$1" "$1" run "$SCRATCH/baro" dataset run --agent "$agent/agent.sock" -d secret:v1 -- \
        sh -c 'sha256sum <"$1/here/secret:v1/only-here"' sh "$agent"; }
    is "its owner runs a command with it" "$(run_as 4001)" "$(sha256sum <"$SCRATCH/secret/only-here")"
    run_as 4002 >"$SCRATCH/out" 2>&1
    is "another user does not" "$?" 1
    ok "and reads why" grep -q "'secret:v1': it is not yours to read" "$SCRATCH/out"
    ok "which is logged" grep -q "user 4002: dataset 'secret:v1'" "$SCRATCH/agent.log"
    as 4002 4002 run "$SCRATCH/baro" dataset run --agent "$agent/agent.sock" -d "$private" -- true >"$SCRATCH/out" 2>&1
    is "not by its digits either" "$?" 1
else
    skip "its owner runs a command with it" "no FUSE, EROFS or user namespaces here"
fi
servers_end
finish
