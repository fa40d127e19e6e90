/* SPDX-License-Identifier: Apache-2.0 */
/* url - a path of a server with its parameters, percent-encoded.
 *
 * Errors are kept in the text: strbuf_error(&url.text), and the request reports them.
 */
#ifndef NET_URL_H
#define NET_URL_H

#include "base/cleanup.h"
#include "base/strbuf.h"

#include <stdint.h>

struct net_url {
    struct strbuf text;
    char separator; /* before the next parameter */
};

/* path is plain text of our own: it is not encoded. */
void net_url_init(struct net_url *url, const char *path);
void net_url_done(struct net_url *url);
DEFINE_AUTO_DONE(struct net_url, net_url_done);

/* One more segment of the path, encoded; before the first parameter. */
void net_url_add_segment(struct net_url *url, struct span segment);
/* name=value; a value of NULL adds nothing. */
void net_url_add(struct net_url *url, const char *name, const char *value);
void net_url_add_span(struct net_url *url, const char *name, struct span value);
void net_url_add_u64(struct net_url *url, const char *name, uint64_t value);

#endif
