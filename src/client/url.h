/* SPDX-License-Identifier: Apache-2.0 */
/* url - a path of barod's REST interface with its parameters, percent-encoded.
 *
 * Errors are kept in the text: strbuf_error(&url.text), and the request reports them.
 */
#ifndef CLIENT_URL_H
#define CLIENT_URL_H

#include "base/cleanup.h"
#include "base/strbuf.h"

#include <stdint.h>

struct client_url {
    struct strbuf text;
    char separator; /* before the next parameter */
};

/* path is plain text of our own: it is not encoded. */
void client_url_init(struct client_url *url, const char *path);
void client_url_done(struct client_url *url);
DEFINE_AUTO_DONE(struct client_url, client_url_done);

/* One more segment of the path, encoded; before the first parameter. */
void client_url_add_segment(struct client_url *url, struct span segment);
/* name=value; a value of NULL adds nothing. */
void client_url_add(struct client_url *url, const char *name, const char *value);
void client_url_add_span(struct client_url *url, const char *name, struct span value);
void client_url_add_u64(struct client_url *url, const char *name, uint64_t value);

#endif
