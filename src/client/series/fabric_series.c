/* SPDX-License-Identifier: Apache-2.0 */
/* fabric_series - what others on a file system's fabric did, out of a set of series. */
#include "client/series/fabric_series.h"

/* The files of one file system. */
struct part {
    struct series_set *set;
    const struct site_filesystem *of;
};

static int part_take(void *arg, int64_t from_s, int64_t to_s, struct lmt_series ***ret,
                     size_t *ret_count, struct err *err)
{
    const struct part *part = arg;
    const struct series_request request = {
        .from_s = from_s, .to_s = to_s, .scope = SERIES_SCOPE_ONLY, .owner = part->of
    };
    return series_set_get(part->set, &request, ret, ret_count, NULL, err);
}

/* False: it has no series.  *step_s becomes the longest of its steps, if longer. */
static bool part_open(struct part *part, int64_t *step_s, struct fabric_member *ret)
{
    bool has_any = false;
    *ret = (struct fabric_member){
        .name = part->of->name,
        .source = { part_take, part, INT64_MAX, INT64_MIN, series_set_zone(part->set) },
    };
    for (size_t i = 0; i < part->set->count; i++) {
        const struct series_set_file *file = &part->set->files[i];
        if (file->owner != part->of)
            continue;
        has_any = true;
        *step_s = file->step_s > *step_s ? file->step_s : *step_s;
        ret->source.first_s =
            file->from_s < ret->source.first_s ? file->from_s : ret->source.first_s;
        ret->source.end_s =
            file->to_s > ret->source.end_s ? file->to_s : ret->source.end_s;
    }
    return has_any;
}

static void fabrics_name(const struct site_filesystem *of, struct strbuf *out)
{
    for (size_t i = 0; i < of->fabrics.count; i++)
        strbuf_addf(out, "%s%s", i > 0 ? " " : "", of->fabrics.items[i]);
}

int fabric_series_read(struct series_set *set, const struct site_file *site,
                       const struct site_filesystem *of, int64_t from_s, int64_t to_s,
                       struct fabric *ret, struct err *err)
{
    AUTO(strbuf_done) struct strbuf fabrics = STRBUF_INIT;
    int64_t step_s = 0;
    size_t all = 0;
    size_t count = 0;
    const struct site_filesystem *others = site_file_filesystems(site, &all);
    AUTO_FREE struct part *parts = calloc(all + 1, sizeof *parts);
    AUTO_FREE struct fabric_member *members = calloc(all + 1, sizeof *members);
    fabrics_name(of, &fabrics);
    if (!parts || !members || strbuf_error(&fabrics) < 0)
        return err_set(err, ENOMEM, "out of memory");
    for (size_t i = 0; i < all; i++) {
        if (&others[i] == of || !site_file_fabric(&others[i], of))
            continue;
        parts[count] = (struct part){ set, &others[i] };
        count += part_open(&parts[count], &step_s, &members[count]);
    }
    return fabric_read(members, count, strbuf_text(&fabrics), from_s, to_s + step_s,
                       ret, err);
}

int fabric_series_read_own(struct series_set *set, const struct site_filesystem *of,
                           int64_t from_s, int64_t to_s, struct fabric *ret,
                           struct err *err)
{
    AUTO(strbuf_done) struct strbuf fabrics = STRBUF_INIT;
    struct part part = { set, of };
    struct fabric_member member;
    int64_t step_s = 0;
    fabrics_name(of, &fabrics);
    if (strbuf_error(&fabrics) < 0)
        return err_set(err, ENOMEM, "out of memory");
    size_t count = part_open(&part, &step_s, &member);
    return fabric_read(&member, count, strbuf_text(&fabrics), from_s, to_s, ret, err);
}
