/* SPDX-License-Identifier: Apache-2.0 */
/* token_reminder - the end of the agent's own token, and the one that replaces it. */
#include "agent/token_reminder.h"

#include "base/clock.h"
#include "base/number.h"
#include "model/model.h"

#define DAY_S 86400
#define REFRESH_MS 10000

static void remind(const struct token_reminder *r)
{
    char left[TOKEN_LEFT_TEXT_MAX];
    int64_t left_s = r->token.expires_s - clock_now_ns() / NS_PER_S;
    if (left_s > TOKEN_REMIND_DAYS * DAY_S)
        return;
    if (left_s <= 0) {
        agent_report(r->report, LOG_LEVEL_ERROR, AGENT_EVENT_ONCE,
                     "token_file: the token %s has expired: batches wait in the spool "
                     "until there is a new one (baro token new)",
                     r->token.id);
        return;
    }
    token_left_print(left, &r->token, left_s);
    agent_report(r->report, LOG_LEVEL_WARN, AGENT_EVENT_ONCE,
                 "token_file: the token %s %s: put a new one in its place (baro token "
                 "new)",
                 r->token.id, left);
}

static void remind_daily(struct token_reminder *r)
{
    int64_t now_ns = clock_steady_ns();
    if (r->reminded_ns != T_NONE && now_ns - r->reminded_ns < DAY_S * NS_PER_S)
        return;
    r->reminded_ns = now_ns;
    remind(r);
}

/* Another program's token has no end that we could read. */
static void parse_token(struct token_reminder *r)
{
    r->token = (struct token){ .expires_s = 0 };
    r->expires_s = 0;
    if (token_parse(token_file_text(r->file), &r->token, NULL) == 0)
        r->expires_s = r->token.expires_s;
}

static void on_token_timer(uv_timer_t *handle)
{
    struct token_reminder *r = handle->data;
    struct err err = { 0 };
    int rc = token_file_refresh(r->file, &err);
    if (rc < 0)
        agent_report(r->report, LOG_LEVEL_ERROR, AGENT_EVENT_TOKEN_UNREADABLE,
                     "token_file: %s: the token that was read before is used",
                     err.text);
    if (rc == 1) {
        parse_token(r);
        r->reminded_ns = T_NONE;
        agent_report(r->report, LOG_LEVEL_NOTICE, AGENT_EVENT_ONCE,
                     "token_file: another token is there and is used from now on%s%s",
                     r->expires_s ? ": " : "", r->expires_s ? r->token.id : "");
    }
    if (r->expires_s)
        remind_daily(r);
}

void token_reminder_start(struct token_reminder *r, const char *path, uv_loop_t *loop,
                          const struct agent_report *report)
{
    *r = (struct token_reminder){ .report = report, .reminded_ns = T_NONE };
    if (!path || !*path || token_file_open(path, &r->file, NULL) < 0)
        return;
    parse_token(r);
    if (r->expires_s)
        remind_daily(r);
    (void)uv_timer_init(loop, &r->timer);
    r->timer.data = r;
    (void)uv_timer_start(&r->timer, on_token_timer, REFRESH_MS, REFRESH_MS);
    uv_unref((uv_handle_t *)&r->timer);
}
