#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/symbols: agent and command line use nothing that EL8 cannot have, and what would be
# is found.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
requires objdump awk cc

ok "every symbol newer than EL8's glibc and OpenSSL is there by another way" "$TOP/tools/symbols"
cp "$SCRATCH/ok.out" "$SCRATCH/found"
missing() {
    sed -n 's/^| \(`[^`]*`\) | [A-Z].*/\1/p' "$SCRATCH/found" | while read -r symbol; do
        grep -qF "| $symbol |" "$TOP/doc/measured/symbols.md" || echo "$symbol"
    done
}
is "each of them is in doc/measured/symbols.md" "$(missing)" ""

cat >"$SCRATCH/new.c" <<'END_C'
#include <openssl/evp.h>
#include <unistd.h>
int main(void)
{
    EVP_PKEY_free(EVP_PKEY_Q_keygen(NULL, NULL, "ED25519"));
    return close_range(100, 200, 0);
}
END_C
cc -D_GNU_SOURCE -o "$SCRATCH/new" "$SCRATCH/new.c" -lcrypto ||
    skip_all "no program can be made that is too new"
"$TOP/tools/symbols" "$SCRATCH/new" >"$SCRATCH/found"
is "a program that is too new is refused" "$?" 1
is "and what of it is" "$(sed -n 's/^| `\([^`]*\)`.*NOT LOOKED UP.*/\1/p' "$SCRATCH/found")" \
    "EVP_PKEY_Q_keygen
close_range"
ok "a program that is not there is no success" not "$TOP/tools/symbols" "$SCRATCH/none"
finish
