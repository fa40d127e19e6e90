/* SPDX-License-Identifier: Apache-2.0 */
/* form - application/x-www-form-urlencoded: names and values, decoded. */
#include "api/prometheus/form.h"

#include "base/span.h"

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int decode(struct span text, const char *whole, struct arena *arena,
                  struct span *ret, struct err *err)
{
    char *out = arena_dup(arena, text);
    size_t size = 0;
    if (!out)
        return -ENOMEM;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (c == '+') {
            c = ' ';
        } else if (c == '%') {
            int high = i + 2 < text.size ? digit(text.data[i + 1]) : -1;
            int low = high >= 0 ? digit(text.data[i + 2]) : -1;
            if (low < 0)
                return err_set(err, EINVAL,
                               "byte %zu of the form: %% wants two hexadecimal digits",
                               (size_t)(text.data + i - whole) + 1);
            c = (char)(high * 16 + low);
            i += 2;
        }
        out[size++] = c;
    }
    out[size] = '\0';
    *ret = (struct span){ out, size };
    return 0;
}

static size_t count_fields(struct span text)
{
    size_t count = 1;
    for (size_t i = 0; i < text.size; i++)
        count += text.data[i] == '&';
    return count;
}

int form_parse(struct span text, struct arena *arena, struct form *ret, struct err *err)
{
    const char *whole = text.data;
    size_t count = count_fields(text);
    *ret = (struct form){ NULL, 0 };
    if (count > FORM_FIELDS_MAX)
        return err_set(err, EINVAL, "a form has %d fields at most", FORM_FIELDS_MAX);
    struct form_field *fields = arena_alloc(arena, count * sizeof *fields);
    if (!fields)
        return -ENOMEM;
    while (text.size > 0) {
        struct span field, name;
        (void)span_cut(&text, '&', &field);
        if (field.size == 0)
            continue;
        (void)span_cut(&field, '=', &name);
        struct form_field *to = &fields[ret->count];
        int rc = decode(name, whole, arena, &to->name, err);
        if (rc == 0)
            rc = decode(field, whole, arena, &to->value, err);
        if (rc < 0)
            return rc;
        ret->count++;
    }
    ret->fields = fields;
    return 0;
}
