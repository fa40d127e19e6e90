/* SPDX-License-Identifier: Apache-2.0 */
/* reader - the records of /dev/kmsg from a position on. */
#include "source/kmsg/reader.h"

#include "base/span.h"

#include <errno.h>
#include <unistd.h>

void kmsg_reader_start(struct kmsg_reader *reader, int fd, uint64_t next)
{
    *reader = (struct kmsg_reader){ .fd = fd, .next = next };
}

/* 1: there is more. */
static int reader_fill(struct kmsg_reader *reader)
{
    memmove(reader->data, reader->data + reader->at, reader->size - reader->at);
    reader->size -= reader->at;
    reader->at = 0;
    if (reader->size == sizeof reader->data) { /* of a file that is no kernel's */
        reader->bad += !reader->is_line_cut;
        reader->is_line_cut = true;
        reader->size = 0;
    }
    /* The kernel fails unless the whole record fits: there is a buffer for it alone. */
    for (;;) {
        ssize_t got = read(reader->fd, reader->data + reader->size,
                           sizeof reader->data - reader->size);
        if (got > 0) {
            reader->size += (size_t)got;
            return 1;
        }
        if (got == 0 || errno == EAGAIN)
            return 0;
        /* EPIPE: overwritten; what is next shows by its number how much was. */
        if (errno != EINTR && errno != EPIPE)
            return -errno;
    }
}

static int reader_line(struct kmsg_reader *reader, struct span *ret)
{
    for (;;) {
        struct span rest = { reader->data + reader->at, reader->size - reader->at };
        const char *end = rest.size ? memchr(rest.data, '\n', rest.size) : NULL;
        if (!end) {
            int rc = reader_fill(reader);
            if (rc <= 0)
                return rc;
            continue;
        }
        *ret = (struct span){ rest.data, (size_t)(end - rest.data) };
        reader->at += ret->size + 1;
        if (!reader->is_line_cut)
            return 1;
        reader->is_line_cut = false;
    }
}

int kmsg_reader_next(struct kmsg_reader *reader, unsigned *budget,
                     struct kmsg_record *ret)
{
    struct span line;
    while (*budget > 0) {
        int rc = reader_line(reader, &line);
        if (rc <= 0)
            return rc;
        (*budget)--;
        if (span_starts(line, " "))
            continue;
        if (kmsg_record_parse(line, ret) < 0) {
            reader->bad++;
            continue;
        }
        if (ret->sequence < reader->next)
            continue; /* of before the start */
        reader->lost += ret->sequence - reader->next;
        reader->next = ret->sequence + 1;
        return 1;
    }
    return 0;
}
