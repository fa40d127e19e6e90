/* SPDX-License-Identifier: Apache-2.0 */
/* test_check_sources - a check from its options to its words: scripts stand in for lctl
 * and the reader, a server in this process for barod; and as which user it judges. */
#include "agent/check/check.h"
#include "agent/test/lctl.h"
#include "base/number.h"

#include <errno.h>
#include <pwd.h>

/* Options with a program, and directories, of their own. */
struct played {
    struct agent_opts opts;
    char program[128], state[128], spool[128], root[128];
};

#define LIST                                                        \
    "printf 'obdfilter.s-OST0001.job_stats\\nof.another.kind\\n\\n" \
    "mdt.s-MDT0000.job_stats\\n'"

static void play_begin(struct played *p, const char *name,
                       const struct lctl_script *script)
{
    static const char *const suffixes[] = { "program", "state", "spool", "root" };
    char *const paths[] = { p->program, p->state, p->spool, p->root };
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        char file[64];
        (void)snprintf(file, sizeof file, "%s.%s", name, suffixes[i]);
        (void)snprintf(paths[i], sizeof p->program, "%s", scratch_path(file));
    }
    lctl_write(p->program, script);
    p->opts = (struct agent_opts){ .server = "http://127.0.0.1:1",
                                   .host = "oss01",
                                   .source = "lctl",
                                   .lctl = p->program,
                                   .state = p->state,
                                   .spool = p->spool,
                                   .root = p->root,
                                   .interval_ns = 60 * NS_PER_S,
                                   .deadline_ns = 60 * NS_PER_S };
}

static const struct lctl_script good = { LIST,
                                         "printf 'obdfilter.s-OST0001."
                                         "job_cleanup_interval=600\\n'",
                                         LCTL_DUMP("a", "5"), NULL };

static void each_target_that_is_listed_is_read(void **state)
{
    AUTO(check_result_done) struct check_result result = { 0 };
    struct played p;
    (void)state;
    play_begin(&p, "each", &good);
    assert_int_equal(agent_check(&p.opts, &result), 0);
    assert_int_equal(result.sources.error, 0);
    assert_int_equal(result.sources.place_count, 0);
    assert_int_equal(result.sources.target_count, 2);
    const struct check_target *target = result.sources.targets;
    assert_string_equal(target[0].name, "s-OST0001");
    assert_true(target[0].is_read);
    assert_int_equal(target[0].entries, 1);
    assert_true(target[0].size_bytes > 100);
    assert_int_equal(target[0].cleanup_s, 600);
    assert_string_equal(target[1].name, "s-MDT0000");
    assert_int_equal(target[1].cleanup_s, -1); /* it is not among the intervals */
    /* Nothing listens there: batches would wait, which is good enough. */
    assert_int_equal(result.server.state, CHECK_SERVER_AWAY);
    assert_int_equal(result.dirs[0].state, CHECK_DIR_TO_BE_MADE);
    assert_int_equal(result.dirs[1].state, CHECK_DIR_TO_BE_MADE);
    assert_true(check_is_good(&result));
    assert_true(access(p.state, F_OK) < 0);
}

