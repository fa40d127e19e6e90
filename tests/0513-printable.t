#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What hosts print through ssh reaches no terminal as it came.  A host that closes its
# pipes and lives on is given up.
. "$(dirname "$0")/lib.sh"
cd "$SCRATCH" || exit 1

# clean FILE: no control byte but the newline, and the order can be read.
clean() {
    LC_ALL=C grep -q '\\x1B]0;title\\x07' "$1" &&
        ! LC_ALL=C grep -q "$(printf '[\001-\011\013-\037\177]')" "$1"
}

cat >host <<END
#!/bin/sh
printf 'no route \033]0;title\007\302\233\177\377 here\n' >&2
exit 255
END
chmod +x host
baro top --ssh oss01 --command "$SCRATCH/host" --rounds 1 --interval 1ms >out 2>&1
ok "what a host says is made readable" clean out
ok "the note names the host" grep -q 'oss01: ' out

# Its pipes are closed, and it lives on, and so does what it has begun.
cat >closed <<'END'
#!/bin/sh
sleep 600 >/dev/null 2>&1 </dev/null &
echo "$$ $!" >>pids
exec >&- 2>&-
wait
END
chmod +x closed
timeout 60 baro top --ssh oss01 --command "$SCRATCH/closed" --rounds 1 --interval 1ms \
    --timeout 300ms >out 2>&1
is "a host that closes both pipes and lives on is given up" "$?" 0
ok "which is said" grep -q 'oss01: .*timed out' out
gone() {
    ! kill -0 "$(cut -d' ' -f1 pids)" 2>/dev/null && ! kill -0 "$(cut -d' ' -f2 pids)" 2>/dev/null
}
ok "it is ended, with what it has begun" wait_for 10 gone
finish
