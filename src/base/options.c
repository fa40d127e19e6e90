/* SPDX-License-Identifier: Apache-2.0 */
/* options - the command line of a program or subcommand: parsing, help, dispatch. */
#include "base/options.h"

#include "base/clock.h"
#include "base/config.h"
#include "base/number.h"
#include "base/span.h"
#include "base/suggest.h"
#include "base/terminal/terminal.h"
#include "base/user_time.h"

#include <assert.h>
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HELP_COLUMN 28
#define WORDS_MAX 4

static int option_unknown(const struct command *command, struct span name,
                          struct err *err)
{
    struct suggest suggest;
    suggest_init(&suggest, name);
    for (size_t i = 0; i < command->option_count; i++)
        suggest_offer(&suggest, span_of(command->options[i].name));
    int rc = err_set(err, EINVAL, "unknown option --" SPAN_FMT " (see --help)",
                     SPAN_ARG(name));
    return suggest_add(&suggest, "--", rc, err);
}

static int list_add(struct option_list *list, const char *item)
{
    const char **grown = realloc(list->items, (list->count + 1) * sizeof *list->items);
    if (!grown)
        return -ENOMEM;
    grown[list->count++] = item;
    list->items = grown;
    return 0;
}

static int set_option(const struct option *option, const char *value, void *args,
                      struct err *err)
{
    void *field = (char *)args + option->offset;
    struct span text = span_of(value);
    const char *wanted = "";
    uint64_t limit = 0;
    int64_t length = 0;
    int rc = 0;
    switch (option->type) {
    case OPTION_FLAG:
        *(bool *)field = true;
        return 0;
    case OPTION_TEXT:
    case OPTION_TIME: /* see resolve_times() */
        *(const char **)field = value;
        return 0;
    case OPTION_LIST:
        return list_add(field, value);
    case OPTION_COUNT:
        wanted = "a whole number such as 20";
        rc = number_parse_u64(text, field);
        break;
    case OPTION_LIMIT:
        wanted = "a whole number of at least 1";
        rc = number_parse_u64(text, &limit);
        if (rc == 0 && limit == 0)
            rc = -EINVAL;
        if (rc == 0)
            *(uint64_t *)field = limit;
        break;
    case OPTION_DURATION:
    case OPTION_PAUSE:
        wanted = "a length of time with its unit such as 10m";
        rc = number_parse_duration(text, &length);
        if (rc == 0 && length == 0 && option->type == OPTION_DURATION)
            rc = -EINVAL;
        if (rc == 0)
            *(int64_t *)field = length;
        break;
    case OPTION_SIZE:
        wanted = "a size with its unit such as 64MiB";
        rc = number_parse_size(text, field);
        break;
    }
    if (rc < 0)
        return err_set(err, EINVAL, "--%s: '%s' is not %s", option->name, value,
                       wanted);
    return 0;
}

/* ---- times and their zone ---- */

#define TIMES_MAX 8

static void *field_of(const struct option *option, void *args)
{
    return (char *)args + option->offset;
}

/* Times as the clocks of the place show them become such with a zone, once it is known;
 * a command's own "zone" is the zone of these times, too. */
static int resolve_times(const struct command *command, const char *zone, void *args,
                         struct err *err)
{
    static char texts[TIMES_MAX][TIMETEXT_SIZE];
    size_t count = 0;
    const struct option *own = command_option_find(command, SPAN("zone"));
    if (command_has_times(command) && own != &command_zone)
        memcpy(&zone, field_of(own, args), sizeof zone);
    if (command_has_times(command) && zone && user_time_set_zone(zone, err) < 0)
        return -EINVAL;
    /* On a terminal times are those of the machine's clocks: UTC in their stead would
     * be read as these. */
    if (command_has_times(command) && !zone && isatty(STDOUT_FILENO) &&
        !user_time_zone(err))
        return -EINVAL;
    for (size_t i = 0; i < command->option_count; i++) {
        const struct option *option = &command->options[i];
        const char **text = field_of(option, args);
        struct err why = { 0 };
        if (option->type != OPTION_TIME || !*text || count == TIMES_MAX)
            continue;
        if (user_time_resolve(*text, clock_now_ns(), texts[count], &why) < 0)
            return err_set(err, EINVAL, "--%s: %s", option->name, why.text);
        *text = texts[count++];
    }
    return 0;
}

