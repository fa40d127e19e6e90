/* SPDX-License-Identifier: Apache-2.0 */
/* id_name - the name behind the number of a user or group, and when it was seen there.
 */
#include "model/id_name.h"

#include "base/number.h"
#include "base/span.h"
#include "base/utf8.h"

#include <string.h>

#define ID_NAME_BYTES_MAX ((size_t)255)

const char *id_kind_name(enum id_kind kind)
{
    return kind == ID_USER ? "user" : "group";
}

bool id_is_number(struct span text)
{
    uint64_t number;
    return number_parse_u64(text, &number) == 0 && number <= UINT32_MAX &&
           (text.size == 1 || text.data[0] != '0');
}

static bool is_text(struct span text)
{
    return text.size <= ID_NAME_BYTES_MAX &&
           (text.size == 0 ||
            (!memchr(text.data, 0, text.size) && utf8_is_valid(text)));
}

const char *id_name_check(const struct id_name *name)
{
    uint64_t number;
    if (!id_is_number(name->number))
        return "it has no number of 32 bits";
    if (name->name.size == 0 || number_parse_u64(name->name, &number) == 0)
        return "its name is empty, or a number";
    if (!is_text(name->name) || !is_text(name->cluster))
        return "a text of it is too long, or not UTF-8";
    if (name->first_ns <= 0 || name->last_ns < name->first_ns)
        return "it was seen before 1970, or last before first";
    return NULL;
}

/* How well name fits t_ns: seen around it, before it, after it. */
enum fit { FIT_NONE, FIT_AFTER, FIT_BEFORE, FIT_AROUND };

static enum fit fit_of(const struct id_name *name, int64_t t_ns)
{
    if (name->first_ns > t_ns)
        return FIT_AFTER;
    return name->last_ns < t_ns ? FIT_BEFORE : FIT_AROUND;
}

/* Of two that fit equally well: greater than 0 where a is the better one. */
static int prefer(enum fit fit, const struct id_name *a, const struct id_name *b)
{
    if (fit == FIT_AFTER)
        return (a->first_ns < b->first_ns) - (a->first_ns > b->first_ns);
    if (fit == FIT_BEFORE && a->last_ns != b->last_ns)
        return a->last_ns > b->last_ns ? 1 : -1;
    return (a->first_ns > b->first_ns) - (a->first_ns < b->first_ns);
}

static bool is_of(const struct id_name *name, enum id_kind kind, struct span number)
{
    return name->kind == kind && span_eq(name->number, number);
}

/* The best name of number among those of one cluster. */
static const struct id_name *best_of(const struct id_name *names, size_t count,
                                     const struct id_name *like, int64_t t_ns)
{
    const struct id_name *best = NULL;
    enum fit best_fit = FIT_NONE;
    for (size_t i = 0; i < count; i++) {
        if (!is_of(&names[i], like->kind, like->number) ||
            !span_eq(names[i].cluster, like->cluster))
            continue;
        enum fit fit = fit_of(&names[i], t_ns);
        if (fit < best_fit || (fit == best_fit && prefer(fit, &names[i], best) <= 0))
            continue;
        best = &names[i];
        best_fit = fit;
    }
    return best;
}

const struct id_name *id_name_at(const struct id_name *names, size_t count,
                                 enum id_kind kind, struct span number, int64_t t_ns)
{
    const struct id_name *found = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!is_of(&names[i], kind, number))
            continue;
        const struct id_name *best = best_of(names, count, &names[i], t_ns);
        enum fit fit = fit_of(best, t_ns);
        enum fit found_fit = found ? fit_of(found, t_ns) : FIT_NONE;
        if (fit == FIT_AROUND && found_fit == FIT_AROUND &&
            !span_eq(found->name, best->name))
            return NULL;
        if (fit > found_fit || (fit == found_fit && prefer(fit, best, found) > 0))
            found = best;
    }
    return found;
}
