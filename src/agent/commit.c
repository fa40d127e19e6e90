/* SPDX-License-Identifier: Apache-2.0 */
/* commit - batches into the spool, then the state: one commit for each read.
 *
 *     spool   ... 41 42 43 | 44 45        44 and 45 belong to a read whose state was
 *     states       ▲     ▲                never renamed into place: at the next start
 *              OST0000  OST0001           they are cut off, as if it had not been
 *
 * So a kill at any instant leaves spool and state telling the same story: what the next
 * read finds is counted from the last read that counts.
 */
#include "agent/agent.h"
#include "base/file.h"
#include "base/log.h"

#include <fcntl.h>

#define STATE_VERSION 1
#define STATE_BYTES_MAX (UINT64_C(4) << 30)
#define KIND_TARGET "agtg"
#define KIND_LIST "aglt"
#define BOOT_ID_BYTES 36

/* ---- files ---- */

static void state_path(const struct agent *agent, struct span name, struct strbuf *out)
{
    strbuf_addf(out, "%s/" SPAN_FMT ".state", agent->opts.state, SPAN_ARG(name));
}

/* The directory of a file, made again. */
static int dir_of_make(const char *path, struct err *err)
{
    const char *slash = strrchr(path, '/');
    AUTO_FREE char *dir = slash ? strndup(path, (size_t)(slash - path)) : NULL;
    if (!dir)
        return -ENOMEM;
    int rc = file_make_dirs(dir, 0700, err);
    if (rc == 0)
        log_warn(
            "'%s' was removed, and is made again; what was observed is still known "
            "here",
            dir);
    return rc;
}

/* Beside it and over it.  Not synced: after a loss of power the server's counters begin
 * anew as well, and a state that is damaged is found out by its hash. */
static int write_over(const char *path, const struct strbuf *bytes, struct err *err)
{
    AUTO(strbuf_done) struct strbuf beside = STRBUF_INIT;
    strbuf_addf(&beside, "%s.new", path);
    if (strbuf_error(&beside))
        return -ENOMEM;
    const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
    AUTO_CLOSE int fd = open(beside.data, flags, 0600);
    if (fd < 0 && errno == ENOENT) { /* the directory was removed */
        int made = dir_of_make(path, err);
        if (made < 0)
            return made;
        fd = open(beside.data, flags, 0600);
    }
    int rc = fd < 0 ? -errno : file_write_all(fd, bytes->data, bytes->size);
    if (rc == 0 && rename(beside.data, path) < 0)
        rc = -errno;
    return rc < 0 ? err_set(err, -rc, "write '%s': %s", path, strerror(-rc)) : 0;
}

/* Where the spool and the batches stood. */
struct marks {
    uint64_t sequence;   /* the spool's last */
    uint32_t spool_mark; /* behind it; 0: not told */
    uint64_t number;     /* of the last batch */
};

static int state_write(const char *path, const char *kind, const struct marks *marks,
                       struct span payload, struct err *err)
{
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    struct frame_header header = { .version = STATE_VERSION, .first = marks->sequence };
    memcpy(header.kind, kind, 4);
    struct frame_record record = { .sequence = marks->number,
                                   .mark = marks->spool_mark };
    uint8_t head[FRAME_HEADER_BYTES + FRAME_RECORD_BYTES];
    if (payload.size > UINT32_MAX)
        return err_set(err, EFBIG, "'%s' would be too large", path);
    frame_write_header(&header, head);
    frame_write_record(&record, payload, head + FRAME_HEADER_BYTES);
    strbuf_add(&bytes, head, sizeof head);
    strbuf_add_span(&bytes, payload);
    return strbuf_error(&bytes) ? -ENOMEM : write_over(path, &bytes, err);
}

