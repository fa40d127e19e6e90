/* SPDX-License-Identifier: Apache-2.0 */
/* stay_list - stored places of a host's parts or of one part; private to records. */
#ifndef RECORDS_INVENTORY_STAY_LIST_H
#define RECORDS_INVENTORY_STAY_LIST_H

#include "records/inventory/inventory.h"

struct stored_stay {
    struct part_stay stay;
    bool is_changed; /* it is to be stored */
    bool is_seen;    /* in the report */
};

/* In the arena of who reads it. */
struct stay_list {
    struct stored_stay **stays;
    size_t count, capacity;
};

/* Appends a copy; NULL: no memory. */
struct stored_stay *stay_list_add(struct stay_list *list, const struct part_stay *stay,
                                  struct arena *arena);
/* By the time of the first sight.  Errors: as in records.h. */
int stay_list_of_host(struct records_reader *reader, struct span cluster,
                      struct span host, struct arena *arena, struct stay_list *ret,
                      struct err *err);
int stay_list_of_part(struct records_reader *reader, struct span cluster,
                      struct span part, struct arena *arena, struct stay_list *ret,
                      struct err *err);

#endif
