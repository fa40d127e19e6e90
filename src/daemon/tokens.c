/* SPDX-License-Identifier: Apache-2.0 */
/* tokens - barod logs each day which tokens end soon. */
#include "daemon/tokens.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/number.h"

#define FIRST_MS 5000
#define EVERY_MS 60000

static uv_timer_t timer; /* as long-lived as the process */

static void remind(void *arg, const struct token *token, int64_t left_s)
{
    char left[TOKEN_LEFT_TEXT_MAX];
    (void)arg;
    token_left_print(left, token, left_s);
    log_warn("net: the token %s (role %s%s%s%s%s) %s: give its user a new one (baro "
             "token new)",
             token->id, net_role_name(token->role), token->host[0] ? ", host " : "",
             token->host, token->cluster[0] ? ", cluster " : "", token->cluster, left);
}

static void on_timer(uv_timer_t *handle)
{
    token_watch_remind(net_server_tokens(handle->data), clock_now_ns() / NS_PER_S,
                       remind, NULL);
}

void daemon_tokens_start(struct net_server *server, uv_loop_t *loop)
{
    (void)uv_timer_init(loop, &timer);
    timer.data = server;
    (void)uv_timer_start(&timer, on_timer, FIRST_MS, EVERY_MS);
}

void daemon_tokens_stop(void)
{
    uv_close((uv_handle_t *)&timer, NULL);
}
