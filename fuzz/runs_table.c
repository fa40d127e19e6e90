/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_runs_table - somebody's mapping and table: a line "---" divides them.  What is
 * no table is refused with words; of every row it is known what became of it; and what
 * is guessed of a table is a mapping.  The same bytes are a zone and a quantity, too.
 */
#include "analysis/climate/climate.h"
#include "analysis/table/table.h"
#include "base/file.h"
#include "base/span.h"
#include "base/zone.h"
#include "fuzz/fuzz.h"

#include <math.h>
#include <sys/mman.h>

struct memory_file {
    int fd;
    char path[64];
};

static struct memory_file file_of(struct span bytes)
{
    struct memory_file file = { .fd = memfd_create("fuzz", MFD_CLOEXEC) };
    fuzz_check(file.fd >= 0);
    fuzz_check(file_write_all(file.fd, bytes.data, bytes.size) == 0);
    (void)snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.fd);
    return file;
}

static void runs_read(const char *map_path, char *table_path)
{
    AUTO(mapping_done) struct mapping mapping = { 0 };
    AUTO(runs_done) struct runs runs = { 0 };
    struct err err = { 0 };
    int rc = mapping_load(map_path, &mapping, &err);
    if (rc == 0)
        rc = runs_load(&mapping, &table_path, 1, &runs, &err);
    fuzz_check((rc < 0) == (err.text[0] != '\0'));
    if (rc < 0)
        return;
    uint64_t known = runs.bad_rows + runs.missing_rows + runs.outside_rows + runs.count;
    for (size_t i = 0; i < mapping.drops.count; i++)
        known += runs.dropped[i];
    fuzz_check(known == runs.rows);
    for (size_t i = 0; i < runs.count; i++)
        fuzz_check(runs.runs[i].t_ns >= 0 && runs.runs[i].fraction <= 1);
}

static void table_guess(char *table_path)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct err err = { 0 };
    int rc = guess_mapping(table_path, &text, &err);
    fuzz_check((rc < 0) == (err.text[0] != '\0'));
    if (rc < 0)
        return;
    struct memory_file map = file_of(strbuf_span(&text));
    AUTO(mapping_done) struct mapping mapping = { 0 };
    fuzz_check(mapping_load(map.path, &mapping, &err) == 0);
    (void)close(map.fd);
}

static void texts_read(struct span text)
{
    AUTO(zone_done) struct zone zone = { 0 };
    static const struct number_form german = { ',', '.' };
    double number = 0;
    if (zone_parse(text, &zone) == 0)
        (void)zone_utc_ns(&zone, INT64_C(1600000000) * 1000000000);
    if (quantity_cell(text, &german, &number) == 0)
        fuzz_check(isfinite(number));
    (void)quantity_number(text);
    (void)quantity_bytes(text);
    (void)quantity_seconds(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span all = { (const char *)data, size };
    const char *divide = size ? memmem(data, size, "\n---\n", 5) : NULL;
    size_t map_size = divide ? (size_t)(divide - all.data) + 1 : 0;
    struct memory_file map = file_of((struct span){ all.data, map_size });
    struct memory_file table = file_of(span_skip(all, divide ? map_size + 4 : 0));
    if (divide)
        runs_read(map.path, table.path);
    table_guess(table.path);
    texts_read(all);
    (void)close(map.fd);
    (void)close(table.fd);
    return 0;
}
