/* SPDX-License-Identifier: Apache-2.0 */
/* component_class - of which class of hardware a component is, by its path. */
#include "analysis/reliability/component_class.h"

#include "base/span.h"

#include <ctype.h>
#include <string.h>

#define TARGET_DIGITS 4

struct span component_host_path(struct span path)
{
    size_t slashes = 0;
    for (size_t i = 0; i < path.size; i++)
        if (path.data[i] == '/' && ++slashes == 2)
            return (struct span){ path.data, i };
    return path;
}

bool component_is_part(struct span path)
{
    return component_host_path(path).size < path.size;
}

static struct span last_level(struct span path)
{
    size_t at = path.size;
    while (at > 0 && path.data[at - 1] != '/')
        at--;
    return (struct span){ path.data + at, path.size - at };
}

static bool is_hexadecimal(struct span text)
{
    for (size_t i = 0; i < text.size; i++)
        if (!isxdigit((unsigned char)text.data[i]))
            return false;
    return text.size > 0;
}

/* "scratch-OST0001" */
static const char *class_of_target(struct span name)
{
    static const struct {
        const char *mark, *name;
    } kinds[] = { { "-OST", "ost" }, { "-MDT", "mdt" } };
    if (span_is(name, "MGS"))
        return "mgt";
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t mark = strlen(kinds[i].mark);
        if (name.size <= mark + TARGET_DIGITS)
            continue;
        const char *at = name.data + name.size - TARGET_DIGITS - mark;
        if (memcmp(at, kinds[i].mark, mark) == 0 &&
            is_hexadecimal((struct span){ at + mark, TARGET_DIGITS }))
            return kinds[i].name;
    }
    return "host";
}

void component_class(struct span path, char ret[COMPONENT_CLASS_SIZE])
{
    struct span name = last_level(path);
    if (!component_is_part(path)) {
        name = span_of(class_of_target(name));
    } else {
        const char *colon = memchr(name.data, ':', name.size);
        if (colon && colon > name.data)
            name.size = (size_t)(colon - name.data);
    }
    if (name.size >= COMPONENT_CLASS_SIZE)
        name.size = COMPONENT_CLASS_SIZE - 1;
    for (size_t i = 0; i < name.size; i++)
        ret[i] = (char)tolower((unsigned char)name.data[i]);
    ret[name.size] = 0;
}
