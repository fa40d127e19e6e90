/* SPDX-License-Identifier: Apache-2.0 */
/* manifest - the files of an image as text, a line each. */
#include "dataset/image/manifest.h"

#include "base/span.h"
#include "base/utf8.h"

#include <inttypes.h>

void image_manifest_text(struct strbuf *out, struct span text)
{
    bool is_utf8 = utf8_is_valid(text);
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c < 0x20 || c == 0x7F || c == '\\' || (c >= 0x80 && !is_utf8))
            strbuf_addf(out, "\\x%02X", c);
        else
            strbuf_addc(out, (char)c);
    }
}

void image_manifest_add(struct strbuf *out, const struct image_file *file)
{
    char digest[DIGEST_TEXT_SIZE];
    strbuf_addf(
        out, "%c\t%04" PRIo32 "\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu64 "\t%" PRIu64 "\t",
        file->type, file->mode, file->uid, file->gid, file->size, file->mtime_s);
    if (file->type == 'f') {
        digest_print(&file->digest, digest);
        strbuf_adds(out, digest);
    } else if (file->type == 'l') {
        image_manifest_text(out, file->target);
    } else if (file->type == 'c' || file->type == 'b') {
        strbuf_add_u64(out, file->device);
    } else {
        strbuf_addc(out, '-');
    }
    strbuf_addc(out, '\t');
    if (file->path.size)
        image_manifest_text(out, file->path);
    else
        strbuf_addc(out, '.');
    strbuf_addc(out, '\n');
}

bool image_manifest_next(struct span *rest, struct span *ret_line,
                         struct span *ret_path)
{
    if (rest->size == 0)
        return false;
    (void)span_cut(rest, '\n', ret_line);
    struct span path = *ret_line, cell;
    for (int i = 0; i < 7; i++)
        (void)span_cut(&path, '\t', &cell);
    *ret_path = path;
    return true;
}
