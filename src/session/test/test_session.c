/* SPDX-License-Identifier: Apache-2.0 */
/* test_session - a session that does not start, and what its callbacks left. */
#include "base/span.h"
#include "base/test/scratch.h"
#include "base/test/testing.h"
#include "session/link.h"
#include "session/session.h"

#include <stdio.h>
#include <uv.h>

static struct guest {
    uv_timer_t left, closed;
    uv_pipe_t pipe;
    unsigned ends;
} guest;

static void on_due(uv_timer_t *timer)
{
    (void)timer;
}

/* One handle is being closed, two are not, which have other data than links. */
static int begin_and_fail(void *arg, struct session *session, struct uv_loop_s *loop)
{
    struct guest *g = arg;
    (void)session;
    assert_int_equal(uv_timer_init(loop, &g->left), 0);
    assert_int_equal(uv_timer_init(loop, &g->closed), 0);
    assert_int_equal(uv_pipe_init(loop, &g->pipe, 0), 0);
    g->left.data = g->closed.data = g->pipe.data = g;
    assert_int_equal(uv_timer_start(&g->left, on_due, 3600000, 3600000), 0);
    uv_close((uv_handle_t *)&g->closed, NULL);
    return -ENOSPC;
}

static void count_end(void *arg)
{
    struct guest *g = arg;
    g->ends++;
}

static void a_session_that_does_not_begin_stops(void **state)
{
    struct session_opts opts = { 0 };
    const struct session_callbacks callbacks = { .arg = &guest,
                                                 .begin = begin_and_fail,
                                                 .end = count_end };
    char text[512];
    struct session *session = NULL;
    struct err err = { 0 };
    (void)state;
    AUTO(config_free) struct config *config = NULL;
    (void)snprintf(text, sizeof text,
                   "[session]\nsize = 1\nrank = 0\naddress = unix:%s\nstate = %s\n",
                   scratch_path("%r.sock"), scratch_path("state"));
    assert_int_equal(
        config_parse("test", span_of(text), &session_config_section, 1, &config, &err),
        0);
    assert_int_equal(config_fill(config, "session", NULL, &opts, &err), 0);
    assert_int_equal(session_start(&opts, &callbacks, &session, &err), -ENOSPC);
    assert_null(session);
    assert_int_equal(guest.ends, 0);
}

static void only_a_links_handle_is_one(void **state)
{
    (void)state;
    uv_loop_t loop;
    uv_pipe_t pipe;
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(uv_pipe_init(&loop, &pipe, 0), 0);
    pipe.data = NULL;
    assert_null(link_of_handle((uv_handle_t *)&pipe));
    pipe.data = &loop;
    assert_null(link_of_handle((uv_handle_t *)&pipe));
    uv_close((uv_handle_t *)&pipe, NULL);
    assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(uv_loop_close(&loop), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_that_does_not_begin_stops),
        cmocka_unit_test(only_a_links_handle_is_one),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
