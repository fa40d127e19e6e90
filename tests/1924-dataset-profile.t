#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a dataset's start reads comes before it is read: what is read in order, metadata, and a profile that
# was recorded; counted, not timed.  Profiles of others, and hostile ones, are refused; reads go on beside
# what is fetched ahead, and the origin sends each chunk once.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-dataset.sh
. "$(dirname "$0")/lib-dataset.sh"
requires sqlite3 python3
profile() { baro dataset profile "$@"; }
refused() { # PATTERN COMMAND...
    refused_pattern=$1
    shift
    "$@" >"$SCRATCH/out" 2>"$SCRATCH/err" && return 1
    cat "$SCRATCH/err"
    grep -q -- "$refused_pattern" "$SCRATCH/err"
}
chmod 755 "$SCRATCH"

# Five hundred modules in forty directories, in an order of their own; half a chunk each, that no other is equal to.
mkdir "$SCRATCH/tree"
python3 - "$SCRATCH/tree" <<'END'
import os, random, sys
random.seed(1924)
names = []
for i in range(500):
    directory = f"{sys.argv[1]}/package{i % 40:02d}"
    os.makedirs(directory, exist_ok=True)
    with open(f"{directory}/module{i:03d}.py", "wb") as f:
        f.write(random.randbytes(32 << 10))
    names.append(f"package{i % 40:02d}/module{i:03d}.py")
random.shuffle(names)
with open(f"{sys.argv[1]}/start", "w") as f:
    f.write("\n".join(names[:160]) + "\n")
END
cat >"$SCRATCH/start.py" <<'END'
import sys
for name in open(sys.argv[1] + "/start").read().split():
    open(sys.argv[1] + "/" + name, "rb").read()
END
dataset=$(baro dataset create "$SCRATCH/tree" --tag big:v1 2>/dev/null)
chunks=$(baro dataset show big:v1 --output csv | sed -n 's/^chunks,//p')

# ---- in the catalogue ----
ok "a dataset has no profile at first" refused "has no profile" profile print big:v1
text() { # LINES
    printf 'dataset %s\n%b' "$dataset" "$1" >"$SCRATCH/text"
}
text '3\n0-2\n'
ok "one is set" profile set big:v1 "$SCRATCH/text"
is "in its order" "$(profile print big:v1 | tr '\n' ' ')" "dataset $dataset 3 0-2 "
ok "the dataset says of what size, by whom and when" eval 'baro dataset show big:v1 --output csv | grep -E "^profile,\"4 chunks, .*, by $(id -un), 20"'
is "its name is what it was" "$(baro dataset show big:v1 --output csv | sed -n 's/^name,//p')" "$dataset"
hostile() { # SENTENCE PATTERN LINES
    text "$3"
    ok "$1 is refused" refused "$2" profile set big:v1 "$SCRATCH/text"
}
hostile "a chunk that the dataset has not" "of a dataset that has $chunks" "$chunks\n"
hostile "a chunk that stands there twice" "chunk 1 stands there twice" '0-2\n1\n'
hostile "a range beyond its end" "of a dataset that has" "0-4294967295\n"
hostile "a range from behind" "profile: chunks 2 to 1" "2-1\n"
hostile "a number that is none" "no number of a chunk" "1x\n"
hostile "a number below zero" "no number of a chunk" "-1\n"
hostile "an empty line" "no number of a chunk" "1\n\n2\n"
hostile "a number that does not fit" "no number of a chunk" "99999999999999999999999\n"
printf 'dataset %064d\n1\n' 0 >"$SCRATCH/text"
ok "one of another dataset is refused" refused "of another dataset" profile set big:v1 "$SCRATCH/text"
head -c 100000 /dev/urandom >"$SCRATCH/text"
ok "so is rubbish" refused "does not begin with" profile set big:v1 "$SCRATCH/text"
yes 1 | head -c 900000 >"$SCRATCH/text"
ok "so is one that is too long" not profile set big:v1 "$SCRATCH/text"
is "the one that was set is there still" "$(profile print big:v1 | wc -l)" 3
ok "it is dropped" profile drop big:v1
ok "but once" refused "has no profile" profile drop big:v1
ok "the repository has no damage" baro dataset fsck

# ---- on a node ----
why=
[ "$(id -u)" = 0 ] || why="only root can mount, and be other users"
[ -e /dev/fuse ] || why="this kernel has no FUSE (/dev/fuse)"
grep -q erofs /proc/filesystems || modprobe erofs 2>/dev/null || why="this kernel has no EROFS"
unshare -Urm true 2>/dev/null || why="no user and mount namespaces here"
if [ "$why" ]; then
    skip "a start is recorded and replayed" "$why"
    finish
    exit
