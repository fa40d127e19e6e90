#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Named views: variables in a dataset's metadata, which a command has with it; through two levels, by
# baro dataset run and by srun.  A view that a server makes up is refused where it arrives.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-slurm.sh
. "$(dirname "$0")/lib-slurm.sh"
# shellcheck source=tests/lib-dataset.sh
. "$(dirname "$0")/lib-dataset.sh"
requires sqlite3
view() { baro dataset view "$@"; }
refused() { # PATTERN COMMAND...
    refused_pattern=$1
    shift
    "$@" >"$SCRATCH/out" 2>"$SCRATCH/err" && return 1
    cat "$SCRATCH/err"
    grep -q -- "$refused_pattern" "$SCRATCH/err" && ! grep -q ran "$SCRATCH/out"
}
mkdir -p "$SCRATCH/tree/bin" "$SCRATCH/here" "$SCRATCH/plain"
printf '#!/bin/sh\necho right\n' >"$SCRATCH/tree/bin/viewed-program"
chmod 755 "$SCRATCH" "$SCRATCH/tree/bin/viewed-program"
echo plain >"$SCRATCH/plain/file"

# ---- in the catalogue ----
ok "a dataset is made" dataset_make 2
baro dataset create "$SCRATCH/plain" --tag plain:v1 >/dev/null 2>&1
is "a dataset has no view at first" "$(view code:v1 --output csv)" "view,change,variable,value"
ok "one is made" view code:v1 gcc set 'SOFT_HOME=%m' 'SOFT_RATE=100%%' prepend 'PATH=%m/bin' 'LD_LIBRARY_PATH=%m/lib'
ok "and another" view code:v1 debug set SOFT_DEBUG=1
is "both are listed" "$(view code:v1 --output csv)" "view,change,variable,value
debug,set,SOFT_DEBUG,1
gcc,set,SOFT_HOME,%m
gcc,set,SOFT_RATE,100%%
gcc,prepend,PATH,%m/bin
gcc,prepend,LD_LIBRARY_PATH,%m/lib"
is "the dataset's name is what it was" "$(baro dataset show code:v1 --output csv | sed -n 's/^name,//p')" "$dataset"
ok "and its image" baro dataset verify code:v1
ok "a view is replaced whole" view code:v1 debug set SOFT_TRACE=2
is "then it has that alone" "$(view code:v1 --output csv | grep ^debug)" "debug,set,SOFT_TRACE,2"
for name in LD_PRELOAD LD_AUDIT GLIBC_TUNABLES BASH_ENV PS1 ZDOTDIR OPENSSL_CONF HOME SLURM_DATASET BARO_SERVER; do
    ok "$name is refused" refused "$name: no view may change this one" view code:v1 bad set "$name=x"
done
ok "so is a name with a blank" refused "is not a name of a variable" view code:v1 bad set "A B=c"
ok "no name" refused "is not a name of a variable" view code:v1 bad set "=c"
ok "no value" refused "write set or prepend" view code:v1 bad set A
ok "a line's end in a value" refused "line's end" view code:v1 bad set "A=b
set LD_PRELOAD=x"
ok "a percent sign that is none" refused "write %m" view code:v1 bad set A=5%
ok "a name of a view that is none" refused "letters, digits" view code:v1 'a/b' set A=1
ok "a value that is too long" refused "a line has at most" view code:v1 bad set "A=$(printf '%600s' x)"
ok "a view of nothing" refused "without a change" view code:v1 bad set
ok "a dataset that is not there" refused "nosuch" view nosuch:v1 bad set A=1
is "nothing of these is there" "$(view code:v1 --output csv | grep -c bad)" 0
for i in $(seq 1 40); do view plain:v1 "v$i" set A=1 || break; done >"$SCRATCH/many" 2>&1
ok "a dataset has 32 of them" eval '[ "$(view plain:v1 --output csv | grep -c "^v[0-9]")" = 32 ] && grep -q "at most 32 views" "$SCRATCH/many"'
ok "one is removed" view plain:v1 v1 --remove
ok "but once" refused "has no view 'v1'" view plain:v1 v1 --remove
ok "the repository has no damage" baro dataset fsck

# ---- on a node ----
why=
[ "$(id -u)" = 0 ] || why="only root can mount, and be other users"
[ -e /dev/fuse ] || why="this kernel has no FUSE (/dev/fuse)"
grep -q erofs /proc/filesystems || modprobe erofs 2>/dev/null || why="this kernel has no EROFS"
unshare -Urm true 2>/dev/null || why="no user and mount namespaces here"
if [ "$why" ]; then
    skip "a command has a view" "$why"
    finish
    exit
