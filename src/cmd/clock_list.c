/* SPDX-License-Identifier: Apache-2.0 */
/* clock_list - what is to be added to the times of each source. */
#include "cmd/clock_list.h"

#include "base/number.h"

#include <string.h>

static int entry_parse(const char *text, struct span *ret_source, int64_t *ret_s)
{
    const char *equal = strrchr(text, '=');
    int64_t ns;
    if (!equal || equal == text)
        return -EINVAL;
    struct span offset = span_of(equal + 1);
    bool is_less = span_starts(offset, "-");
    if (is_less || span_starts(offset, "+"))
        offset = span_skip(offset, 1);
    if (number_parse_duration(offset, &ns) < 0 || ns % NS_PER_S != 0 ||
        ns / NS_PER_S > CLOCK_OFFSET_S_MAX)
        return -EINVAL;
    *ret_source = (struct span){ text, (size_t)(equal - text) };
    *ret_s = is_less ? -(ns / NS_PER_S) : ns / NS_PER_S;
    return 0;
}

int clock_list_check(const struct option_list *clocks, struct err *err)
{
    struct span source;
    int64_t offset_s;
    for (size_t i = 0; i < clocks->count; i++)
        if (entry_parse(clocks->items[i], &source, &offset_s) < 0 || source.size > 255)
            return err_set(err, EINVAL,
                           "--clock: '%s' is no SOURCE=OFFSET such as series=-30s",
                           clocks->items[i]);
    return 0;
}

int64_t clock_list_offset(const struct option_list *clocks, const char *kind,
                          const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    const char *name = slash ? slash + 1 : path;
    int64_t found_s = 0;
    for (size_t i = 0; i < clocks->count; i++) {
        struct span source;
        int64_t offset_s;
        char pattern[256];
        if (entry_parse(clocks->items[i], &source, &offset_s) < 0)
            continue;
        (void)snprintf(pattern, sizeof pattern, SPAN_FMT, SPAN_ARG(source));
        if (strcmp(pattern, kind) == 0 || (name && span_glob(span_of(name), pattern)))
            found_s = offset_s;
    }
    return found_s;
}
