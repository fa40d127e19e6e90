/* SPDX-License-Identifier: Apache-2.0 */
/* files_part - files that jobs of this node ran with, on their way to barod. */
#include "agent/sampling/files_part.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "model/model.h"

#define USERS_MAX 64
#define FEW_WAIT 64 /* lists: so few are no reason to refuse any */
#define MARK_NS (3600 * NS_PER_S)

struct files_part {
    const char *cluster, *host;
    struct text_queue *queue;
    struct {
        uid_t uid;
        uint64_t bytes; /* since few were waiting; 0: not in use */
    } users[USERS_MAX];
    uint64_t bytes;    /* of all */
    uint64_t lost;     /* by the spool, as far as it is known */
    int64_t marked_ns; /* steady: until then lists state that there was more */
};

int files_part_open(const struct agent_opts *opts, const struct agent_report *report,
                    uv_loop_t *loop, struct files_part **ret, struct err *err)
{
    static const struct text_queue_opts queue = {
        .name = "files",
        .path = "/v1/provenance",
        .content_type = "application/x-ndjson",
        .what = "files of jobs",
        .lines = "lists of files of jobs",
        .is_packed = false,
        .refused_event = AGENT_EVENT_FILES_REFUSED,
        .lost_event = AGENT_EVENT_FILES_LOST,
        .bytes_max = FILES_QUEUE_BYTES_MAX,
        .judge = submission_judge,
    };
    struct files_part *part = calloc(1, sizeof *part);
    if (!part)
        return -ENOMEM;
    part->cluster =
        opts->node.cluster && *opts->node.cluster ? opts->node.cluster : opts->cluster;
    part->host = opts->host;
    int rc = text_queue_open(&queue, opts, report, loop, &part->queue, err);
    if (rc < 0)
        free(part);
    else
        *ret = part;
    return rc;
}

void files_part_close(struct files_part *part)
{
    if (!part)
        return;
    text_queue_close(part->queue);
    free(part);
}

/* ---- shares ---- */

/* What is accepted is not pushed out by what comes later, of whomever. */
static uint64_t *share_find(struct files_part *part, uid_t uid)
{
    uint64_t *unused = NULL;
    for (size_t i = 0; i < USERS_MAX; i++) {
        if (part->users[i].bytes > 0 && part->users[i].uid == uid)
            return &part->users[i].bytes;
        if (part->users[i].bytes > 0 || unused)
            continue;
        part->users[i].uid = uid;
        unused = &part->users[i].bytes;
    }
    return unused;
}

static void shares_renew(struct files_part *part)
{
    struct post_queue_counts counts;
    text_queue_count(part->queue, &counts);
    if (counts.waiting < FEW_WAIT) {
        memset(part->users, 0, sizeof part->users);
        part->bytes = 0;
    }
    if (counts.lost > part->lost)
        part->marked_ns = clock_steady_ns() + MARK_NS;
    part->lost = counts.lost;
}

/* ---- lists ---- */

static bool list_read(const struct files_part *part, struct span payload,
                      struct job_file files[static JOB_FILE_LIST_MAX],
                      struct job_file_list *ret)
{
    struct span text;
    (void)span_cut(&payload, '\t', &ret->run);
    if (!job_file_is_run(ret->run))
        return false;
    while (payload.size > 0) {
        (void)span_cut(&payload, '\t', &text);
        /* One place is the agent's own. */
        if (ret->count == JOB_FILE_LIST_MAX - 1 ||
            job_file_parse(text, &files[ret->count]) < 0)
            return false;
        if (!job_file_is_one(&files[ret->count]))
            files[ret->count].name = span_of(part->host);
        ret->count++;
    }
    return ret->count > 0;
}

const char *files_part_put(struct files_part *part,
                           const struct local_submission *submission,
                           uint64_t *ret_ticket)
{
    struct job_file files[JOB_FILE_LIST_MAX];
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    struct job_file_list of = { .cluster = span_of(part->cluster),
                                .job = span_of(submission->job),
                                .host = span_of(part->host),
                                .uid = submission->uid,
                                .t_ns = clock_now_ns(),
                                .files = files };
    if (!list_read(part, submission->request->payload, files, &of))
        return "files are RUN, then at most 127 of KIND SIZE MTIME VERSION BUILD-ID "
               "NAME, with tabs between";
    shares_renew(part);
    if (clock_steady_ns() < part->marked_ns)
        files[of.count++] =
            (struct job_file){ JOB_FILE_MORE, of.host, SPAN(""), 1, 0, SPAN("") };
    job_file_list_print(&of, &line);
    uint64_t size = line.size, *share = share_find(part, submission->uid);
    if (!share || *share + size > FILES_USER_BYTES_MAX ||
        part->bytes + size > FILES_ALL_BYTES_MAX)
        return LOCAL_LATER "too much is waiting for barod";
    *ret_ticket = text_queue_put(part->queue, &line, 1);
    if (*ret_ticket == 0) {
        struct post_queue_counts counts;
        text_queue_count(part->queue, &counts);
        part->lost = counts.lost; /* its sender knows, and has it still */
        return LOCAL_LATER "the disk of the spool is slow";
    }
    *share += size;
    part->bytes += size;
    return local_waits;
}

const char *files_part_settle(struct files_part *part, uint64_t ticket)
{
    switch (text_queue_state(part->queue, ticket)) {
    case TEXT_WAITS:
        return local_waits;
    case TEXT_STORED:
        return NULL;
    default:
        return LOCAL_LATER "the spool of this node cannot be written";
    }
}

void files_part_count(struct files_part *part, struct post_queue_counts *ret)
{
    *ret = (struct post_queue_counts){ 0 };
    if (part)
        text_queue_count(part->queue, ret);
}
