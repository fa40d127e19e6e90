/* SPDX-License-Identifier: Apache-2.0 */
/* acknowledged - the file of how far the reader has come, and of what was lost.  Inside
 * the room only; under the spool's lock. */
#ifndef SPOOL_ACKNOWLEDGED_H
#define SPOOL_ACKNOWLEDGED_H

#include "spool/files.h"

/* Open or make it, lock it against other processes, read it.  Errors: -EBUSY (another
 * has it), -EPROTONOSUPPORT (of another version), what open and write return. */
int acknowledged_open(struct spool *s, struct err *err);
/* Errors: what write returns. */
int acknowledged_store(struct spool *s, struct err *err);

#endif