fi
requires baro-dataset-agent setpriv python3
agent=$SCRATCH/run
at_exit 'grep " $agent[/ ]" /proc/self/mounts | cut -d" " -f2 | tac | xargs -r -n1 umount -l'
serve_agent() { # UPSTREAM
    rm -f "$agent/agent.sock"
    baro-dataset-agent --config /dev/null --directory "$agent" --user nobody --set "dataset.upstream=unix:$SCRATCH/$1.sock" \
        --set dataset.patience=20s >>"$SCRATCH/agent.log" 2>&1 &
    echo $! >"$SCRATCH/pids/agent"
    wait_for 20 test -S "$agent/agent.sock"
}
run() { timeout 120 baro dataset run --agent "$agent/agent.sock" "$@"; }
serve origin "repository=$BARO_DATASETS" socket_mode=0666 trusted=nobody
serve middle "upstream=unix:$SCRATCH/origin.sock" socket_mode=0666 trusted=nobody
ok "an agent listens, two levels below the repository" serve_agent middle
# After a response of "no such call" the kernel would request no view of any image again.
is "an attribute of the directory itself, which any user can request, is none" "$(python3 -c 'import os, sys
os.setgroups([])
os.setgid(4001)
os.setuid(4001)
try:
    os.getxattr(sys.argv[1], "security.none")
except OSError as e:
    print(os.strerror(e.errno))' "$agent/images" 2>&1)" "No data available"
is "a command finds a program by its view" "$(run -d "code:v1:$SCRATCH/here" --view gcc -- viewed-program)" right
is "not without" "$(run -d "code:v1:$SCRATCH/here" -- viewed-program 2>/dev/null; echo $?)" 127
is "variables have the mount point" "$(run -d "code:v1:$SCRATCH/here" --view gcc -- printenv SOFT_HOME SOFT_RATE)" "$SCRATCH/here
100%"
is "also where no path was named" "$(run -d code:v1 --view gcc -- printenv SOFT_HOME)" "$agent/here/code:v1"
is "what was there is behind it" "$(LD_LIBRARY_PATH=/x run -d "code:v1:$SCRATCH/here" --view gcc -- printenv LD_LIBRARY_PATH)" "$SCRATCH/here/lib:/x"
is "and no empty directory where nothing was" "$(unset LD_LIBRARY_PATH; run -d "code:v1:$SCRATCH/here" --view gcc -- printenv LD_LIBRARY_PATH)" "$SCRATCH/here/lib"
is "two views" "$(run -d "code:v1:$SCRATCH/here" --view gcc --view debug -- printenv SOFT_HOME SOFT_TRACE)" "$SCRATCH/here
2"
ok "one that no dataset has is an error" refused "none of the datasets has a view 'nosuch'" run -d code:v1 --view nosuch -- echo ran
ok "one that only one of two has is not" eval '[ "$(run -d code:v1 -d plain:v1 --view gcc -- printenv SOFT_HOME)" = "$agent/here/code:v1" ]'
view code:v1 gcc set SOFT_HOME=moved
is "a view that is changed is changed for the next command" "$(run -d code:v1 --view gcc -- printenv SOFT_HOME)" moved
chmod 755 "$SCRATCH/run" 2>/dev/null
cp "$(command -v baro)" "$SCRATCH/baro"
is "a user has it, too" "$(setpriv --reuid=4001 --regid=4001 --clear-groups "$SCRATCH/baro" dataset run --agent "$agent/agent.sock" -d code:v1 --view gcc -- printenv SOFT_HOME)" moved

# ---- who may ----
mkdir "$SCRATCH/secret"
echo hidden >"$SCRATCH/secret/file"
baro dataset create "$SCRATCH/secret" --tag secret:v1 --access private >/dev/null 2>&1
baro dataset access secret:v1 --owner 4002
view secret:v1 gcc set PASSWORD=mine
as() { setpriv --reuid="$1" --regid="$1" --clear-groups timeout 60 "$SCRATCH/baro" dataset run --agent "$agent/agent.sock" -d secret:v1 --view gcc -- printenv PASSWORD; }
is "a view of a private dataset is its owner's" "$(as 4002)" mine
ok "and of no other user" refused "not yours to read" as 4003
# view.py: a user, or a server, that speaks the chunk protocol by itself.
cat >"$SCRATCH/view.py" <<'END'
import os, socket, struct, sys
what, path = sys.argv[1:3]
HELLO, WELCOME, RESOLVE, FAILED, VIEW, VIEWED = 1, 2, 3, 15, 22, 23
def frame(kind, ident, body):
    return struct.pack("<IHHQ", len(body), kind, 0, ident) + body
def receive(s):
    head = b""
    while len(head) < 16:
        part = s.recv(16 - len(head))
        if not part:
            return 0, 0, b""
        head += part
    size, kind, _, ident = struct.unpack("<IHHQ", head)
    body = b""
    while len(body) < size:
        body += s.recv(size - len(body))
    return kind, ident, body
hello = b"barochnk" + struct.pack("<IIII", 1, 64, 512, 0)
if what == "request":
    os.setgroups([])
    os.setgid(4003)
    os.setuid(4003)
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(20)
    s.connect(path)
    s.sendall(frame(HELLO, 0, hello) + frame(VIEW, 1, bytes.fromhex(sys.argv[3]) + b"\0" * 8 + b"gcc"))
    receive(s)
    kind, ident, body = receive(s)
    print("refused" if kind == FAILED else body)
