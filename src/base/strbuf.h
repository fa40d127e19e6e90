/* SPDX-License-Identifier: Apache-2.0 */
/* strbuf - text that grows.
 *
 * A failed growth is remembered: appending goes on as a no-op, and strbuf_error() says
 * -ENOMEM at the end, so that writers of long texts check once.
 */
#ifndef BASE_STRBUF_H
#define BASE_STRBUF_H

#include "base/cleanup.h"
#include "base/span_type.h"

#include <stdarg.h>
#include <stdint.h>

struct strbuf {
    char *data;  /* NUL-terminated once anything was appended; NULL before */
    size_t size; /* without the NUL */
    size_t capacity;
    int error; /* 0 or -ENOMEM */
};

#define STRBUF_INIT \
    {               \
        0           \
    }

void strbuf_done(struct strbuf *buf);
void strbuf_clear(struct strbuf *buf); /* keeps the memory */
DEFINE_AUTO_DONE(struct strbuf, strbuf_done);

/* Make room for extra more bytes.  Errors: -ENOMEM. */
int strbuf_reserve(struct strbuf *buf, size_t extra);

void strbuf_add(struct strbuf *buf, const void *data, size_t size);
void strbuf_adds(struct strbuf *buf, const char *text);
void strbuf_addc(struct strbuf *buf, char c);
void strbuf_addf(struct strbuf *buf, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void strbuf_vaddf(struct strbuf *buf, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0)));
void strbuf_add_u64(struct strbuf *buf, uint64_t value);
void strbuf_add_i64(struct strbuf *buf, int64_t value);

static inline void strbuf_add_span(struct strbuf *buf, struct span s)
{
    strbuf_add(buf, s.data, s.size);
}

static inline struct span strbuf_span(const struct strbuf *buf)
{
    return (struct span){ buf->data ? buf->data : "", buf->size };
}

static inline int strbuf_error(const struct strbuf *buf)
{
    return buf->error;
}

/* The text itself ("" while empty). */
static inline const char *strbuf_text(const struct strbuf *buf)
{
    return buf->data ? buf->data : "";
}

#endif
