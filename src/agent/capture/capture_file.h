/* SPDX-License-Identifier: Apache-2.0 */
/* capture_file - raw dumps of one or more servers in a directory, to be observed again.
 *
 *     DIR/uuid                                    who sends them when they are replayed
 *     DIR/<host>/<t_ms>-list.zst                  what was mounted, cleanup intervals
 *     DIR/<host>/<t_ms>-obdfilter.<target>.zst    job_stats of one target, as printed
 *     DIR/<host>/<t_ms>-mdt.<target>.zst
 *
 * t_ms is the instant before the read began, as the agent has it.
 */
#ifndef AGENT_CAPTURE_CAPTURE_FILE_H
#define AGENT_CAPTURE_CAPTURE_FILE_H

#include "base/err.h"
#include "base/strbuf.h"
#include "base/uuid.h"

#define CAPTURE_LIST "list"

/* One file of a capture, by its name. */
struct capture_file {
    int64_t t_ms;
    struct span param; /* "list", or "obdfilter.scratch-OST0001" */
};

/* *ret points into name.  Errors: -EINVAL. */
int capture_parse_name(struct span name, struct capture_file *ret);
/* The directory is made.  Errors: -ENOMEM, what writing returns. */
int capture_write(const char *dir, const char *host, int64_t t_ms, struct span param,
                  struct span text, struct err *err);
/* Replace what is in text.  Errors: -EBADMSG (no such file), -ENOMEM, what reading
 * returns.
 */
int capture_read(const char *path, struct strbuf *text, struct err *err);
/* The capture's own UUID, drawn when it is new.  Errors: -EBADMSG (its file holds
 * none), what reading and writing say. */
int capture_uuid(const char *dir, struct uuid *ret, struct err *err);

#endif
