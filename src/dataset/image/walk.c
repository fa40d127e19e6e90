/* SPDX-License-Identifier: Apache-2.0 */
/* walk - the checker of images: every inode, block and name of an untrusted one. */
#include "dataset/image/walk.h"

#include "base/span.h"
#include "base/strbuf.h"
#include "dataset/image/claims.h"
#include "dataset/image/erofs.h"
#include "dataset/image/inodes.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#define ENTRY_SIZE 12U

/* A directory that is being read. */
struct frame {
    struct erofs_inode inode;
    uint64_t parent_nid;
    uint64_t block_offset; /* of the block being read, in the directory */
    const uint8_t *block;
    uint32_t block_size, entry_count, entry_index;
    uint32_t directory_count;
    struct span last_name; /* in the image */
    size_t path_size;      /* with the directory's own name */
    bool has_self, has_parent;
};

struct walk {
    struct erofs e;
    const struct image_policy *policy;
    image_file_fn each;
    void *arg;
    struct claims *claims;
    struct inodes inodes;
    struct digest_sum *sum;
    struct strbuf path;
    struct frame *frames;
    size_t depth;
    struct image_totals totals;
    uint64_t content_bytes_max, content_bytes;
};

static void walk_done(struct walk *walk)
{
    claims_free(walk->claims);
    inodes_done(&walk->inodes);
    digest_sum_free(walk->sum);
    strbuf_done(&walk->path);
    free(walk->frames);
}
DEFINE_AUTO_DONE(struct walk, walk_done);

static int refused(const struct walk *walk, int errnum, struct err *err,
                   const char *what)
{
    return err_set(err, errnum, "'/" SPAN_FMT "': %s",
                   SPAN_ARG(strbuf_span(&walk->path)), what);
}

/* ---- content ---- */

static int hole_add(struct digest_sum *sum, uint64_t size)
{
    static const uint8_t zeros[65536];
    while (size) {
        size_t part = size < sizeof zeros ? (size_t)size : sizeof zeros;
        digest_sum_add(sum, zeros, part);
        size -= part;
    }
    return 0;
}

static int content_read(struct walk *walk, const struct erofs_inode *inode,
                        struct digest *ret, struct err *err)
{
    if (inode->size > walk->content_bytes_max - walk->content_bytes)
        return refused(walk, EBADMSG, err,
                       "with this file the content is more than 32 times the image: a "
                       "sparse or repeating file is not accepted as large as that");
    walk->content_bytes += inode->size;
    for (uint64_t at = 0; at < inode->size;) {
        struct erofs_piece piece = { 0 };
        int rc = erofs_piece_read(&walk->e, inode, at, &piece, err);
        if (rc == 0 && piece.block_count)
            rc = claims_blocks(walk->claims, piece.block, piece.block_count,
                               CLAIM_CONTENT, err);
        if (rc < 0)
            return rc;
        if (piece.data)
            digest_sum_add(walk->sum, piece.data, (size_t)piece.size);
        else
            (void)hole_add(walk->sum, piece.size);
        at += piece.size;
    }
    return digest_sum_end(walk->sum, ret);
}

static int link_read(struct walk *walk, const struct erofs_inode *inode,
                     struct image_file *file, struct err *err)
{
    struct erofs_piece piece = { 0 };
    if (inode->size == 0 || inode->size > IMAGE_PATH_MAX ||
        inode->layout == EROFS_CHUNKS)
        return refused(walk, EBADMSG, err, "a symbolic link without a valid target");
    int rc = erofs_piece_read(&walk->e, inode, 0, &piece, err);
    if (rc < 0)
        return rc;
    if (piece.size != inode->size || memchr(piece.data, 0, (size_t)piece.size))
        return refused(walk, EBADMSG, err, "a symbolic link without a valid target");
    if (piece.block_count)
        rc = claims_blocks(walk->claims, piece.block, piece.block_count, CLAIM_CONTENT,
                           err);
    file->target = (struct span){ (const char *)piece.data, (size_t)piece.size };
    return rc < 0 ? rc : digest_of(piece.data, (size_t)piece.size, &file->digest);
}

/* ---- inodes ---- */

