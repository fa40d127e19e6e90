/* SPDX-License-Identifier: Apache-2.0 */
/* tree_modes - directories that their owner may not write, opened while more is put
 * into them, and closed again.
 *
 *     layer ─▶ open: /ro 0555 ─▶ 0755 ─▶ layer ─▶ open ... ─▶ close: /ro 0555
 */
#ifndef DATASET_IMAGE_TREE_MODES_H
#define DATASET_IMAGE_TREE_MODES_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/hashmap.h"

struct tree_modes {
    struct hashmap modes; /* a directory's path -> its mode, where it was opened */
};

/* Every directory below root has all rights of its owner from now on; a mode that was
 * set since the last time is the one that it gets back.
 * Errors: -ENOMEM, errors of files. */
int tree_modes_open(struct tree_modes *modes, const char *root, struct err *err);
int tree_modes_close(struct tree_modes *modes, const char *root, struct err *err);
void tree_modes_done(struct tree_modes *modes);
DEFINE_AUTO_DONE(struct tree_modes, tree_modes_done);

#endif
