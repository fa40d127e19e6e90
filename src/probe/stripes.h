/* SPDX-License-Identifier: Apache-2.0 */
/* stripes - files of a probe lie on all targets, where lfs can say so. */
#ifndef PROBE_STRIPES_H
#define PROBE_STRIPES_H

#include "base/err.h"

#define STRIPES_BYTES 64

/* `lfs setstripe -c -1 dir`, when lfs is given or dir is on Lustre; into ret what was
 * asked ("-c -1"), or "".  Errors: what starting it says, -EIO (it failed). */
int stripes_set(const char *lfs, const char *dir, char ret[static STRIPES_BYTES],
                struct err *err);

#endif
