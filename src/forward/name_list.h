/* SPDX-License-Identifier: Apache-2.0 */
/* name_list - a list of names as it stands in its file.
 *
 *     for each series: varint size and bytes of the path, the same of the metric
 *
 * The number of a series is its place, from 1.
 */
#ifndef FORWARD_NAME_LIST_H
#define FORWARD_NAME_LIST_H

#include "base/cleanup.h"
#include "base/strbuf.h"

struct series_name {
    struct span path, metric;
};

struct name_list {
    struct series_name *names; /* texts point into what was read */
    uint32_t count, capacity;
};

void name_list_done(struct name_list *list);
DEFINE_AUTO_DONE(struct name_list, name_list_done);

/* Append one.  Errors: -ENOMEM, -EOVERFLOW (no number is left). */
int name_list_add(struct name_list *list, const struct series_name *name);
void name_list_print(const struct series_name *name, struct strbuf *out);
/* Into an empty list, as far as it is whole: what a crash cut off has no number in any
 * record, nor have the zeros that loss of power may leave.  Errors: as above. */
int name_list_read(struct name_list *list, struct span text);

#endif
