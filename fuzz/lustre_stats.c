/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_lustre_stats - the readers of a server's totals.
 *
 * The first byte chooses the form of the file.
 */
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct heard h = { { (const char *)data + 1, size - 1 }, 0 };
    const struct lustre_reader reader = { hear, hear_fault, &h };
    enum lustre_file_form form =
        (enum lustre_file_form)(data[0] % (LUSTRE_FILE_WORD + 1u));
    fuzz_check(lustre_read_text(form, SPAN("file"), h.text, &reader) == 0);
    return 0;
}
