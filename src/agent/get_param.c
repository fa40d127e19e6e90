/* SPDX-License-Identifier: Apache-2.0 */
/* get_param - one get_param in a child process, waited for to its end. */
#include "agent/get_param.h"

#include "agent/child.h"
#include "agent/param.h"

struct waiting_read {
    struct param_result result;
    uv_loop_t loop;
    bool is_over;
};

void param_result_done(struct param_result *result)
{
    strbuf_done(&result->text);
    strbuf_done(&result->complaint);
}

static int on_piece(void *arg, struct span piece)
{
    struct waiting_read *a = arg;
    strbuf_add_span(&a->result.text, piece);
    return strbuf_error(&a->result.text);
}

static void on_done(void *arg, const struct agent_child_result *result)
{
    struct waiting_read *a = arg;
    a->result.error = result->error;
    a->result.status = result->status;
    strbuf_add_span(&a->result.complaint, result->complaint);
    if (result->error == -ETIMEDOUT)
        uv_stop(&a->loop);
}

static void on_gone(void *arg)
{
    struct waiting_read *a = arg;
    a->result.is_gone = true;
}

int get_param_wait(const struct agent_opts *opts, const char *flag, const char *one,
                   const char *two, struct param_result *ret)
{
    char *argv[AGENT_ARGV_MAX];
    struct waiting_read *a = calloc(1, sizeof *a);
    if (!a || uv_loop_init(&a->loop) < 0) {
        free(a);
        return -ENOMEM;
    }
    struct agent_child_events events = { on_piece, on_done, on_gone, a };
    agent_get_param(opts, flag, one, two, argv);
    int rc = agent_child_start(&a->loop, argv, opts->deadline_ns, &events);
    if (rc < 0)
        a->result.error = rc;
    (void)uv_run(&a->loop, UV_RUN_DEFAULT);
    *ret = a->result;
    /* A process that hangs still points here, and keeps its memory. */
    if (uv_loop_close(&a->loop) == 0)
        free(a);
    return rc;
}
