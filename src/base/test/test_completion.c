/* SPDX-License-Identifier: Apache-2.0 */
/* test_completion - lines that are being typed, and what may come next. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/terminal/completion.h"
#include "base/test/testing.h"

#define TYPED_MAX 8

static const struct option top_options[] = {
    { "follow", 'f', OPTION_FLAG, 0, NULL, "Goes on." },
    { "output", 'o', OPTION_TEXT, 0, "table|json|csv", "A form." },
    { "by", 'b', OPTION_LIST, 0, "fs|target|job", "Groups." },
    { "server", 's', OPTION_TEXT, 0, "URL", "Where." },
    { "dir", 0, OPTION_TEXT, 0, "DIRECTORY", "Where to." },
    { "from", 0, OPTION_TIME, 0, "TIME", "Since when." },
};
static const struct command top = { .name = "jobstats top",
                                    .operands = "",
                                    .help = "Shows.",
                                    .options = top_options,
                                    .option_count = COUNT_OF(top_options) };
static const struct command series = { .name = "jobstats series",
                                       .operands = "METRIC [COMPONENT]...",
                                       .help = "Lists.",
                                       .options = top_options,
                                       .option_count = COUNT_OF(top_options) };
static const struct command show = { .name = "log show",
                                     .operands = "[RUNS.csv|barod] [FILE|-]",
                                     .help = "Prints." };
static const struct command *const commands[] = { &series, &top, &show };

/* Words as a server has them: its URL as the line gives it, hostile ones. */
static void values_of_a_server(struct completion *completion,
                               const struct option *option, struct span kind)
{
    const char *server = completion_given(completion, "server");
    const char *metric = completion_operand(completion, 0);
    if (option || span_is(kind, "METRIC"))
        completion_add(completion, SPAN("cpu_load"));
    completion_add(completion, SPAN("$(reboot)"));
    completion_add(completion, SPAN("-o"));
    completion_add(completion, SPAN("a b"));
    completion_add(completion, SPAN("a\tb"));
    completion_add(completion, SPAN("\x1b[2J"));
    completion_add(completion, SPAN(""));
    if (server && span_is(kind, "COMPONENT"))
        completion_add(completion, span_of(server));
    if (metric && span_is(kind, "COMPONENT"))
        completion_add(completion, span_of(metric));
}

static void expect(const char *line, const char *expected)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct completion completion = { .program = "baro",
                                     .commands = commands,
                                     .command_count = COUNT_OF(commands),
                                     .values = values_of_a_server };
    char text[128];
    char *argv[TYPED_MAX] = { "baro" };
    int count = 1;
    struct span rest = span_of(line), word;
    char *at = text;
    do {
        bool has_more = span_cut(&rest, ' ', &word);
        argv[count++] = at;
        at +=
            snprintf(at, (size_t)(text + sizeof text - at), SPAN_FMT, SPAN_ARG(word)) +
            1;
        if (!has_more)
            break;
    } while (count < TYPED_MAX);
    completion_make(&completion, count, argv, &out);
    if (strcmp(strbuf_text(&out), expected) != 0)
        fail_msg("%s: got\n%s\nand not\n%s", line, strbuf_text(&out), expected);
}

static void names_of_commands_are_completed_word_by_word(void **state)
{
    (void)state;
    expect("", "jobstats\nlog\nhelp\tWhat there is, or what a command does.\n"
               "--help\tWhat there is.\n--version\n");
    expect("jo", "jobstats\n");
    expect("jobstats ", "series\tLists.\ntop\tShows.\n");
    expect("jobstats t", "top\tShows.\n");
    expect("help jobstats t", "top\tShows.\n");
    expect("help log show ", "");
    expect("nothing ", "");
}

static void options_are_named_with_what_they_do(void **state)
{
    (void)state;
    expect("jobstats top --fo", "--follow\tGoes on.\n");
    expect("jobstats top --follow --by fs --ou", "--output\tA form.\n");
    expect("jobstats top --z", "--zone\tOf times that name none, and of those in "
                               "tables: UTC, +01:00, Europe/Berlin, local.\n");
    expect("log show --", "--help\tWhat it does, and its options.\n");
    expect("log show -- --", ":files\n");
}

static void values_are_those_of_the_table(void **state)
{
    (void)state;
    expect("jobstats top --output ", "table\njson\ncsv\n");
    expect("jobstats top --output j", "json\n");
    expect("jobstats top --output=j", "--output=json\n");
    expect("jobstats top -o j", "json\n");
    expect("jobstats top -fo j", "json\n");
    expect("jobstats top --by fs,t", "fs,target\n");
    expect("jobstats top --by=fs,t", "--by=fs,target\n");
    expect("jobstats top --output json --by ", "fs\ntarget\njob\n");
    expect("jobstats top --follow=t", "");
    expect("jobstats top --nothing ", "");
}

static void files_are_the_shells_to_list(void **state)
{
    (void)state;
    expect("log show ", "barod\n:files\n");
    expect("log show barod ", ":files\n");
    expect("log show barod file ", "");
    expect("jobstats top --dir ", ":directories\n");
}

static void words_of_a_server_stand_at_their_operands(void **state)
{
    (void)state;
    expect("jobstats series c", "cpu_load\n");
    expect("jobstats series a,c", "a,cpu_load\n");
    expect("jobstats series mem_bw ", "mem_bw\n");
    expect("jobstats series -s u:x mem_bw ", "u:x\nmem_bw\n");
    expect("jobstats series --server=u:y --server=u:x mem_bw x ", "u:x\nmem_bw\n");
}

static void what_a_shell_would_run_is_no_word(void **state)
{
    (void)state;
    expect("jobstats series ", "cpu_load\n");
    expect("jobstats series $", "");
    expect("jobstats series -- -", "");
}

static void a_program_without_subcommands_is_its_own_command(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct command alone = top;
    const struct command *const one = &alone;
    struct completion completion = { .program = "barod",
                                     .commands = &one,
                                     .command_count = 1 };
    char *argv[] = { "barod", "--follow", "-o", "" };
    alone.name = "barod";
    completion_make(&completion, COUNT_OF(argv), argv, &out);
    assert_string_equal(strbuf_text(&out), "table\njson\ncsv\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_commands_are_completed_word_by_word),
        cmocka_unit_test(options_are_named_with_what_they_do),
        cmocka_unit_test(values_are_those_of_the_table),
        cmocka_unit_test(files_are_the_shells_to_list),
        cmocka_unit_test(words_of_a_server_stand_at_their_operands),
        cmocka_unit_test(what_a_shell_would_run_is_no_word),
        cmocka_unit_test(a_program_without_subcommands_is_its_own_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
