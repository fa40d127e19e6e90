/* SPDX-License-Identifier: Apache-2.0 */
/* test_options - command lines, good and bad. */
#include "base/cleanup.h"
#include "base/options.h"
#include "base/test/testing.h"

struct args {
    bool follow;
    const char *output;
    uint64_t limit;
    int64_t last_ns;
    struct option_list formats;
};

static const struct option table[] = {
    { "follow", 'f', OPTION_FLAG, offsetof(struct args, follow), NULL, "Goes on." },
    { "output", 'o', OPTION_TEXT, offsetof(struct args, output), "FORMAT", "A form." },
    { "limit", 'n', OPTION_COUNT, offsetof(struct args, limit), "COUNT", "Rows." },
    { "last", 0, OPTION_DURATION, offsetof(struct args, last_ns), "TIME", "How long." },
    { "format", 0, OPTION_LIST, offsetof(struct args, formats), "FORMAT", "Formats." },
};
static const struct command command = {
    .name = "jobstats top",
    .operands = "[FILE]",
    .help = "Shows.",
    .options = table,
    .option_count = COUNT_OF(table),
    .args_size = sizeof(struct args),
};

static void every_way_to_write_an_option_works(void **state)
{
    (void)state;
    char *argv[] = { "top",      "a",   "-fn5",     "--output=json",
                     "--last",   "10m", "--format", "%j",
                     "--format", "%e",  "-2h",      "--",
                     "-b",       NULL };
    struct args args = { 0 };
    struct err err = { 0 };
    int operands = options_parse(&command, COUNT_OF(argv) - 1, argv, &args, &err);
    if (operands != 3)
        fail_msg("%d %s", operands, err.text);
    assert_string_equal(argv[1], "a");
    assert_string_equal(argv[2], "-2h");
    assert_string_equal(argv[3], "-b");
    assert_true(args.follow);
    assert_int_equal(args.limit, 5);
    assert_string_equal(args.output, "json");
    assert_true(args.last_ns == INT64_C(600000000000));
    assert_int_equal(args.formats.count, 2);
    free(args.formats.items);
}

static void misuse_is_told_with_its_remedy(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        const char *error;
    } cases[] = {
        { "--outputt=x",
          "unknown option --outputt (see --help); did you mean '--output'?" },
        { "--zzz", "unknown option --zzz (see --help)" },
        { "-x", "unknown option -x (see --help)" },
        { "--follow=yes", "--follow has no value" },
        { "--limit", "--limit wants a value: --limit COUNT" },
        { "--limit=many", "--limit: 'many' is not a whole number such as 20" },
        { "--last=10",
          "--last: '10' is not a length of time with its unit such as 10m" },
        { "--last=0s",
          "--last: '0s' is not a length of time with its unit such as 10m" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char word[64];
        (void)snprintf(word, sizeof word, "%s", cases[i].word);
        char *argv[] = { "top", word, NULL };
        struct args args = { 0 };
        struct err err = { 0 };
        assert_int_equal(options_parse(&command, 2, argv, &args, &err), -EINVAL);
        assert_string_equal(err.text, cases[i].error);
    }
}

static void help_names_every_option(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    options_help("baro", &command, &out);
    assert_non_null(strstr(out.data, "usage: baro jobstats top [OPTION]... [FILE]\n"));
    assert_non_null(strstr(out.data, "  -o, --output FORMAT       A form.\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_to_write_an_option_works),
        cmocka_unit_test(misuse_is_told_with_its_remedy),
        cmocka_unit_test(help_names_every_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
