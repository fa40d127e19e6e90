/* SPDX-License-Identifier: Apache-2.0 */
/* fuse_attributes - attributes of images' files: views, and what was read of an image.
 * Of each root alone has the name: others are none. */
#include "base/number.h"
#include "base/span.h"
#include "dataset/mount/fuse_op.h"

#include <string.h>

/* Without such a view the attribute is not there. */
static void on_view(void *arg, int rc)
{
    struct fuse_op *op = arg;
    if (rc < 0)
        op->door->end(op, fuse_error_of(rc), NULL, 0);
    else if (op->view->size == 0)
        op->door->end(op, -ENODATA, NULL, 0);
    else if (op->size < op->view->size)
        op->door->end(op, -ERANGE, NULL, 0);
    else
        op->door->end(op, 0, op->view->data, op->view->size);
}

static void view_start(struct fuse_op *op, struct span view)
{
    op->view = malloc(sizeof *op->view);
    if (!op->view)
        op->door->end(op, -ENOMEM, NULL, 0);
    else
        view_begin(op->door->parts.leases, &op->door->opts.table->slots[op->slot].name,
                   view, op->view, on_view, op, &op->lease);
}

static void record_begin(struct fuse_op *op, const struct dataset *dataset)
{
    int rc = recorder_begin(&op->door->recorder, &dataset->name, dataset->index.count);
    op->door->end(op, rc, NULL, 0);
}

static void on_record_found(struct dataset_waiter *waiter, int rc,
                            struct dataset *dataset)
{
    struct fuse_op *op =
        (struct fuse_op *)((char *)waiter - offsetof(struct fuse_op, lookup));
    struct datasets *datasets = op->door->parts.datasets;
    if (rc < 0) {
        op->door->end(op, fuse_error_of(rc), NULL, 0);
        return;
    }
    record_begin(op, dataset);
    dataset_unref(datasets, dataset);
}

/* Of what the kernel has in memory nothing has been read here yet. */
static void record_start(struct fuse_op *op)
{
    const struct dataset *dataset = op->door->datasets[op->slot];
    char text[DIGEST_TEXT_SIZE];
    if (dataset) {
        record_begin(op, dataset);
        return;
    }
    digest_print(&op->door->opts.table->slots[op->slot].name, text);
    op->lookup.done = on_record_found;
    datasets_find(op->door->parts.datasets, span_of(text), &op->lookup);
}

/* A part of the text, whose last one is shorter. */
static void profile_start(struct fuse_op *op, struct span number)
{
    struct span text, part;
    uint64_t position = 0;
    int rc = recorder_text(&op->door->recorder,
                           &op->door->opts.table->slots[op->slot].name, &text);
    if (rc == 0 && (number_parse_u64(number, &position) < 0 ||
                    position > PROFILE_TEXT_MAX / FUSE_DOOR_PROFILE_PART))
        rc = -ENODATA;
    if (rc < 0) {
        op->door->end(op, rc, NULL, 0);
        return;
    }
    size_t offset = (size_t)position * FUSE_DOOR_PROFILE_PART;
    part = span_skip(text, offset < text.size ? offset : text.size);
    if (part.size > FUSE_DOOR_PROFILE_PART)
        part.size = FUSE_DOOR_PROFILE_PART;
    op->door->end(op, op->size < part.size ? -ERANGE : 0, part.data,
                  op->size < part.size ? 0 : part.size);
}

void attribute_start(struct fuse_op *op, struct span rest)
{
    static const struct {
        const char *prefix;
        void (*start)(struct fuse_op *op, struct span rest);
    } kinds[] = { { FUSE_DOOR_VIEW, view_start },
                  { FUSE_DOOR_PROFILE, profile_start } };
    struct fuse_getxattr_in in;
    struct span name;
    bool is_right = fuse_struct_read(rest, &in, sizeof in) &&
                    fuse_name_read(span_skip(rest, sizeof in), &name);
    if (is_right && span_is(name, FUSE_DOOR_RECORD)) {
        record_start(op);
        return;
    }
    for (size_t i = 0; is_right && i < COUNT_OF(kinds); i++) {
        size_t size = strlen(kinds[i].prefix);
        if (name.size <= size || memcmp(name.data, kinds[i].prefix, size) != 0)
            continue;
        op->size = in.size;
        kinds[i].start(op, span_skip(name, size));
        return;
    }
    op->door->end(op, -ENODATA, NULL, 0);
}
