/* SPDX-License-Identifier: Apache-2.0 */
/* oci - the layers of an image in an OCI image layout (image-spec 1.1). */
#include "dataset/image/oci.h"

#include "base/file.h"
#include "base/json_reader.h"
#include "base/span.h"
#include "dataset/image/manifest.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#define DOCUMENT_MAX ((size_t)4 << 20)
#define DESCRIPTORS_MAX 512
#define NAME_SIZE 256
#define INDEXES_MAX 3
#define COPY_BYTES ((size_t)1 << 20)
#define REFERENCE "org.opencontainers.image.ref.name"

struct descriptor {
    struct digest digest;
    bool has_digest, is_elsewhere; /* its blob is at an address */
    char type[128], name[NAME_SIZE], architecture[32], system[32];
};

struct document {
    const char *list; /* "manifests", or "layers" */
    bool is_in_list;
    char key[3][64]; /* of the document, of a descriptor, of an object in it */
    struct descriptor *descriptors;
    size_t count;
};

static void document_done(struct document *document)
{
    free(document->descriptors);
}
DEFINE_AUTO_DONE(struct document, document_done);

/* ---- one document ---- */

static void field_copy(char *out, size_t size, struct span text)
{
    (void)snprintf(out, size, SPAN_FMT, SPAN_ARG(text));
}

/* Only SHA-256: other algorithms have directories of their own. */
static int digest_set(struct descriptor *d, struct span text)
{
    static const char prefix[] = "sha256:";
    if (!span_starts(text, prefix))
        return -EBADMSG;
    text.data += sizeof prefix - 1;
    text.size -= sizeof prefix - 1;
    d->has_digest = digest_parse(text, &d->digest) == 0;
    return d->has_digest ? 0 : -EBADMSG;
}

static int descriptor_set(struct document *document, struct span text, unsigned depth)
{
    struct descriptor *d = &document->descriptors[document->count - 1];
    const char *key = document->key[1], *inner = document->key[2];
    if (depth == 3 && strcmp(key, "digest") == 0)
        return digest_set(d, text);
    if (depth == 3 && strcmp(key, "mediaType") == 0)
        field_copy(d->type, sizeof d->type, text);
    if (depth == 4 && strcmp(key, "urls") == 0)
        d->is_elsewhere = true;
    if (depth == 4 && strcmp(key, "annotations") == 0 && strcmp(inner, REFERENCE) == 0)
        field_copy(d->name, sizeof d->name, text);
    if (depth == 4 && strcmp(key, "platform") == 0 && strcmp(inner, "os") == 0)
        field_copy(d->system, sizeof d->system, text);
    if (depth == 4 && strcmp(key, "platform") == 0 &&
        strcmp(inner, "architecture") == 0)
        field_copy(d->architecture, sizeof d->architecture, text);
    return 0;
}

static int descriptor_new(struct document *document)
{
    if (document->count == DESCRIPTORS_MAX)
        return -E2BIG;
    document->descriptors[document->count++] = (struct descriptor){ 0 };
    document->key[1][0] = document->key[2][0] = '\0';
    return 0;
}

/* {"manifests": [{"digest": "sha256:...", "annotations": {...}, "platform": {...}}]} */
static int document_event(void *arg, enum json_event event, struct span text,
                          unsigned depth)
{
    static const unsigned levels[] = { 0, 2, 3 };
    struct document *document = arg;
    for (size_t i = 0; event == JSON_KEY && i < COUNT_OF(levels); i++)
        if (depth == levels[i])
            field_copy(document->key[i], sizeof document->key[i], text);
    if (event == JSON_ARRAY && depth == 1)
        document->is_in_list = strcmp(document->key[0], document->list) == 0;
    else if (event == JSON_ARRAY_END && depth == 1)
        document->is_in_list = false;
    else if (document->is_in_list && event == JSON_OBJECT && depth == 2)
        return descriptor_new(document);
    else if (document->is_in_list && event == JSON_STRING && document->count > 0)
        return descriptor_set(document, text, depth);
    return 0;
}

static int document_read(const char *path, const char *list, struct document *ret,
                         struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    *ret = (struct document){ .list = list };
    ret->descriptors = calloc(DESCRIPTORS_MAX, sizeof ret->descriptors[0]);
    if (!ret->descriptors)
        return -ENOMEM;
    int rc = file_read(path, DOCUMENT_MAX, &text, err);
    if (rc < 0)
        return rc;
    rc = json_read(strbuf_span(&text), document_event, ret, err);
    if (rc == -E2BIG)
        return err_set(err, EBADMSG, "'%s' has more than %d %s", path, DESCRIPTORS_MAX,
                       list);
    return rc < 0 && !err->text[0]
               ? err_set(err, EBADMSG, "'%s': a digest that is not of SHA-256", path)
               : rc;
}

/* ---- blobs ---- */

static int blob_sum(int fd, struct digest *ret)
{
    AUTO(digest_sum_free) struct digest_sum *sum = NULL;
    AUTO_FREE char *buffer = malloc(COPY_BYTES);
    ssize_t size = 0;
    int rc = buffer ? digest_sum_new(&sum) : -ENOMEM;
    while (rc == 0 &&
           ((size = read(fd, buffer, COPY_BYTES)) > 0 || (size < 0 && errno == EINTR)))
        if (size > 0)
            digest_sum_add(sum, buffer, (size_t)size);
    if (rc == 0 && size < 0)
        rc = -errno;
    return rc < 0 ? rc : digest_sum_end(sum, ret);
}

