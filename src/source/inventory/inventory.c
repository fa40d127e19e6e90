/* SPDX-License-Identifier: Apache-2.0 */
/* inventory - the parts of this node. */
#include "source/inventory/inventory_private.h"

#include "base/file.h"
#include "base/hashmap.h"
#include "base/number.h"

#include <errno.h>
#include <stdio.h>

#define STAT_BYTES_MAX ((size_t)4 << 20) /* a line of interrupts has numbers of all */

/* Slots that firmware calls the same get numbers: each stands once in a class. */
static int slots_number(struct part_list *list)
{
    AUTO(hashmap_done) struct hashmap slots = HASHMAP_INIT;
    for (size_t i = 0; i < list->count; i++) {
        struct node_part *part = &list->parts[i];
        char text[INVENTORY_TEXT_BYTES_MAX + 24];
        struct span slot = part->slot;
        for (unsigned number = 2;; number++) {
            char key[sizeof text + 4];
            bool is_new = false;
            int size = snprintf(key, sizeof key, "%u " SPAN_FMT, (unsigned)part->class,
                                SPAN_ARG(part->slot));
            const struct span name = { key, (size_t)size };
            if (!hashmap_put(&slots, name, &is_new))
                return -ENOMEM;
            if (is_new)
                break;
            (void)snprintf(text, sizeof text, "%.*s#%u",
                           (int)(slot.size < 120 ? slot.size : 120), slot.data, number);
            part->slot = part_list_text(list, span_of(text));
            if (list->is_out_of_memory)
                return -ENOMEM;
        }
    }
    return 0;
}

/* The kernel's word for its start; 0: there is none. */
static int64_t boot_time(const char *root)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    char path[PATH_BYTES_MAX];
    int64_t boot_ns = 0;
    (void)snprintf(path, sizeof path, "%s/proc/stat", root);
    if (file_read(path, STAT_BYTES_MAX, &text, NULL) < 0)
        return 0;
    struct span rest = strbuf_span(&text), line;
    while (rest.size) {
        (void)span_cut(&rest, '\n', &line);
        if (span_starts(line, "btime ") &&
            number_parse_seconds(span_trim(span_skip(line, 6)), &boot_ns) == 0)
            return boot_ns > 0 ? boot_ns : 0;
    }
    return 0;
}

int inventory_read(const char *root, const struct inventory_dmi *dmi,
                   struct arena *arena, struct node_inventory *ret, size_t *ret_dropped)
{
    struct part_list *list = arena_alloc(arena, sizeof *list);
    struct node_part *parts = arena_alloc(arena, INVENTORY_PARTS_MAX * sizeof *parts);
    if (!list || !parts)
        return -ENOMEM;
    list->root = root;
    list->arena = arena;
    list->parts = parts;
    inventory_add_dmi(list, dmi);
    inventory_add_labels(list);
    inventory_add_processors(list);
    inventory_add_disks(list);
    inventory_add_networks(list);
    inventory_add_gpus(list);
    int rc = list->is_out_of_memory ? -ENOMEM : slots_number(list);
    if (rc < 0)
        return rc;
    /* What was too much may be of any class. */
    ret->unread = list->dropped ? (1U << PART_CLASS_COUNT) - 1 : list->unread;
    ret->parts = list->parts;
    ret->part_count = list->count;
    ret->boot_ns = boot_time(root);
    *ret_dropped = list->dropped;
    return 0;
}
