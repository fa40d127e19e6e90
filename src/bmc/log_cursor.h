/* SPDX-License-Identifier: Apache-2.0 */
/* log_cursor - which entries of a BMC's log were seen.
 *
 *     entry ─▶ XXH3 of id, time and text ─▶ in the set? ─▶ old : new
 *
 * It goes by what entries are, not by their ids or times alone: logs are cleared, ids
 * begin anew, clocks of BMCs go back to 1970.  A log that was never seen has no new
 * entries.
 *
 * On disk: one small file a host, replaced whole; doc/formats/bmc-state.md.
 *
 * Bounds   LOG_CURSOR_MAX entries; of a longer log those that were read last.
 * Threads  none inside.
 */
#ifndef BMC_LOG_CURSOR_H
#define BMC_LOG_CURSOR_H

#include "base/err.h"
#include "bmc/report.h"

#define LOG_CURSOR_MAX 2048

struct log_cursor {
    uint64_t *seen; /* sorted */
    size_t count;
    bool is_set;       /* the log was read once */
    uint16_t sel_next; /* IPMI: the record that was read last */
    uint64_t sel_hash; /* of it */
};

void log_cursor_done(struct log_cursor *cursor);

uint64_t log_entry_hash(const struct bmc_entry *entry);
bool log_cursor_has(const struct log_cursor *cursor, uint64_t hash);

/* What one reading saw; becomes the cursor when what is new was sent. */
struct log_seen {
    uint64_t hash[LOG_CURSOR_MAX];
    size_t count;
    uint16_t sel_next;
    uint64_t sel_hash;
};
void log_seen_add(struct log_seen *seen, uint64_t hash);
/* *ret_changed: it is another than before.  Errors: -ENOMEM. */
int log_cursor_set(struct log_cursor *cursor, struct log_seen *seen, bool *ret_changed);

/* name: alex/a1, as in state_file.h.  A file that is missing is a log that was never
 * seen; one that is none is likewise, and -EBADMSG.  Errors: those of files, -ENOMEM.
 */
int log_cursor_load(struct log_cursor *cursor, const char *directory, const char *name,
                    struct err *err);
int log_cursor_save(const struct log_cursor *cursor, const char *directory,
                    const char *name, struct err *err);

#endif
