/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup - what memory the control groups of this process allow it. */
#include "base/system/cgroup.h"

#include "base/file.h"
#include "base/number.h"
#include "base/span.h"

#include <unistd.h>

enum { CGROUP_FILE_MAX = 64 * 1024 };

/* Version 1 writes "no limit" as the largest whole number of pages. */
#define V1_UNLIMITED (INT64_MAX - (1 << 20))

struct search {
    const char *root;
    uint64_t least;
    struct strbuf *where;
};

static void read_limit(struct search *s, const char *mount, struct span group,
                       const char *name)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    uint64_t limit;
    strbuf_addf(&path, "%s/sys/fs/cgroup%s" SPAN_FMT "/%s", s->root, mount,
                SPAN_ARG(group), name);
    if (strbuf_error(&path) < 0 ||
        file_read(strbuf_text(&path), CGROUP_FILE_MAX, &text, NULL) < 0)
        return;
    /* "max" is no number, and no limit. */
    if (number_parse_u64(span_trim(strbuf_span(&text)), &limit) < 0 ||
        limit >= V1_UNLIMITED || limit >= s->least)
        return;
    s->least = limit;
    strbuf_clear(s->where);
    strbuf_add_span(s->where, strbuf_span(&path));
}

/* The group and all above it, up to the mount's own. */
static void read_groups(struct search *s, const char *mount, struct span group,
                        const char *name)
{
    while (group.size > 0) {
        while (span_ends(group, "/"))
            group.size--;
        read_limit(s, mount, group, name);
        while (group.size > 0 && group.data[group.size - 1] != '/')
            group.size--;
    }
    read_limit(s, mount, (struct span){ 0 }, name);
}

static bool has_controller(struct span controllers, const char *wanted)
{
    struct span item;
    while (controllers.size > 0) {
        (void)span_cut(&controllers, ',', &item);
        if (span_is(item, wanted))
            return true;
    }
    return false;
}

/* "4:memory:/system.slice/barod.service" of version 1, "0::/..." of version 2, whose
 * tree is mounted beside the others where both are in use. */
static void read_line(struct search *s, struct span line)
{
    struct span id, controllers;
    if (!span_cut(&line, ':', &id) || !span_cut(&line, ':', &controllers))
        return;
    if (controllers.size == 0) {
        read_groups(s, "", line, "memory.max");
        read_groups(s, "/unified", line, "memory.max");
    } else if (has_controller(controllers, "memory")) {
        read_groups(s, "/memory", line, "memory.limit_in_bytes");
    }
}

uint64_t cgroup_memory_limit(const char *root, struct strbuf *where)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct search s = { root, CGROUP_UNLIMITED, where };
    strbuf_addf(&path, "%s/proc/self/cgroup", root);
    if (strbuf_error(&path) < 0 ||
        file_read(strbuf_text(&path), CGROUP_FILE_MAX, &text, NULL) < 0)
        return CGROUP_UNLIMITED;
    struct span rest = strbuf_span(&text), line;
    while (rest.size > 0) {
        (void)span_cut(&rest, '\n', &line);
        read_line(&s, line);
    }
    return s.least;
}

uint64_t cgroup_machine_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
}
