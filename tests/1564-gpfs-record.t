#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro gpfs record: mmpmon is run step by step, and the sums of its nodes are kept.
. "$(dirname "$0")/lib.sh"
requires python3
cd "$SCRATCH" || exit 1
unset TZ

# A stand-in for mmpmon: nodes and file systems grow by 100 and 1000 at each call.
cat >mmpmon <<'END'
#!/bin/sh
dir=$(dirname "$0")
cat "$3" >"$dir/asked"
calls=$(($(cat "$dir/calls" 2>/dev/null || echo 0) + 1))
echo $calls >"$dir/calls"
line() { # NODE FS BYTES
    echo "_fs_io_s_ _n_ 10.0.0.1 _nn_ $1 _rc_ 0 _t_ $(date +%s) _tu_ 1 _cl_ gpfs.site _fs_ $2 _d_ 4 _br_ $3 _bw_ $(($3 * 2)) _oc_ $calls _cc_ $calls _rdc_ $calls _wc_ $calls _dir_ $calls _iu_ $calls"
}
line n1 scratch $((calls * 100))
line n2 scratch $((calls * 1000))
line n1 home $((calls * 7))
echo "_fs_io_s_ _n_ 10.0.0.1 _nn_ n3 _rc_ 1 _t_ 1 _tu_ 1 _cl_ - _fs_ -"
END
chmod +x mmpmon
mkdir kept
baro gpfs record --dir kept --cluster viz --side server --command "$SCRATCH/mmpmon" --step 2s --rounds 5 2>said
status=$?
set -- kept/gpfs-*.csv
is "a file a day, with names of columns" "$(head -qn 1 "$@" | sort -u)" \
    "time,step_s,cluster,side,owner,fs,nodes,unknown_nodes,read_bytes,write_bytes,opens,closes,reads,writes,readdirs,inode_updates"
# A step that was lost on a busy machine makes the next one unknown: no row, never a wrong one.
is "every row is the sum of what nodes grew by" \
    "$(cat "$@" | grep -v ^time | cut -d, -f2- | sort -u)" \
    "2,viz,server,gpfs.site,home,1,0,7,14,1,1,1,1,1,1
2,viz,server,gpfs.site,scratch,2,0,1100,2200,2,2,2,2,2,2"
is "steps begin on the clock" "$(cat "$@" | grep -v ^time | cut -d, -f1 | awk '$1 % 2' | wc -l)" 0
is "what mmpmon says it cannot is named" "$(sort -u said | grep -c 'the request failed')" 1
is "this node is asked" "$(cat asked)" "fs_io_s"
if [ "$(cat "$@" | grep -c scratch)" -gt 1 ]; then
    is "what is kept is a series, with the mapping that is shipped" \
        "$(baro series show -m clients/readbytes "map:$TOP/etc/tables/gpfs-record.conf:$1" | head -n 2 | cut -d, -f2-)" \
        "scratch@viz,home@viz
1100,7"
else
    skip "what is kept is a series" "steps were lost ($status)"
fi
baro gpfs record --dir kept --cluster viz --node n1 --node n2 --command "$SCRATCH/mmpmon" --step 1s --rounds 1 2>said
is "other nodes are asked through it" "$(cat asked)" "nlist new n1 n2
fs_io_s"
mkdir lost
ok "an mmpmon that fails is said, and the program says so" sh -c \
    '! baro gpfs record --dir lost --cluster viz --command /bin/false --step 1s --rounds 1 2>said'
is "in words" "$(cat said)" "baro gpfs record: mmpmon fails; steps are lost until it responds"
printf '#!/bin/sh\nexec sleep 30\n' >hanging
chmod +x hanging
ok "one that hangs is left alone" sh -c \
    '! timeout 120 baro gpfs record --dir lost --cluster viz --command "$SCRATCH/hanging" --step 1s --rounds 1 2>said; grep -q "does not respond\|slower than a step" said'
# Interrupted: the round that runs ends, only node n3's failure is reported, and the status is 0.
baro gpfs record --dir kept --cluster viz --command "$SCRATCH/mmpmon" --step 1s 2>said &
recorder=$!
at_exit "kill $recorder 2>/dev/null"
rm -f calls
while [ ! -s calls ] && kill -0 $recorder; do sleep 0.1; done
kill -INT $recorder
wait $recorder
is "an interrupted one ends with 0" $? 0
is "and leaves nothing behind that a sanitizer would report" "$(sort -u said)" \
    "baro gpfs record: line 4 of mmpmon: the request failed"
# Control-C reaches every process of the terminal: mmpmon's step was not over, none is lost.
printf '#!/bin/sh\nkill -INT $PPID\nsleep 0.5\nkill -KILL $$\n' >interrupted
chmod +x interrupted
baro gpfs record --dir kept --cluster viz --command "$SCRATCH/interrupted" --step 1s 2>said
is "one whose mmpmon is interrupted too ends with 0, and in silence" "$? $(cat said)" "0 "
for wrong in "--cluster a" "--dir lost" "--dir lost --cluster a,b" "--dir lost --cluster a --side both" \
    "--dir lost --cluster a --step 500ms"; do
    # shellcheck disable=SC2086 # several words are meant
    is "misuse: $wrong" "$(baro gpfs record $wrong >/dev/null 2>&1; echo $?)" 2
done
finish
