/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_mounts - the text of mountinfo, an import file of Lustre, and what the process
 * that checks mounts writes: all is bounded, and lies within the text.
 */
#include "agent/sampling/mount_probe.h"
#include "base/span.h"
#include "fuzz/fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct mount_list list;
    static struct mount_results results;
    struct span text = { (const char *)data, size }, target, state, line;
    mount_list_parse(text, &list);
    fuzz_check(list.count <= MOUNTS_MAX);
    for (size_t i = 0; i < list.count; i++)
        fuzz_check(list.points[i].path[0] == '/' &&
                   memchr(list.points[i].path, '\0', MOUNT_PATH_BYTES));
    if (import_parse(text, &target, &state))
        fuzz_check(target.size <= size && state.size <= size);
    memset(&results, 0, sizeof results);
    while (text.size) {
        (void)span_cut(&text, '\n', &line);
        (void)mount_result_parse(line, 3, &results);
        fuzz_check(results.done <= 3 && results.import_count <= IMPORT_FS_MAX);
    }
    for (size_t i = 0; i < results.import_count; i++) {
        const struct import_state *one = &results.imports[i];
        fuzz_check(one->name[0] && memchr(one->name, '\0', sizeof one->name));
        fuzz_check(one->away <= one->imports &&
                   memchr(one->first, '\0', sizeof one->first));
    }
    return 0;
}
