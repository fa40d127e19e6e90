/* SPDX-License-Identifier: Apache-2.0 */
/* target - the name of a Lustre target, taken apart. */
#include "model/target.h"

#include <errno.h>

/* "OST000f": the kernel prints the index with %04x. */
#define INDEX_DIGITS 4
#define KIND_SIZE 3

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

static bool is_name_byte(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '.' || c == '-';
}

static int parse_index(const char *digits, uint32_t *ret)
{
    uint32_t index = 0;
    for (int i = 0; i < INDEX_DIGITS; i++) {
        int digit = hex_digit(digits[i]);
        if (digit < 0)
            return -EINVAL;
        index = index << 4 | (uint32_t)digit;
    }
    *ret = index;
    return 0;
}

int target_parse(struct span name, struct target_name *ret)
{
    const size_t tail_size = KIND_SIZE + INDEX_DIGITS;
    if (name.size < tail_size || name.size > TARGET_BYTES_MAX)
        return -EINVAL;
    for (size_t i = 0; i < name.size; i++)
        if (!is_name_byte(name.data[i]))
            return -EINVAL;

    size_t head_size = name.size - tail_size;
    const char *tail = name.data + head_size;
    struct target_name parsed = { .fs = { name.data, 0 } };
    if (memcmp(tail, "MDT", KIND_SIZE) == 0)
        parsed.kind = TARGET_MDT;
    else if (memcmp(tail, "OST", KIND_SIZE) == 0)
        parsed.kind = TARGET_OST;
    else
        return -EINVAL;
    if (head_size == 1 || (head_size > 1 && tail[-1] != '-'))
        return -EINVAL;
    if (head_size > 1)
        parsed.fs.size = head_size - 1;
    int rc = parse_index(tail + KIND_SIZE, &parsed.index);
    if (rc == 0)
        *ret = parsed;
    return rc;
}
