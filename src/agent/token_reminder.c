/* SPDX-License-Identifier: Apache-2.0 */
/* token_reminder - the end of the agent's own token, and the one that replaces it. */
#include "agent/agent.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/number.h"
#include "net/net.h"

#define DAY_S 86400
#define LOOK_MS 10000

static uv_timer_t timer; /* as long-lived as the process */
static struct token_file *file;
static struct token token;
static int64_t reminded_ns = T_NONE;
static struct log_limit unreadable_limit = LOG_LIMIT_INIT;

static void remind(void)
{
    char left[TOKEN_LEFT_TEXT_MAX];
    int64_t left_s = token.expires_s - clock_now_ns() / NS_PER_S;
    if (left_s > TOKEN_REMIND_DAYS * DAY_S)
        return;
    if (left_s <= 0) {
        log_error("token_file: the token %s has expired: batches wait in the spool "
                  "until there is a new one (baro token new)",
                  token.id);
        return;
    }
    token_left_print(left, &token, left_s);
    log_warn("token_file: the token %s %s: put a new one in its place (baro token new)",
             token.id, left);
}

static void remind_daily(void)
{
    int64_t now_ns = clock_steady_ns();
    if (reminded_ns != T_NONE && now_ns - reminded_ns < DAY_S * NS_PER_S)
        return;
    reminded_ns = now_ns;
    remind();
}

/* Another program's token says nothing to us. */
static void parse(struct agent *agent)
{
    token = (struct token){ .expires_s = 0 };
    agent->token_expires_s = 0;
    if (token_parse(token_file_text(file), &token, NULL) == 0)
        agent->token_expires_s = token.expires_s;
}

/* The senders look of their own, before each request; this is what is said of it. */
static void on_timer(uv_timer_t *handle)
{
    struct agent *agent = handle->data;
    struct err err = { 0 };
    int rc = token_file_refresh(file, &err);
    if (rc < 0)
        log_limited(&unreadable_limit, LOG_LEVEL_ERROR,
                    "token_file: %s: the token that was read before is used", err.text);
    if (rc == 1) {
        parse(agent);
        reminded_ns = T_NONE;
        log_notice("token_file: another token is there and is used from now on%s%s",
                   agent->token_expires_s ? ": " : "",
                   agent->token_expires_s ? token.id : "");
    }
    if (agent->token_expires_s)
        remind_daily();
}

void agent_token_start(struct agent *agent)
{
    const char *path = agent->opts.token_file;
    if (!path || !*path || token_file_open(path, &file, NULL) < 0)
        return;
    parse(agent);
    if (agent->token_expires_s)
        remind_daily();
    (void)uv_timer_init(&agent->loop, &timer);
    timer.data = agent;
    (void)uv_timer_start(&timer, on_timer, LOOK_MS, LOOK_MS);
    uv_unref((uv_handle_t *)&timer);
}
