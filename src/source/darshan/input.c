/* SPDX-License-Identifier: Apache-2.0 */
/* input - where the bytes of a log are: a file or a piece of memory. */
#include "source/darshan/input.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int darshan_input_read(const struct darshan_input *in, uint64_t offset, void *out,
                       size_t size, size_t *ret_got)
{
    size_t got = 0;
    if (offset >= in->size)
        size = 0;
    else if (size > in->size - offset)
        size = (size_t)(in->size - offset);
    if (in->fd < 0 && size > 0) {
        memcpy(out, in->data + offset, size);
        got = size;
    }
    while (got < size) {
        ssize_t n = pread(in->fd, (char *)out + got, size - got, (off_t)(offset + got));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            break; /* the file became shorter while we read it */
        got += (size_t)n;
    }
    *ret_got = got;
    return 0;
}