int oci_blob(const char *layout, const struct digest *digest, char *ret_path,
             struct err *err)
{
    char name[DIGEST_TEXT_SIZE];
    struct digest sum;
    digest_print(digest, name);
    if (snprintf(ret_path, OCI_PATH_SIZE, "%s/blobs/sha256/%s", layout, name) >=
        OCI_PATH_SIZE)
        return err_set(err, ENAMETOOLONG, "'%s': too long a path", layout);
    AUTO_CLOSE int fd = open(ret_path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_set(err, errno, "'%s': %s", ret_path, strerror(errno));
    int rc = blob_sum(fd, &sum);
    if (rc < 0)
        return err_set(err, -rc, "'%s': %s", ret_path, strerror(-rc));
    return digest_eq(&sum, digest)
               ? 0
               : err_set(err, EBADMSG, "'%s' is damaged: its SHA-256 is not its name",
                         ret_path);
}

/* ---- which image ---- */

bool oci_is_layout(const char *directory)
{
    char path[OCI_PATH_SIZE];
    struct stat st;
    (void)snprintf(path, sizeof path, "%s/oci-layout", directory);
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static const char *this_architecture(void)
{
    static const char *const names[][2] = { { "x86_64", "amd64" },
                                            { "aarch64", "arm64" } };
    static struct utsname machine;
    (void)uname(&machine);
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (strcmp(machine.machine, names[i][0]) == 0)
            return names[i][1];
    return machine.machine;
}

static bool is_for_here(const struct descriptor *d)
{
    return strcmp(d->system, "linux") == 0 &&
           strcmp(d->architecture, this_architecture()) == 0;
}

/* The only one, of those that is_wanted names. */
static const struct descriptor *only(const struct document *document,
                                     const struct descriptor *from, const char *name,
                                     bool is_of_platform)
{
    const struct descriptor *found = NULL;
    for (; from < document->descriptors + document->count; from++) {
        if ((name && strcmp(from->name, name) != 0) ||
            (is_of_platform && !is_for_here(from)))
            continue;
        if (found)
            return NULL;
        found = from;
    }
    return found;
}

static int not_chosen(const char *layout, const struct document *document,
                      const char *name, struct err *err)
{
    AUTO(strbuf_done) struct strbuf names = STRBUF_INIT;
    size_t shown = 0;
    for (size_t i = 0; i < document->count && shown < 20; i++) {
        if (!document->descriptors[i].name[0])
            continue;
        strbuf_addf(&names, "%s", shown++ ? ", " : "");
        image_manifest_text(&names, span_of(document->descriptors[i].name));
    }
    const char *which = shown > 0 ? strbuf_text(&names) : "they have no names";
    return name ? err_set(err, EINVAL, "'%s' has no image '%s' for %s (%s)", layout,
                          name, this_architecture(), which)
                : err_set(err, EINVAL,
                          "'%s' has %zu images, and not one alone for %s: name one as "
                          "LAYOUT:NAME (%s)",
                          layout, document->count, this_architecture(), which);
}

static int image_choose(const char *layout, const char *path, const char *name,
                        struct descriptor *ret, struct err *err)
{
    AUTO(document_done) struct document index;
    int rc = document_read(path, "manifests", &index, err);
    if (rc < 0)
        return rc;
    const struct descriptor *found = only(&index, index.descriptors, name, false);
    if (!found)
        found = only(&index, index.descriptors, name, true);
    if (!found)
        return not_chosen(layout, &index, name, err);
    if (!found->has_digest)
        return err_set(err, EBADMSG, "'%s': an image without a digest", path);
    *ret = *found;
    return 0;
}

static bool is_index(const struct descriptor *d)
{
    return strstr(d->type, ".image.index.") || strstr(d->type, ".manifest.list.");
}

static int layers_of(const char *path, struct oci_layers *ret, struct err *err)
{
    AUTO(document_done) struct document manifest;
    int rc = document_read(path, "layers", &manifest, err);
    ret->count = 0;
    for (size_t i = 0; rc == 0 && i < manifest.count; i++) {
        const struct descriptor *d = &manifest.descriptors[i];
        if (!d->has_digest || d->is_elsewhere || i == OCI_LAYERS_MAX)
            return err_set(err, EBADMSG, "'%s': layer %zu is not in the layout", path,
                           i + 1);
        ret->digests[ret->count++] = d->digest;
    }
    return rc;
}

int oci_layers_find(const char *layout, const char *name, struct oci_layers *ret,
                    struct err *err)
{
    char path[OCI_PATH_SIZE];
    struct descriptor chosen = { 0 };
    (void)snprintf(path, sizeof path, "%s/index.json", layout);
    int rc = image_choose(layout, path, name, &chosen, err);
    if (rc == 0)
        rc = oci_blob(layout, &chosen.digest, path, err);
    for (int i = 1; rc == 0 && is_index(&chosen) && i < INDEXES_MAX; i++) {
        rc = image_choose(layout, path, NULL, &chosen, err);
        if (rc == 0)
            rc = oci_blob(layout, &chosen.digest, path, err);
    }
    return rc < 0 ? rc : layers_of(path, ret, err);
}