struct scan {
    const struct command *command;
    int argc;
    char **argv;
    int at;
    void *args;
    const char *zone; /* of --zone where the table has none */
    struct err *err;
};

static int take_value(struct scan *scan, const struct option *option,
                      const char *attached)
{
    if (option->type == OPTION_FLAG) {
        if (attached)
            return err_set(scan->err, EINVAL, "--%s has no value", option->name);
        return set_option(option, NULL, scan->args, scan->err);
    }
    const char *value = attached;
    if (!value && scan->at + 1 < scan->argc)
        value = scan->argv[++scan->at];
    if (value && option == &command_zone) {
        scan->zone = value;
        return 0;
    }
    if (!value)
        return err_set(scan->err, EINVAL, "--%s wants a value: --%s %s", option->name,
                       option->name, option->operand);
    return set_option(option, value, scan->args, scan->err);
}

static int take_long(struct scan *scan, const char *word)
{
    const char *equals = strchr(word, '=');
    struct span name =
        equals ? (struct span){ word, (size_t)(equals - word) } : span_of(word);
    const struct option *option = command_option_find(scan->command, name);
    if (!option)
        return option_unknown(scan->command, name, scan->err);
    return take_value(scan, option, equals ? equals + 1 : NULL);
}

/* "-n", "-n5", "-vq": flags may stand together, a value ends the word. */
static int take_letters(struct scan *scan, const char *word)
{
    for (; *word; word++) {
        const struct option *option = command_letter_find(scan->command, *word);
        if (!option)
            return err_set(scan->err, EINVAL, "unknown option -%c (see --help)", *word);
        if (option->type != OPTION_FLAG)
            return take_value(scan, option, word[1] ? word + 1 : NULL);
        int rc = take_value(scan, option, NULL);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int options_parse(const struct command *command, int argc, char **argv, void *args,
                  struct err *err)
{
    struct scan scan = { command, argc, argv, 1, args, NULL, err };
    int operands = 0;
    bool only_operands = false;
    for (; scan.at < argc; scan.at++) {
        char *word = argv[scan.at];
        int rc = 0;
        /* No option is called by a digit: "-2h" is a time. */
        bool is_option = word[0] == '-' && word[1] != '\0' && !isdigit(word[1] & 0xff);
        if (only_operands || !is_option)
            argv[1 + operands++] = word;
        else if (strcmp(word, "--") == 0)
            only_operands = true;
        else if (word[1] == '-')
            rc = take_long(&scan, word + 2);
        else
            rc = take_letters(&scan, word + 1);
        if (rc < 0)
            return rc;
    }
    int rc = resolve_times(command, scan.zone, args, err);
    return rc < 0 ? rc : operands;
}

static void help_option(const struct option *o, struct strbuf *out)
{
    size_t start = out->size;
    if (o->letter)
        strbuf_addf(out, "  -%c, --%s", o->letter, o->name);
    else
        strbuf_addf(out, "      --%s", o->name);
    if (o->operand)
        strbuf_addf(out, " %s", o->operand);
    size_t width = out->size - start;
    if (width + 2 > HELP_COLUMN) {
        strbuf_addc(out, '\n');
        width = 0;
    }
    strbuf_addf(out, "%*s%s\n", (int)(HELP_COLUMN - width), "", o->help);
}

static void help_options(const struct command *command, struct strbuf *out)
{
    const struct option *option = NULL;
    for (size_t i = 0; (option = command_option_at(command, i)); i++)
        help_option(option, out);
    strbuf_adds(out, "      --help                this text\n");
}

void options_help(const char *program, const struct command *command,
                  struct strbuf *out)
{
    bool is_sub = strcmp(program, command->name) != 0;
    strbuf_addf(out, "usage: %s%s%s [OPTION]...%s%s\n\n%s\n\n", program,
                is_sub ? " " : "", is_sub ? command->name : "",
                command->operands[0] ? " " : "", command->operands, command->help);
    help_options(command, out);
    if (command->details)
        strbuf_addf(out, "\n%s\n", command->details);
}

/* All that was printed has arrived, or standard error names why not. */
static int end_output(const char *program)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return EXIT_OK;
    fprintf(stderr, "%s: standard output: %s\n", program, strerror(errno));
    return EXIT_FAILED;
}

static int print_and_end(const char *program, struct strbuf *out)
{
    (void)fputs(strbuf_text(out), stdout);
    strbuf_done(out);
    return end_output(program);
}

/* For completion and for the test that compares tables with man pages. */
static int dump_options(const char *program, const struct command *command)
{
    struct strbuf out = STRBUF_INIT;
    const struct option *option = NULL;
    for (size_t i = 0; (option = command_option_at(command, i)); i++)
        strbuf_addf(&out, "--%s\n", option->name);
    return print_and_end(program, &out);
}

static int help_command(const char *program, const struct command *command)
{
    struct strbuf out = STRBUF_INIT;
    options_help(program, command, &out);
    return print_and_end(program, &out);
}

static void free_lists(const struct command *command, void *args)
{
    for (size_t i = 0; i < command->option_count; i++) {
        const struct option *option = &command->options[i];
        if (option->type == OPTION_LIST)
            free(
                ((struct option_list *)(void *)((char *)args + option->offset))->items);
    }
}

/* Is what it prints for programs, byte for byte, or for people? */
static bool is_data(const struct command *command, const void *args)
{
    static const char *const for_people[] = { "text", "braille", "none" };
    const char *form = NULL;
    for (size_t i = 0; i < command->option_count; i++) {
        const struct option *option = &command->options[i];
        if (option->type == OPTION_TEXT && strcmp(option->name, "output") == 0)
            memcpy(&form, (const char *)args + option->offset, sizeof form);
    }
    if (form && strcmp(form, "table") == 0)
        return false;
    for (size_t i = 0; form && i < sizeof for_people / sizeof for_people[0]; i++)
        if (strcmp(form, for_people[i]) == 0)
            return command->prints_data;
    return form || command->prints_data;
}

/* argv[0] is the last word of the command's name. */
static int run_command(const char *program, const struct command *command, int argc,
                       char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return help_command(program, command);
        if (strcmp(argv[i], "--dump-options") == 0)
            return dump_options(program, command);
    }
    void *args = calloc(1, command->args_size ? command->args_size : 1);
    struct err err = { 0 };
    if (!args)
        return EXIT_FAILED;
    int operands = options_parse(command, argc, argv, args, &err);
    if (operands < 0) {
        bool is_sub = strcmp(program, command->name) != 0;
        fprintf(stderr, "%s%s%s: %s\n", program, is_sub ? " " : "",
                is_sub ? command->name : "", err.text);
        free_lists(command, args);
        free(args);
        return EXIT_USAGE;
    }
    if (is_data(command, args))
        terminal_data();
    int status = command->run(args, operands, argv + 1);
    free_lists(command, args);
    free(args);
    return status == EXIT_OK ? end_output(program) : status;
}

