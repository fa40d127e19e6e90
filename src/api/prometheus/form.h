/* SPDX-License-Identifier: Apache-2.0 */
/* form - application/x-www-form-urlencoded: names and values, decoded.
 *
 *     query=up%7Bjob%3D%22a%22%7D&time=1&match[]=x   ─▶  (query, up{job="a"}), (time,
 * 1), (match[], x)
 *
 * As WHATWG's URL standard has it: plus is a blank, %HH a byte, other text stands for
 * itself; but a % without two digits is refused, as Go's clients expect.
 * Memory   names and values stand in the arena.
 */
#ifndef API_PROMETHEUS_FORM_H
#define API_PROMETHEUS_FORM_H

#include "base/arena.h"
#include "base/err.h"

#define FORM_FIELDS_MAX 1000

struct form_field {
    struct span name, value;
};

struct form {
    const struct form_field *fields;
    size_t count;
};

/* Errors: -EINVAL (err names the byte, or FORM_FIELDS_MAX), -ENOMEM. */
int form_parse(struct span text, struct arena *arena, struct form *ret,
               struct err *err);

#endif
