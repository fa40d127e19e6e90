#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Datasets by 9P2000.L: diod's own clients and one that is hostile; a server that is killed while files are
# read; who may read what, by the socket and by MUNGE.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-dataset.sh
. "$(dirname "$0")/lib-dataset.sh"
requires python3
PATH=$PATH:/usr/sbin
chmod 755 "$SCRATCH"
ok "a dataset is made" dataset_make 12
ninep() { timeout 120 python3 "$TOP/tests/sim/ninep.py" "$@" 2>&1; }
size=$(baro dataset export "$dataset" - | wc -c)
origin_start() {
    serve origin "repository=$BARO_DATASETS" "9p=unix:$SCRATCH/origin.9p" patience=60s
}
ok "a server listens" origin_start
door=$SCRATCH/origin.9p

# ---- files ----
is "its directory has the dataset by its digits and its tag" "$(ninep "$door" list | sort | tr '\n' ' ')" \
    "$(printf '.\n..\n%s\ncode:v1\n' "$dataset" | sort | tr '\n' ' ')"
is "a file has the image's size, and is for reading" "$(ninep "$door" stat "$dataset")" "0 100444 $size"
is "reads that are under way together have its bytes" "$(ninep "$door" read "$dataset")" "$dataset"
is "by the tag, too" "$(ninep "$door" read code:v1)" "$dataset"
is "what there is not is not there" "$(ninep "$door" read nosuch)" ENOENT
ok "bytes are counted" test "$(counter origin 9p_bytes_total)" -ge $((2 * size))
if command -v diodcat >/dev/null; then
    is "diodcat has its bytes" "$(timeout 60 diodcat -s "$door" -a / code:v1 | sha256sum | cut -c1-64)" "$dataset"
    is "so it has with small messages" \
        "$(timeout 60 diodcat -m 4096 -s "$door" -a / "$dataset" | sha256sum | cut -c1-64)" "$dataset"
    is "diodls lists it" "$(timeout 60 diodls -s "$door" -a / | grep -c -e "$dataset" -e '^code:v1')" 2
    ok "with its size" sh -c 'timeout 60 diodls -l -s "$1" -a / | grep -q "^-r--r--r--.* $2 .*code:v1"' sh "$door" "$size"
    ok "another directory is refused" not timeout 60 diodls -s "$door" -a /etc
else
    skip "diod's clients" "diod is not installed"
fi

# ---- clients that send what they should not ----
held_nothing() {
    [ "$(counter origin clients_memory_bytes)" -le 192 ] && [ "$(counter origin clients)" = 1 ] # who counts
}
hostile() { ninep "$door" hostile "$@"; }
is "what writes is refused: each message, each flag, long data; and the connection goes on" "$(hostile writes "$dataset")" \
    "EROFS EROFS EROFS EBADF 10"
is "names are walked to within the directory" "$(hostile walks "$dataset")" \
    "3 1 EBADF ok ENOENT ok ENOENT ENOENT ENOENT ENOENT 1 EBADF EBADF 1 ENOTDIR 0 EBADF EBADF"
is "1,024 fids are there, no more, each once" "$(hostile fids "$dataset")" "1023 476 EBADF ok ok EBADF"
is "counts beyond a message or the file's end are cut" "$(hostile counts "$dataset")" \
    "262168 True 0 3 0 0 EBADF EBADF ENOTDIR EBADF EBADF EINVAL ENOTSUP ENOTSUP ok"
is "messages that are none end the connection" "$(hostile malformed)" "14 of 14"
is "of a version that it does not have nothing is served; another one begins anew" "$(hostile versions)" \
    "EINVAL unknown 262168 8192 EBADF"
is "messages may come in pieces, or not wholly" "$(hostile halves "$dataset")" "[111, 13]"
is "a read is not responded to behind the response to its flush" "$(hostile races "$dataset")" "0 ok"
is "of 2,000 reads that are sent before one is received each has its response" "$(hostile many "$dataset")" 2000
is "so has each of 500 walks, of which 64 are looked up at a time; fids are made once" "$(hostile lookups "$dataset")" "500 500"
ok "writes that were refused are counted" test "$(counter origin 9p_writes_refused_total)" -ge 12
ok "and connections that were ended" test "$(counter origin 9p_malformed_total)" -ge 14
ok "all that they held is given back" wait_for 10 held_nothing

