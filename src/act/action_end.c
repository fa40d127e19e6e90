/* SPDX-License-Identifier: Apache-2.0 */
/* action_end - how a command of the site ended, in words, with its output's first line.
 */
#include "act/action_end.h"

#include "base/span.h"

#include <string.h>

#define LINE_BYTES_MAX 200

static void first_line(const struct strbuf *text, struct strbuf *out)
{
    struct span line, rest = span_trim(strbuf_span(text));
    (void)span_cut(&rest, '\n', &line);
    for (size_t i = 0; i < line.size && i < LINE_BYTES_MAX; i++) {
        unsigned char c = (unsigned char)line.data[i];
        strbuf_addc(out, c >= ' ' && c < 0x7f ? (char)c : '?');
    }
}

static void result_print(const struct bounded_command_end *from,
                         char out[ACTION_RESULT_BYTES_MAX + 1])
{
    size_t size = ACTION_RESULT_BYTES_MAX + 1;
    switch (from->kind) {
    case BOUNDED_COMMAND_EXITED:
        if (from->number == 0)
            (void)snprintf(out, size, "done");
        else
            (void)snprintf(out, size, "unknown: exit status %d", from->number);
        break;
    case BOUNDED_COMMAND_SIGNALLED:
        (void)snprintf(out, size, "unknown: signal %d", from->number);
        break;
    case BOUNDED_COMMAND_DEADLINE:
        (void)snprintf(out, size, "unknown: killed at its deadline");
        break;
    case BOUNDED_COMMAND_NOT_STARTED:
        (void)snprintf(out, size, "unknown: could not be started: %s",
                       strerror(from->number));
        break;
    default:
        (void)snprintf(out, size, "unknown: its status is lost");
        break;
    }
}

void action_end_make(const struct bounded_command_end *from, struct action_end *ret)
{
    *ret = (struct action_end){
        .is_done = from->kind == BOUNDED_COMMAND_EXITED && from->number == 0,
        .output = STRBUF_INIT,
        .cut_bytes = from->output_cut + from->message_cut,
    };
    result_print(from, ret->result);
    first_line(&from->output, &ret->output);
    if (ret->output.size == 0)
        first_line(&from->messages, &ret->output);
}

void action_end_done(struct action_end *end)
{
    strbuf_done(&end->output);
}
