/* SPDX-License-Identifier: Apache-2.0 */
/* target - the name of a Lustre target, taken apart: "scratch-OST000f".
 *
 * The file system's name is everything before the last "-MDT" or "-OST"; the index is
 * hexadecimal.  Names that do not follow the form ("OST0001" of hand-made trees) are
 * left whole, with the kind from the path of the parameter.
 */
#ifndef MODEL_TARGET_H
#define MODEL_TARGET_H

#include "model/op.h"

struct target_name {
    struct span fs; /* "scratch"; empty when the name has none */
    enum target_kind kind;
    uint32_t index;
};

#define TARGET_BYTES_MAX 128

/* Errors: -EINVAL (neither MDTxxxx nor OSTxxxx at the end, or over TARGET_BYTES_MAX, or
 * a byte outside [A-Za-z0-9_.-]). */
int target_parse(struct span name, struct target_name *ret);

#endif
