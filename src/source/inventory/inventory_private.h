/* SPDX-License-Identifier: Apache-2.0 */
/* inventory_private - the list of parts while it is made; for this room alone. */
#ifndef SOURCE_INVENTORY_INVENTORY_PRIVATE_H
#define SOURCE_INVENTORY_INVENTORY_PRIVATE_H

#include "base/cleanup.h"
#include "base/span.h"
#include "source/inventory/inventory.h"

#define SMALL_FILE_BYTES_MAX ((size_t)4096)
#define PATH_BYTES_MAX 1024

struct part_list {
    const char *root;
    struct arena *arena;
    struct node_part *parts; /* INVENTORY_PARTS_MAX */
    size_t count, dropped;
    unsigned unread;
    struct span banks[INVENTORY_PARTS_MAX]; /* of modules */
    bool is_out_of_memory;
};

/* A new part, with a cleaned slot; NULL: there are too many, or memory is out. */
struct node_part *part_list_add(struct part_list *list, enum part_class class,
                                struct span slot);
/* text for people: printable ASCII without blanks on either side, of at most
 * INVENTORY_TEXT_BYTES_MAX; in the arena. */
struct span part_list_text(struct part_list *list, struct span text);
/* What a small file below the root has, cleaned; empty: nothing. */
struct span part_list_file(struct part_list *list, const char *directory,
                           const char *name);
/* The last name of what a link leads to; empty: it is none. */
struct span part_list_link(struct part_list *list, const char *directory,
                           const char *name);
/* Each entry of a directory below the root, sorted; at most 4096. */
typedef void part_entry_fn(struct part_list *list, const char *directory,
                           const char *name);
/* False: the directory is not there, or cannot be read. */
bool part_list_each(struct part_list *list, const char *directory, part_entry_fn *fn);

void inventory_add_dmi(struct part_list *list, const struct inventory_dmi *dmi);
void inventory_add_labels(struct part_list *list);
void inventory_add_processors(struct part_list *list);
void inventory_add_disks(struct part_list *list);
void inventory_add_networks(struct part_list *list);
void inventory_add_gpus(struct part_list *list);

#endif
