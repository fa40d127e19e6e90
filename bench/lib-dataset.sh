# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# lib-dataset.sh - trees, mounts and medians for the benchmarks of datasets; behind lib.sh.
#
#   study_tree DIRECTORY      16 directories for pathwalk, 500 shared objects
#   studied WHAT PHASE VALUE...   a line of the results
#   median WHAT PHASE COLUMN  of these lines; "-" where there is none
#   waits COMMAND...          until it succeeds, 20 s at most
command -v mkfs.erofs >/dev/null || PATH=$PATH:/usr/sbin
# shellcheck disable=SC2034 # who sources this uses it
programs=$BUILD/src/cmd
probe=$BUILD/bench/dataset_probe
walk_dirs=16 walk_files=${WALK_FILES:-1000} objects=${OBJECTS:-500}

# An object has a function, 64 KiB of text that differs from all others', and pages of zeroes.
study_tree() {
    local i j
    mkdir -p "$1/bin"
    cp "$probe" "$1/bin/probe"
    for i in $(seq 0 $((walk_dirs - 1))); do
        mkdir "$1/dir$i"
        for j in $(seq 0 $((walk_files - 1))); do : >"$1/dir$i/in${i}_$j"; done
    done
    mkdir "$bench_scratch/objects"
    python3 - "$bench_scratch/objects" "$objects" <<'END'
import random, sys
random.seed(11)
for i in range(int(sys.argv[2])):
    with open(f"{sys.argv[1]}/noise{i}", "wb") as f:
        f.write(b"".join(random.randbytes(32) + b"symbol_%07d text;" % n + bytes(16) for n in range(1024)))
    with open(f"{sys.argv[1]}/lib{i}.s", "w") as f:
        f.write(f""".section .rodata
noise: .incbin "{sys.argv[1]}/noise{i}"
.text
.globl work{i}
.type work{i}, @function
work{i}: lea noise(%rip), %rdx
 xor %eax, %eax
 mov $16, %ecx
1: movzbl (%rdx), %esi
 add %rsi, %rax
 add $4096, %rdx
 dec %ecx
 jnz 1b
 ret
.size work{i}, .-work{i}
""")
END
    seq 0 $((objects - 1)) | xargs -P 2 -I{} sh -c \
        'as -o "$1/lib{}.o" "$1/lib{}.s" && ld -shared -o "$2/lib{}.so" "$1/lib{}.o"' sh "$bench_scratch/objects" "$1"
    rm -rf "$bench_scratch/objects"
}
waits() {
    for _ in $(seq 400); do
        "$@" >/dev/null 2>&1 && return
        sleep 0.05
    done
    return 1
}
studied() {
    echo "$@" >>"$bench_scratch/results"
}
median() {
    awk -v what="$1" -v phase="$2" -v column="$3" '$1 == what && $2 == phase { print $column }' "$bench_scratch/results" |
        sort -n | awk '{ v[NR] = $1 } END { m = v[int((NR + 1) / 2)]; if (NR) printf(m < 1 ? "%.3f" : m < 100 ? "%.2f" : "%.0f", m); else printf "-" }'
}
