/* SPDX-License-Identifier: Apache-2.0 */
/* commit - batches into the spool, then the state: one commit for each read. */
#include "agent/commit.h"

#include "agent/state_file.h"
#include "base/file.h"
#include "base/span.h"

#define BOOT_ID_BYTES 36

static int write_state(struct commit_log *log, const char *path, const char *kind,
                       const struct state_marks *marks, const struct strbuf *payload,
                       struct err *err)
{
    bool made_dir = false;
    int rc = state_file_write(path, kind, marks, strbuf_span(payload), &made_dir, err);
    if (made_dir)
        agent_report(log->opts.report, LOG_LEVEL_WARN, AGENT_EVENT_ONCE,
                     "'%s' was removed, and is made again; what was observed is still "
                     "known here",
                     log->opts.state_dir);
    return rc;
}

/* ---- the list, and who this agent is ---- */

static void boot_id(char out[static BOOT_ID_BYTES])
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    memset(out, '0', BOOT_ID_BYTES);
    if (file_read("/proc/sys/kernel/random/boot_id", 4096, &text, NULL) == 0 &&
        text.size >= BOOT_ID_BYTES)
        memcpy(out, text.data, BOOT_ID_BYTES);
}

int commit_list(struct commit_log *log, struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf payload = STRBUF_INIT;
    char boot[BOOT_ID_BYTES];
    boot_id(boot);
    strbuf_addf(&path, "%s/agent.list", log->opts.state_dir);
    strbuf_add(&payload, log->uuid.bytes, sizeof log->uuid.bytes);
    strbuf_add(&payload, boot, sizeof boot);
    observe_save_list(log->opts.observe, &payload);
    if (strbuf_error(&path) || strbuf_error(&payload))
        return -ENOMEM;
    const struct state_marks marks = { .number = log->batch_number };
    return write_state(log, path.data, STATE_KIND_LIST, &marks, &payload, err);
}

static int load_list(struct commit_log *log, struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    struct state_marks marks;
    struct span payload;
    char boot[BOOT_ID_BYTES];
    strbuf_addf(&path, "%s/agent.list", log->opts.state_dir);
    if (strbuf_error(&path))
        return -ENOMEM;
    int rc = state_file_read(path.data, STATE_KIND_LIST, &bytes, &marks, &payload, err);
    if (rc < 0)
        return rc;
    if (payload.size < sizeof log->uuid.bytes + sizeof boot)
        return err_set(err, EBADMSG, "'%s' is too short", path.data);
    boot_id(boot);
    /* Without a sync the numbers may have gone back by a loss of power: then they are
     * begun anew under another name, so that none stands for two batches. */
    const char *old_boot = payload.data + sizeof log->uuid.bytes;
    if (memcmp(old_boot, boot, sizeof boot) == 0) {
        memcpy(log->uuid.bytes, payload.data, sizeof log->uuid.bytes);
        log->batch_number = marks.number;
    }
    return observe_load_list(log->opts.observe,
                             span_skip(payload, sizeof log->uuid.bytes + sizeof boot),
                             err);
}

/* ---- targets ---- */

static void target_path(const struct commit_log *log, struct span name,
                        struct strbuf *out)
{
    strbuf_addf(out, "%s/" SPAN_FMT ".state", log->opts.state_dir, SPAN_ARG(name));
}

/* *ret: what the spool had, and the last batch, at that time. */
static int load_target(struct commit_log *log, struct span name,
                       struct state_marks *ret, struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    struct state_marks marks;
    struct span payload;
    target_path(log, name, &path);
    if (strbuf_error(&path))
        return -ENOMEM;
    int rc =
        state_file_read(path.data, STATE_KIND_TARGET, &bytes, &marks, &payload, err);
    if (rc == 0)
        rc = observe_load_target(log->opts.observe, payload, err);
    if (rc < 0)
        return rc;
    *ret = marks;
    return 0;
}

static int write_target(struct commit_log *log, struct observe_target *target,
                        struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf payload = STRBUF_INIT;
    target_path(log, observe_target_name(target), &path);
    observe_save_target(target, &payload);
    if (strbuf_error(&path) || strbuf_error(&payload))
        return -ENOMEM;
    const struct state_marks marks = {
        .sequence = spool_next_sequence(log->spool) - 1,
        .spool_mark = spool_mark(log->spool),
        .number = log->batch_number,
    };
    return write_state(log, path.data, STATE_KIND_TARGET, &marks, &payload, err);
}

