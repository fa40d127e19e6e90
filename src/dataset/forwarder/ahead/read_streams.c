/* SPDX-License-Identifier: Apache-2.0 */
/* read_streams - which chunks of a dataset are read in order, by several at a time. */
#include "dataset/forwarder/ahead/read_streams.h"

#define WINDOW_MIN 2U

/* A chunk is longer than most reads: the next one may begin in the same. */
static bool goes_on(const struct read_stream *stream, size_t first)
{
    return stream->used && (first == stream->next || first + 1 == stream->next);
}

static struct read_stream *stream_find(struct read_streams *all, size_t first)
{
    struct read_stream *oldest = &all->streams[0];
    for (size_t i = 0; i < READ_STREAMS_MAX; i++) {
        if (goes_on(&all->streams[i], first))
            return &all->streams[i];
        if (all->streams[i].used < oldest->used)
            oldest = &all->streams[i];
    }
    *oldest = (struct read_stream){ .next = first };
    return oldest;
}

void read_streams_note(struct read_streams *all, size_t first, size_t count)
{
    struct read_stream *stream = stream_find(all, first);
    size_t behind = first + count;
    bool is_new = stream->used == 0;
    stream->used = ++all->clock;
    if (!is_new && behind > stream->next) {
        uint32_t doubled = stream->window ? 2 * stream->window : WINDOW_MIN;
        stream->window = doubled < READ_WINDOW_MAX ? doubled : READ_WINDOW_MAX;
    }
    if (behind > stream->next || is_new)
        stream->next = behind;
    if (stream->planned < stream->next)
        stream->planned = stream->next;
    size_t end = stream->next + stream->window;
    stream->end = end < all->chunk_count ? end : all->chunk_count;
}

bool read_streams_next(struct read_streams *all, size_t *ret)
{
    struct read_stream *found = NULL;
    for (size_t i = 0; i < READ_STREAMS_MAX; i++) {
        struct read_stream *stream = &all->streams[i];
        if (stream->planned < stream->end && (!found || stream->used > found->used))
            found = stream;
    }
    if (found)
        *ret = found->planned++;
    return found != NULL;
}