# ---- a server that is gone, and comes back ----
leaf_start() {
    serve leaf "upstream=unix:$SCRATCH/origin.sock" "9p=unix:$SCRATCH/leaf.9p" "$@"
}
ok "a forwarder listens" leaf_start patience=60s
gone() { # CASE...: its file is open, then the server is killed
    rm -f "$SCRATCH/wait" "$SCRATCH/wait.go" "$SCRATCH/gone.out"
    NINEP_WAIT=$SCRATCH/wait ninep "$SCRATCH/leaf.9p" "$@" >"$SCRATCH/gone.out" &
    gone_pid=$!
    wait_for 20 test -e "$SCRATCH/wait"
    kill_server origin KILL
    : >"$SCRATCH/wait.go"
}
last=$((size - 100))
# The last chunk alone is in the forwarder's memory.
is "a part of it is read" "$(ninep "$SCRATCH/leaf.9p" touch "$dataset" $last)" 100
gone beside "$dataset" $last
ok "while a read waits for its server, a walk and a read of what is there do not" \
    wait_for 20 grep -q "^walk 128 read 100" "$SCRATCH/gone.out"
sleep 1
is "the read still waits" "$(wc -l <"$SCRATCH/gone.out")" 1
ok "the server is started again" origin_start
wait $gone_pid
is "the read has its response, and the file its bytes" "$(tail -n 2 "$SCRATCH/gone.out" | tr '\n' ' ')" "read 117 500 $dataset "
is "no read had an error" "$(counter leaf 9p_errors_total)" 0

kill_server leaf
leaf_start patience=60s
gone hostile flush "$dataset"
wait $gone_pid
is "reads that wait are flushed without a response" "$(cat "$SCRATCH/gone.out")" "True 128"
origin_start
kill_server leaf
leaf_start patience=60s
gone hostile full "$dataset"
wait $gone_pid
is "so are as many as may wait" "$(cat "$SCRATCH/gone.out")" "[(109, 4000)] 128"
origin_start
kill_server leaf
leaf_start patience=60s
gone hostile tags "$dataset"
wait $gone_pid
is "a tag that is under way may not be used again" "$(cat "$SCRATCH/gone.out")" closed
origin_start
kill_server leaf
leaf_start patience=2s
gone read "$dataset"
wait $gone_pid
is "beyond the patience a read ends with an I/O error" "$(cat "$SCRATCH/gone.out")" EIO
ok "which the log has, with dataset and server" \
    grep -q "dataset $dataset: a read of .* by 9P ended with an I/O error after the patience: .*origin.sock" "$SCRATCH/leaf.log"
origin_start
is "afterwards it is read" "$(ninep "$SCRATCH/leaf.9p" read "$dataset")" "$dataset"
kill_server leaf
ok "a forwarder listens once more" leaf_start patience=60s
# Killed and started while a whole file is read by several.
readers=
for reader in 1 2 3 4; do
    ninep "$SCRATCH/leaf.9p" read "$dataset" >"$SCRATCH/reader.$reader" &
    readers="$readers $!"
done
for _ in 1 2 3; do
    kill_server origin KILL
    origin_start
done
# shellcheck disable=SC2086 # numbers of processes
wait $readers
is "four clients read the image while its server is killed three times" "$(sort "$SCRATCH"/reader.? | uniq -c | tr -s ' ')" " 4 $dataset"
is "without an error" "$(counter leaf 9p_errors_total)" 0