static int help_all(const char *program, const char *summary,
                    const struct command *const *commands, size_t count,
                    const char *only)
{
    struct strbuf out = STRBUF_INIT;
    strbuf_addf(&out, "usage: %s NOUN [VERB] [OPTION]... [OPERAND]...\n\n%s\n\n",
                program, summary);
    for (size_t i = 0; i < count; i++) {
        struct span noun = command_noun(commands[i]);
        if (!only || span_is(noun, only))
            strbuf_addf(&out, "  %-26s%s\n", commands[i]->name, commands[i]->help);
    }
    strbuf_addf(&out, "\n%s NOUN VERB --help explains one of them.\n", program);
    return print_and_end(program, &out);
}

static int dump_commands(const char *program, const struct command *const *commands,
                         size_t count)
{
    struct strbuf out = STRBUF_INIT;
    for (size_t i = 0; i < count; i++) {
        assert(commands[i]);
        strbuf_addf(&out, "%s\n", commands[i]->name);
    }
    return print_and_end(program, &out);
}

static bool is_noun(const struct command *const *commands, size_t count,
                    const char *word)
{
    for (size_t i = 0; i < count; i++) {
        struct span noun = command_noun(commands[i]);
        if (span_is(noun, word))
            return true;
    }
    return false;
}

/* The command whose name is nearest to words, of those of the noun where one is named;
 * without a noun the nearest first word. */
