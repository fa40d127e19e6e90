/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz - what every fuzz target includes: its entry point, and a check that stays on.
 */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include "base/cleanup.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Defined by each target; called by libFuzzer, or by replay.c for the kept inputs. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void fuzz_check(int holds)
{
    if (!holds)
        abort();
}

#endif