else:  # a proxy that replaces views
    text = sys.argv[4].encode().decode("unicode_escape").encode()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(4)
    os.chmod(path, 0o666)
    import threading
    def pump(a, b, replaces):
        while True:
            kind, ident, body = receive(a)
            if not kind:
                b.close()
                return
            if replaces and kind == VIEWED:
                body = text
            b.sendall(frame(kind, ident, body) if not (kind in (HELLO, WELCOME)) else frame(kind, ident, body))
    while True:
        c, _ = listener.accept()
        u = socket.socket(socket.AF_UNIX)
        u.connect(sys.argv[3])
        threading.Thread(target=pump, args=(c, u, False), daemon=True).start()
        threading.Thread(target=pump, args=(u, c, True), daemon=True).start()
END
chmod 644 "$SCRATCH/view.py"
secret=$(baro dataset show secret:v1 --output csv | sed -n 's/^name,//p')
is "who is no server gets none of a server" "$(python3 "$SCRATCH/view.py" request "$SCRATCH/origin.sock" "$secret")" refused

# ---- a view that is none ----
sqlite3 "$BARO_DATASETS/catalogue.db" "UPDATE view SET text = 'set LD_PRELOAD=/tmp/x.so' || char(10) WHERE text LIKE '%moved%'"
ok "a catalogue that was changed by hand gives none" not run -d code:v1 --view gcc -- echo ran
view code:v1 gcc set SOFT_HOME=moved
kill_server agent
for text in 'set LD_PRELOAD=/tmp/x.so\n' 'set A=1\n\nset B=2\n' 'set A=1' 'rubbish\n' 'set A=\x01\n'; do
    rm -f "$SCRATCH/liar.sock"
    python3 "$SCRATCH/view.py" proxy "$SCRATCH/liar.sock" "$SCRATCH/origin.sock" "$text" 2>>"$SCRATCH/proxy.txt" &
    echo $! >"$SCRATCH/pids/proxy"
    wait_for 20 test -S "$SCRATCH/liar.sock"
    serve_agent liar
    ok "a server that sends $(echo "$text" | tr -dc 'a-zA-Z=\\\\ ') is not believed" not run -d code:v1 --view gcc -- echo ran
    is "and the dataset can be had without" "$(run -d code:v1 -- echo ran)" ran
    kill_server agent
    kill_server proxy KILL
done
ok "an agent listens again" serve_agent middle

# ---- srun ----
plugin=$BUILD/src/dataset/spank/baro_dataset.so
why=
[ -e "$plugin" ] || why="the plugin was not built: libslurm-dev is not installed"
[ "$why" ] || why=$(slurm_available)
if [ "$why" ]; then
    skip "srun --view" "$why"
else
    cd "$SCRATCH" || exit 1
    export SLURM_PLUGSTACK="required $plugin agent=$agent/agent.sock"
    if slurm_start; then
        chmod 755 "$SLURM_DIR"
        view code:v1 gcc set 'SOFT_HOME=%m' prepend 'PATH=%m/bin'
        is "srun has a view" "$(srun --dataset "code:v1:$SCRATCH/here" --view gcc viewed-program 2>&1)" right
        is "and its variables" "$(srun --dataset "code:v1:$SCRATCH/here" --view gcc,debug printenv SOFT_HOME SOFT_TRACE 2>&1)" "$SCRATCH/here
2"
        ok "one that is not there stops the step, in words" refused "none of the datasets has a view 'nosuch'" srun --dataset code:v1 --view nosuch echo ran
        ok "one without a dataset, too" refused "a view of which dataset" srun --view gcc echo ran
        # What a task of a job has in SOFT_HOME, and a nested srun with these options.
        nested() {
            srun --dataset "code:v1:$SCRATCH/here" --view gcc sh -c 'unset SOFT_HOME SOFT_TRACE; srun --overlap "$@" sh -c "echo \${SOFT_HOME-none} \${SOFT_TRACE-none}"' sh "$@" 2>&1
        }
        is "a nested srun inherits it" "$(nested)" "$SCRATCH/here none"
        is "or replaces it" "$(nested --view debug)" "none 2"
        is "or clears it" "$(nested --view none)" "none none"
        is "a list of its own begins without" "$(nested --dataset plain:v1)" "none none"
        is "or with a view of its own" "$(nested --dataset code:v1 --view debug)" "none 2"
        cat >job.sh <<'END'
#!/bin/sh
#SBATCH --view gcc
echo "${SOFT_HOME-none}"
END
        mkdir -p outputs
        sbatch --wait --output="$SCRATCH/outputs/job.out" --dataset "code:v1:$SCRATCH/here" job.sh >sbatch.out 2>&1
        is "a script of sbatch has it" "$(cat outputs/job.out)" "$SCRATCH/here"
        is "salloc passes it on" "$(salloc -Q --dataset "code:v1:$SCRATCH/here" --view gcc srun printenv SOFT_HOME 2>&1)" "$SCRATCH/here"
    else
        skip "srun --view" "no Slurm could be started here"
    fi
fi
servers_end
finish
