/* SPDX-License-Identifier: Apache-2.0 */
/* unit_file - what memory an installed unit of systemd allows its service. */
#include "base/system/unit_file.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { UNIT_FILE_MAX = 256 * 1024 };

struct reading {
    uint64_t ram_bytes, limit;
    struct strbuf *where;
};

/* "5G", "512M", bytes, "50%", "infinity"; as systemd reads them.  Anything else is no
 * limit there either: systemd warns and passes it over. */
static void read_value(struct reading *r, struct span value, const char *path)
{
    static const char suffixes[] = "KMGT";
    uint64_t number, scale = 1;
    strbuf_clear(r->where);
    strbuf_adds(r->where, path);
    if (value.size == 0 || span_is(value, "infinity")) {
        r->limit = UNIT_FILE_UNLIMITED;
        return;
    }
    char last = value.data[value.size - 1];
    const char *suffix = strchr(suffixes, last);
    if (suffix || last == '%')
        value.size--;
    if (suffix)
        scale = UINT64_C(1) << (10 * (unsigned)(suffix - suffixes + 1));
    if (number_parse_u64(span_trim(value), &number) < 0 ||
        number > (1U << 30) * 4096ULL)
        return;
    r->limit = last == '%' ? r->ram_bytes / 100 * number : number * scale;
}

static bool read_unit(struct reading *r, const char *path)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    if (file_read(path, UNIT_FILE_MAX, &text, NULL) < 0)
        return false;
    struct span rest = strbuf_span(&text), line, key;
    while (rest.size > 0) {
        (void)span_cut(&rest, '\n', &line);
        if (span_cut(&line, '=', &key) && span_is(span_trim(key), "MemoryMax"))
            read_value(r, span_trim(line), path);
    }
    return true;
}

static int is_drop_in(const struct dirent *entry)
{
    return span_ends(span_of(entry->d_name), ".conf");
}

static void read_drop_ins(struct reading *r, const char *unit)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    struct dirent **entries = NULL;
    strbuf_addf(&path, "%s.d", unit);
    int count = scandir(strbuf_text(&path), &entries, is_drop_in, alphasort);
    for (int i = 0; i < count; i++) {
        strbuf_clear(&path);
        strbuf_addf(&path, "%s.d/%s", unit, entries[i]->d_name);
        (void)read_unit(r, strbuf_text(&path));
        free(entries[i]);
    }
    free(entries);
}

uint64_t unit_file_memory_max(const char *root, const char *name, uint64_t ram_bytes,
                              struct strbuf *where)
{
    static const char *const directories[] = { "/usr/lib", "/lib", "/usr/local/lib",
                                               "/run", "/etc" };
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    struct reading r = { ram_bytes, UNIT_FILE_UNLIMITED, where };
    if (strchr(name, '/')) {
        if (read_unit(&r, name) && where->size == 0)
            strbuf_adds(where, name);
        read_drop_ins(&r, name);
        return r.limit;
    }
    for (size_t i = 0; i < sizeof directories / sizeof directories[0]; i++) {
        strbuf_clear(&path);
        strbuf_addf(&path, "%s%s/systemd/system/%s", root, directories[i], name);
        struct reading here = { ram_bytes, UNIT_FILE_UNLIMITED, where };
        /* A unit of the same name replaces the one before; drop-ins add to it. */
        if (read_unit(&here, strbuf_text(&path))) {
            r.limit = here.limit;
            if (here.limit == UNIT_FILE_UNLIMITED) {
                strbuf_clear(where);
                strbuf_add_span(where, strbuf_span(&path));
            }
        }
        read_drop_ins(&r, strbuf_text(&path));
    }
    return r.limit;
}
