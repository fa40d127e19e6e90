/* SPDX-License-Identifier: Apache-2.0 */
/* target - one engine that samples are sent to: its queue, and the thread that sends.
 *
 *     target_put ─▶ records ─▶ spool ─▶ message ─▶ POST ─┬─ 2xx: acknowledged
 *                                                        ├─ 400, 413, 422...: halved
 *                                                        └─ else: later, with back-off
 */
#ifndef FORWARD_TARGET_H
#define FORWARD_TARGET_H

#include "forward/forward.h"
#include "forward/message.h"
#include "net/net.h"
#include "spool/spool.h"

struct forward_target;

int target_new(const struct forward_source *source, const char *name,
               const struct forward_opts *opts, struct forward_target **ret,
               struct err *err);
/* Of opts alone. */
int target_check(const char *name, const struct forward_opts *opts, struct err *err);
int target_start(struct forward_target *target, struct err *err);
void target_free(struct forward_target *target);
DEFINE_AUTO(struct forward_target, target_free);

void target_put(struct forward_target *target, const struct sample *samples,
                size_t count, int64_t oldest_ns);
/* As forward_sync(). */
int target_sync(struct forward_target *target);
const char *target_name(const struct forward_target *target);
void target_stats(struct forward_target *target, struct forward_stats *ret);

#endif