static void what_cannot_be_read_has_its_complaint(void **state)
{
    static const struct {
        const char *name;
        struct lctl_script script;
        size_t count;
        const char *want;
    } cases[] = {
        { "dump",
          { LIST, NULL, "echo no such device >&2; exit 2", NULL },
          2,
          "  s-OST0001: cannot be read: no such device\n  s-MDT0000: cannot be read: "
          "no such device\n" },
        { "silent",
          { LIST, NULL, "exit 3", NULL },
          2,
          "  s-OST0001: cannot be read: the program ended with status 3 and wrote no "
          "reason\n" },
        { "list",
          { "echo error: no param >&2; exit 1", NULL, NULL, NULL },
          0,
          "mounted?\n  error: no param\n" },
        { "other",
          { "echo llite.s.stats; echo", NULL, NULL, NULL },
          0,
          "  no target is found: " },
        { "hostile",
          { "printf 'mdt.../../x.job_stats\\nmdt.job_stats\\nmdt..job_stats\\n'", NULL,
            NULL, NULL },
          0,
          "  no target is found: " },
        { "cleanup",
          { LCTL_LIST, "echo obdfilter.s-OST0001.job_cleanup_interval=x", ":", NULL },
          1,
          "  s-OST0001: 0 entries, 0 bytes, job_cleanup_interval cannot be read" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(check_result_done) struct check_result result = { 0 };
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        struct played p;
        play_begin(&p, cases[i].name, &cases[i].script);
        assert_int_equal(agent_check(&p.opts, &result), 0);
        assert_int_equal(result.sources.target_count, cases[i].count);
        check_print(&result, &out);
        if (!strstr(strbuf_text(&out), cases[i].want))
            fail_msg("%s: '%s' is not in\n%s", cases[i].name, cases[i].want,
                     strbuf_text(&out));
        if (i < COUNT_OF(cases) - 1)
            assert_false(check_is_good(&result));
    }
}

static void a_target_that_hangs_is_given_up_at_the_deadline(void **state)
{
    static const struct lctl_script script = { LCTL_LIST, NULL, "exec sleep 60", NULL };
    AUTO(check_result_done) struct check_result result = { 0 };
    struct played p;
    (void)state;
    play_begin(&p, "hangs", &script);
    p.opts.deadline_ns = 2 * NS_PER_S;
    assert_int_equal(agent_check(&p.opts, &result), 0);
    if (result.sources.target_count == 1) { /* a busy machine may not list it */
        assert_false(result.sources.targets[0].is_read);
        assert_non_null(strstr(result.sources.targets[0].complaint, "timed out"));
    }
    assert_false(check_is_good(&result));
}

static void a_program_that_is_not_there_is_the_error_of_the_list(void **state)
{
    AUTO(check_result_done) struct check_result result = { 0 };
    struct played p;
    (void)state;
    play_begin(&p, "nowhere", &good);
    p.opts.lctl = "/nowhere/lctl";
    assert_int_equal(agent_check(&p.opts, &result), 0);
    assert_int_equal(result.sources.error, -ENOENT);
    assert_false(check_is_good(&result));
}

static void places_of_files_are_opened(void **state)
{
    static const char reader[] = "#!/bin/sh\n[ \"$1\" = --root ] || exit 9\n"
                                 "[ \"$4\" = -N ] && " LCTL_LIST "\nexit 0\n";
    AUTO(check_result_done) struct check_result result = { 0 };
    AUTO(check_result_done) struct check_result slash = { 0 };
    struct played p;
    char path[512];
    (void)state;
    play_begin(&p, "files", &good);
    assert_int_equal(file_replace(p.program, reader, strlen(reader), 0755, NULL), 0);
    p.opts.source = "files";
    p.opts.reader = p.program;
    (void)snprintf(path, sizeof path, "%s/proc/fs/lustre", p.root);
    assert_int_equal(file_make_dirs(path, 0755, NULL), 0);
    (void)snprintf(path, sizeof path, "%s/sys/fs", p.root);
    assert_int_equal(file_make_dirs(path, 0755, NULL), 0);
    (void)snprintf(path, sizeof path, "%s/sys/fs/lustre", p.root);
    assert_int_equal(file_replace(path, "x", 1, 0644, NULL), 0);
    assert_int_equal(agent_check(&p.opts, &result), 0);
    assert_int_equal(result.sources.place_count, 3);
    assert_int_equal(result.sources.places[0].error, 0);
    assert_int_equal(result.sources.places[1].error, EIO); /* a file */
    assert_string_equal(result.sources.places[1].path, path);
    assert_int_equal(result.sources.places[2].error, ENOENT);
    assert_int_equal(result.sources.target_count, 1);
    assert_true(result.sources.targets[0].is_read);
    p.opts.root = "/";
    assert_int_equal(agent_check(&p.opts, &slash), 0);
    assert_string_equal(slash.sources.places[0].path, "/proc/fs/lustre");
}

/* ---- the server ---- */

static void whoami_respond(void *arg, struct net_request *request)
{
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    strbuf_adds(&body, arg);
    net_reply(request, 200, "application/json", &body);
}

static void a_server_that_responds_is_judged(void **state)
{
    static const char whoami[] = "{\"roles\":[\"agent\"],\"host\":\"oss01\","
                                 "\"targets\":[],\"now\":\"2020-01-01T00:00:00Z\"}";
    static const char *const listen[] = { "127.0.0.1:0" };
    const struct net_route route = { .method = "GET",
                                     .pattern = "/v1/whoami",
                                     .handle = whoami_respond,
                                     .arg = (char *)(uintptr_t)whoami };
    struct net_server *server = NULL;
    struct net_opts opts;
    struct check_server found;
    struct err err = { 0 };
    char url[64];
    (void)state;
    net_opts_default(&opts);
    opts.listen.items = (const char **)(uintptr_t)listen;
    opts.listen.count = 1;
    opts.socket = "none";
    opts.threads = 1;
    if (net_server_new(&opts, &server, &err) < 0 ||
        net_server_add_route(server, &route) < 0 || net_server_start(server, &err) < 0)
        fail_msg("%s", err.text);
    (void)snprintf(url, sizeof url, "http://127.0.0.1:%u", net_server_port(server, 0));
    const struct agent_opts ours = { .server = url, .host = "oss01", .token_file = "" };
    check_server(&ours, &found);
    if (found.state != CHECK_SERVER_ACCEPTS)
        fail_msg("%d %s", found.state, found.reason);
    assert_true(found.ahead_ns > 365 * 86400 * NS_PER_S); /* of 2020 */
    strbuf_done(&found.targets);
    net_server_free(server);
}

static void a_token_and_an_address_are_judged_before_the_request(void **state)
{
    static const struct {
        const char *name, *text, *url;
        mode_t mode;
        enum check_server_state want;
        const char *reason;
    } cases[] = {
        { "none", NULL, "http://127.0.0.1:1", 0, CHECK_SERVER_NO_TOKEN, "No such" },
        { "open", "x\n", "http://127.0.0.1:1", 0644, CHECK_SERVER_NO_TOKEN, "open" },
        { "address", "x\n", "gopher://x", 0600, CHECK_SERVER_INVALID, "" },
        { "away", "x \n\n", "http://127.0.0.1:1", 0600, CHECK_SERVER_AWAY, "" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "token.%s", cases[i].name);
        const struct agent_opts opts = { .server = cases[i].url,
                                         .host = "oss01",
                                         .token_file = scratch_path(name) };
        struct check_server found;
        if (cases[i].text)
            assert_int_equal(file_replace(opts.token_file, cases[i].text,
                                          strlen(cases[i].text), cases[i].mode, NULL),
                             0);
        check_server(&opts, &found);
        if (found.state != cases[i].want || !found.reason[0] ||
            !strstr(found.reason, cases[i].reason))
            fail_msg("%s: %d %s", cases[i].name, found.state, found.reason);
        assert_int_equal(found.server_now_ns, T_NONE);
        strbuf_done(&found.targets);
    }
}

/* ---- as which user ---- */

static int check_as(const char *user, const struct agent_opts *opts, struct strbuf *out)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = tmpfile();
    assert_non_null(file);
    int status = agent_check_as(user, opts, file);
    /* A child writes it, too. */
    assert_int_equal(fseek(file, 0, SEEK_SET), 0);
    strbuf_clear(out);
    while (getline(&text, &size, file) > 0)
        strbuf_adds(out, text);
    free(text);
    (void)fclose(file);
    return status;
}

