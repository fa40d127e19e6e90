/* SPDX-License-Identifier: Apache-2.0 */
/* completion - what may come next on a command line that is being typed. */
#include "base/terminal/completion.h"

#include "base/err.h"
#include "base/span.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define REQUEST "--complete"

/* How far the words of a line were read. */
struct reading {
    const struct option *pending; /* whose value the next word is */
    size_t operands;
    bool has_operands_only;
};

/* ---- words ---- */

static void add_word(struct completion *c, struct span word, const char *help)
{
    struct span typed = span_of(c->typed + c->before);
    if (word.size < typed.size || memcmp(word.data, typed.data, typed.size) != 0)
        return;
    strbuf_addf(c->out, "%.*s" SPAN_FMT, (int)c->before, c->typed, SPAN_ARG(word));
    if (help)
        strbuf_addf(c->out, "\t%s", help);
    strbuf_addc(c->out, '\n');
}

/* Whether no shell changes it, at the beginning of a word, too. */
static bool is_safe_word(struct span word)
{
    static const char marks[] = "_.,:/@%+=-";
    if (word.size == 0 || memchr("-=%+,", word.data[0], 5))
        return false;
    for (size_t i = 0; i < word.size; i++)
        if (!isalnum((unsigned char)word.data[i]) &&
            !memchr(marks, word.data[i], sizeof marks - 1))
            return false;
    return true;
}

void completion_add(struct completion *completion, struct span word)
{
    if (is_safe_word(word))
        add_word(completion, word, NULL);
}

const char *completion_typed(const struct completion *completion)
{
    return completion->typed + completion->before;
}

/* The next word of every command whose name goes on behind the words typed. */
static void add_command_names(struct completion *c, size_t count, char *const *typed)
{
    struct span last = { NULL, 0 };
    for (size_t i = 0; i < c->command_count; i++) {
        struct span rest = span_of(c->commands[i]->name), word = { NULL, 0 };
        bool is_match = true;
        for (size_t at = 0; is_match && at < count; at++) {
            (void)span_cut(&rest, ' ', &word);
            is_match = span_is(word, typed[at]);
        }
        if (!is_match || rest.size == 0)
            continue;
        (void)span_cut(&rest, ' ', &word);
        /* The table is sorted: commands of a noun stand together. */
        if (!span_eq(word, last))
            add_word(c, word, rest.size ? NULL : c->commands[i]->help);
        last = word;
    }
}

static void add_option_names(struct completion *c)
{
    char name[64];
    const struct option *option = NULL;
    for (size_t i = 0; (option = command_option_at(c->command, i)); i++) {
        (void)snprintf(name, sizeof name, "--%s", option->name);
        add_word(c, span_of(name), option->help);
    }
    add_word(c, SPAN("--help"), "What it does, and its options.");
}

/* ---- values ---- */

static bool begins_with_any(struct span word, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (span_starts(word, names[i]))
            return true;
    return false;
}

static bool has_capitals(struct span word)
{
    for (size_t i = 0; i < word.size; i++)
        if (isupper((unsigned char)word.data[i]))
            return true;
    return false;
}

/* One of "table|json|csv", or of "LOG|JOBID". */
static void add_alternative(struct completion *c, const struct option *option,
                            struct span word)
{
    static const char *const files[] = { "FILE",     "LOG", "PATH",  "PROGRAM",
                                         "DATABASE", "KEY", "RUNS.", "CONFIG." };
    static const char *const directories[] = { "DIR" };
    if (!has_capitals(word))
        add_word(c, word, NULL);
    else if (begins_with_any(word, files, sizeof files / sizeof files[0]))
        c->wants_files = true;
    else if (begins_with_any(word, directories, 1))
        c->wants_directories = true;
    else if (c->values)
        c->values(c, option, word);
}

/* values: as in struct option. */
static void add_values(struct completion *c, const struct option *option,
                       struct span values)
{
    const char *comma = strrchr(c->typed + c->before, ',');
    struct span word;
    size_t before = c->before;
    if (comma)
        c->before = (size_t)(comma - c->typed) + 1;
    while (values.size) {
        (void)span_cut(&values, '|', &word);
        if (word.size && !span_is(word, "-"))
            add_alternative(c, option, word);
    }
    c->before = before;
}

static bool is_bracket(char c)
{
    return c == '[' || c == ']' || c == '.';
}

/* The operand at index of "METRIC [COMPONENT]...", where the last one may be repeated;
 * of size 0: there is none. */
static struct span operand_at(struct span operands, size_t index)
{
    struct span word = { NULL, 0 };
    bool is_repeated = false;
    for (size_t i = 0; i <= index; i++) {
        if (operands.size == 0)
            return is_repeated ? word : (struct span){ NULL, 0 };
        (void)span_cut(&operands, ' ', &word);
        is_repeated = false;
        while (word.size && is_bracket(word.data[word.size - 1])) {
            is_repeated |= word.data[word.size - 1] == '.';
            word.size--;
        }
        while (word.size && is_bracket(word.data[0]))
            word = (struct span){ word.data + 1, word.size - 1 };
    }
    return word;
}

/* ---- the line ---- */

static bool is_option_word(const char *word)
{
    return word[0] == '-' && word[1] != '\0' && !isdigit((unsigned char)word[1]);
}

