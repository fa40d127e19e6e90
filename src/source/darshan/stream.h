/* SPDX-License-Identifier: Apache-2.0 */
/* stream - the plain bytes of a region, in order.
 *
 *     region of the file:  [member][member][member]   one a rank, zlib or bzip2
 *     stream:               plain bytes of all of them, one after the other
 *
 * Memory: two buffers of 64 KiB and what the decompressor takes, whatever the size.
 */
#ifndef SOURCE_DARSHAN_STREAM_H
#define SOURCE_DARSHAN_STREAM_H

#include "base/strbuf.h"
#include "source/darshan/header.h"

struct darshan_stream;

/* in stays the caller's and must outlive the stream.  bytes_max: plain bytes after
 * which the stream ends with -EFBIG as its trouble.  Errors: -ENOMEM. */
int darshan_stream_new(const struct darshan_input *in,
                       enum darshan_compression compression,
                       struct darshan_region region, uint64_t bytes_max,
                       struct darshan_stream **ret);
void darshan_stream_free(struct darshan_stream *s);
DEFINE_AUTO(struct darshan_stream, darshan_stream_free);

/* Up to size bytes; less only at the end, whose reason darshan_stream_trouble() says.
 */
size_t darshan_stream_read(struct darshan_stream *s, void *out, size_t size);
/* The same, thrown away. */
uint64_t darshan_stream_skip(struct darshan_stream *s, uint64_t size);
/* Append size bytes to out, which grows only as far as there are bytes, so that a
 * length that lies costs nothing.  Returns what was appended. */
size_t darshan_stream_append(struct darshan_stream *s, struct strbuf *out, size_t size);
/* Append what stands before the next NUL to out and pass the NUL.  False when the
 * stream ends before it, or size_max bytes came without one. */
bool darshan_stream_text(struct darshan_stream *s, struct strbuf *out, size_t size_max);

/* 0: none; -ENODATA: the file ends inside the region, or a member has no end; -EBADMSG:
 * it is damaged; -EFBIG: see above; -ETIMEDOUT: the input's time is over; else what
 * reading the file said. */
int darshan_stream_trouble(const struct darshan_stream *s);
/* One word or two for a person. */
const char *darshan_trouble_text(int trouble);
/* Plain bytes handed out so far. */
uint64_t darshan_stream_offset(const struct darshan_stream *s);

#endif
