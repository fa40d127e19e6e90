/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_spank_datasets - SLURM_DATASET, which users write and root reads: what is
 * accepted has bounds, and is the same when it is printed and read again. */
#include "base/span.h"
#include "dataset/spank/datasets.h"
#include "fuzz/fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct visit visit;
    struct datasets datasets, again;
    char out[DATASETS_TEXT_SIZE], out_again[DATASETS_TEXT_SIZE];
    if (datasets_parse((struct span){ (const char *)data, size }, &datasets, NULL) < 0)
        return 0;
    fuzz_check(datasets.count <= VISIT_DATASETS_MAX);
    datasets_print(&datasets, out);
    fuzz_check(!strpbrk(out, " \t\n"));
    fuzz_check(datasets_parse(span_of(out), &again, NULL) == 0);
    datasets_print(&again, out_again);
    fuzz_check(strcmp(out, out_again) == 0);
    fuzz_check(visit_begin(&visit, AGENT_SOCKET, NULL) == 0);
    for (size_t i = 0; i < datasets.count; i++)
        if (visit_add(&visit, datasets.texts[i], NULL) == 0)
            fuzz_check(visit.datasets[visit.count - 1].path[0] == '/');
    visit_done(&visit);
    return 0;
}
