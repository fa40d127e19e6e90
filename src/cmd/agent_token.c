/* SPDX-License-Identifier: Apache-2.0 */
/* agent_token - the end of the agent's own token. */
#include "base/clock.h"
#include "base/log.h"
#include "base/number.h"
#include "cmd/agent.h"
#include "net/net.h"

#define DAY_S 86400
#define DAY_MS ((uint64_t)DAY_S * 1000)

static uv_timer_t timer; /* as long-lived as the process */
static struct token token;

static void remind(void)
{
    char left[TOKEN_LEFT_TEXT_MAX];
    int64_t left_s = token.expires_s - clock_now_ns() / NS_PER_S;
    if (left_s > TOKEN_REMIND_DAYS * DAY_S)
        return;
    if (left_s <= 0) {
        log_error("token_file: the token %s has expired: batches wait in the spool "
                  "until there is a new one (baro token new), and a restart",
                  token.id);
        return;
    }
    token_left_print(left, &token, left_s);
    log_warn("token_file: the token %s %s: put a new one there (baro token new) and "
             "restart the agent",
             token.id, left);
}

static void on_timer(uv_timer_t *handle)
{
    (void)handle;
    remind();
}

void agent_token_start(struct agent *agent)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    /* Another program's token says nothing to us. */
    if (agent_load_token(agent->opts.token_file, &text, NULL) < 0 || text.size == 0 ||
        token_parse(strbuf_span(&text), &token, NULL) < 0)
        return;
    agent->token_expires_s = token.expires_s;
    remind();
    (void)uv_timer_init(&agent->loop, &timer);
    (void)uv_timer_start(&timer, on_timer, DAY_MS, DAY_MS);
    uv_unref((uv_handle_t *)&timer);
}
