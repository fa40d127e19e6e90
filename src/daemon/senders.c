/* SPDX-License-Identifier: Apache-2.0 */
/* senders - what senders have created outlives barod. */
#include "daemon/senders.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/log.h"
#include "base/span.h"

#define SAVE_EVERY_MS 60000
#define FILE_MAX (64 * 1024 * 1024)

struct daemon_senders {
    struct sender_quota *quota;
    uv_timer_t timer;
    bool has_timer;
    struct strbuf path, saved;
};

static void senders_free(struct daemon_senders *senders)
{
    if (!senders)
        return;
    strbuf_done(&senders->path);
    strbuf_done(&senders->saved);
    free(senders);
}
DEFINE_AUTO(struct daemon_senders, senders_free);

static int load(struct daemon_senders *senders, struct err *err)
{
    struct err reason = { 0 };
    int rc = file_read(strbuf_text(&senders->path), FILE_MAX, &senders->saved, err);
    if (rc == -ENOENT)
        return 0;
    if (rc == 0 &&
        sender_quota_parse(senders->quota, strbuf_span(&senders->saved), &reason) < 0)
        log_warn("%s: %s; the other lines are used, the senders of these have "
                 "their whole share again",
                 strbuf_text(&senders->path), reason.text);
    return rc;
}

int daemon_senders_load(const char *directory, struct sender_quota *quota,
                        struct daemon_senders **ret, struct err *err)
{
    if (!quota || strcmp(directory, "none") == 0)
        return 0;
    AUTO(senders_free) struct daemon_senders *senders = calloc(1, sizeof *senders);
    if (!senders)
        return err_set(err, ENOMEM, "out of memory");
    senders->quota = quota;
    strbuf_addf(&senders->path, "%s/senders", directory);
    int rc = strbuf_error(&senders->path);
    if (rc == 0)
        rc = load(senders, err);
    if (rc == 0)
        *ret = TAKE(senders);
    return rc;
}

static void save(struct daemon_senders *senders)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct err err = { 0 };
    sender_quota_print(senders->quota, &text);
    if (strbuf_error(&text) < 0 ||
        span_eq(strbuf_span(&text), strbuf_span(&senders->saved)))
        return;
    if (file_replace(strbuf_text(&senders->path), text.data, text.size, 0600, &err) <
        0) {
        log_limited(&limit, LOG_LEVEL_WARN,
                    "what senders have created is not saved: %s; tried again in a "
                    "minute",
                    err.text);
        return;
    }
    strbuf_done(&senders->saved);
    senders->saved = text;
    text = (struct strbuf)STRBUF_INIT;
}

static void on_timer(uv_timer_t *timer)
{
    save(timer->data);
}

int daemon_senders_start(struct daemon_senders *senders, uv_loop_t *loop)
{
    if (!senders)
        return 0;
    senders->timer.data = senders;
    (void)uv_timer_init(loop, &senders->timer);
    senders->has_timer = true;
    return uv_timer_start(&senders->timer, on_timer, SAVE_EVERY_MS, SAVE_EVERY_MS);
}

static void free_handle(uv_handle_t *handle)
{
    senders_free(handle->data);
}

void daemon_senders_stop(struct daemon_senders *senders)
{
    if (!senders)
        return;
    save(senders);
    if (senders->has_timer)
        uv_close((uv_handle_t *)&senders->timer, free_handle);
    else
        senders_free(senders);
}
