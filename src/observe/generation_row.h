/* SPDX-License-Identifier: Apache-2.0 */
/* generation_row - rows made of what is remembered of an entry.  Inside the room only.
 */
#ifndef OBSERVE_GENERATION_ROW_H
#define OBSERVE_GENERATION_ROW_H

#include "observe/target.h"

/* What is remembered of an entry, as an entry, in the units that its columns have.  Its
 * texts point into the target and the generation; observe->total is used for it.
 * Errors: -EBADMSG (what is remembered is damaged). */
int generation_entry(struct observe_target *target, const struct generation *generation,
                     struct entry *ret);
/* A baseline, that is a row which others follow and which adds nothing: the generation
 * as it is, at t_ms.  like: its entry now, or NULL.  Errors: -ENOMEM, what fn returned.
 */
int generation_emit_base(struct observe_target *target,
                         const struct generation *generation, int64_t t_ms,
                         const struct entry *like);

#endif
