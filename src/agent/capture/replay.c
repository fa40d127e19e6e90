/* SPDX-License-Identifier: Apache-2.0 */
/* replay - a capture, observed and sent once more. */
#include "agent/capture/replay.h"

#include "agent/batches.h"
#include "agent/capture/capture_file.h"
#include "agent/target_list.h"
#include "base/file.h"
#include "base/span.h"
#include "source/lustre/lustre.h"
#include "wire/wire.h"

#include <dirent.h>

#define GENERATIONS_MAX 10000000

struct replay {
    const struct replay_opts *opts;
    struct replay_counts *counts;
    const char *host;
    struct uuid uuid;
    struct observe *observe;
    struct observe_target *target; /* while its dump is read */
    struct net_response response;
    int64_t last_ms; /* of the file before */
    size_t files_done, files_all;
};

static int on_replay_entry(void *arg, const struct entry *entry)
{
    struct replay *r = arg;
    return observe_entry(r->target, entry);
}

static void on_replay_fault(void *arg, enum jobstats_fault fault, uint64_t line,
                            struct span text)
{
    struct replay *r = arg;
    (void)fault;
    (void)line;
    (void)text;
    r->counts->bad_lines++;
    observe_entry_lost(r->target);
}

static int send_all(struct replay *r, const struct agent_batches *batches,
                    struct err *err)
{
    for (size_t i = 0; i < agent_batches_count(batches); i++) {
        const struct agent_batch *batch = agent_batches_at(batches, i);
        r->counts->batches++;
        r->counts->rows += batch->entries;
        if (!r->opts->post_fn)
            continue;
        int rc = r->opts->post_fn(r->opts->arg, strbuf_span(&batch->data), &r->response,
                                  err);
        if (rc == 0)
            rc = net_response_check(&r->response, err);
        struct batch_response response;
        if (rc == 0)
            rc = batch_response_parse(strbuf_span(&r->response.body), &response, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int parse_dump(struct replay *r, const struct strbuf *text)
{
    AUTO(jobstats_parser_free) struct jobstats_parser *parser = NULL;
    int rc = jobstats_parser_new(on_replay_entry, on_replay_fault, r, &parser);
    if (rc < 0)
        return rc;
    jobstats_parser_begin(parser, observe_target_name(r->target),
                          observe_target_kind(r->target));
    rc = jobstats_parser_feed(parser, strbuf_text(text), text->size);
    return rc < 0 ? rc : jobstats_parser_finish(parser);
}

static int replay_dump(struct replay *r, const struct capture_file *file,
                       const struct strbuf *text, struct err *err)
{
    struct span name = file->param, device;
    AUTO(agent_batches_free) struct agent_batches *batches = NULL;
    if (!span_cut(&name, '.', &device))
        return 0;
    r->target = observe_target_find(r->observe, name);
    if (!r->target || !observe_target_is_there(r->target))
        return 0; /* not in the list that came before: its list was lost */
    /* One name for each server and target; its batches are numbered by time, with space
     * for the parts of a large one. */
    AUTO(strbuf_done) struct strbuf who = STRBUF_INIT;
    strbuf_addf(&who, "%s/" SPAN_FMT, r->host, SPAN_ARG(file->param));
    struct uuid agent;
    int rc = strbuf_error(&who);
    if (rc == 0)
        rc = uuid_v5(&r->uuid, strbuf_span(&who), SPAN(""), &agent);
    uint64_t number = (uint64_t)file->t_ms * 1000;
    if (rc == 0)
        rc = agent_batches_new(&agent, span_of(r->host), &number, &batches);
    if (rc == 0)
        rc = observe_round_begin(r->target, file->t_ms, agent_batches_row, batches);
    if (rc < 0)
        return rc;
    r->counts->dumps++;
    rc = parse_dump(r, text);
    if (rc == 0)
        rc = observe_round_end(r->target);
    if (rc == 0)
        rc = agent_batches_finish(batches);
    return rc < 0 ? rc : send_all(r, batches, err);
}

static int replay_list(struct replay *r, int64_t t_ms, const struct strbuf *text)
{
    AUTO_FREE struct observe_listed *listed = NULL;
    size_t count = 0;
    int rc = target_list_parse(strbuf_span(text), NULL, &listed, &count);
    if (rc == 0)
        rc = observe_list(r->observe, t_ms, listed, count);
    if (rc == 0)
        target_cleanup_apply(strbuf_span(text), r->observe, NULL, NULL);
    return rc;
}

static int replay_file(struct replay *r, const char *name, struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct capture_file file;
    if (capture_parse_name(span_of(name), &file) < 0)
        return 0;
    strbuf_addf(&path, "%s/%s/%s", r->opts->dir, r->host, name);
    if (strbuf_error(&path))
        return -ENOMEM;
    int rc = capture_read(path.data, &text, err);
    if (rc < 0)
        return rc;
    if (r->opts->pause_fn && r->last_ms != T_NONE && file.t_ms > r->last_ms)
        r->opts->pause_fn(r->opts->arg, file.t_ms - r->last_ms);
    r->last_ms = file.t_ms;
    if (span_is(file.param, CAPTURE_LIST))
        return replay_list(r, file.t_ms, &text);
    return replay_dump(r, &file, &text, err);
}

/* By time; at one time the list comes before the dumps. */
static int file_order(const struct dirent **a, const struct dirent **b)
{
    struct capture_file x, y;
    int order = strcmp((*a)->d_name, (*b)->d_name);
    if (capture_parse_name(span_of((*a)->d_name), &x) < 0 ||
        capture_parse_name(span_of((*b)->d_name), &y) < 0)
        return order;
    if (x.t_ms != y.t_ms)
        return x.t_ms < y.t_ms ? -1 : 1;
    bool x_list = span_is(x.param, CAPTURE_LIST);
    bool y_list = span_is(y.param, CAPTURE_LIST);
    return x_list != y_list ? (x_list ? -1 : 1) : order;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void free_names(struct dirent **names, int count)
{
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

static int replay_host(struct replay *r, struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    struct dirent **names = NULL;
    strbuf_addf(&path, "%s/%s", r->opts->dir, r->host);
    int count = scandir(strbuf_text(&path), &names, is_visible, file_order);
    if (count < 0)
        return errno == ENOTDIR ? 0 : err_set(err, errno, "'%s'", strbuf_text(&path));
    struct observe_opts opts = {
        .interval_ms = r->opts->interval_ms,
        .generations_max = GENERATIONS_MAX,
    };
    int rc = observe_new(&opts, &r->observe);
    r->last_ms = T_NONE;
    for (int i = 0; rc == 0 && i < count; i++) {
        rc = replay_file(r, names[i]->d_name, err);
        if (rc < 0)
            (void)err_prefix(err, rc, "%s/%s", r->host, names[i]->d_name);
        r->files_done++;
        if (r->opts->progress_fn)
            r->opts->progress_fn(r->opts->arg, r->files_done, r->files_all);
    }
    observe_free(r->observe);
    r->observe = NULL;
    free_names(names, count);
    return rc;
}

/* For what is to be shown of it alone: what cannot be read is found later. */
static size_t files_count(const char *dir, const char *host)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    struct dirent **names = NULL;
    strbuf_addf(&path, "%s/%s", dir, host);
    int count = scandir(strbuf_text(&path), &names, is_visible, NULL);
    if (count > 0)
        free_names(names, count);
    return count > 0 ? (size_t)count : 0;
}

static int replay_hosts(struct replay *r, struct err *err)
{
    struct dirent **names = NULL;
    int rc = capture_uuid(r->opts->dir, &r->uuid, err);
    if (rc < 0)
        return rc;
    int count = scandir(r->opts->dir, &names, is_visible, alphasort);
    if (count < 0)
        return err_set(err, errno, "'%s': %s", r->opts->dir, strerror(errno));
    for (int i = 0; r->opts->progress_fn && i < count; i++)
        r->files_all += files_count(r->opts->dir, names[i]->d_name);
    for (int i = 0; rc == 0 && i < count; i++) {
        r->host = names[i]->d_name;
        rc = replay_host(r, err);
    }
    free_names(names, count);
    if (rc == 0 && r->counts->dumps == 0)
        rc = err_set(err, ENODATA,
                     "'%s': no dump of a capture is in it; wants the directory that "
                     "baro jobstats capture wrote",
                     r->opts->dir);
    return rc;
}

int replay_run(const struct replay_opts *opts, struct replay_counts *ret,
               struct err *err)
{
    struct replay r = { .opts = opts, .counts = ret };
    *ret = (struct replay_counts){ 0 };
    int rc = replay_hosts(&r, err);
    net_response_done(&r.response);
    return rc;
}
