/* SPDX-License-Identifier: Apache-2.0 */
/* metric_select - what cc-metric-store's queries mean, as levels of the tree.
 *
 *     no type                     the host
 *     type, aggreg                one result: all type-ids (× subtype-ids) together
 *     type                        one result for each type-id (× subtype-id)
 *
 * Threads  between metric_store_enter() and metric_store_leave().
 */
#ifndef QUERY_METRIC_METRIC_SELECT_H
#define QUERY_METRIC_METRIC_SELECT_H

#include "base/strbuf.h"
#include "store/store.h"

#include <stdbool.h>

struct metric_names {
    const struct span *items;
    size_t count;
};

struct metric_selection {
    struct span cluster, host;
    bool has_type, has_subtype;
    struct span type, subtype;
    struct metric_names ids, sub_ids;
    bool is_together; /* aggreg */
};

/* Levels that were found; kept from one selector to the next. */
struct metric_levels {
    struct level **items;
    size_t count, capacity;
};

void metric_levels_done(struct metric_levels *levels);
DEFINE_AUTO_DONE(struct metric_levels, metric_levels_done);
int metric_levels_add(struct metric_levels *levels, struct level *level);

/* How many results the selection has. */
size_t metric_select_count(const struct metric_selection *selection);
/* The levels of result index; those that are not there are left out.  Errors: -ENOMEM.
 */
int metric_select(const struct metric_store *store,
                  const struct metric_selection *selection, size_t index,
                  struct metric_levels *ret);

/* The level right below a path whose name rest is, or begins with before a colon (names
 * have colons themselves); rest then loses it.  Errors: -ENOENT, -ENOMEM. */
int metric_find_child(const struct metric_store *store, struct span path,
                      struct span *rest, struct level **ret);

/* The levels right below a path, or below the root, by name.  Errors: -ENOMEM. */
int metric_children(const struct metric_store *store, struct span path,
                    struct metric_levels *ret);

/* All levels whose path matches (component_path_matches()), in their order.  Errors:
 * -ENOMEM. */
int metric_match(const struct metric_store *store, struct span pattern,
                 struct metric_levels *ret);

#endif
