/* SPDX-License-Identifier: Apache-2.0 */
/* component - the path of a thing that is watched: cluster/host[/type:id[/type:id]].
 *
 *     alex/a0903/hwthread:7     fritz/f0104/accelerator:00000000:49:00.0
 *
 * Inside of a name / : * blank, the backslash and control bytes are \xHH; in an id the
 * colon stands as it is, because the first one divides.
 */
#ifndef MODEL_COMPONENT_H
#define MODEL_COMPONENT_H

#include "base/strbuf.h"

struct component {
    struct span cluster;
    struct span host;            /* empty: the cluster itself */
    struct span type, id;        /* type empty: the host itself */
    struct span subtype, sub_id; /* likewise */
};

/* Append the path of names as they are; what stands behind an empty one is left out.
 */
void component_print(struct strbuf *out, const struct component *component);
/* The same for one name, and for the "type:id" of one level. */
void component_print_name(struct strbuf *out, struct span name);
void component_print_level(struct strbuf *out, struct span type, struct span id);

/* Of what has an id and no type the id is the type: "cluster/host/7". */
void component_name_by_id(struct component *component);

/* The parts of a path, as they stand in it. */
void component_parse(struct span path, struct component *ret);
/* The bytes of a part, into out, which has room for part.size; returns how many.  A
 * backslash that begins no \xHH stands for itself. */
size_t component_unescape(struct span part, char *out);
/* What cc-metric-store calls the last level of a path: the type and the id without the
 * colon, unescaped.  Valid until text is changed.  Errors: -ENOMEM. */
int component_last_name(struct span path, struct strbuf *text, struct span *ret);

#endif
