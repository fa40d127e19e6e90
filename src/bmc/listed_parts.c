/* SPDX-License-Identifier: Apache-2.0 */
/* listed_parts - the parts that a target listed, and those that it does not any more.
 */
#include "bmc/listed_parts.h"

#include "base/number.h"
#include "base/span.h"

/* A value: the table, whether it is in this reading, and in how many it was missing. */
#define MISSED_MASK ((uintptr_t)3)
#define GONE ((uintptr_t)2)
#define SEEN ((uintptr_t)4)
#define TABLE_SHIFT 3

void listed_parts_done(struct listed_parts *listed)
{
    hashmap_done(&listed->by_name);
    listed->lost = 0;
}

static void gone_forget(struct listed_parts *listed)
{
    struct span name;
    uintptr_t *value;
    for (size_t at = 0; hashmap_next(&listed->by_name, &at, &name, &value);)
        if ((*value & MISSED_MASK) == GONE)
            (void)hashmap_remove(&listed->by_name, name);
}

static bool listed_part_add(struct listed_parts *listed, const struct bmc_part *part)
{
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    strbuf_addf(&name, "%s\n%s", part->type, part->id);
    if (strbuf_error(&name) < 0)
        return false;
    struct span key = strbuf_span(&name);
    uintptr_t *value = hashmap_get(&listed->by_name, key);
    if (!value && listed->by_name.count >= LISTED_PARTS_MAX)
        gone_forget(listed);
    if (!value && listed->by_name.count < LISTED_PARTS_MAX)
        value = hashmap_put(&listed->by_name, key, NULL);
    if (value)
        *value = (uintptr_t)part->table << TABLE_SHIFT | SEEN;
    return value;
}

static void gone_report(struct span name, listed_parts_fn *fn, void *arg)
{
    char type[64], id[BMC_ID_BYTES];
    struct span word;
    (void)span_cut(&name, '\n', &word);
    (void)snprintf(type, sizeof type, SPAN_FMT, SPAN_ARG(word));
    (void)snprintf(id, sizeof id, SPAN_FMT, SPAN_ARG(name));
    fn(arg, type, id);
}

void listed_parts_read(struct listed_parts *listed, const struct bmc_report *report,
                       listed_parts_fn *fn, void *arg)
{
    struct span name;
    uintptr_t *value;
    listed->lost = 0;
    for (size_t i = 0; i < report->part_count; i++)
        listed->lost += !listed_part_add(listed, &report->parts[i]);
    for (size_t at = 0; hashmap_next(&listed->by_name, &at, &name, &value);) {
        if (*value & SEEN) {
            *value &= ~SEEN;
            continue;
        }
        bool is_whole = bmc_report_is_whole(report, (unsigned)(*value >> TABLE_SHIFT));
        if (is_whole && (*value & MISSED_MASK) < GONE)
            ++*value;
        if ((*value & MISSED_MASK) == GONE)
            gone_report(name, fn, arg);
    }
}
