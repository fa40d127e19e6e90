/* SPDX-License-Identifier: Apache-2.0 */
/* item_list - a list of results that grows by one item at a time. */
#ifndef ANALYSIS_CLIMATE_ITEM_LIST_H
#define ANALYSIS_CLIMATE_ITEM_LIST_H

#include <stddef.h>
#include <stdlib.h>

/* The list with capacity for one more than count items of item_size bytes; NULL without
 * memory, and then the list is as it was. */
static inline void *item_list_grow(void *items, size_t count, size_t *capacity,
                                   size_t item_size)
{
    if (count < *capacity)
        return items;
    size_t more = *capacity ? 2 * *capacity : 16;
    void *grown = reallocarray(items, more, item_size);
    if (grown)
        *capacity = more;
    return grown;
}

#endif