static char type_letter(uint32_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFREG:
        return 'f';
    case S_IFDIR:
        return 'd';
    case S_IFLNK:
        return 'l';
    case S_IFCHR:
        return 'c';
    case S_IFBLK:
        return 'b';
    case S_IFIFO:
        return 'p';
    case S_IFSOCK:
        return 's';
    default:
        return '\0';
    }
}

static int policy_check(const struct walk *walk, const struct erofs_inode *inode,
                        char type, struct err *err)
{
    if (!type)
        return refused(walk, EBADMSG, err, "it is of no known type");
    if (type == 'f' && inode->mode & (S_ISUID | S_ISGID) &&
        !walk->policy->allows_setuid)
        return refused(walk, EPERM, err,
                       "it is set-user-ID or set-group-ID, which the policy refuses: "
                       "remove the bit (chmod ug-s), or allow it (--allow-setuid)");
    if (strchr("cbps", type) && !walk->policy->allows_special)
        return refused(walk, EPERM, err,
                       "it is a device, a FIFO or a socket, which the policy refuses: "
                       "leave it out, or allow it (--allow-special)");
    return 0;
}

static int file_report(struct walk *walk, const struct erofs_inode *inode, char type,
                       struct image_file *file)
{
    file->type = type;
    file->mode = inode->mode & 07777;
    file->uid = inode->uid;
    file->gid = inode->gid;
    file->size = type == 'd' ? 0 : inode->size;
    file->mtime_s = inode->mtime_s;
    file->device = type == 'c' || type == 'b' ? inode->first_block : 0;
    file->path = strbuf_span(&walk->path);
    walk->totals.files += type == 'f';
    walk->totals.directories += type == 'd';
    walk->totals.links += type == 'l';
    walk->totals.special += strchr("cbps", type) != NULL;
    walk->totals.content_bytes += type == 'f' ? inode->size : 0;
    return walk->each ? walk->each(walk->arg, file) : 0;
}

/* The first name of an inode claims its bytes and reads its content; each further one
 * of a file is a hard link. */
static int leaf_enter(struct walk *walk, const struct erofs_inode *inode, char type,
                      struct err *err)
{
    struct image_file file = { 0 };
    struct inode_met *met = inodes_meet(&walk->inodes, inode->nid);
    if (!met)
        return -ENOMEM;
    bool is_first = met->met_count++ == 0;
    met->link_count = inode->link_count;
    int rc = 0;
    if (is_first)
        rc = claims_inode(walk->claims, inode->at, inode->end, err);
    if (rc == 0 && type == 'f' && is_first)
        rc = content_read(walk, inode, &met->digest, err);
    if (rc == 0 && type == 'l')
        rc = link_read(walk, inode, &file, err);
    if (rc < 0)
        return err_prefix(err, rc, "'/" SPAN_FMT "'",
                          SPAN_ARG(strbuf_span(&walk->path)));
    if (type == 'f')
        file.digest = met->digest;
    return file_report(walk, inode, type, &file);
}

/* ---- directories ---- */

static int directory_enter(struct walk *walk, const struct erofs_inode *inode,
                           uint64_t parent_nid, struct err *err)
{
    struct inode_met *met = inodes_meet(&walk->inodes, inode->nid);
    if (!met)
        return -ENOMEM;
    if (met->link_count || met->met_count)
        return refused(walk, EBADMSG, err,
                       "a directory that was met already: it is in a loop, or has two "
                       "names");
    met->link_count = inode->link_count;
    met->met_count = 2;
    if (walk->depth == IMAGE_DEPTH_MAX)
        return refused(walk, EBADMSG, err, "more than 1024 directories deep");
    if (inode->layout == EROFS_CHUNKS || inode->size == 0)
        return refused(walk, EBADMSG, err, "a directory in chunks, or without entries");
    int rc = claims_inode(walk->claims, inode->at, inode->end, err);
    for (uint64_t at = 0; rc == 0 && at < inode->size;) {
        struct erofs_piece piece = { 0 };
        rc = erofs_piece_read(&walk->e, inode, at, &piece, err);
        if (rc == 0 && piece.block_count)
            rc = claims_blocks(walk->claims, piece.block, piece.block_count,
                               CLAIM_DIRECTORY, err);
        at += piece.size;
    }
    if (rc < 0)
        return err_prefix(err, rc, "'/" SPAN_FMT "'",
                          SPAN_ARG(strbuf_span(&walk->path)));
    walk->frames[walk->depth++] = (struct frame){
        .inode = *inode,
        .parent_nid = parent_nid,
        .path_size = walk->path.size,
    };
    struct image_file file = { 0 };
    return file_report(walk, inode, 'd', &file);
}

