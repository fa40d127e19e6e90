/* SPDX-License-Identifier: Apache-2.0 */
/* input - a file that is read from front to back, whether compressed or not. */
#include "base/input.h"

#include "base/unpack.h"

#include <stdlib.h>

#define PIECE_BYTES ((size_t)128 << 10)

struct input {
    struct unpack *unpack;
    char piece[PIECE_BYTES];
};

int input_open(const char *path, struct input **ret, struct err *err)
{
    AUTO(input_close) struct input *input = malloc(sizeof *input);
    if (!input)
        return err_set(err, ENOMEM, "out of memory");
    input->unpack = NULL;
    int rc = unpack_open(path, &input->unpack, err);
    if (rc == 0)
        *ret = TAKE(input);
    return rc;
}

void input_close(struct input *input)
{
    if (!input)
        return;
    unpack_close(input->unpack);
    free(input);
}

int input_read(struct input *input, const char **ret_data, size_t *ret_size,
               struct err *err)
{
    ssize_t size = unpack_read(input->unpack, input->piece, sizeof input->piece, err);
    if (size < 0)
        return (int)size;
    *ret_data = input->piece;
    *ret_size = (size_t)size;
    return 0;
}

int input_read_all(const char *path, size_t size_max, struct strbuf *buf,
                   struct err *err)
{
    AUTO(input_close) struct input *input = NULL;
    size_t before = buf->size;
    int rc = input_open(path, &input, err);
    while (rc == 0) {
        const char *data;
        size_t size;
        rc = input_read(input, &data, &size, err);
        if (rc < 0 || size == 0)
            break;
        if (size > size_max - (buf->size - before))
            return err_set(err, EMSGSIZE, "'%s': over %zu bytes", path, size_max);
        strbuf_add(buf, data, size);
        if (strbuf_error(buf) < 0)
            return err_set(err, ENOMEM, "out of memory");
    }
    return rc;
}