static void expect_in(struct strbuf *out, const char *want)
{
    if (!strstr(strbuf_text(out), want))
        fail_msg("'%s' is not in\n%s", want, strbuf_text(out));
}

static void a_user_that_is_not_there_is_misuse(void **state)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct played p;
    (void)state;
    play_begin(&p, "misuse", &good);
    assert_int_equal(check_as("no-such-user-x", &p.opts, &out), EXIT_USAGE);
    assert_string_equal(strbuf_text(&out),
                        "--user: there is no user 'no-such-user-x'\n");
}

static void without_a_user_the_first_line_states_as_whom(void **state)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct played p;
    (void)state;
    play_begin(&p, "whom", &good);
    if (geteuid() == 0 && getpwnam("barograph"))
        skip(); /* it would depend on what that one may do here */
    assert_int_equal(check_as(NULL, &p.opts, &out), EXIT_OK);
    expect_in(&out, geteuid() == 0 ? "judged as root: there is no user 'barograph' yet"
                                   : "judged as user id ");
    expect_in(&out, "\nthis server reports as 'oss01' to http://127.0.0.1:1\n");
    expect_in(&out, "  s-OST0001: 1 entries, ");
    p.opts.lctl = "/nowhere/lctl";
    assert_int_equal(check_as(NULL, &p.opts, &out), EXIT_FAILED);
    expect_in(&out, "  '/nowhere/lctl' cannot be started: ");
}

static void root_judges_as_the_user_that_is_named(void **state)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct played p;
    (void)state;
    play_begin(&p, "named", &good);
    if (geteuid() != 0) {
        assert_int_equal(check_as("root", &p.opts, &out), EXIT_USAGE);
        expect_in(&out, "--user root: only root can judge as another user\n");
        return;
    }
    assert_int_equal(check_as("root", &p.opts, &out), EXIT_OK);
    expect_in(&out, "judged as user 'root'\n");
    expect_in(&out, "can be made in '/tmp/");
    if (!getpwnam("daemon"))
        skip();
    assert_int_equal(check_as("daemon", &p.opts, &out), EXIT_FAILED);
    expect_in(&out, "judged as user 'daemon'\n");
    expect_in(&out, "  s-OST0001: 1 entries, ");
    expect_in(&out, "Permission denied; make it, and give it to the service's user\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_target_that_is_listed_is_read),
        cmocka_unit_test(what_cannot_be_read_has_its_complaint),
        cmocka_unit_test(a_target_that_hangs_is_given_up_at_the_deadline),
        cmocka_unit_test(a_program_that_is_not_there_is_the_error_of_the_list),
        cmocka_unit_test(places_of_files_are_opened),
        cmocka_unit_test(a_server_that_responds_is_judged),
        cmocka_unit_test(a_token_and_an_address_are_judged_before_the_request),
        cmocka_unit_test(a_user_that_is_not_there_is_misuse),
        cmocka_unit_test(without_a_user_the_first_line_states_as_whom),
        cmocka_unit_test(root_judges_as_the_user_that_is_named),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
