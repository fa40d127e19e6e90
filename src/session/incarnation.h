/* SPDX-License-Identifier: Apache-2.0 */
/* incarnation - how often the control node of a session began: stored before it is
 * used, so that a number is never used twice, however the process ends. */
#ifndef SESSION_INCARNATION_H
#define SESSION_INCARNATION_H

#include "base/err.h"

#include <stdint.h>

/* Read DIR/NAME.incarnation, store one more, return that.
 * Errors: -EBADMSG (what stands there is not a number), errno of files. */
int incarnation_next(const char *dir, const char *name, uint64_t *ret, struct err *err);

#endif
