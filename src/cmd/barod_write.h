/* SPDX-License-Identifier: Apache-2.0 */
/* barod_write - the joint between what takes lines in and the metric store. */
#ifndef CMD_BAROD_WRITE_H
#define CMD_BAROD_WRITE_H

#include "ingest/ingest.h"
#include "store/store.h"

struct barod_write;

/* store and opts outlive it; series_max is the store's.  Errors: -EINVAL (opts->step),
 * -ENOMEM. */
int barod_write_new(struct metric_store *store, uint64_t series_max,
                    const struct write_opts *opts, struct barod_write **ret,
                    struct err *err);
void barod_write_free(struct barod_write *write);
const struct sink *barod_write_sink(const struct barod_write *write);

#endif