fi
requires baro-dataset-agent setpriv
agents=0
at_exit 'grep " $SCRATCH/run[0-9]*[/ ]" /proc/self/mounts | cut -d" " -f2 | tac | xargs -r -n1 umount -l'
# A node without anything in its caches: the agent of before has ended.
serve_agent() { # UPSTREAM KEY=VALUE...
    [ ! -e "$SCRATCH/pids/agent" ] || kill_server agent
    agents=$((agents + 1))
    agent=$SCRATCH/run$agents
    agent_upstream=$1
    shift
    agent_set=
    for agent_key in "$@"; do agent_set="$agent_set --set dataset.$agent_key"; done
    rm -f "$SCRATCH/agent.sock"
    # shellcheck disable=SC2086 # none of the values has a blank
    baro-dataset-agent --config /dev/null --directory "$agent" --user nobody --set "dataset.upstream=unix:$SCRATCH/$agent_upstream.sock" \
        --set "dataset.listen=unix:$SCRATCH/open/agent.sock" --set dataset.patience=20s $agent_set >>"$SCRATCH/agent.log" 2>&1 &
    echo $! >"$SCRATCH/pids/agent"
    wait_for 20 test -S "$agent/agent.sock"
}
mkdir -m 777 "$SCRATCH/open"
mkdir "$SCRATCH/here"
count() { counter open/agent "$1"; }
run() { timeout 120 baro dataset run --agent "$agent/agent.sock" "$@"; }
start() { run -d "big:v1:$SCRATCH/here" -- python3 "$SCRATCH/start.py" "$SCRATCH/here"; }
started() { # UPSTREAM KEY=VALUE...: $misses of a start on a node that is cold
    misses=
    serve_agent "$@" && start && misses=$(count read_misses_total)
}
serve origin "repository=$BARO_DATASETS" socket_mode=0666 trusted=nobody
serve middle "upstream=unix:$SCRATCH/origin.sock" socket_mode=0666 trusted=nobody
started middle prefetch=no
none=$misses
is "nothing is fetched ahead where that is not wanted" "$(count prefetched_total)" 0
started middle prefetch=sequential
sequential=$misses
started middle
metadata=$misses
echo "# misses: $none without, $sequential sequential, $metadata with metadata"
ok "a start has misses" [ "$none" -gt 100 ]
ok "with what is read in order, and inodes, it has no more" [ "$metadata" -le "$none" ]
serve_agent middle
ok "a start is recorded" profile record --agent "$agent/agent.sock" "big:v1:$SCRATCH/here" -- python3 "$SCRATCH/start.py" "$SCRATCH/here"
ok "the dataset says so" eval 'baro dataset show big:v1 --output csv | grep "^profile,"'
kill_server middle
serve middle "upstream=unix:$SCRATCH/origin.sock" socket_mode=0666 trusted=nobody
started middle
replayed=$misses
echo "# misses: $replayed with a profile; ahead $(count prefetched_total), used $(count prefetch_used_total), wasted $(count prefetch_wasted_total)"
ok "replayed it has a tenth of the misses" [ "$((replayed * 10))" -le "$none" ]
ok "what is not read of what came ahead is little" [ "$(count prefetch_wasted_total)" -le 10 ]
is "nothing of it failed" "$(count prefetch_failed_total)" 0
ok "a profile is recorded into a file" run -d "big:v1:$SCRATCH/here" --record-profile "$SCRATCH/recorded" -- cat "$SCRATCH/here/start"
ok "of what was read then" eval '[ "$(head -n 1 "$SCRATCH/recorded")" = "dataset $dataset" ] && [ "$(wc -l <"$SCRATCH/recorded")" -lt 20 ]'
ok "which can be set" profile set big:v1 "$SCRATCH/recorded"
is "the exit status of a command that is recorded is its own" "$(profile record --agent "$agent/agent.sock" big:v1 -- sh -c 'exit 7'; echo $?)" 7

# ---- each chunk once ----
kill_server middle
kill_server origin
serve origin "repository=$BARO_DATASETS" socket_mode=0666 trusted=nobody
serve middle "upstream=unix:$SCRATCH/origin.sock" socket_mode=0666 trusted=nobody
printf 'dataset %s\n0-%s\n' "$dataset" "$((chunks - 1))" >"$SCRATCH/all"
profile set big:v1 "$SCRATCH/all"
serve_agent middle
sums=$(cd "$SCRATCH/tree" && find . -type f -exec sha256sum {} + | sort)
is "all files are as they were, with a profile of everything" "$(run -d "big:v1:$SCRATCH/here" -- sh -c 'cd "$1" && find . -type f -exec sha256sum {} +' sh "$SCRATCH/here" | sort)" "$sums"
distinct=$(sqlite3 "$BARO_DATASETS/catalogue.db" "SELECT count(*) FROM dataset_chunk, dataset WHERE id = dataset AND name = x'$dataset'")
once=$(counter origin repository_chunks_total)
ok "the origin gave no chunk twice" [ "$once" -le "$distinct" ]
ok "and nearly all of them" [ "$once" -ge "$((distinct * 9 / 10))" ]
baro dataset export big:v1 "$SCRATCH/image"
serve side "upstream=unix:$SCRATCH/middle.sock"
is "a client of NBD has the image, with what is in order ahead" "$(copy side)" "$(sha256sum <"$SCRATCH/image" | cut -c1-64)"
is "each chunk came once for both" "$(counter origin repository_chunks_total)" "$distinct"
ok "some of them were ahead" [ "$(counter side prefetched_total)" -gt 0 ]

