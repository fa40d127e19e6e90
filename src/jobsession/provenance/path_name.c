/* SPDX-License-Identifier: Apache-2.0 */
/* path_name - what is recorded of a path: the path itself, or a hash. */
#include "jobsession/provenance/path_name.h"

#include "base/span.h"
#include "model/model.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#define HASH_BYTES 16

/* Of the distribution and the site: the same for every user, and readable by all. */
static const char *const system_directories[] = {
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt"
};

/* directory itself, or below it: "/usr" has "/usr/lib", not "/usrlocal". */
static bool is_path_below(struct span path, struct span directory)
{
    while (directory.size > 0 && directory.data[directory.size - 1] == '/')
        directory.size--;
    if (directory.size == 0 || directory.data[0] != '/' || path.size < directory.size ||
        memcmp(path.data, directory.data, directory.size) != 0)
        return false;
    return path.size == directory.size || path.data[directory.size] == '/';
}

bool path_is_shown(const struct path_names *names, struct span path)
{
    struct span prefix, rest = span_of(names->prefixes);
    for (size_t i = 0; i < COUNT_OF(system_directories); i++)
        if (is_path_below(path, span_of(system_directories[i])))
            return true;
    if (names->home && is_path_below(path, span_of(names->home)))
        return true;
    while (rest.size > 0) {
        (void)span_cut(&rest, ':', &prefix);
        if (is_path_below(path, prefix))
            return true;
    }
    return false;
}

static void print_digits(const struct path_names *names, struct span text,
                         struct strbuf *out)
{
    unsigned char hash[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    if (!HMAC(EVP_sha256(), names->key, PATH_KEY_BYTES,
              (const unsigned char *)text.data, text.size, hash, &size) ||
        size < HASH_BYTES) {
        out->error = -ENOMEM;
        return;
    }
    for (size_t i = 0; i < HASH_BYTES; i++)
        strbuf_addf(out, "%02x", hash[i]);
}

static void print_hash(const struct path_names *names, struct span path,
                       struct strbuf *out)
{
    strbuf_addc(out, '#');
    print_digits(names, path, out);
}

void path_name_print(const struct path_names *names, struct span path,
                     struct strbuf *out)
{
    size_t before = out->size;
    if (path_is_shown(names, path))
        entry_id_print(out, path);
    if (out->size > before && out->size - before <= JOB_FILE_NAME_BYTES_MAX)
        return;
    if (out->size > before)
        out->size = before; /* too long: its hash is not */
    print_hash(names, path, out);
}

void path_version_print(const struct path_names *names,
                        const struct path_version *version, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    if (version->build_id[0])
        strbuf_addf(&text, "build %s", version->build_id);
    else if (version->size >= 0 && version->mtime_s > 0)
        strbuf_addf(&text, "size %lld %lld", (long long)version->size,
                    (long long)version->mtime_s);
    else
        return;
    strbuf_addc(&text, '\0'); /* no path has one: a version is no hash of a path */
    strbuf_add_span(&text, version->path);
    if (strbuf_error(&text) < 0)
        out->error = -ENOMEM;
    else
        print_digits(names, strbuf_span(&text), out);
}
