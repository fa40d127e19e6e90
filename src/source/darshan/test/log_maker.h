/* SPDX-License-Identifier: Apache-2.0 */
/* log_maker - writes Darshan logs for the tests: any format, byte order, compression.
 *
 * It knows nothing of records: a test puts words and texts where it wants them.
 */
#ifndef SOURCE_DARSHAN_TEST_LOG_MAKER_H
#define SOURCE_DARSHAN_TEST_LOG_MAKER_H

#include "source/darshan/darshan.h"

struct log_maker {
    unsigned number; /* 300 .. 341 */
    bool is_big;
    enum darshan_compression compression;
    unsigned members; /* compressed streams that each region is cut into; 0: one */
    uint64_t partial; /* a bit a slot */
    uint64_t later_s; /* the job began so long after the usual start */
    struct strbuf job;
    struct strbuf names;
    struct strbuf slots[DARSHAN_SLOTS_MAX];
    uint32_t versions[DARSHAN_SLOTS_MAX];
};

void log_maker_done(struct log_maker *m);
DEFINE_AUTO_DONE(struct log_maker, log_maker_done);

/* The slot that a module has in this format. */
unsigned log_slot(const struct log_maker *m, enum darshan_module_id id);

void log_u64(const struct log_maker *m, struct strbuf *to, uint64_t value);
void log_double(const struct log_maker *m, struct strbuf *to, double value);
/* text and NULs up to size bytes. */
void log_text(struct strbuf *to, const char *text, size_t size);

/* uid 1000, start 1500000000, end 60 s later, 4 processes, jobid 4711; texts is what
 * follows the metadata: "exe args\ntype\tpath\n". */
void log_job(struct log_maker *m, const char *metadata, const char *texts);
void log_name(struct log_maker *m, uint64_t id, const char *name);

/* The finished log in out. */
void log_make(const struct log_maker *m, struct strbuf *out);

#endif