/* The block at block_offset: its entries stand before their names. */
static int block_enter(const struct walk *walk, struct frame *frame, struct err *err)
{
    struct erofs_piece piece = { 0 };
    uint64_t tail = frame->inode.size & (EROFS_BLOCK_SIZE - 1);
    bool is_tail = frame->inode.layout == EROFS_INLINE && tail &&
                   frame->block_offset == frame->inode.size - tail;
    int rc = erofs_piece_read(&walk->e, &frame->inode,
                              is_tail ? frame->block_offset : 0, &piece, err);
    if (rc < 0)
        return rc;
    uint64_t skipped = is_tail ? 0 : frame->block_offset;
    uint64_t left = piece.size - skipped;
    frame->block = piece.data + skipped;
    frame->block_size = left < EROFS_BLOCK_SIZE ? (uint32_t)left : EROFS_BLOCK_SIZE;
    if (frame->block_size < ENTRY_SIZE)
        return refused(walk, EBADMSG, err, "a directory's block without an entry");
    uint32_t names_at = erofs_u16(frame->block + 8);
    if (names_at < ENTRY_SIZE || names_at % ENTRY_SIZE || names_at >= frame->block_size)
        return refused(walk, EBADMSG, err,
                       "the entries of a directory's block have no "
                       "valid end");
    frame->entry_count = names_at / ENTRY_SIZE;
    frame->entry_index = 0;
    return 0;
}

static int name_read(const struct walk *walk, const struct frame *frame,
                     struct span *ret, struct err *err)
{
    const uint8_t *entry = frame->block + (size_t)frame->entry_index * ENTRY_SIZE;
    bool is_last = frame->entry_index + 1 == frame->entry_count;
    uint32_t begin = erofs_u16(entry + 8);
    uint32_t end = is_last ? frame->block_size : erofs_u16(entry + ENTRY_SIZE + 8);
    if (begin < frame->entry_count * ENTRY_SIZE || end <= begin ||
        end > frame->block_size)
        return refused(walk, EBADMSG, err,
                       "a name is outside of its directory's block");
    struct span name = { (const char *)frame->block + begin, end - begin };
    if (is_last) { /* what follows the last name is zeros */
        name.size = strnlen(name.data, name.size);
        for (uint32_t i = begin + (uint32_t)name.size; i < end; i++)
            if (frame->block[i])
                return refused(walk, EBADMSG, err, "bytes behind the last name");
    }
    if (name.size == 0 || name.size > IMAGE_NAME_MAX ||
        memchr(name.data, 0, name.size) || memchr(name.data, '/', name.size))
        return refused(walk, EBADMSG, err, "a name that no file can have");
    *ret = name;
    return 0;
}

