/* SPDX-License-Identifier: Apache-2.0 */
/* files_part - files that jobs of this node ran with, on their way to barod. */
#include "agent/sampling/files_part.h"

#include "base/clock.h"
#include "base/span.h"
#include "model/model.h"

struct files_part {
    const char *cluster, *host;
    struct text_queue *queue;
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

const char *files_part_put(struct files_part *part,
                           const struct local_submission *submission)
{
    struct job_file files[JOB_FILE_LIST_MAX];
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    struct span rest = submission->request->payload, text;
    struct job_file_list of = { .cluster = span_of(part->cluster),
                                .job = span_of(submission->job),
                                .host = span_of(part->host),
                                .uid = submission->uid,
                                .t_ns = clock_now_ns(),
                                .files = files };
    while (rest.size > 0) {
        (void)span_cut(&rest, '\t', &text);
        if (of.count == COUNT_OF(files) || job_file_parse(text, &files[of.count]) < 0)
            return "files are at most 128 of KIND SIZE MTIME INODE BUILD-ID NAME, with "
                   "tabs between them";
        of.count++;
    }
    if (of.count == 0)
        return "there is no file";
    job_file_list_print(&of, &line);
    text_queue_put(part->queue, &line, 1);
    return NULL;
}

void files_part_count(struct files_part *part, struct post_queue_counts *ret)
{
    *ret = (struct post_queue_counts){ 0 };
    if (part)
        text_queue_count(part->queue, ret);
}
