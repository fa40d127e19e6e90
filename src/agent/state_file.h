/* SPDX-License-Identifier: Apache-2.0 */
/* state_file - one file of what was observed: written over the one before as a whole.
 *
 *     [frame header: kind, spool sequence][frame record: batch number, mark][payload]
 *
 * doc/formats/agent-state.md is the specification.
 */
#ifndef AGENT_STATE_FILE_H
#define AGENT_STATE_FILE_H

#include "base/err.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

#define STATE_KIND_TARGET "agtg"
#define STATE_KIND_LIST "aglt"

/* Where the spool and the batches stood. */
struct state_marks {
    uint64_t sequence;   /* the spool's last */
    uint32_t spool_mark; /* behind it; 0: not recorded */
    uint64_t number;     /* of the last batch */
};

/* *ret_made_dir (may be NULL): its directory had been removed, and was made again.
 * Errors: -EFBIG, -ENOMEM, what writing returns; then the file is as it was. */
int state_file_write(const char *path, const char *kind,
                     const struct state_marks *marks, struct span payload,
                     bool *ret_made_dir, struct err *err);
/* *ret_payload points into bytes.  Errors: -ENOENT, -EBADMSG (damaged),
 * -EPROTONOSUPPORT (of another version), -ENOMEM, what reading returns. */
int state_file_read(const char *path, const char *kind, struct strbuf *bytes,
                    struct state_marks *ret_marks, struct span *ret_payload,
                    struct err *err);

#endif