# ---- a wrong profile, and reads beside it ----
# Everything from behind, and a node whose memory may have 2 MiB of it unread.
{ echo "dataset $dataset"; seq "$((chunks - 1))" -1 0; } >"$SCRATCH/wrong"
profile set big:v1 "$SCRATCH/wrong"
kill_server middle
serve middle "upstream=unix:$SCRATCH/origin.sock" socket_mode=0666 trusted=nobody
serve_agent middle memory=16MiB
is "a read beside a flood of a wrong profile is right" "$(run -d "big:v1:$SCRATCH/here" -- sh -c 'sha256sum <"$1/start"; sleep 2' sh "$SCRATCH/here")" "$(sha256sum <"$SCRATCH/tree/start")"
ahead=$(count prefetched_bytes_total)
ok "and of it no more came than an eighth of the memory, and what is under way" [ "$ahead" -le "$(((2 + 1) << 20))" ]
ok "but that did" [ "$ahead" -ge "$((1 << 20))" ]
ok "it is counted as wasted at the end" wait_for 20 eval '[ "$(count prefetch_wasted_total)" -ge 10 ]'
ok "a start goes on beside it" start
is "its files are right" "$(run -d "big:v1:$SCRATCH/here" -- sh -c 'cd "$1" && find . -type f -exec sha256sum {} +' sh "$SCRATCH/here" | sort)" "$sums"

# ---- whose it is ----
cp "$(command -v baro)" "$SCRATCH/baro"
chmod -R a+rwX "$BARO_DATASETS"
as() { setpriv --reuid="$1" --regid="$1" --clear-groups "$SCRATCH/baro" dataset profile "$2" --repository "$BARO_DATASETS" big:v1 $3; }
ok "another user sets none, be the directory writable for all" refused "only the dataset's owner" as 4003 set "$SCRATCH/all"
ok "and drops none" refused "only the dataset's owner" as 4003 drop
baro dataset access big:v1 --owner 4002
ok "the owner sets it" as 4002 set "$SCRATCH/all"
ok "and it says by whom" eval 'baro dataset show big:v1 --output csv | grep "^profile,.*by a user without a name\|^profile,.*by .*"'
ok "the owner drops it" as 4002 drop
profile set big:v1 "$SCRATCH/wrong"

# ---- from a server that lies ----
# liar.py OWN UPSTREAM TEXT: a server that replaces profiles.
cat >"$SCRATCH/liar.py" <<'END'
import os, socket, struct, sys, threading
own, upstream, text = sys.argv[1], sys.argv[2], open(sys.argv[3], "rb").read()
PROFILED = 31
def receive(s):
    head = b""
    while len(head) < 16:
        part = s.recv(16 - len(head))
        if not part:
            return None, b""
        head += part
    size = struct.unpack_from("<I", head)[0]
    body = b""
    while len(body) < size:
        body += s.recv(size - len(body))
    return head, body
def pump(a, b, replaces):
    while True:
        head, body = receive(a)
        if head is None:
            b.close()
            return
        if replaces and struct.unpack_from("<H", head, 4)[0] == PROFILED:
            body = text
            head = struct.pack("<I", len(body)) + head[4:]
        b.sendall(head + body)
listener = socket.socket(socket.AF_UNIX)
listener.bind(own)
listener.listen(4)
os.chmod(own, 0o666)
while True:
    c, _ = listener.accept()
    u = socket.socket(socket.AF_UNIX)
    u.connect(upstream)
    threading.Thread(target=pump, args=(c, u, False), daemon=True).start()
    threading.Thread(target=pump, args=(u, c, True), daemon=True).start()
END
lies() { # SENTENCE TEXT
    printf '%b' "$2" >"$SCRATCH/lie"
    rm -f "$SCRATCH/liar.sock"
    python3 "$SCRATCH/liar.py" "$SCRATCH/liar.sock" "$SCRATCH/middle.sock" "$SCRATCH/lie" 2>>"$SCRATCH/liar.txt" &
    echo $! >"$SCRATCH/pids/proxy"
    wait_for 20 test -S "$SCRATCH/liar.sock"
    serve_agent liar
    is "a start goes on beside a profile $1" "$(run -d "big:v1:$SCRATCH/here" -- sh -c 'sha256sum <"$1/start"' sh "$SCRATCH/here")" "$(sha256sum <"$SCRATCH/tree/start")"
    is "which is refused" "$(count profiles_refused_total) $(count profiles_total)" "1 0"
    kill_server agent
    kill_server proxy KILL
}
lies "with a chunk that is not there" "dataset $dataset\n0\n$chunks\n"
lies "of another dataset" "dataset $(printf %064d 0)\n0\n"
lies "that is rubbish" '\0001\0002rubbish'
ok "the log says why" grep -q "its profile is not used" "$SCRATCH/agent.log"
servers_end
finish