static int command_unknown(const struct command *const *commands, size_t count,
                           const char *noun, const char *word, struct err *err)
{
    char typed[2 * SUGGEST_WORD_MAX];
    struct suggest suggest;
    (void)snprintf(typed, sizeof typed, "%s%s%s", noun ? noun : "", noun ? " " : "",
                   word);
    /* The noun is right: only the letters of the verb count. */
    suggest_init(&suggest, span_of(word));
    for (size_t i = 0; i < count; i++) {
        struct span rest = span_of(commands[i]->name), first;
        (void)span_cut(&rest, ' ', &first);
        if (!noun)
            suggest_offer(&suggest, first);
        else if (span_is(first, noun))
            suggest_offer(&suggest, rest);
    }
    if (!noun)
        suggest_offer(&suggest, SPAN("help"));
    int rc = err_set(err, EINVAL, "there is no '%s'", typed);
    return suggest_add(&suggest, "", rc, err);
}

static int print_version(const char *program)
{
    (void)printf("%s %s\n", program, BARO_VERSION);
    return end_output(program);
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* argv[1..] names no command: a noun alone, or a mistake. */
static int dispatch_no_command(const char *program, const char *summary,
                               const struct command *const *commands, size_t count,
                               int argc, char **argv)
{
    struct err err = { 0 };
    bool has_noun = is_noun(commands, count, argv[1]);
    const char *verb = has_noun && argc > 2 ? argv[2] : NULL;
    if (has_noun && (!verb || is_help(verb)))
        return help_all(program, summary, commands, count, argv[1]);
    if (verb)
        (void)command_unknown(commands, count, argv[1], verb, &err);
    else
        (void)command_unknown(commands, count, NULL, argv[1], &err);
    fprintf(stderr, "%s: %s ('%s%s%s --help' lists what there is)\n", program, err.text,
            program, verb ? " " : "", verb ? argv[1] : "");
    return EXIT_USAGE;
}

int options_dispatch(const char *program, const char *summary,
                     const struct command *const *commands, size_t count, int argc,
                     char **argv)
{
    assert(commands);
    int used = 0;
    const struct command *command = command_find(commands, count, argc, argv, &used);
    if (command)
        return run_command(program, command, argc - used, argv + used);
    if (argc < 2 || is_help(argv[1]))
        return help_all(program, summary, commands, count, NULL);
    if (strcmp(argv[1], "--version") == 0)
        return print_version(program);
    if (strcmp(argv[1], "--dump-options") == 0)
        return dump_commands(program, commands, count);
    if (strcmp(argv[1], "help") != 0)
        return dispatch_no_command(program, summary, commands, count, argc, argv);
    if (argc == 2)
        return help_all(program, summary, commands, count, NULL);
    command = command_find(commands, count, argc - 1, argv + 1, &used);
    return command ? help_command(program, command)
                   : dispatch_no_command(program, summary, commands, count, argc - 1,
                                         argv + 1);
}

int options_main(const struct command *command, int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--version") == 0)
        return print_version(command->name);
    return run_command(command->name, command, argc, argv);
}

int options_print_config(const struct config_section *sections, size_t count)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    config_describe(sections, count, &out);
    (void)fputs(strbuf_text(&out), stdout); /* the dispatcher finds out */
    return EXIT_OK;
}
