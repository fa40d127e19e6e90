/* SPDX-License-Identifier: Apache-2.0 */
/* follow - the page of a job again and again, until the job ends. */
#include "client/page/follow.h"

#include "base/clock.h"
#include "base/figure.h"
#include "base/number.h"
#include "base/terminal/screen.h"
#include "base/user_time.h"
#include "client/page/page.h"

#include <unistd.h>

#define INTERVAL_DEFAULT_NS (30 * NS_PER_S)

struct following {
    const struct job_follow_opts *opts;
    const struct job_show_args *args; /* of the last page */
    struct job_show_args each;        /* of a refresh */
    struct screen screen;
    bool is_drawn; /* in place; else one after the other */
    bool is_json;
    enum job_progress progress;
};

static bool goes_on(const struct following *f)
{
    return f->progress == JOB_PROGRESS_GOES_ON;
}

/* Whether it ended is read before its page: a page of a job that goes on may be printed
 * once more, that of one that has ended is the last. */
static int refresh_fetch(struct following *f, series_log_fn *log, struct strbuf *out,
                         struct err *err)
{
    int rc =
        job_progress_read(&f->args->client.endpoint, f->args->around.sources.cluster,
                          f->opts->operand, &f->progress, err);
    return rc < 0 ? rc : job_page_make(&f->each, f->opts->operand, log, out, err);
}

static int refresh_draw(struct following *f, const struct strbuf *page, const char *why,
                        struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    char now[USER_TIME_SIZE], every[FIGURE_SIZE];
    screen_measure(&f->screen);
    user_time_print(now, f->screen.is_terminal, clock_now_ms() / MS_PER_S * NS_PER_S);
    figure_print_duration(every, sizeof every, f->each.interval_ns);
    strbuf_addf(&out, "%s  every %s until it ends; Ctrl-C ends\n\n", now, every);
    if (why)
        strbuf_addf(&out, "# %s\n", why);
    strbuf_add_span(&out, strbuf_span(page));
    int rc = strbuf_error(&out);
    if (rc == 0)
        rc = screen_draw(&f->screen, &out);
    return rc < 0 ? err_set(err, -rc, "standard output: %s", strerror(-rc)) : 0;
}

static int refresh_print(struct following *f, const struct strbuf *page,
                         const char *why, struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    char now[USER_TIME_SIZE];
    if (why) { /* a document or a line is of the job */
        strbuf_addf(&out, "%s; tried again later", why);
        f->opts->log(NULL, strbuf_text(&out));
        return 0;
    }
    user_time_print(now, false, clock_now_ms() / MS_PER_S * NS_PER_S);
    if (!f->is_json)
        strbuf_addf(&out, "%s  ", now);
    strbuf_add_span(&out, strbuf_span(page));
    return f->opts->print(&out, err);
}

static int refresh_show(struct following *f, const struct strbuf *page, const char *why,
                        struct err *err)
{
    return f->is_drawn ? refresh_draw(f, page, why, err)
                       : refresh_print(f, page, why, err);
}

/* What goes wrong later than at the start is reported, and tried again: a barod that is
 * restarted does not end it. */
static int refresh_again(struct following *f, struct err *err)
{
    AUTO(strbuf_done) struct strbuf page = STRBUF_INIT;
    struct err why = { 0 };
    int rc = refresh_fetch(f, NULL, &page, &why);
    if (rc == -EINVAL || rc == -ENOMEM)
        return err_set(err, -rc, "%s", why.text[0] ? why.text : strerror(-rc));
    if (rc < 0) {
        f->progress = JOB_PROGRESS_GOES_ON;
        strbuf_clear(&page);
        return refresh_show(f, &page, why.text[0] ? why.text : strerror(-rc), err);
    }
    return goes_on(f) ? refresh_show(f, &page, NULL, err) : 0;
}

/* 1: the job ended; 0: the user ended it. */
static int until_end(struct following *f, const struct strbuf *first, struct err *err)
{
    bool is_waiting = true;
    screen_start(&f->screen);
    int rc = refresh_show(f, first, NULL, err);
    while (rc == 0 && goes_on(f) &&
           (is_waiting = screen_wait(f->each.interval_ns / NS_PER_MS)))
        rc = refresh_again(f, err);
    screen_stop(&f->screen);
    return rc < 0 ? rc : is_waiting;
}

static int following_init(struct following *f, const struct job_follow_opts *opts,
                          struct err *err)
{
    const char *form = opts->args->client.output;
    *f = (struct following){ .opts = opts, .args = opts->args, .each = *opts->args };
    if (form && strcmp(form, "html") == 0)
        return err_set(err, EINVAL, "--follow: choose text or json (--output)");
    if (!job_operand_is_id(opts->operand))
        return err_set(err, EINVAL,
                       "--follow: '%s' is a log, whose run has ended: name a job",
                       opts->operand);
    screen_init(&f->screen, stdout, STDOUT_FILENO);
    f->is_json = form && strcmp(form, "json") == 0;
    f->is_drawn = f->screen.is_terminal && !f->args->line && !f->is_json;
    f->each.line = !f->is_drawn && !f->is_json;
    if (f->is_json || !f->is_drawn)
        f->screen.is_terminal = false; /* nothing is drawn in place */
    if (f->each.interval_ns == 0)
        f->each.interval_ns = INTERVAL_DEFAULT_NS;
    return 0;
}

static void unknown_log(const struct job_follow_opts *opts)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    strbuf_addf(&text,
                "--follow: no batch system has reported job %s: whether it goes on is "
                "not known",
                opts->operand);
    opts->log(NULL, strbuf_text(&text));
}

int job_follow(const struct job_follow_opts *opts, struct err *err)
{
    AUTO(strbuf_done) struct strbuf first = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf last = STRBUF_INIT;
    struct following f;
    int rc = following_init(&f, opts, err);
    if (rc == 0) /* why not is reported before anything is drawn */
        rc = refresh_fetch(&f, opts->log, &first, err);
    if (rc < 0)
        return rc;
    if (f.progress == JOB_PROGRESS_UNKNOWN)
        unknown_log(opts);
    if (goes_on(&f))
        rc = until_end(&f, &first, err);
    if (rc < 0 || (rc == 0 && goes_on(&f)))
        return rc;
    rc = job_page_make(opts->args, opts->operand, NULL, &last, err);
    return rc < 0 ? rc : opts->print(&last, err);
}
