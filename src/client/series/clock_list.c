/* SPDX-License-Identifier: Apache-2.0 */
/* clock_list - what is to be added to the times of each source. */
#include "client/series/clock_list.h"

#include "base/number.h"
#include "base/span.h"

#include <stdlib.h>
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
            return err_set(
                err, EINVAL,
                "--clock: '%s' is not of the form SOURCE=OFFSET, such as series=-30s",
                clocks->items[i]);
    return 0;
}

static bool is_given(const struct option_list *given, const char *source)
{
    struct span name;
    int64_t offset_s;
    for (size_t i = 0; i < given->count; i++)
        if (entry_parse(given->items[i], &name, &offset_s) == 0 &&
            span_eq(name, span_of(source)))
            return true;
    return false;
}

static int site_add(const struct site_clock *clock, struct clock_list *list,
                    struct err *err)
{
    struct span source;
    int64_t offset_s;
    char *text = NULL;
    if (asprintf(&text, "%s=%s", clock->source, clock->offset) < 0)
        return err_set(err, ENOMEM, "out of memory");
    list->own[list->own_count++] = text;
    list->all.items[list->all.count++] = text;
    if (entry_parse(text, &source, &offset_s) < 0 || source.size > 255)
        return err_set(err, EINVAL,
                       "[clock %s]: offset: '%s' is not in whole seconds, such as "
                       "-30s, at most a week",
                       clock->source, clock->offset);
    return 0;
}

int clock_list_join(const struct site_file *site, const struct option_list *given,
                    struct clock_list *ret, struct err *err)
{
    size_t count = 0;
    const struct site_clock *clocks = site ? site_file_clocks(site, &count) : NULL;
    int rc = clock_list_check(given, err);
    *ret = (struct clock_list){ 0 };
    if (rc < 0)
        return rc;
    ret->own = calloc(count + 1, sizeof *ret->own);
    ret->all.items = calloc(count + given->count + 1, sizeof *ret->all.items);
    if (!ret->own || !ret->all.items)
        return err_set(err, ENOMEM, "out of memory");
    for (size_t i = 0; rc == 0 && i < count; i++)
        if (!is_given(given, clocks[i].source))
            rc = site_add(&clocks[i], ret, err);
    for (size_t i = 0; i < given->count; i++)
        ret->all.items[ret->all.count++] = given->items[i];
    return rc;
}

void clock_list_done(struct clock_list *list)
{
    for (size_t i = 0; i < list->own_count; i++)
        free(list->own[i]);
    free(list->own);
    free(list->all.items);
    *list = (struct clock_list){ 0 };
}

void clock_list_print(const struct clock_list *list, struct strbuf *out)
{
    for (size_t i = 0; i < list->all.count; i++)
        strbuf_addf(out, "%s%s", i > 0 ? ", " : "", list->all.items[i]);
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
