/* SPDX-License-Identifier: Apache-2.0 */
/* job_log_fixture - a small Darshan log for tests: two files of one rank each by POSIX,
 * one by STDIO, one layout.
 */
#ifndef TESTS_JOB_LOG_FIXTURE_H
#define TESTS_JOB_LOG_FIXTURE_H

#include "analysis/job/job.h"
#include "base/test/testing.h"
#include "source/darshan/test/log_maker.h"

#define MIB (UINT64_C(1) << 20)

/* Counters of a record by their names behind the prefix; all others are 0. */
struct named {
    const char *name;
    double value;
};

static inline double value_of(const struct named *named, const char *whole)
{
    const char *name = strchr(whole, '_') + 1;
    for (; named->name; named++)
        if (strcmp(named->name, name) == 0)
            return named->value;
    return 0;
}

static inline void record_put(struct log_maker *m, enum darshan_module_id id,
                              uint64_t file, uint64_t rank, const struct named *named)
{
    const struct darshan_module *module = darshan_module(id);
    struct strbuf *to = &m->slots[log_slot(m, id)];
    log_u64(m, to, file);
    log_u64(m, to, rank);
    for (size_t i = 0; i < module->counter_count; i++)
        log_u64(m, to, (uint64_t)value_of(named, module->counter_names[i]));
    for (size_t i = 0; i < module->f_counter_count; i++)
        log_double(m, to, value_of(named, module->f_counter_names[i]));
}

static inline void layout_put(struct log_maker *m, uint64_t file, uint64_t ost)
{
    const uint64_t words[] = { file, 0, 4, 1, 0, MIB, 1, ost };
    unsigned slot = log_slot(m, DARSHAN_LUSTRE);
    m->versions[slot] = 1;
    for (size_t i = 0; i < COUNT_OF(words); i++)
        log_u64(m, &m->slots[slot], words[i]);
}

/* Two files of one rank each, written to scratch and read from home; one by STDIO. */
static inline void log_fill(struct log_maker *m)
{
    static const struct named written[] = {
        { "OPENS", 2 },
        { "WRITES", 4 },
        { "BYTES_WRITTEN", 4 * MIB },
        { "F_WRITE_TIME", 2 },
        { "F_META_TIME", 0.5 },
        { "SEQ_WRITES", 3 },
        { "F_WRITE_START_TIMESTAMP", 10 },
        { "F_WRITE_END_TIMESTAMP", 12 },
        { NULL, 0 },
    };
    static const struct named read[] = {
        { "OPENS", 1 },         { "READS", 2 }, { "BYTES_READ", 1 * MIB },
        { "F_READ_TIME", 0.5 }, { "STATS", 1 }, { NULL, 0 },
    };
    static const struct named streamed[] = {
        { "OPENS", 1 },
        { "WRITES", 8 },
        { "BYTES_WRITTEN", 100 },
        { NULL, 0 },
    };
    log_job(m, "lib_ver=3.5.0\n", "./app -n 4\next4\t/\nlustre\t/scratch\n");
    log_name(m, 11, "/scratch/out");
    log_name(m, 12, "/home/in");
    log_name(m, 13, "/scratch/log");
    m->versions[DARSHAN_POSIX] = 4;
    record_put(m, DARSHAN_POSIX, 11, 0, written);
    record_put(m, DARSHAN_POSIX, 12, 1, read);
    m->versions[log_slot(m, DARSHAN_STDIO)] = 2;
    record_put(m, DARSHAN_STDIO, 13, 0, streamed);
    layout_put(m, 11, 7);
}

#endif
