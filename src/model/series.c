/* SPDX-License-Identifier: Apache-2.0 */
/* series - what is known about one entry's time series: the metadata row. */
#include "model/series.h"

#include <errno.h>

int series_id(const struct uuid *ns, struct span target, struct span entry_id,
              struct uuid *ret)
{
    char head[TARGET_BYTES_MAX + 1];
    if (target.size > TARGET_BYTES_MAX)
        return -EINVAL;
    if (target.size)
        memcpy(head, target.data, target.size);
    head[target.size] = ':';
    return uuid_v5(ns, (struct span){ head, target.size + 1 }, entry_id, ret);
}

static struct span text_copy(char **at, struct span s)
{
    if (!s.data)
        return s;
    struct span copy = { *at, s.size };
    if (s.size)
        memcpy(*at, s.data, s.size);
    *at += s.size;
    return copy;
}

size_t series_text_size(const struct series *s)
{
    return s->fs.size + s->target.size + s->entry_id.size + s->format.size +
           s->job.size + s->user.size + s->group.size + s->node.size +
           s->executable.size + s->pid.size;
}

void series_copy_to(const struct series *from, struct series *to, char *at)
{
    *to = *from;
    to->fs = text_copy(&at, from->fs);
    to->target = text_copy(&at, from->target);
    to->entry_id = text_copy(&at, from->entry_id);
    to->format = text_copy(&at, from->format);
    to->job = text_copy(&at, from->job);
    to->user = text_copy(&at, from->user);
    to->group = text_copy(&at, from->group);
    to->node = text_copy(&at, from->node);
    to->executable = text_copy(&at, from->executable);
    to->pid = text_copy(&at, from->pid);
}

int series_copy(const struct series *series, struct arena *arena, struct series *ret)
{
    char *text = arena_alloc(arena, series_text_size(series) + 1);
    if (!text)
        return -ENOMEM;
    series_copy_to(series, ret, text);
    return 0;
}
