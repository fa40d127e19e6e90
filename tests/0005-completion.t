#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Completion by bash, zsh and fish, typed into the shells themselves: commands, options, values of
# options, files, and what a running barod has.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-barod.sh
. "$(dirname "$0")/lib-barod.sh"
requires python3 curl bash
mkdir "$SCRATCH/here" "$SCRATCH/here/logs" "$SCRATCH/zsh" "$SCRATCH/store"
cd "$SCRATCH/here" || exit 1
touch run1.csv run2.csv 'with blank.csv'
cp "$TOP/etc/baro.zsh-completion" "$SCRATCH/zsh/_baro"

# typed.py SHELL: reads lines from standard input; prints what each is after its last key.
# ^G is bound to a command that prints the line, so that nothing waits for a time.
cat >"$SCRATCH/typed.py" <<'END_PYTHON'
import os, pty, re, sys
shell, lines = sys.argv[1], sys.stdin.read().splitlines()
top = os.environ["TOP"]
begin = {
    "bash": ["bash --norc --noprofile -i",
             f"source {top}/etc/baro.bash-completion; bind 'set bell-style none';"
             " bind 'set completion-query-items 0'; bind 'set page-completions off';"
             " bind 'set enable-bracketed-paste off';"
             """ bind -x '"\\C-g": echo "[""<$READLINE_LINE>""]"'"""],
    "zsh": ["zsh -f -i",
            "fpath=($SCRATCH/zsh $fpath); autoload -Uz compinit; compinit -u -D; setopt nobeep;"
            " unsetopt zle_bracketed_paste; unset zle_bracketed_paste; LISTMAX=1000;"
            """ show() { print -r -- "[""<$BUFFER>""]" }; zle -N show; bindkey '^G' show"""],
}[shell]
child, fd = pty.fork()
if child == 0:
    os.environ.update(PS1="> ", TERM="dumb", COLUMNS="200")
    os.execvp("sh", ["sh", "-c", "stty columns 200 -echo; exec " + begin[0]])
def until(pattern):
    text = ""
    while not re.search(pattern, text):
        try:
            text += os.read(fd, 4096).decode(errors="replace")
        except OSError:
            sys.exit("the shell has ended:\n" + text)
    return text
os.write(fd, begin[1].encode() + b'; echo rea"dy"\n')
until("ready\r\n")
for line in lines:
    os.write(fd, line.replace("<TAB>", "\t").encode() + b"\x07")
    shown = until(r"\[<(.*)>\]")
    print(re.search(r"\[<(.*)>\]", shown).group(1))
    os.write(fd, b"\x15")
os.kill(child, 9)
END_PYTHON

socket=$SCRATCH/barod.sock
cat >"$SCRATCH/barod.conf" <<END
[net]
socket = $socket
listen = none
[records]
path = $SCRATCH/records.db
[store]
directory = $SCRATCH/store
[metric cpu_load]
step = 60s
END
ok "a barod is there to be asked" start_barod
now=$(date +%s)
printf 'cpu_load,cluster=alex,hostname=a0%s,type=node value=1 %s\n' 101 "$now" 102 "$now" 903 "$now" |
    curl -sf --unix-socket "$socket" --data-binary @- 'http://x/api/write?precision=s'
printf 'steal`reboot`,cluster=alex,hostname=a0101,type=node value=1 %s\n' "$now" |
    curl -sf --unix-socket "$socket" --data-binary @- 'http://x/api/write?precision=s'
BARO_SERVER=unix:$socket
export BARO_SERVER

# What is typed, and what the line becomes.  Blanks at its end count.
cat >"$SCRATCH/lines" <<'END'
baro jobstats na<TAB>|baro jobstats namespace 
baro token key <TAB>|baro token key new 
baro top --ss<TAB>|baro top --ssh 
baro jobstats top --op open --targ<TAB>|baro jobstats top --op open --target 
baro jobstats top --output js<TAB>|baro jobstats top --output json 
baro jobstats top --output=js<TAB>|baro jobstats top --output=json 
baro jobstats top -b fs,us<TAB>|baro jobstats top -b fs,user 
baro jobstats top --op samed<TAB>|baro jobstats top --op samedir_rename 
baro token new --role sch<TAB>|baro token new --role scheduler 
baro metric top --by su<TAB>|baro metric top --by sum 
baro climate show run1<TAB>|baro climate show run1.csv 
baro job summarize --output=xl<TAB>|baro job summarize --output=xlsx 
baro job slice --into=run1<TAB>|baro job slice --into=run1.csv 
baro store import lo<TAB>|baro store import logs/
baro metric query cpu<TAB>|baro metric query cpu_load 
baro metric query cpu_load alex/a09<TAB>|baro metric query cpu_load alex/a0903 
baro node --metric cpu<TAB>|baro node --metric cpu_load 
baro metric query --server unix:/no.sock cpu<TAB>|baro metric query --server unix:/no.sock cpu
baro metric query steal<TAB>|baro metric query steal
baro nothing x<TAB>|baro nothing x
barod --conf<TAB>|barod --config 
barod --config run1<TAB>|barod --config run1.csv 
baro-agent --on<TAB>|baro-agent --once 
baro-abc --interface mp<TAB>|baro-abc --interface mpiio 
baro-abc vp<TAB>|baro-abc vpic 
END
typed_into() { # SHELL
    cut -d'|' -f1 "$SCRATCH/lines" | python3 "$SCRATCH/typed.py" "$1" >"$SCRATCH/got.$1" || {
        cat "$SCRATCH/got.$1"
        return 1
    }
}
for shell in bash zsh; do
    command -v $shell >/dev/null || {
        skip "$shell" "it is not installed"
        continue
    }
    ok "lines are typed into $shell" typed_into $shell
    is "and $shell completes them" "$(cat "$SCRATCH/got.$shell")" "$(cut -d'|' -f2 "$SCRATCH/lines")"
done

# fish lists candidates without being typed into: the one that there is, as the line's last word.
typed_into_fish() {
    cut -d'|' -f1 "$SCRATCH/lines" | sed 's/<TAB>//' >"$SCRATCH/typed"
    # shellcheck disable=SC2016 # fish's
    fish --no-config -c '
        source $TOP/etc/baro.fish-completion
        while read -l line
            echo (complete -C "$line" | string replace -r "\t.*" "" | string join "|")
        end <$SCRATCH/typed' >"$SCRATCH/got.fish"
}
if command -v fish >/dev/null; then
    HOME=$SCRATCH/here
    export HOME
    ok "lines are typed into fish" typed_into_fish
    # Of words that nothing completes fish lists none.
    is "and fish completes them" "$(cat "$SCRATCH/got.fish")" \
        "$(sed 's/<TAB>|/|/; s/ $//' "$SCRATCH/lines" |
            awk -F'|' '{ if ($1 == $2) print ""; else print $2 }' | sed 's/.* //')"
else
    skip "fish" "it is not installed"
fi

is "what a server sends and a shell would run is no candidate" \
    "$(baro --complete metric query steal)" ""
is "a server that is not there is passed over in silence" \
    "$(baro --complete metric query --server "unix:$SCRATCH/no.sock" '' 2>&1)" ""
python3 - "$SCRATCH/mute.sock" <<'END' &
import socket, sys, time
s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(8); time.sleep(600)
END
at_exit "kill -9 $!"
wait_for 10 test -S "$SCRATCH/mute.sock"
ok "one that does not respond, too, and not waited for" \
    timeout 60 sh -c '[ -z "$(baro --complete metric query --server "unix:$SCRATCH/mute.sock" "" 2>&1)" ]'
finish
