/* SPDX-License-Identifier: Apache-2.0 */
/* strbuf - text that grows. */
#include "base/strbuf.h"

#include "base/number.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

void strbuf_done(struct strbuf *buf)
{
    free(buf->data);
    *buf = (struct strbuf)STRBUF_INIT;
}

void strbuf_clear(struct strbuf *buf)
{
    buf->size = 0;
    buf->error = 0;
    if (buf->data)
        buf->data[0] = '\0';
}

int strbuf_reserve(struct strbuf *buf, size_t extra)
{
    if (buf->error)
        return buf->error;
    if (extra > SIZE_MAX / 4 || buf->size > SIZE_MAX / 4)
        return buf->error = -ENOMEM;
    size_t need = buf->size + extra + 1;
    if (need <= buf->capacity)
        return 0;
    size_t capacity = buf->capacity ? buf->capacity * 2 : 256;
    if (capacity < need)
        capacity = need;
    char *grown = realloc(buf->data, capacity);
    if (!grown)
        return buf->error = -ENOMEM;
    if (!buf->data)
        grown[0] = '\0';
    buf->data = grown;
    buf->capacity = capacity;
    return 0;
}

void strbuf_add(struct strbuf *buf, const void *data, size_t size)
{
    if (strbuf_reserve(buf, size) < 0)
        return;
    if (size)
        memcpy(buf->data + buf->size, data, size);
    buf->size += size;
    buf->data[buf->size] = '\0';
}

void strbuf_adds(struct strbuf *buf, const char *text)
{
    strbuf_add(buf, text, strlen(text));
}

void strbuf_addc(struct strbuf *buf, char c)
{
    strbuf_add(buf, &c, 1);
}

void strbuf_vaddf(struct strbuf *buf, const char *fmt, va_list ap)
{
    va_list again;
    size_t space = 0; /* that there is already: mostly it is enough */
    if (!buf->error && buf->data)
        space = buf->capacity - buf->size;
    va_copy(again, ap);
    int need = vsnprintf(space > 0 ? buf->data + buf->size : NULL, space, fmt, ap);
    if (need >= 0 && (size_t)need < space) {
        buf->size += (size_t)need;
    } else {
        if (space > 0)
            buf->data[buf->size] = '\0';
        if (need >= 0 && strbuf_reserve(buf, (size_t)need) == 0) {
            (void)vsnprintf(buf->data + buf->size, (size_t)need + 1, fmt, again);
            buf->size += (size_t)need;
        }
    }
    va_end(again);
}

void strbuf_addf(struct strbuf *buf, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    strbuf_vaddf(buf, fmt, ap);
    va_end(ap);
}

void strbuf_add_u64(struct strbuf *buf, uint64_t value)
{
    char digits[NUMBER_DIGITS_MAX];
    strbuf_add(buf, digits, number_print_u64(digits, value));
}

void strbuf_add_i64(struct strbuf *buf, int64_t value)
{
    if (value < 0)
        strbuf_addc(buf, '-');
    strbuf_add_u64(buf, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}
