/* SPDX-License-Identifier: Apache-2.0 */
/* load - the segments of a spool, found and read at opening.  Inside the room only. */
#ifndef SPOOL_LOAD_H
#define SPOOL_LOAD_H

#include "spool/files.h"

/* A torn tail is cut off, a header that cannot be read is written anew, a file in which
 * no record is found is put aside.  Errors: -EPROTONOSUPPORT (of another version), what
 * reading and writing return, -ENOMEM. */
int files_load(struct spool *s, struct err *err);

#endif