/* *ret_payload points into bytes.  Errors: -ENOENT, -EBADMSG, -EPROTONOSUPPORT. */
static int state_read(const char *path, const char *kind, struct strbuf *bytes,
                      struct frame_header *ret_header, struct frame_record *ret_record,
                      struct span *ret_payload, struct err *err)
{
    int rc = file_read(path, STATE_BYTES_MAX, bytes, err);
    if (rc < 0)
        return rc;
    struct span text = strbuf_span(bytes);
    rc = frame_read_header(text, kind, STATE_VERSION, path, ret_header, err);
    if (rc < 0)
        return rc;
    text = span_skip(text, FRAME_HEADER_BYTES);
    if (text.size < FRAME_RECORD_BYTES ||
        frame_read_record((const uint8_t *)text.data, ret_record) < 0 ||
        frame_check_payload(ret_record, span_skip(text, FRAME_RECORD_BYTES)) < 0)
        return err_set(err, EBADMSG, "'%s' is damaged", path);
    *ret_payload = span_skip(text, FRAME_RECORD_BYTES);
    return 0;
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

int agent_keep_list(struct agent *agent, struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf payload = STRBUF_INIT;
    char boot[BOOT_ID_BYTES];
    boot_id(boot);
    strbuf_addf(&path, "%s/agent.list", agent->opts.state);
    strbuf_add(&payload, agent->uuid.bytes, sizeof agent->uuid.bytes);
    strbuf_add(&payload, boot, sizeof boot);
    observe_save_list(agent->observe, &payload);
    if (strbuf_error(&path) || strbuf_error(&payload))
        return -ENOMEM;
    const struct marks marks = { .number = agent->batch_number };
    return state_write(path.data, KIND_LIST, &marks, strbuf_span(&payload), err);
}

static int load_list(struct agent *agent, struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    struct frame_header header;
    struct frame_record record;
    struct span payload;
    char boot[BOOT_ID_BYTES];
    strbuf_addf(&path, "%s/agent.list", agent->opts.state);
    if (strbuf_error(&path))
        return -ENOMEM;
    int rc = state_read(path.data, KIND_LIST, &bytes, &header, &record, &payload, err);
    if (rc < 0)
        return rc;
    if (payload.size < sizeof agent->uuid.bytes + sizeof boot)
        return err_set(err, EBADMSG, "'%s' is too short", path.data);
    boot_id(boot);
    /* Without a sync the numbers may have gone back by a loss of power: then they are
     * begun anew under another name, so that none stands for two batches. */
    const char *old_boot = payload.data + sizeof agent->uuid.bytes;
    if (memcmp(old_boot, boot, sizeof boot) == 0) {
        memcpy(agent->uuid.bytes, payload.data, sizeof agent->uuid.bytes);
        agent->batch_number = record.sequence;
    }
    return observe_load_list(agent->observe,
                             span_skip(payload, sizeof agent->uuid.bytes + sizeof boot),
                             err);
}

/* ---- targets ---- */

/* *ret: what the spool had, and the last batch, at that time. */
static int load_target(struct agent *agent, struct span name, struct marks *ret,
                       struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    struct frame_header header;
    struct frame_record record;
    struct span payload;
    state_path(agent, name, &path);
    if (strbuf_error(&path))
        return -ENOMEM;
    int rc =
        state_read(path.data, KIND_TARGET, &bytes, &header, &record, &payload, err);
    if (rc == 0)
        rc = observe_load_target(agent->observe, payload, err);
    if (rc < 0)
        return rc;
    *ret = (struct marks){ header.first, record.mark, record.sequence };
    return 0;
}

static int write_target(struct agent *agent, struct observe_target *target,
                        struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf payload = STRBUF_INIT;
    state_path(agent, observe_target_name(target), &path);
    observe_save_target(target, &payload);
    if (strbuf_error(&path) || strbuf_error(&payload))
        return -ENOMEM;
    const struct marks marks = {
        .sequence = spool_next_sequence(agent->spool) - 1,
        .spool_mark = spool_mark(agent->spool),
        .number = agent->batch_number,
    };
    return state_write(path.data, KIND_TARGET, &marks, strbuf_span(&payload), err);
}

static int append_all(struct agent *agent, const struct agent_batches *batches,
                      struct err *err)
{
    for (size_t i = 0; i < agent_batches_count(batches); i++) {
        const struct agent_batch *batch = agent_batches_at(batches, i);
        int rc =
            spool_append(agent->spool, strbuf_span(&batch->data), batch->entries, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

void agent_keep_revert(struct agent *agent, struct observe_target *target)
{
    struct marks ignored;
    struct err ignored_err;
    struct span name = observe_target_name(target);
    if (load_target(agent, name, &ignored, &ignored_err) < 0)
        observe_target_forget(target);
}

int agent_keep_read(struct agent *agent, struct observe_target *target,
                    struct agent_batches *batches, struct err *err)
{
    uint64_t before = spool_next_sequence(agent->spool) - 1;
    int rc = agent_batches_finish(batches);
    if (rc == 0)
        rc = append_all(agent, batches, err);
    if (rc == 0)
        rc = write_target(agent, target, err);
    if (rc == 0) {
        agent->counts.batches += agent_batches_count(batches);
        atomic_store(&agent->committed, spool_next_sequence(agent->spool) - 1);
        agent_send_wake(agent);
        return 0;
    }
    (void)spool_cut(agent->spool, before, NULL);
    agent_keep_revert(agent, target);
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

static void load_one(struct agent *agent, struct observe_target *target,
                     struct loading *loading)
{
    struct err err = { 0 };
    struct marks marks = { 0 };
    int rc = load_target(agent, observe_target_name(target), &marks, &err);
    if (rc == -ENOENT) { /* listed, but never read; or taken away */
        loading->has_numbers = false;
        return;
    }
    if (rc < 0) {
        log_warn("%s; target %s is observed from the beginning", err.text,
                 observe_target_name(target).data);
        observe_target_forget(target);
        loading->is_whole = loading->has_numbers = false;
        return;
    }
    if (marks.sequence > loading->committed) {
        loading->committed = marks.sequence;
        loading->mark = marks.spool_mark;
    }
    if (marks.number > agent->batch_number)
        agent->batch_number = marks.number;
}

static int load_states(struct agent *agent, struct loading *loading, struct err *err)
{
    int rc = load_list(agent, err);
    if (rc == -EPROTONOSUPPORT)
        return rc;
    if (rc == -ENOENT)
        return 0;
    if (rc < 0) {
        log_warn("%s; all targets are observed from the beginning", err->text);
        return 0;
    }
    loading->is_whole = loading->has_numbers = true;
    for (size_t i = 0; i < observe_target_count(agent->observe); i++)
        load_one(agent, observe_target_at(agent->observe, i), loading);
    /* The lost one may have had the highest number.  One given twice would have the
     * second batch answered as a replay of the first, and not kept. */
    return loading->has_numbers ? 0 : uuid_new(&agent->uuid);
}

int agent_keep_open(struct agent *agent, struct err *err)
{
    struct spool_opts opts = {
        .dir = agent->opts.spool,
        .bytes_max = agent->opts.spool_bytes_max,
        .sync = agent->opts.spool_sync,
    };
    int rc = uuid_new(&agent->uuid);
    if (rc == 0)
        rc = file_make_dirs(agent->opts.state, 0700, err);
    if (rc == 0)
        rc = spool_open(&opts, &agent->spool, err);
    if (rc < 0)
        return rc;
    struct loading loading = { .committed = spool_acked(agent->spool) };
    rc = load_states(agent, &loading, err);
    if (rc < 0)
        return rc;
    uint64_t last = spool_next_sequence(agent->spool) - 1;
    if (loading.is_whole && last > loading.committed) {
        log_notice("%llu batches of a read that was cut off by the end of the agent "
                   "are dropped; the next read finds what they told",
                   (unsigned long long)(last - loading.committed));
        rc = spool_cut(agent->spool, loading.committed, err);
        if (rc < 0)
            return rc;
    }
    if (last < loading.committed)
        log_error(
            "the spool ends at batch %llu, and should end at %llu: what is missing "
            "is lost, and counted",
            (unsigned long long)last, (unsigned long long)loading.committed);
    spool_raise_sequence(agent->spool, loading.committed + 1, loading.mark);
    atomic_store(&agent->committed, spool_next_sequence(agent->spool) - 1);
    return 0;
}
