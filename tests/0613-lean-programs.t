#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the programs need: an agent without databases and servers, and builds without those
# libraries' .pc files.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
requires meson pkg-config readelf

needs() { # PROGRAM
    readelf -d "$BUILD/src/cmd/$1" | sed -n 's/.*NEEDED.*\[\(.*\)\.so.*/\1/p' |
        grep -v 'asan\|ubsan\|tsan\|libm$\|libc$\|ld-linux' | sort | tr '\n' ' '
}
is "baro-agent needs few libraries" "$(needs baro-agent)" "libcrypto libcurl libssl libuv libxxhash libzstd "
is "the host of plugins Lua alone" "$(needs baro-plugin-host)" "liblua5.4 "
is "a node of a user's session, too" "$(needs baro-session-node)" "libcrypto libssl libuv libxxhash "
is "its privileged reader none" "$(needs baro-lustre-read)" ""
is "nor its reader of GPUs: their library is opened when it runs" "$(needs baro-gpu-read)" ""

# The folder of pkg-config with these libraries and no other.
lean() { # LIBRARY...
    mkdir -p "$SCRATCH/pc"
    rm -f "$SCRATCH"/pc/*
    for library; do
        directory=$(pkg-config --variable=pcfiledir "$library") &&
            cp "$directory/$library.pc" "$SCRATCH/pc/" || return 1
    done
}
setup() { # PROGRAMS
    rm -rf "$SCRATCH/build"
    PKG_CONFIG_LIBDIR=$SCRATCH/pc meson setup "$SCRATCH/build" "$TOP" \
        -Dprograms="$1" -Dman=false || return 1
}
built() {
    ninja -C "$SCRATCH/build" -t targets all | sed -n 's|^src/cmd/\(baro[a-z-]*\): c_LINKER.*|\1|p' |
        grep -v 'mpi' | sort | tr '\n' ' '
}
agent="libxxhash libzstd libcrypto libssl openssl libuv libcurl zlib lua5.4"
# shellcheck disable=SC2086 # words on purpose
lean $agent || skip_all "a .pc file is missing"
ok "the agent is configured with its own libraries alone" setup agent
is "and only it is built" "$(built)" "baro-agent baro-gpu-read baro-lustre-read baro-plugin-host "
# shellcheck disable=SC2086 # words on purpose
lean $agent sqlite3 liblzma
ok "agent and command line without libnats, libpq, libmicrohttpd and HDF5" setup agent,cli
is "and only they are built" "$(built)" "baro baro-abc baro-agent baro-gpu-read baro-lustre-read baro-plugin-host baro-session-node "
is "the daemon is not configured without its own" \
    "$(setup server,agent,cli 2>&1 | grep -o 'ERROR: Dependency "[a-z-]*" not found')" \
    'ERROR: Dependency "snappy" not found'
finish
