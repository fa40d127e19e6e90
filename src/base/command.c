/* SPDX-License-Identifier: Apache-2.0 */
/* command - what may be typed after a program's name, described by a table. */
#include "base/command.h"

#include "base/span.h"

#include <assert.h>

const struct option command_zone = {
    "zone",
    0,
    OPTION_TEXT,
    0,
    "ZONE",
    "Of times that name none, and of those in tables: UTC, +01:00, Europe/Berlin, "
    "local.",
};

bool command_has_times(const struct command *command)
{
    for (size_t i = 0; i < command->option_count; i++)
        if (command->options[i].type == OPTION_TIME)
            return true;
    return command->has_time_operands || command->prints_times;
}

static const struct option *find_in_table(const struct command *command,
                                          struct span name)
{
    for (size_t i = 0; i < command->option_count; i++)
        if (span_is(name, command->options[i].name))
            return &command->options[i];
    return NULL;
}

/* Whether --zone is the command's although its table has none. */
static bool has_zone_option(const struct command *command)
{
    return command_has_times(command) &&
           !find_in_table(command, span_of(command_zone.name));
}

const struct option *command_option_at(const struct command *command, size_t index)
{
    if (index < command->option_count)
        return &command->options[index];
    return index == command->option_count && has_zone_option(command) ? &command_zone
                                                                      : NULL;
}

const struct option *command_option_find(const struct command *command,
                                         struct span name)
{
    const struct option *option = find_in_table(command, name);
    if (!option && span_is(name, command_zone.name) && has_zone_option(command))
        option = &command_zone;
    return option;
}

const struct option *command_letter_find(const struct command *command, char letter)
{
    for (size_t i = 0; i < command->option_count; i++)
        if (letter && command->options[i].letter == letter)
            return &command->options[i];
    return NULL;
}

/* How many words of argv the command's name takes; 0: it is another command. */
static int words_matched(const struct command *command, int argc, char *const *argv)
{
    struct span rest = span_of(command->name);
    int count = 0;
    while (rest.size) {
        struct span word;
        (void)span_cut(&rest, ' ', &word);
        if (count + 1 >= argc || !span_is(word, argv[count + 1]))
            return 0;
        count++;
    }
    return count;
}

const struct command *command_find(const struct command *const *commands, size_t count,
                                   int argc, char *const *argv, int *ret_used)
{
    const struct command *best = NULL;
    *ret_used = 0;
    for (size_t i = 0; i < count; i++) {
        int used = words_matched(commands[i], argc, argv);
        if (used > *ret_used) {
            best = commands[i];
            *ret_used = used;
        }
    }
    return best;
}

struct span command_noun(const struct command *command)
{
    assert(command);
    struct span rest = span_of(command->name), noun;
    (void)span_cut(&rest, ' ', &noun);
    return noun;
}