/* "-vo": a flag, then an option whose value is the next word. */
static const struct option *letters_pending(const struct command *command,
                                            const char *letters)
{
    for (; *letters; letters++) {
        const struct option *option = command_letter_find(command, *letters);
        if (!option || option->type != OPTION_FLAG)
            return option && letters[1] == '\0' ? option : NULL;
    }
    return NULL;
}

static const struct option *word_pending(const struct command *command,
                                         const char *word)
{
    if (word[1] != '-')
        return letters_pending(command, word + 1);
    const struct option *option = command_option_find(command, span_of(word + 2));
    return option && option->type != OPTION_FLAG ? option : NULL;
}

static void word_read(struct reading *reading, const struct command *command,
                      const char *word)
{
    if (reading->pending)
        reading->pending = NULL;
    else if (reading->has_operands_only || !is_option_word(word))
        reading->operands++;
    else if (strcmp(word, "--") == 0)
        reading->has_operands_only = true;
    else
        reading->pending = word_pending(command, word);
}

const char *completion_given(const struct completion *completion, const char *name)
{
    struct reading reading = { 0 };
    const char *value = NULL;
    size_t size = strlen(name);
    for (size_t i = 0; i < completion->count; i++) {
        const char *word = completion->argv[i];
        if (reading.pending && strcmp(reading.pending->name, name) == 0)
            value = word;
        else if (!reading.pending && strncmp(word, "--", 2) == 0 &&
                 strncmp(word + 2, name, size) == 0 && word[2 + size] == '=')
            value = word + 2 + size + 1;
        word_read(&reading, completion->command, word);
    }
    return value;
}

const char *completion_operand(const struct completion *completion, size_t index)
{
    struct reading reading = { 0 };
    for (size_t i = 0; i < completion->count; i++) {
        size_t before = reading.operands;
        word_read(&reading, completion->command, completion->argv[i]);
        if (before == index && reading.operands > before)
            return completion->argv[i];
    }
    return NULL;
}

/* The line has a command: its options, their values, its operands. */
static void complete_command(struct completion *c)
{
    struct reading reading = { 0 };
    for (size_t i = 0; i < c->count; i++)
        word_read(&reading, c->command, c->argv[i]);
    const char *equals = strchr(c->typed, '=');
    bool is_option = !reading.has_operands_only && c->typed[0] == '-';
    if (reading.pending) {
        add_values(c, reading.pending, span_of(reading.pending->operand));
    } else if (is_option && equals && c->typed[1] == '-') {
        const struct option *option = command_option_find(
            c->command, (struct span){ c->typed + 2, (size_t)(equals - c->typed) - 2 });
        c->before = (size_t)(equals - c->typed) + 1;
        if (option && option->operand)
            add_values(c, option, span_of(option->operand));
    } else if (is_option) {
        add_option_names(c);
    } else {
        struct span operand =
            operand_at(span_of(c->command->operands), reading.operands);
        add_values(c, NULL, operand);
    }
}

/* A program that is made of subcommands: which one is meant.  Returns how many words
 * its name has.  argv is without the word that is typed. */
static int complete_name(struct completion *c, int argc, char *const *argv)
{
    int used = 0;
    if (argc > 1 && strcmp(argv[1], "help") == 0) {
        add_command_names(c, (size_t)argc - 2, argv + 2);
        return argc - 1;
    }
    c->command = command_find(c->commands, c->command_count, argc, argv, &used);
    add_command_names(c, (size_t)argc - 1, argv + 1);
    if (argc == 1) {
        add_word(c, SPAN("help"), "What there is, or what a command does.");
        add_word(c, SPAN("--help"), "What there is.");
        add_word(c, SPAN("--version"), NULL);
    }
    return used;
}

void completion_make(struct completion *completion, int argc, char *const *argv,
                     struct strbuf *out)
{
    struct completion *c = completion;
    int used = 0;
    c->out = out;
    c->typed = argv[argc - 1];
    c->before = 0;
    c->wants_files = c->wants_directories = false;
    c->command = NULL;
    if (c->command_count == 1 && strcmp(c->commands[0]->name, c->program) == 0)
        c->command = c->commands[0];
    else
        used = complete_name(c, argc - 1, argv);
    if (c->command) {
        c->argv = argv + 1 + used;
        c->count = (size_t)(argc - 2 - used);
        complete_command(c);
    }
    if (c->wants_files || c->wants_directories)
        strbuf_adds(out, c->wants_files ? ":files\n" : ":directories\n");
}

bool completion_is_requested(int argc, char *const *argv)
{
    return argc > 2 && strcmp(argv[1], REQUEST) == 0;
}

int completion_print(struct completion *completion, int argc, char *const *argv)
{
    struct strbuf out = STRBUF_INIT;
    completion_make(completion, argc - 1, argv + 1, &out);
    bool is_done = strbuf_error(&out) == 0 && fputs(strbuf_text(&out), stdout) >= 0 &&
                   fflush(stdout) == 0;
    if (!is_done)
        fprintf(stderr, "%s: standard output: %s\n", completion->program,
                strerror(strbuf_error(&out) ? ENOMEM : errno));
    strbuf_done(&out);
    return is_done ? EXIT_OK : EXIT_FAILED;
}

int completion_print_command(const struct command *command, int argc, char *const *argv)
{
    struct completion completion = { .program = command->name,
                                     .commands = &command,
                                     .command_count = 1 };
    return completion_print(&completion, argc, argv);
}