# ---- configuration ----
check() {
    baro-datasetd --config /dev/null --check --set "dataset.repository=$BARO_DATASETS" "$@" 2>&1
}
ok "this door alone is enough" check --set dataset.9p=unix:/x
check --set dataset.9p=nowhere >"$SCRATCH/out"
ok "an address that is none is reported" grep -q "dataset.9p" "$SCRATCH/out"
check --set dataset.9p=unix:/x --set dataset.munge=maybe >"$SCRATCH/out"
ok "so is a wrong value of munge" grep -q "dataset.munge: 'maybe' is not yes, no, or the path of a socket" "$SCRATCH/out"

# ---- who may read ----
if [ "$(id -u)" != 0 ]; then
    skip "users have what they may read" "only root can be other users"
    servers_end
    finish
fi
cp -R "$SCRATCH/tree" "$SCRATCH/secret"
head -c 300000 /dev/urandom >"$SCRATCH/secret/only-here"
secret=$(baro dataset create "$SCRATCH/secret" --tag secret:v1 --access private 2>/dev/null)
baro dataset access secret:v1 --owner 4001 --group 4100
port=$(free_ports 2)
kill_server leaf
ok "a forwarder listens for all users, and for TCP" leaf_start socket_mode=0666 --set "dataset.9p=127.0.0.1:$port"
leaf=$SCRATCH/leaf.9p
is "its owner reads a private dataset" "$(ninep --as 4001:4001 "$leaf" read secret:v1)" "$secret"
is "another user of its group does not, nor one of none" \
    "$(ninep --as 4002:4100 "$leaf" read secret:v1) $(ninep --as 4003:4003 "$leaf" read secret:v1)" "EACCES EACCES"
is "by its digits neither, though its chunks are in the cache" "$(ninep --as 4003:4003 "$leaf" read "$secret")" EACCES
is "what is public each reads" "$(ninep --as 4003:4003 "$leaf" read code:v1)" "$dataset"
is "names are listed to servers alone" "$(ninep --as 4003:4003 "$leaf" list)" EACCES
is "a user does not become another one by stating so" "$(ninep --as 4003:4003 --user 4001 "$leaf" read secret:v1)" EPERM
is "root does, and has that user's access" \
    "$(ninep --user 4003 "$leaf" read secret:v1) $(ninep --user 4001 "$leaf" read secret:v1)" "EACCES $secret"
is "by TCP nothing but what is public" "$(ninep --user 4001 "$port" read secret:v1) $(ninep "$port" read code:v1)" "ENOENT $dataset"
is "who is not known does not find out what there is" "$(ninep "$port" read nosuch) $(ninep "$port" read "$secret")" "ENOENT ENOENT"
is "a mount's own fid, which states no user, has what is public; that of a user what is the user's" \
    "$(ninep --user none "$leaf" read secret:v1) $(ninep --user none "$leaf" list) $(ninep --user none "$leaf" read code:v1) \
$(ninep --as 4001:4001 --user none "$leaf" read secret:v1)" "ENOENT EACCES $dataset $secret"
ninep --user 4003 "$leaf" read secret:v1 >"$SCRATCH/out"
ok "for whom it was denied is logged" grep -q "user 4003 was denied dataset $secret" "$SCRATCH/leaf.log"
is "without MUNGE there is no authentication" "$(ninep --user 4001 --credential x "$port" attach)" ENOENT
ok "who was denied is counted" test "$(counter leaf clients_denied_total)" -ge 4

# ---- MUNGE ----
if ! command -v munged >/dev/null || ! command -v mungekey >/dev/null || check --set dataset.9p=unix:/x --set dataset.munge=yes |
    grep -q "without libmunge"; then
    skip "users by MUNGE" "munge is not installed, or these programs are built without it"
    servers_end
    finish
fi
mkdir "$SCRATCH/munge"
munge_socket=$SCRATCH/munge/munge.socket.2
mungekey --create --bits 1024 --keyfile "$SCRATCH/munge/key"
chmod 600 "$SCRATCH/munge/key"
munged --foreground --force --key-file "$SCRATCH/munge/key" --socket "$munge_socket" --pid-file "$SCRATCH/munge/pid" \
    --log-file "$SCRATCH/munge/log" --seed-file "$SCRATCH/munge/seed" >"$SCRATCH/munge/out" 2>&1 &
