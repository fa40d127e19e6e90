/* SPDX-License-Identifier: Apache-2.0 */
/* test_config - the file of baro-agent: what it sets, and what it may not. */
#include "agent/config.h"
#include "base/file.h"
#include "base/number.h"
#include "base/test/scratch.h"

#include <errno.h>

struct loaded {
    struct config *config;
    struct agent_opts opts;
    struct agent_folds folds;
};

static int load(const char *text, const char *set, struct loaded *ret, struct err *err)
{
    const char *path = scratch_path("agent.conf");
    const char *const sets[] = { set };
    *ret = (struct loaded){ .config = NULL };
    assert_int_equal(file_replace(path, text, strlen(text), 0600, err), 0);
    return agent_config_load(path, sets, set ? 1 : 0, &ret->config, &ret->opts,
                             &ret->folds, err);
}

static void loaded_done(struct loaded *loaded)
{
    agent_folds_done(&loaded->folds);
    config_free(loaded->config);
}

static void all_keys_have_defaults(void **state)
{
    (void)state;
    struct loaded loaded;
    struct err err = { 0 };
    assert_int_equal(load("", NULL, &loaded, &err), 0);
    assert_string_equal(loaded.opts.source, "lctl");
    assert_int_equal(loaded.opts.interval_ns, 120 * NS_PER_S);
    assert_int_equal(loaded.opts.totals_interval_ns, 5 * NS_PER_S);
    assert_int_equal(loaded.opts.spool_bytes_max, 1 << 30);
    assert_int_equal(loaded.opts.entries_max, 1000000);
    assert_false(loaded.opts.spool_sync);
    assert_true(*loaded.opts.host && !strchr(loaded.opts.host, '.'));
    assert_int_equal(loaded.folds.count, 0);
    loaded_done(&loaded);
}

static void the_command_line_goes_over_the_file(void **state)
{
    (void)state;
    struct loaded loaded;
    struct err err = { 0 };
    assert_int_equal(
        load("[agent]\nhost = a\ninterval = 30s\n", "agent.host=b", &loaded, &err), 0);
    assert_string_equal(loaded.opts.host, "b");
    assert_int_equal(loaded.opts.interval_ns, 30 * NS_PER_S);
    loaded_done(&loaded);
}

static void folds_are_made_of_their_sections(void **state)
{
    (void)state;
    struct loaded loaded;
    struct err err = { 0 };
    assert_int_equal(load("[fold helpers]\njobid_name = %e.%u\nexecutable = a*\n"
                          "executable = b\n[fold system]\nuser = 0\n",
                          NULL, &loaded, &err),
                     0);
    assert_int_equal(loaded.folds.count, 2);
    const struct observe_fold *fold = &loaded.folds.folds[0];
    bool is_first = strcmp(fold->name, "helpers") == 0;
    const struct observe_fold *helpers = &loaded.folds.folds[is_first ? 0 : 1];
    const struct observe_fold *system = &loaded.folds.folds[is_first ? 1 : 0];
    assert_int_equal(helpers->executable_count, 2);
    assert_string_equal(helpers->executables[1], "b");
    assert_int_equal(system->user_count, 1);
    loaded_done(&loaded);
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *set, *reason;
    } cases[] = {
        { "[agent]\ninterval = 0s\n", NULL, "interval" },
        { "[agent]\ninterval = 2\n", NULL, "interval" },
        { "[agent]\nintervall = 2m\n", NULL, "intervall" },
        { "[agent]\nsource = guess\n", NULL, "guess" },
        { "[agent]\nspool_bytes_max = 1KiB\n", NULL, "spool_bytes_max" },
        { "[fold x]\njobid_name = %\n", NULL, "fold x" },
        { "[nothing]\n", NULL, "nothing" },
        { "", "agent.nothing=1", "nothing" },
        { "", "agent.entries_max=0", "entries_max" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct loaded loaded;
        struct err err = { 0 };
        int rc = load(cases[i].text, cases[i].set, &loaded, &err);
        if (rc >= 0 || !strstr(err.text, cases[i].reason))
            fail_msg("%s: %d %s", cases[i].text, rc, err.text);
        assert_null(loaded.config);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_keys_have_defaults),
        cmocka_unit_test(the_command_line_goes_over_the_file),
        cmocka_unit_test(folds_are_made_of_their_sections),
        cmocka_unit_test(what_is_wrong_is_named),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
