/* SPDX-License-Identifier: Apache-2.0 */
/* settling - whether a target was mounted anew: decided, and what follows from it.
 * Inside the room only. */
#ifndef OBSERVE_SETTLING_H
#define OBSERVE_SETTLING_H

#include "observe/target.h"

/* One entry of the open round: compared, or put aside until it is settled.  Errors:
 * what fn returned, -ENOMEM, -EBADMSG, -ENOBUFS. */
int settling_entry(struct observe_target *target, const struct entry *entry);
/* The dump is at its end: settle what is not settled, and after a reset forget the
 * generations that were not in it.  Errors: as above. */
int settling_end(struct observe_target *target);
/* The dump broke off.  Errors: as above. */
int settling_cut(struct observe_target *target);
/* Forget the generations for which is_over is true; a row reports those whose end was
 * not observed.  Errors: what fn returned, -ENOMEM. */
int settling_forget(struct observe_target *target, generation_over_fn *is_over,
                    const void *arg);

#endif
