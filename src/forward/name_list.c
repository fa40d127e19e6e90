/* SPDX-License-Identifier: Apache-2.0 */
/* name_list - a list of names as it stands in its file. */
#include "forward/name_list.h"

#include "base/octets.h"

#include <errno.h>
#include <stdlib.h>

#define NAMES_MAX (UINT32_MAX - 1)

void name_list_done(struct name_list *list)
{
    free(list->names);
    *list = (struct name_list){ 0 };
}

int name_list_add(struct name_list *list, const struct series_name *name)
{
    if (list->count == NAMES_MAX)
        return -EOVERFLOW;
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity ? 2 * list->capacity : 1024;
        if (list->capacity > NAMES_MAX / 2)
            capacity = NAMES_MAX;
        struct series_name *names = reallocarray(list->names, capacity, sizeof *names);
        if (!names)
            return -ENOMEM;
        list->names = names;
        list->capacity = capacity;
    }
    list->names[list->count++] = *name;
    return 0;
}

void name_list_print(const struct series_name *name, struct strbuf *out)
{
    octets_add_text(out, name->path);
    octets_add_text(out, name->metric);
}

int name_list_read(struct name_list *list, struct span text)
{
    struct octets in = { .rest = text };
    int rc = 0;
    while (rc == 0 && in.rest.size > 0) {
        struct series_name name = { .path = octets_text(&in, UINT32_MAX) };
        name.metric = octets_text(&in, UINT32_MAX);
        if (in.is_bad || name.metric.size == 0)
            break; /* no metric is without a name */
        rc = name_list_add(list, &name);
    }
    return rc;
}
