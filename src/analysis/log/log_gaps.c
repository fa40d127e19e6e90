/* SPDX-License-Identifier: Apache-2.0 */
/* log_gaps - what a log has not, or has and nothing here reads. */
#include "analysis/log/log_gaps.h"

void log_gaps_find(const struct darshan_log *log, struct log_gaps *ret)
{
    const struct darshan_header *header = darshan_log_header(log);
    *ret = (struct log_gaps){ 0 };
    for (unsigned i = 0; i < header->slot_count; i++) {
        const struct darshan_slot *slot = &header->slots[i];
        if (slot->is_partial)
            ret->partial |= LOG_BIT(slot->id);
        if (darshan_log_has(log, i))
            ret->present |= LOG_BIT(slot->id);
        if (darshan_log_has(log, i) && !darshan_log_is_readable(log, i))
            ret->unread |= LOG_BIT(slot->id);
    }
}

bool log_gaps_is_whole(const struct log_gaps *gaps)
{
    return !(gaps->partial | gaps->damaged) && !gaps->is_job_damaged;
}

uint32_t log_gaps_lacking(const struct log_gaps *gaps)
{
    return gaps->unread | gaps->partial | gaps->damaged;
}

static uint32_t bits_of(const struct log_gaps *gaps, enum log_gap kind)
{
    return kind == LOG_GAP_UNREAD    ? gaps->unread
           : kind == LOG_GAP_PARTIAL ? gaps->partial
                                     : gaps->damaged;
}

const char *log_gap_name(enum log_gap kind)
{
    static const char *const names[LOG_GAP_KINDS] = { "unread", "partial", "damaged" };
    return names[kind];
}

const char *log_gaps_name(const struct log_gaps *gaps, enum log_gap kind, size_t n)
{
    uint32_t bits = bits_of(gaps, kind);
    for (unsigned id = 0; id <= DARSHAN_UNKNOWN; id++)
        if ((bits & LOG_BIT(id)) && n-- == 0)
            return darshan_module((enum darshan_module_id)id)->name;
    return NULL;
}

size_t log_gaps_print(const struct log_gaps *gaps, enum log_gap kind,
                      struct strbuf *out)
{
    size_t count = 0;
    const char *name;
    while ((name = log_gaps_name(gaps, kind, count)))
        strbuf_addf(out, "%s%s", count++ > 0 ? ", " : "", name);
    return count;
}
