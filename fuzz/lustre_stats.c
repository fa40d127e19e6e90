/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_lustre_stats - the readers of a server's totals.
 *
 * The first byte chooses the form of the file, or all as get_param prints them.
 */
#include "base/span.h"
#include "fuzz/fuzz.h"
#include "source/lustre/lustre.h"

struct heard {
    struct span text;
    size_t readings;
};

static void check_span(const struct heard *h, struct span s)
{
    if (s.size > 0 && s.data >= h->text.data && s.data < h->text.data + h->text.size)
        fuzz_check(s.data + s.size <= h->text.data + h->text.size);
}

static int hear(void *arg, const struct lustre_reading *r)
{
    struct heard *h = arg;
    h->readings++;
    fuzz_check(r->has != 0);
    check_span(h, r->name);
    check_span(h, r->bucket);
    check_span(h, r->unit);
    check_span(h, r->text);
    return 0;
}

static void hear_fault(void *arg, uint64_t line, struct span text)
{
    fuzz_check(line > 0);
    check_span(arg, text);
}

static int hear_total(void *arg, const struct lustre_total *total)
{
    check_span(arg, total->target);
    fuzz_check(total->file != NULL);
    return hear(arg, &total->reading);
}

static void hear_total_fault(void *arg, const char *path, uint64_t line,
                             struct span text)
{
    fuzz_check(path != NULL);
    hear_fault(arg, line, text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct heard h = { { (const char *)data + 1, size - 1 }, 0 };
    const struct lustre_reader reader = { hear, hear_fault, &h };
    unsigned choice = data[0] % (LUSTRE_FILE_CHANGELOG + 2u);
    if (choice > LUSTRE_FILE_CHANGELOG) {
        const struct lustre_totals totals = { hear_total, hear_total_fault, &h };
        fuzz_check(lustre_read_totals_text(h.text, &totals) == 0);
        return 0;
    }
    enum lustre_file_form form = (enum lustre_file_form)choice;
    fuzz_check(lustre_read_text(form, SPAN("file"), h.text, &reader) == 0);
    return 0;
}
