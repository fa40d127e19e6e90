/* SPDX-License-Identifier: Apache-2.0 */
/* job_log - a job's Darshan log, opened once and read in one pass for all who need it.
 */
#include "analysis/job/job_log.h"

#include "source/darshan/darshan.h"

#include <string.h>

/* Interfaces above those that reach a file system, and what is beside I/O: they count
 * for themselves, and damage to them is none to the numbers of I/O. */
static const enum darshan_module_id beside[] = {
    DARSHAN_H5F,         DARSHAN_H5D,   DARSHAN_PNETCDF_FILE,
    DARSHAN_PNETCDF_VAR, DARSHAN_APMPI, DARSHAN_APXC,
};
#define BITS_BESIDE                                                                \
    (LOG_BIT(DARSHAN_H5F) | LOG_BIT(DARSHAN_H5D) | LOG_BIT(DARSHAN_PNETCDF_FILE) | \
     LOG_BIT(DARSHAN_PNETCDF_VAR) | LOG_BIT(DARSHAN_APMPI) | LOG_BIT(DARSHAN_APXC))

struct job_log {
    struct darshan_log *darshan;
    struct strbuf faults; /* a line each */
    uint64_t fault_count; /* parts that are missing or damaged */
    struct log_gaps gaps;
    enum darshan_module_id reading; /* DARSHAN_NULL: no module */
};

/* Who gets each record of the pass; NULL: not wanted. */
struct pass {
    struct job_facts_reader *facts;
    struct profile_reader *profile;
    struct darshan_totals *totals; /* of the module being read */
    const struct darshan_log *log;
};

static void log_on_fault(void *arg, enum darshan_fault fault, const char *what)
{
    struct job_log *log = arg;
    if (fault != DARSHAN_FAULT_DAMAGED) {
        if (log->reading != DARSHAN_NULL) /* a layout that its header does not show */
            log->gaps.unread |= LOG_BIT(log->reading);
        return;
    }
    log->fault_count += !(LOG_BIT(log->reading) & BITS_BESIDE);
    if (log->reading == DARSHAN_NULL)
        log->gaps.is_job_damaged = true;
    else
        log->gaps.damaged |= LOG_BIT(log->reading);
    strbuf_addf(&log->faults, "%s\n", what);
}

static int log_open(const char *path, const void *data, size_t size,
                    const struct job_log_limits *limits, struct job_log **ret,
                    struct err *err)
{
    AUTO(job_log_close) struct job_log *log = calloc(1, sizeof *log);
    if (!log)
        return err_set(err, ENOMEM, "out of memory");
    const struct darshan_opts opts = { .names_bytes_max = limits->names_bytes_max,
                                       .region_bytes_max = limits->region_bytes_max,
                                       .until_ns = limits->until_ns,
                                       .on_fault = log_on_fault,
                                       .arg = log };
    int rc = path ? darshan_log_open(path, &opts, &log->darshan, err)
                  : darshan_log_open_memory(data, size, &opts, &log->darshan, err);
    if (rc < 0)
        return rc;
    bool is_job_damaged = log->gaps.is_job_damaged;
    log_gaps_find(log->darshan, &log->gaps);
    log->gaps.is_job_damaged = is_job_damaged;
    *ret = TAKE(log);
    return 0;
}

static const struct job_log_limits no_limits = { 0, 0, 0 };

int job_log_open(const char *path, struct job_log **ret, struct err *err)
{
    return log_open(path, NULL, 0, &no_limits, ret, err);
}

int job_log_open_memory(const void *data, size_t size, struct job_log **ret,
                        struct err *err)
{
    return log_open(NULL, data, size, &no_limits, ret, err);
}

int job_log_open_limited(const void *data, size_t size,
                         const struct job_log_limits *limits, struct job_log **ret,
                         struct err *err)
{
    return log_open(NULL, data, size, limits, ret, err);
}

void job_log_close(struct job_log *log)
{
    if (!log)
        return;
    darshan_log_close(log->darshan);
    strbuf_done(&log->faults);
    free(log);
}

const char *job_log_faults(const struct job_log *log)
{
    return strbuf_text(&log->faults);
}

int job_log_traffic(struct job_log *log, struct job_traffic *ret, struct err *err)
{
    return job_traffic_read(log->darshan, ret, err);
}

int job_log_detail(struct job_log *log, struct log_work *ret_work,
                   struct log_heat *ret_heat, struct err *err)
{
    int rc = log_work_read(log->darshan, ret_work);
    int rc_heat = log_heat_read(log->darshan, ret_heat);
    rc = rc < 0 ? rc : rc_heat;
    return rc < 0 ? err_set(err, -rc, "%s", strerror(-rc)) : 0;
}

/* ---- the pass ---- */

static int layout_record(void *arg, const struct darshan_record *record)
{
    struct pass *pass = arg;
    return profile_reader_layout(pass->profile, record);
}

static int module_record(void *arg, const struct darshan_record *record)
{
    struct pass *pass = arg;
    const char *name = darshan_log_name(pass->log, record->id);
    bool is_file = !name || name[0] != '<'; /* "<STDOUT>" */
    int rc = pass->profile ? profile_reader_add(pass->profile, record, is_file) : 0;
    if (rc == 0 && pass->facts)
        rc = job_facts_reader_add(pass->facts, record);
    return rc == 0 && pass->totals ? darshan_totals_add(pass->totals, record) : rc;
}

static int slot_find(const struct darshan_log *log, enum darshan_module_id id)
{
    const struct darshan_header *header = darshan_log_header(log);
    for (unsigned i = 0; i < header->slot_count; i++)
        if (header->slots[i].id == id && darshan_log_is_readable(log, i))
            return (int)i;
    return -1;
}

