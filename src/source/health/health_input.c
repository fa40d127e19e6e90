/* SPDX-License-Identifier: Apache-2.0 */
/* health_input - one sample out of files and directories. */
#include "source/health/health_input.h"

#include "base/input.h"
#include "source/health/block.h"
#include "source/health/block_read.h"

#include <sys/stat.h>

#define FILE_BYTES_MAX ((size_t)1 << 30)

struct reading {
    const struct health_input_opts *opts;
    const char *path; /* of the file being read, for messages */
};

static void on_fault(void *arg, uint64_t line, struct span text, const char *reason)
{
    const struct reading *r = arg;
    if (r->opts->on_fault)
        r->opts->on_fault(r->opts->arg, r->path, line, text, reason);
}

/* The block that is requested: of a moment, else the latest, else the only one. */
static int block_choose(const struct reading *r, struct span text,
                        struct health_block *ret, struct err *err)
{
    struct health_blocks blocks;
    if (r->opts->has_at)
        return health_block_at(text, r->opts->at_ns, r->opts->age_max_ns, ret, NULL,
                               err);
    if (health_block_at(text, INT64_MAX, INT64_MAX, ret, NULL, NULL) == 0)
        return 0;
    health_blocks_init(&blocks, text);
    return health_blocks_next(&blocks, ret) ? 0 : err_set(err, ENOENT, "it is empty");
}

static int read_file(struct reading *r, const char *path, struct strbuf *text,
                     struct health_sample *sample, struct err *err)
{
    struct health_block block;
    r->path = path;
    int rc = input_read_all(path, FILE_BYTES_MAX, text, err);
    if (rc < 0)
        return rc;
    rc = block_choose(r, strbuf_span(text), &block, err);
    if (rc < 0)
        return err_prefix(err, rc, "%s", path);
    return health_sample_add(sample, &block, on_fault, r);
}

/* Of each kind the file that holds the sample; dir is open as long as its texts are
 * used. */
static int read_dir(struct reading *r, const char *path, struct health_dir *dir,
                    struct health_sample *sample, struct err *err)
{
    bool is_there = false;
    for (unsigned kind = 0; kind < HEALTH_KIND_COUNT; kind++) {
        struct health_block block;
        struct span text;
        int rc = health_dir_at(dir, kind, r->opts->has_at ? r->opts->at_ns : INT64_MAX,
                               &text, &r->path, err);
        if (rc == -ENOENT)
            continue;
        if (rc == 0)
            rc = err_prefix(err, block_choose(r, text, &block, err), "%s/%s", path,
                            r->path);
        if (rc == 0)
            rc = health_sample_add(sample, &block, on_fault, r);
        if (rc < 0)
            return rc;
        is_there = true;
    }
    return is_there ? 0 : -ENOENT;
}

static int read_operand(struct reading *r, const char *path, struct strbuf *text,
                        struct health_dir **dir, struct health_sample *sample,
                        struct err *err)
{
    struct stat st;
    if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
        return read_file(r, path, text, sample, err);
    int rc = health_dir_open(path, dir, err);
    return rc < 0 ? rc : read_dir(r, path, *dir, sample, err);
}

int health_input_open(char *const *paths, size_t count,
                      const struct health_input_opts *opts, struct health_input *ret,
                      struct err *err)
{
    struct reading r = { .opts = opts };
    *ret = (struct health_input){ 0 };
    health_sample_init(&ret->sample);
    ret->texts = calloc(count + 1, sizeof *ret->texts);
    ret->dirs = calloc(count + 1, sizeof *ret->dirs);
    if (!ret->texts || !ret->dirs)
        return err_set(err, ENOMEM, "out of memory");
    ret->count = count;
    for (size_t i = 0; i < count; i++) {
        struct err why = { 0 };
        int rc = read_operand(&r, paths[i], &ret->texts[i], &ret->dirs[i], &ret->sample,
                              &why);
        if (rc < 0)
            return err_set(err, -rc, "%s", why.text[0] ? why.text : strerror(-rc));
    }
    if (ret->sample.count == 0 && ret->sample.fault_count > 0)
        return err_set(err, EBADMSG,
                       "no line can be used; wants what lfs df, lctl dl -t, mmdf or "
                       "mmlsdisk prints");
    return 0;
}

void health_input_done(struct health_input *input)
{
    for (size_t i = 0; input->texts && input->dirs && i < input->count; i++) {
        strbuf_done(&input->texts[i]);
        health_dir_close(input->dirs[i]);
    }
    free(input->texts);
    free(input->dirs);
    health_sample_done(&input->sample);
    *input = (struct health_input){ 0 };
}
