/* SPDX-License-Identifier: Apache-2.0 */
/* revoked - the ids of tokens that hold no more, out of a file that may change. */
#include "net/revoked.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/span.h"
#include "net/token/token.h"

#include <sys/stat.h>

enum { REVOKED_FILE_MAX = 16 * 1024 * 1024 };

void revoked_init(struct revoked *revoked, const char *path)
{
    *revoked = (struct revoked){ .path = path };
    (void)pthread_mutex_init(&revoked->lock, NULL);
}

int revoked_refresh(struct revoked *revoked, struct err *err)
{
    const char *path = revoked->path;
    struct stat st;
    if (!path || !path[0])
        return 0;
    if (stat(path, &st) < 0)
        return err_set(err, errno, "revoked: '%s': %s", path, strerror(errno));
    if (st.st_mtim.tv_sec == revoked->mtime.tv_sec &&
        st.st_mtim.tv_nsec == revoked->mtime.tv_nsec)
        return 0;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(hashmap_done) struct hashmap ids = HASHMAP_INIT;
    int rc = file_read(path, REVOKED_FILE_MAX, &text, err);
    if (rc == 0)
        rc = token_revoked_parse(strbuf_span(&text), &ids, err);
    if (rc < 0)
        return err_prefix(err, rc, "revoked: '%s'", path);
    LOCKED(&revoked->lock);
    struct hashmap old = revoked->ids;
    revoked->ids = ids;
    ids = old; /* freed on the way out */
    revoked->mtime = st.st_mtim;
    return 0;
}

bool revoked_has(struct revoked *revoked, const char *id)
{
    LOCKED(&revoked->lock);
    return hashmap_get(&revoked->ids, span_of(id)) != NULL;
}

void revoked_done(struct revoked *revoked)
{
    hashmap_done(&revoked->ids);
    (void)pthread_mutex_destroy(&revoked->lock);
}
