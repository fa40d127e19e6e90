/* SPDX-License-Identifier: Apache-2.0 */
/* uuid - RFC 4122 identifiers, 16 bytes in network order. */
#ifndef BASE_UUID_H
#define BASE_UUID_H

#include "base/span_type.h"

#include <stdint.h>

#define UUID_TEXT_SIZE 37 /* with the NUL */

struct uuid {
    uint8_t bytes[16];
};

/* Random (version 4).  Errors: -EIO (no randomness to be had). */
int uuid_new(struct uuid *ret);
/* Version 5 (SHA-1) of name in a namespace: what uuidgen --sha1 prints.  The name is
 * given in up to two pieces, so that "target:" and identifier need not be copied
 * together. */
int uuid_v5(const struct uuid *ns, struct span name, struct span name_rest,
            struct uuid *ret);
int uuid_parse(struct span text, struct uuid *ret); /* -EINVAL */
void uuid_print(char out[static UUID_TEXT_SIZE], const struct uuid *uuid);

#endif
