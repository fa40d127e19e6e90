/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_erofs - images of file systems: what the checker accepts has sane files, and
 * nothing makes it read outside of the image. */
#include "base/span.h"
#include "dataset/image/image.h"
#include "fuzz/fuzz.h"

static int line_check(void *arg, const struct image_file *file)
{
    struct strbuf *lines = arg;
    fuzz_check(file->type && file->path.size <= IMAGE_PATH_MAX);
    fuzz_check(!file->path.size || !memchr(file->path.data, 0, file->path.size));
    image_manifest_add(lines, file);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct image_policy policy = { .allows_setuid = true,
                                                .allows_special = true };
    AUTO(strbuf_done) struct strbuf lines = STRBUF_INIT;
    struct image_totals totals = { 0 };
    struct span rest, line, path;
    uint64_t count = 0;
    /* Corpus files are short: what is cut off at the end was zeros. */
    size_t whole = (size + 4095) / 4096 * 4096;
    AUTO_FREE uint8_t *image = calloc(1, whole + 1);
    if (!image || whole > 1U << 20)
        return 0;
    memcpy(image, data, size);
    if (image_walk(image, whole, &policy, line_check, &lines, &totals, NULL) < 0)
        return 0;
    rest = strbuf_span(&lines);
    while (image_manifest_next(&rest, &line, &path))
        count++;
    fuzz_check(count ==
               totals.files + totals.directories + totals.links + totals.special);
    return 0;
}