static int append_all(struct commit_log *log, const struct agent_batches *batches,
                      struct err *err)
{
    for (size_t i = 0; i < agent_batches_count(batches); i++) {
        const struct agent_batch *batch = agent_batches_at(batches, i);
        int rc =
            spool_append(log->spool, strbuf_span(&batch->data), batch->entries, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

void commit_revert(struct commit_log *log, struct observe_target *target)
{
    struct state_marks ignored;
    struct err ignored_err;
    struct span name = observe_target_name(target);
    if (load_target(log, name, &ignored, &ignored_err) < 0)
        observe_target_forget(target);
}

int commit_read(struct commit_log *log, struct observe_target *target,
                struct agent_batches *batches, struct err *err)
{
    uint64_t before = spool_next_sequence(log->spool) - 1;
    int rc = agent_batches_finish(batches);
    if (rc == 0)
        rc = append_all(log, batches, err);
    if (rc == 0)
        rc = write_target(log, target, err);
    if (rc == 0) {
        atomic_store(&log->committed, spool_next_sequence(log->spool) - 1);
        return 0;
    }
    (void)spool_cut(log->spool, before, NULL);
    commit_revert(log, target);
    return rc;
}

/* ---- opening ---- */

/* Whether all states that there should be were there: only then is it known which of
 * the spool's last records never came to count, and which number the last batch had. */
struct loading {
    uint64_t committed;
    uint32_t mark; /* of the spool, behind it */
    bool is_whole;
    bool has_numbers;
};

static void load_one(struct commit_log *log, struct observe_target *target,
                     struct loading *loading)
{
    struct err err = { 0 };
    struct state_marks marks = { 0 };
    int rc = load_target(log, observe_target_name(target), &marks, &err);
    if (rc == -ENOENT) { /* listed, but never read; or taken away */
        loading->has_numbers = false;
        return;
    }
    if (rc < 0) {
        agent_report(log->opts.report, LOG_LEVEL_WARN, AGENT_EVENT_ONCE,
                     "%s; target %s is observed from the beginning", err.text,
                     observe_target_name(target).data);
        observe_target_forget(target);
        loading->is_whole = loading->has_numbers = false;
        return;
    }
    if (marks.sequence > loading->committed) {
        loading->committed = marks.sequence;
        loading->mark = marks.spool_mark;
    }
    if (marks.number > log->batch_number)
        log->batch_number = marks.number;
}

static int load_states(struct commit_log *log, struct loading *loading, struct err *err)
{
    int rc = load_list(log, err);
    if (rc == -EPROTONOSUPPORT)
        return rc;
    if (rc == -ENOENT)
        return 0;
    if (rc < 0) {
        agent_report(log->opts.report, LOG_LEVEL_WARN, AGENT_EVENT_ONCE,
                     "%s; all targets are observed from the beginning", err->text);
        return 0;
    }
    loading->is_whole = loading->has_numbers = true;
    for (size_t i = 0; i < observe_target_count(log->opts.observe); i++)
        load_one(log, observe_target_at(log->opts.observe, i), loading);
    /* The lost one may have had the highest number.  One given twice would have the
     * second batch treated as a replay of the first, and not stored. */
    return loading->has_numbers ? 0 : uuid_new(&log->uuid);
}

/* Records that no state knows of are cut off; missing ones are counted. */
static int settle_spool(struct commit_log *log, const struct loading *loading,
                        struct err *err)
{
    const struct agent_report *report = log->opts.report;
    uint64_t last = spool_next_sequence(log->spool) - 1;
    if (loading->is_whole && last > loading->committed) {
        agent_report(report, LOG_LEVEL_NOTICE, AGENT_EVENT_ONCE,
                     "%llu batches of a read that was cut off by the end of the agent "
                     "are dropped; the next read finds what they held",
                     (unsigned long long)(last - loading->committed));
        int rc = spool_cut(log->spool, loading->committed, err);
        if (rc < 0)
            return rc;
    }
    if (last < loading->committed)
        agent_report(report, LOG_LEVEL_ERROR, AGENT_EVENT_ONCE,
                     "the spool ends at batch %llu, and should end at %llu: what is "
                     "missing is lost, and counted",
                     (unsigned long long)last, (unsigned long long)loading->committed);
    spool_raise_sequence(log->spool, loading->committed + 1, loading->mark);
    atomic_store(&log->committed, spool_next_sequence(log->spool) - 1);
    return 0;
}

int commit_log_open(struct commit_log *log, const struct commit_opts *opts,
                    struct err *err)
{
    *log = (struct commit_log){ .opts = *opts };
    int rc = uuid_new(&log->uuid);
    if (rc == 0)
        rc = file_make_dirs(opts->state_dir, 0700, err);
    if (rc == 0)
        rc = spool_open(&opts->spool, &log->spool, err);
    if (rc < 0)
        return rc;
    struct loading loading = { .committed = spool_acked(log->spool) };
    rc = load_states(log, &loading, err);
    return rc < 0 ? rc : settle_spool(log, &loading, err);
}

void commit_log_close(struct commit_log *log)
{
    spool_close(log->spool);
    log->spool = NULL;
}
