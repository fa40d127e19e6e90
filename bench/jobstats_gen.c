/* SPDX-License-Identifier: Apache-2.0 */
/* jobstats_gen - prints a dump of job_stats as a given Lustre prints it.
 *
 *     jobstats_gen FORM mdt|ost ENTRIES [SEED]
 *
 * Identifiers are those of a busy machine: mostly <job>:<uid>:<node>, every tenth a
 * login's <executable>.<uid>.  The same arguments print the same text.
 */
#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"
#include "source/lustre/test/jobstats_text.h"

#include <inttypes.h>

static struct span make_id(char out[static 64], uint64_t n, uint64_t seed)
{
    static const char *const programs[] = { "wget", "python3.9", "kworker/86:1", "node",
                                            "abc def" };
    uint64_t bits = (n + seed) * UINT64_C(0x9e3779b97f4a7c15);
    int size;
    if (n % 10 == 9)
        size = snprintf(out, 64, "%s.%" PRIu64, programs[n / 10 % COUNT_OF(programs)],
                        1000 + n);
    else
        size = snprintf(out, 64, "%" PRIu64 ":%" PRIu64 ":r%02uc%02u", 11317854 + n / 4,
                        17627127 + (bits >> 40) % 500, (unsigned)(bits >> 20) % 40,
                        (unsigned)(bits >> 30) % 64);
    return (struct span){ out, (size_t)size };
}

int main(int argc, char **argv)
{
    uint64_t entries = 0;
    uint64_t seed = 1;
    int form = argc > 1 ? jobstats_form_find(argv[1]) : -1;
    if (argc < 4 || form < 0 || number_parse_u64(span_of(argv[3]), &entries) < 0 ||
        (argc > 4 && number_parse_u64(span_of(argv[4]), &seed) < 0)) {
        fprintf(stderr, "usage: jobstats_gen FORM mdt|ost ENTRIES [SEED]\nforms:");
        for (int i = 0; i < JOBSTATS_FORMS; i++)
            fprintf(stderr, " %s", jobstats_form_names[i]);
        fputc('\n', stderr);
        return 2;
    }
    enum target_kind kind = strcmp(argv[2], "mdt") == 0 ? TARGET_MDT : TARGET_OST;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    jobstats_text_head(&out, kind, 1);
    uint64_t state = seed;
    for (uint64_t n = 0; n < entries; n++) {
        char id[64];
        jobstats_text_entry(&out, form, kind, make_id(id, n, seed), &state);
        if (out.size < 1 << 16 && n + 1 < entries)
            continue;
        if (strbuf_error(&out) || fwrite(out.data, 1, out.size, stdout) != out.size)
            return 1;
        strbuf_clear(&out);
    }
    if (out.size > 0 && fwrite(out.data, 1, out.size, stdout) != out.size)
        return 1;
    return fflush(stdout) == 0 ? 0 : 1;
}
