/* SPDX-License-Identifier: Apache-2.0 */
/* label_path - label sets as Prometheus has them, and paths of components.
 *
 *     {cluster="c", hostname="n1", type="gpu", type_id="0"}  ◀─▶  c/n1/gpu:0
 *     {cluster="c", hostname="n1", cpu="0", mode="idle"}     ◀─▶
 * c/n1/tags:cpu=0,mode=idle {instance="n1:9100", job="node"}, placed in c/n1 ◀─▶
 * c/n1/tags:cluster=,hostname=,instance=n1:9100,job=node
 *
 * Labels that are no part of a component stand in a last level "tags", sorted; a part
 * that the set does not have, and that a path needs, stands there with an empty value,
 * which for Prometheus is no label.  So each set has one path, and the path of another
 * set is another one.  A path that no set of labels has is read part by part.
 * Memory   what is read stands in the caller's text.
 */
#ifndef MODEL_LABEL_PATH_H
#define MODEL_LABEL_PATH_H

#include "base/strbuf.h"

#define LABEL_PAIRS_MAX 64
#define LABEL_TEXT_MAX 1024 /* of a path's names and values */

struct label_pair {
    struct span name, value;
};

struct label_set {
    size_t count;
    struct label_pair pairs[LABEL_PAIRS_MAX]; /* sorted by name, without __name__ */
};

/* Add a pair, where it belongs.  An empty value adds nothing.
 * Errors: -EINVAL (a name that the language cannot spell), -EEXIST (twice), -E2BIG. */
int label_set_add(struct label_set *set, struct label_pair pair);
/* Data NULL: there is none. */
struct span label_set_get(const struct label_set *set, const char *name);

/* Where a set without the labels cluster and hostname lies; neither is empty. */
struct label_home {
    struct span cluster, host;
};

/* Append the path.  Errors: -ENOMEM. */
int label_path_print(struct strbuf *out, const struct label_set *set,
                     const struct label_home *home);

/* The labels of any path of a component.  text: at least path.size bytes, at most
 * LABEL_TEXT_MAX of them are used; a longer path is cut. */
void label_path_read(struct span path, char *text, struct label_set *ret);

#endif
