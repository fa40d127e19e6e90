/* SPDX-License-Identifier: Apache-2.0 */
/* text_read - a read whose text is small enough to be gathered. */
#include "agent/text_read.h"

#include <errno.h>

static int on_text_piece(void *arg, struct span piece)
{
    struct text_read *read = arg;
    if (read->text.size + piece.size > read->bytes_max)
        return -EMSGSIZE;
    strbuf_add_span(&read->text, piece);
    return strbuf_error(&read->text);
}

static void on_text_done(void *arg, const struct agent_child_result *result)
{
    struct text_read *read = arg;
    read->done_fn(read->arg, result);
}

static void on_text_gone(void *arg)
{
    struct text_read *read = arg;
    read->is_out = false;
    if (read->gone_fn)
        read->gone_fn(read->arg);
}

int text_read_start(struct text_read *read, char *const *argv, int64_t deadline_ns,
                    int64_t t_ms)
{
    const struct agent_child_events events = { on_text_piece, on_text_done,
                                               on_text_gone, read };
    strbuf_clear(&read->text);
    read->t_ms = t_ms;
    int rc = agent_child_start(read->loop, argv, deadline_ns, &events);
    read->is_out = rc == 0;
    return rc;
}

void text_read_done(struct text_read *read)
{
    strbuf_done(&read->text);
}
