/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_blocks_manifest - manifests: lines of input with a right end, or input alone. */
#include "base/file.h"
#include "blocks/manifest.h"
#include "fuzz/fuzz.h"

#include <inttypes.h>
#include <stdio.h>
#include <xxhash.h>

static char dir[] = "/tmp/baro-fuzz.XXXXXX";

static void remove_dir(void)
{
    (void)rmdir(dir);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool is_made;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(manifest_done) struct manifest m = { 0 };
    char path[64];
    if (size == 0)
        return 0;
    if (!is_made) {
        fuzz_check(mkdtemp(dir) != NULL);
        (void)atexit(remove_dir);
        is_made = true;
    }
    if (!(data[0] & 1))
        strbuf_adds(&text, "baro-store-manifest 1\n");
    strbuf_add(&text, data + 1, size - 1);
    if (!(data[0] & 1))
        strbuf_addf(&text, "end %016" PRIx64 "\n", XXH3_64bits(text.data, text.size));
    (void)snprintf(path, sizeof path, "%s/manifest-00000007", dir);
    FILE *f = fopen(path, "we");
    fuzz_check(f && fwrite(text.data, 1, text.size, f) == text.size);
    (void)fclose(f);
    if (manifest_read(dir, 7, &m, NULL) == 0) {
        AUTO(manifest_done) struct manifest same = { 0 };
        fuzz_check(m.checkpoint == 7 && m.shard_count <= MANIFEST_SHARDS_MAX);
        fuzz_check(manifest_write(&m, dir, NULL) == 0);
        fuzz_check(manifest_read(dir, 7, &same, NULL) == 0);
        fuzz_check(same.block_count == m.block_count && same.seed == m.seed &&
                   same.archive_count == m.archive_count &&
                   same.next_number == m.next_number);
    }
    (void)unlink(path);
    return 0;
}