static int name_compare(struct span a, struct span b)
{
    size_t common = a.size < b.size ? a.size : b.size;
    int order = common ? memcmp(a.data, b.data, common) : 0;
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

static char entry_type(uint8_t type)
{
    static const char letters[] = { '\0', 'f', 'd', 'c', 'b', 'p', 's', 'l' };
    return type < sizeof letters ? letters[type] : '\0';
}

/* "." and "..": they lead where they must. */
static int dots_check(const struct walk *walk, struct frame *frame, struct span name,
                      uint64_t nid, struct err *err)
{
    bool is_self = name.size == 1;
    if (nid != (is_self ? frame->inode.nid : frame->parent_nid))
        return refused(walk, EBADMSG, err, "its . or .. leads elsewhere");
    if (is_self)
        frame->has_self = true;
    else
        frame->has_parent = true;
    return 0;
}

static int entry_enter(struct walk *walk, struct frame *frame, struct span name,
                       const uint8_t *entry, struct err *err)
{
    struct erofs_inode inode = { 0 };
    uint64_t nid = erofs_u64(entry);
    if (walk->path.size + 1 + name.size > IMAGE_PATH_MAX)
        return refused(walk, EBADMSG, err, "a path of more than 4095 bytes");
    if (walk->path.size)
        strbuf_addc(&walk->path, '/');
    strbuf_add_span(&walk->path, name);
    int rc = strbuf_error(&walk->path);
    if (rc == 0)
        rc = erofs_inode_read(&walk->e, nid, &inode, err);
    if (rc < 0)
        return err_prefix(err, rc, "'/" SPAN_FMT "'",
                          SPAN_ARG(strbuf_span(&walk->path)));
    char type = type_letter(inode.mode);
    if (type != entry_type(entry[10]))
        return refused(walk, EBADMSG, err, "its directory has another type for it");
    rc = policy_check(walk, &inode, type, err);
    if (rc < 0)
        return rc;
    if (type != 'd')
        return leaf_enter(walk, &inode, type, err);
    frame->directory_count++;
    return directory_enter(walk, &inode, frame->inode.nid, err);
}

static int directory_leave(struct walk *walk, const struct frame *frame,
                           struct err *err)
{
    if (!frame->has_self || !frame->has_parent)
        return refused(walk, EBADMSG, err, "a directory without . and ..");
    inodes_meet(&walk->inodes, frame->inode.nid)->met_count += frame->directory_count;
    walk->depth--;
    return 0;
}

/* One entry of the innermost directory, or its end. */
static int walk_step(struct walk *walk, struct err *err)
{
    struct frame *frame = &walk->frames[walk->depth - 1];
    struct span name;
    walk->path.size = frame->path_size;
    if (walk->path.data)
        walk->path.data[walk->path.size] = '\0';
    if (frame->block && frame->entry_index == frame->entry_count)
        frame->block_offset += frame->block_size;
    if (frame->block_offset >= frame->inode.size)
        return directory_leave(walk, frame, err);
    int rc = 0;
    if (!frame->block || frame->entry_index == frame->entry_count)
        rc = block_enter(walk, frame, err);
    if (rc == 0)
        rc = name_read(walk, frame, &name, err);
    if (rc < 0)
        return rc;
    if (frame->last_name.data && name_compare(frame->last_name, name) >= 0)
        return refused(walk, EBADMSG, err, "its names are not sorted");
    frame->last_name = name;
    const uint8_t *entry = frame->block + (size_t)frame->entry_index++ * ENTRY_SIZE;
    if (span_is(name, ".") || span_is(name, ".."))
        return dots_check(walk, frame, name, erofs_u64(entry), err);
    return entry_enter(walk, frame, name, entry, err);
}

static int root_enter(struct walk *walk, struct err *err)
{
    struct erofs_inode root = { 0 };
    int rc = claims_inode(walk->claims, 0, EROFS_SUPER_AT + EROFS_SUPER_SIZE, err);
    if (rc == 0)
        rc = erofs_inode_read(&walk->e, walk->e.root_nid, &root, err);
    if (rc < 0)
        return rc;
    if (!S_ISDIR(root.mode))
        return err_set(err, EBADMSG, "the root is no directory");
    return directory_enter(walk, &root, root.nid, err);
}

int image_walk(const void *data, uint64_t size, const struct image_policy *policy,
               image_file_fn each, void *arg, struct image_totals *ret, struct err *err)
{
    AUTO(walk_done)
    struct walk walk = { .policy = policy, .each = each, .arg = arg };
    int rc = erofs_open(data, size, &walk.e, err);
    if (rc < 0)
        return rc;
    walk.content_bytes_max = size * IMAGE_CONTENT_TIMES_MAX + IMAGE_CONTENT_FREE_BYTES;
    walk.frames = calloc(IMAGE_DEPTH_MAX, sizeof walk.frames[0]);
    rc = walk.frames ? claims_new(walk.e.block_count, &walk.claims) : -ENOMEM;
    if (rc == 0)
        rc = digest_sum_new(&walk.sum);
    if (rc == 0)
        rc = root_enter(&walk, err);
    while (rc == 0 && walk.depth)
        rc = walk_step(&walk, err);
    if (rc == 0)
        rc = claims_end(walk.claims, err);
    if (rc == 0)
        rc = inodes_end(&walk.inodes, err);
    if (rc < 0)
        return rc;
    if (rc == 0 && walk.inodes.count != walk.e.inode_count)
        return err_set(err, EBADMSG,
                       "the superblock states %" PRIu64 " inodes, and %zu were found",
                       walk.e.inode_count, walk.inodes.count);
    *ret = walk.totals;
    return rc;
}