/* *ret is all zero where the log does not have the module. */
static int module_read(struct pass *pass, struct job_log *job,
                       enum darshan_module_id id, struct darshan_summary *ret)
{
    const struct darshan_visitor visitor = { module_record, NULL, pass };
    AUTO(darshan_totals_free) struct darshan_totals *totals = NULL;
    struct darshan_log *log = job->darshan;
    int slot = slot_find(log, id);
    memset(ret, 0, sizeof *ret);
    if (slot < 0)
        return 0;
    if (pass->facts)
        job_facts_reader_module(pass->facts, id);
    if (pass->profile)
        profile_reader_module(pass->profile, id);
    bool has_totals = pass->profile || id == DARSHAN_POSIX;
    if (has_totals && darshan_totals_new(darshan_module(id), 0, &totals) < 0)
        return -ENOMEM;
    pass->totals = totals;
    job->reading = id;
    int rc = darshan_log_read(log, (unsigned)slot, &visitor);
    job->reading = DARSHAN_NULL;
    pass->totals = NULL;
    if (rc == 0 && totals)
        darshan_totals_summary(totals, ret);
    return rc;
}

static int beside_record(void *arg, const struct darshan_record *record)
{
    struct pass *pass = arg;
    profile_reader_use(pass->profile, record);
    return 0;
}

static int beside_read(struct pass *pass, struct job_log *log)
{
    const struct darshan_visitor visitor = { beside_record, NULL, pass };
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < COUNT_OF(beside); i++) {
        int slot = slot_find(log->darshan, beside[i]);
        if (slot < 0)
            continue;
        profile_reader_module(pass->profile, beside[i]);
        log->reading = beside[i];
        rc = darshan_log_read(log->darshan, (unsigned)slot, &visitor);
        log->reading = DARSHAN_NULL;
    }
    return rc;
}

static int pass_read(struct pass *pass, struct job_log *log,
                     struct profile_summaries *sums, uint64_t *ret_layout_faults)
{
    const struct darshan_visitor layouts = { layout_record, NULL, pass };
    uint64_t before = log->fault_count;
    int slot = pass->profile ? slot_find(log->darshan, DARSHAN_LUSTRE) : -1;
    log->reading = DARSHAN_LUSTRE;
    int rc = slot >= 0 ? darshan_log_read(log->darshan, (unsigned)slot, &layouts) : 0;
    log->reading = DARSHAN_NULL;
    *ret_layout_faults = log->fault_count - before;
    if (rc == 0)
        rc = module_read(pass, log, DARSHAN_MPIIO, &sums->mpiio);
    if (rc == 0)
        rc = module_read(pass, log, DARSHAN_POSIX, &sums->posix);
    if (rc == 0)
        rc = module_read(pass, log, DARSHAN_STDIO, &sums->stdio);
    pass->facts = NULL; /* these do not know the other interfaces */
    if (rc == 0 && pass->profile)
        rc = module_read(pass, log, DARSHAN_DFS, &sums->dfs);
    if (rc == 0 && pass->profile)
        rc = module_read(pass, log, DARSHAN_DAOS, &sums->daos);
    if (rc == 0 && pass->profile)
        rc = beside_read(pass, log);
    return rc;
}

/* Facts do not know layouts: what is wrong with these is no damage to them. */
int job_log_read(struct job_log *log, struct arena *arena, struct job_facts *ret_facts,
                 struct profile *ret_profile, struct err *err)
{
    AUTO(job_facts_reader_free) struct job_facts_reader *facts = NULL;
    AUTO(profile_reader_free) struct profile_reader *profile = NULL;
    struct profile_summaries sums = { 0 };
    struct job_facts read_facts;
    struct profile read_profile;
    uint64_t layout_faults = 0;
    int rc = ret_facts ? job_facts_reader_new(log->darshan, arena, &facts) : 0;
    if (rc == 0 && ret_profile)
        rc = profile_reader_new(darshan_log_job(log->darshan), &profile);
    struct pass pass = { facts, profile, NULL, log->darshan };
    if (rc == 0)
        rc = pass_read(&pass, log, &sums, &layout_faults);
    if (rc == 0 && facts)
        rc = job_facts_reader_end(facts, &sums.posix,
                                  log->fault_count > layout_faults ||
                                      (log->gaps.partial & LOG_BITS_IO) != 0,
                                  &read_facts);
    if (rc == 0 && profile)
        rc = profile_reader_end(profile, &sums, log->fault_count, &log->gaps,
                                &read_profile);
    if (rc < 0)
        return rc == -ENODATA
                   ? err_set(err, ENODATA,
                             "the log has no records of POSIX, STDIO, DFS or DAOS")
                   : err_set(err, -rc, "%s", strerror(-rc));
    if (ret_facts)
        *ret_facts = read_facts;
    if (ret_profile)
        *ret_profile = read_profile;
    return 0;
}

static int profile_of(const char *path, const void *data, size_t size,
                      struct profile *ret, struct err *err)
{
    AUTO(job_log_close) struct job_log *log = NULL;
    int rc = log_open(path, data, size, &no_limits, &log, err);
    return rc < 0 ? rc : job_log_read(log, NULL, NULL, ret, err);
}

int job_log_profile(const char *path, struct profile *ret, struct err *err)
{
    return profile_of(path, NULL, 0, ret, err);
}

int job_log_profile_memory(const void *data, size_t size, struct profile *ret,
                           struct err *err)
{
    return profile_of(NULL, data, size, ret, err);
}
