/* SPDX-License-Identifier: Apache-2.0 */
/* series_list - a list of names as it stands in its file.
 *
 *     for each series: varint size and bytes of the path, the same of the metric
 *
 * The number of a series is its place, from 1.
 */
#ifndef FORWARD_SERIES_LIST_H
#define FORWARD_SERIES_LIST_H

#include "base/cleanup.h"
#include "base/strbuf.h"

struct series_name {
    struct span path, metric;
};

struct series_list {
    struct series_name *names; /* texts point into what was read */
    uint32_t count, capacity;
};

void series_list_done(struct series_list *list);
DEFINE_AUTO_DONE(struct series_list, series_list_done);

/* Append one.  Errors: -ENOMEM, -EOVERFLOW (no number is left). */
int series_list_add(struct series_list *list, const struct series_name *name);
void series_list_print(const struct series_name *name, struct strbuf *out);
/* Into an empty list, as far as it is whole: what a crash cut off has no number in any
 * record, nor have the zeros that loss of power may leave.  Errors: as above. */
int series_list_read(struct series_list *list, struct span text);

#endif
