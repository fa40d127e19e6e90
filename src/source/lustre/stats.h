/* SPDX-License-Identifier: Apache-2.0 */
/* stats - the totals of a server: text in, readings out.
 *
 *     stats, md_stats     read_bytes  9 samples [bytes] 98303 4194304 33554431
 *     brw_stats           pages per bulk r/w     rpcs  % cum % |  rpcs        % cum %
 *                         256:         0   0 100   | 2400 100 100
 *     recovery_status     status: COMPLETE
 *     kbytesfree, ...     4038040
 *     health_check        device scratch-OST0001 reported unhealthy
 *                         NOT HEALTHY
 *     changelog_users     current_index: 4711
 *                         cl1                            4690 (12)
 *
 * The form is reported line by line: what a release adds is read as far as it looks
 * like the rest, and what cannot be read is a fault that costs its line. Sources:
 * recorded trees of Lustre 1.8.3 to 2.15.4.
 */
#ifndef SOURCE_LUSTRE_STATS_H
#define SOURCE_LUSTRE_STATS_H

#include "model/model.h"

enum {
    READING_SAMPLES = 1 << 0,
    READING_MIN = 1 << 1,
    READING_MAX = 1 << 2,
    READING_SUM = 1 << 3,
    READING_SUMSQ = 1 << 4,
    READING_READ = 1 << 5, /* of brw_stats: the two columns of counts */
    READING_WRITE = 1 << 6,
    READING_VALUE = 1 << 7, /* a number that stands alone */
    READING_TEXT = 1 << 8,  /* a word */
    READING_TIME = 1 << 9,  /* t_ns: nanoseconds since the epoch, or a length */
};

/* One line; spans point into the text. */
struct lustre_reading {
    struct span name;   /* "read_bytes", "pages per bulk r/w", "status" */
    struct span bucket; /* of brw_stats: "256", "4K" */
    struct span unit;   /* "bytes", "usecs", "rpcs"; empty when there is none */
    unsigned has;       /* READING_* */
    uint64_t samples, min, max, sum, sumsq;
    uint64_t read, write;
    uint64_t value;
    int64_t t_ns;
    struct span text;
};

struct lustre_reader {
    /* A negative return ends the reading and is returned. */
    int (*reading)(void *arg, const struct lustre_reading *reading);
    /* line: from 1.  NULL: faults are only passed over. */
    void (*fault)(void *arg, uint64_t line, struct span text);
    void *arg;
};

enum lustre_file_form {
    LUSTRE_FILE_STATS,  /* stats, md_stats */
    LUSTRE_FILE_BRW,    /* brw_stats */
    LUSTRE_FILE_FIELDS, /* recovery_status */
    LUSTRE_FILE_WORD,   /* num_exports, kbytesfree */
    /* changelog_users: "current index", a value; then of each user "index", its bucket,
     * a value and, where the release says it, how long it has been idle */
    LUSTRE_FILE_CHANGELOG,
    /* health_check: of the server a text ("healthy", "NOT HEALTHY"); of each device
     * that is not well one, "unhealthy", with the device as its bucket */
    LUSTRE_FILE_HEALTH,
};

/* name: what the file is called; a word alone has no other. */
int lustre_read_text(enum lustre_file_form form, struct span name, struct span text,
                     const struct lustre_reader *reader);

#endif
