/* SPDX-License-Identifier: Apache-2.0 */
/* flat_json - JSON as a list of paths with values, in the order of the text.
 *
 *     {"metrics": {"cpu_load": {"frequency": 60}}}  ─▶  metrics/cpu_load/frequency 60
 *
 * A value within an array has its position for a name.  Which values were looked up is
 * remembered, so that what is left over can be named.
 */
#ifndef MIGRATE_FLAT_JSON_H
#define MIGRATE_FLAT_JSON_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/span_type.h"

#include <stdbool.h>
#include <stddef.h>

#define FLAT_JSON_PATH_MAX 1024 /* bytes */

struct flat_json_item {
    char *path;  /* names separated by slashes */
    char *value; /* text without quotes, a number as written, "true", "false", "null" */
    bool is_null;
    bool is_used;
};

struct flat_json {
    struct flat_json_item *items;
    size_t count, capacity;
};

/* *ret is zeroed or done.  Errors: -EBADMSG (no JSON, or deeper than 16), -EMSGSIZE (a
 * longer path), -ENOMEM. */
int flat_json_parse(struct span text, struct flat_json *ret, struct err *err);
void flat_json_done(struct flat_json *flat);
DEFINE_AUTO_DONE(struct flat_json, flat_json_done);

/* The value at a path, which then counts as used; NULL: it is not there, null or empty.
 */
const char *flat_json_use(struct flat_json *flat, const char *path);

#endif