echo $! >"$SCRATCH/pids/munged"
ok "munged is there" wait_for 10 test -S "$munge_socket"
credential() { # UID
    credential_uid=$1
    shift
    [ $# -gt 0 ] || set -- --no-input
    setpriv --reuid "$credential_uid" --regid "$credential_uid" --clear-groups munge --socket "$munge_socket" "$@"
}
kill_server leaf
ok "a forwarder with MUNGE listens" leaf_start "munge=$munge_socket" --set "dataset.9p=127.0.0.1:$port"
is "by a credential its owner reads a private dataset over TCP" \
    "$(ninep --user 4001 --credential "$(credential 4001)" "$port" read secret:v1)" "$secret"
is "another user does not" "$(ninep --user 4003 --credential "$(credential 4003)" "$port" read secret:v1)" EACCES
is "a credential is for its own user alone" "$(ninep --user 4001 --credential "$(credential 4003)" "$port" attach)" EPERM
once=$(credential 4001)
is "it is good once" "$(ninep --user 4001 --credential "$once" "$port" attach) $(ninep --user 4001 --credential "$once" "$port" attach)" \
    "attached EPERM"
ok "a second time is logged as what it is" grep -q "a MUNGE credential was refused: .*[Rr]eplayed" "$SCRATCH/leaf.log"
is "what is none is refused" "$(ninep --user 4001 --credential MUNGE:nonsense: "$port" attach)" EPERM
is "one that is too long, too" "$(ninep --user 4001 --credential "$(head -c 5000 /dev/zero | tr '\0' x)" "$port" attach)" EFBIG
is "who sends none has what is public" "$(ninep --user 4001 "$port" read secret:v1) $(ninep "$port" read code:v1)" "ENOENT $dataset"
is "one that was made for another service is refused" \
    "$(ninep --user 4001 --credential "$(credential 4001 --string slurm)" "$port" attach)" EPERM
is "root of some host has what is public" \
    "$(ninep --user 0 --credential "$(credential 0)" "$port" read secret:v1) $(ninep --user 0 --credential "$(credential 0)" "$port" read code:v1)" \
    "ENOENT $dataset"
is "a connection has 16 credentials at most, and attaches with one at a time; three that are refused end it" \
    "$(ninep "$port" hostile credentials)" "16 EMFILE 1 EPERM 7 EAGAIN EPERM closed"
if command -v diodcat >/dev/null && unshare -m true 2>/dev/null; then
    # Its libmunge has a path that cannot be changed.
    diodcat_as() { # UID
        unshare -m sh -c 'mount -t tmpfs none /run && mkdir /run/munge && mount --bind "$1" /run/munge &&
            exec setpriv --reuid "$2" --regid "$2" --clear-groups timeout 60 diodcat -s "127.0.0.1:$3" -a / secret:v1' \
            sh "$SCRATCH/munge" "$1" "$port" 2>/dev/null | sha256sum | cut -c1-64
    }
    is "diodcat of the owner has its bytes" "$(diodcat_as 4001)" "$secret"
    is "diodcat of another user has none" "$(diodcat_as 4003)" "$(sha256sum </dev/null | cut -c1-64)"
else
    skip "diodcat with MUNGE" "diod is not installed, or there are no mount namespaces"
fi
# ---- the chunk protocol: a credential instead of the key ----
cat >"$SCRATCH/chunks.py" <<'EOF'
import socket, struct, subprocess, sys
# SOCKET of munged, PORT, NAME, CREDENTIAL ("bound UID": over the server's random number), another one
s = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
s.settimeout(60)
def exactly(size):
    data = b""
    while len(data) < size:
        piece = s.recv(size - len(data))
        if not piece:
            raise EOFError
        data += piece
    return data
def call(kind, body):
    global response
    s.sendall(struct.pack("<IHHQ", len(body), kind, 0, 7) + body)
    size, got, _, _ = struct.unpack("<IHHQ", exactly(16))
    body = response = exactly(size)
    return f"{got}:{struct.unpack('<I', body[:4])[0]}" if got == 15 else str(got)
try:
    call(1, b"barochnk" + struct.pack("<IIII", 1, 64, 512, 0))
    credential = sys.argv[4]
    if credential.startswith(("bound ", "challenged ")):
        call(20, bytes(32))
        kind, credential = credential.split()
    if sys.argv[4].startswith("bound "):
        credential = subprocess.run(["setpriv", "--reuid", credential, "--regid", credential, "--clear-groups", "munge",
                                     "--socket", sys.argv[1]], input=response[:32], stdout=subprocess.PIPE).stdout.decode().strip()
    results = [call(24, credential.encode())] if credential else []
    results.append(call(3, sys.argv[3].encode()))
    results.append(call(9, b""))
    if len(sys.argv) > 5:
        results.append(call(24, sys.argv[5].encode()))
except EOFError:
    results.append("closed")
print(" ".join(results))
EOF
chunks() { python3 "$SCRATCH/chunks.py" "$munge_socket" "$chunk_port" "$@" 2>&1; }
chunk_port=$((port + 1))
kill_server leaf
leaf_start "munge=$munge_socket" --set "dataset.listen=127.0.0.1:$chunk_port" --set "dataset.9p=127.0.0.1:$port" trusted=nobody
is "through the chunk door, too, a credential is its user: who may read, and is no server" \
    "$(chunks secret:v1 "$(credential 4001)")" "17 4 15:4"
is "another user may not read, who sends none neither" "$(chunks secret:v1 "$(credential 4003)"), $(chunks secret:v1 "")" "17 15:1 15:4, 15:1 15:4"
once=$(credential 4001)
is "it is good once" "$(chunks secret:v1 "$once"), $(chunks secret:v1 "$once")" "17 4 15:4, 15:6 15:1 15:4"
is "one that was made for another service is none" "$(chunks secret:v1 "$(credential 4001 --string slurm)")" "15:6 15:1 15:4"
ok "which the log has" grep -q "a MUNGE credential was refused: it is of another service" "$SCRATCH/leaf.log"
is "who has requested the server's random number has it as the payload" "$(chunks secret:v1 "bound 4001")" "17 4 15:4"
is "one without it is refused then" "$(chunks secret:v1 "challenged $(credential 4001)")" "15:6 15:1 15:4"
is "one of root is worth nothing" "$(chunks secret:v1 "$(credential 0)")" "17 15:1 15:4"
is "one of a trusted user is a server's" "$(chunks secret:v1 "$(credential "$(id -u nobody)")")" "17 4 10"
is "a second one on a connection ends it" "$(chunks code:v1 "$(credential 4001)" "$(credential 4001)")" "17 4 15:4 closed"
is "9P has that user as a server, too" "$(ninep --user "$(id -u nobody)" --credential "$(credential "$(id -u nobody)")" "$port" list | grep -c :v1)" 2
ok "credentials are counted" test "$(counter leaf munge_decoded_total)" -ge 5
# ---- a munged that does not respond ----
kill_server leaf
ok "a forwarder with little patience listens" leaf_start "munge=$munge_socket" --set "dataset.9p=127.0.0.1:$port" patience=2s
ready=$(credential 4001)
kill -STOP "$(cat "$SCRATCH/pids/munged")"
is "who flushes one that munged has, again and again, is ended, too" "$(ninep "$port" hostile flushed)" "ok ok closed"
is "beyond the patience an attach ends" "$(ninep --user 4001 --credential "$ready" "$port" attach)" ETIMEDOUT
kill -CONT "$(cat "$SCRATCH/pids/munged")"
is "it is decoded when munged is back" "$(ninep --user 4001 --credential "$(credential 4001)" "$port" attach)" attached
kill -TERM "$(cat "$SCRATCH/pids/munged")"
wait "$(cat "$SCRATCH/pids/munged")"
rm "$SCRATCH/pids/munged"
is "without munged a credential is no access" "$(ninep --user 4001 --credential MUNGE:x: "$port" attach)" EIO
servers_end
finish
