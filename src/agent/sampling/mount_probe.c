/* SPDX-License-Identifier: Apache-2.0 */
/* mount_probe - do the network file systems of this node respond? */
#include "agent/sampling/mount_probe.h"

#include "base/file.h"
#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <sys/vfs.h>

#define IMPORT_BYTES_MAX ((size_t)64 << 10)

/* ---- which there are ---- */

static bool is_of_network(struct span type)
{
    static const char *const types[] = { "nfs",  "nfs4", "lustre", "beegfs", "gpfs",
                                         "ceph", "cifs", "smb3",   "panfs" };
    for (size_t i = 0; i < COUNT_OF(types); i++)
        if (span_is(type, types[i]))
            return true;
    return false;
}

/* The kernel writes blanks and backslashes as \ooo.  False: it does not fit. */
static bool path_unescape(struct span text, char ret[MOUNT_PATH_BYTES])
{
    size_t n = 0;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (c == '\\' && i + 3 < text.size && text.data[i + 1] >= '0' &&
            text.data[i + 1] <= '3' && text.data[i + 2] >= '0' &&
            text.data[i + 2] <= '7' && text.data[i + 3] >= '0' &&
            text.data[i + 3] <= '7') {
            c = (char)((text.data[i + 1] - '0') << 6 | (text.data[i + 2] - '0') << 3 |
                       (text.data[i + 3] - '0'));
            i += 3;
        }
        if (n + 1 >= MOUNT_PATH_BYTES || c == '\0')
            return false;
        ret[n++] = c;
    }
    ret[n] = '\0';
    return n > 0 && ret[0] == '/';
}

static void mount_line(struct span line, struct mount_list *list)
{
    struct span word = SPAN(""), path = SPAN("");
    struct mount_point point;
    for (int i = 0; i < 5; i++)
        (void)span_cut(&line, ' ', &path);
    while (line.size && !span_is(word, "-")) /* optional fields, then the type */
        (void)span_cut(&line, ' ', &word);
    (void)span_cut(&line, ' ', &word);
    if (!is_of_network(word))
        return;
    bool is_path = path_unescape(path, point.path);
    for (size_t i = 0; is_path && i < list->count; i++)
        if (strcmp(list->points[i].path, point.path) == 0)
            return; /* mounted over another */
    if (is_path && list->count < MOUNTS_MAX)
        list->points[list->count++] = point;
    else
        list->dropped++;
}

void mount_list_parse(struct span text, struct mount_list *ret)
{
    struct span line;
    ret->count = ret->dropped = 0;
    while (text.size) {
        (void)span_cut(&text, '\n', &line);
        mount_line(line, ret);
    }
}

/* ---- what the process writes ---- */

static void import_add(struct span target, struct span state, struct mount_results *ret)
{
    struct span fs = target;
    (void)span_cut(&target, '-', &fs);
    if (fs.size == 0 || fs.size >= sizeof ret->imports[0].name)
        return;
    struct import_state *one = NULL;
    for (size_t i = 0; i < ret->import_count && !one; i++)
        if (span_is(fs, ret->imports[i].name))
            one = &ret->imports[i];
    if (!one && ret->import_count == IMPORT_FS_MAX)
        return;
    if (!one) {
        one = &ret->imports[ret->import_count++];
        *one = (struct import_state){ 0 };
        memcpy(one->name, fs.data, fs.size);
    }
    one->imports++;
    if (span_is(state, "FULL") || span_is(state, "IDLE"))
        return;
    if (one->away++ == 0)
        (void)snprintf(one->first, sizeof one->first, "%.*s is %.*s",
                       target.size < 32 ? (int)target.size : 32, target.data,
                       state.size < 16 ? (int)state.size : 16, state.data);
}

int mount_result_parse(struct span line, size_t path_count, struct mount_results *ret)
{
    struct span word, second;
    uint64_t number, error;
    if (span_is(line, "end")) {
        ret->has_ended = true;
        return 0;
    }
    (void)span_cut(&line, ' ', &word);
    if (span_is(word, "import")) {
        (void)span_cut(&line, ' ', &second);
        import_add(second, line, ret);
        return 0;
    }
    if (number_parse_u64(word, &number) < 0 || number_parse_u64(line, &error) < 0 ||
        number != ret->done || number >= path_count || number >= MOUNTS_MAX ||
        error > 4095)
        return -EBADMSG;
    ret->errors[ret->done++] = (int)error;
    return 0;
}

/* ---- the process ---- */

bool import_parse(struct span text, struct span *ret_target, struct span *ret_state)
{
    struct span line, key;
    bool has_target = false, has_state = false;
    while (text.size && !(has_target && has_state)) {
        (void)span_cut(&text, '\n', &line);
        (void)span_cut(&line, ':', &key);
        key = span_trim(key);
        if (!has_target && span_is(key, "target")) {
            *ret_target = span_trim(line);
            has_target = true;
        } else if (!has_state && span_is(key, "state")) {
            *ret_state = span_trim(line);
            has_state = true;
        }
    }
    return has_target && has_state;
}

static bool is_printable_word(struct span text)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] <= ' ' || text.data[i] > '~')
            return false;
    return text.size > 0;
}

static void import_print(const char *path)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct span target, state;
    if (file_read(path, IMPORT_BYTES_MAX, &text, NULL) < 0 ||
        !import_parse(strbuf_span(&text), &target, &state))
        return;
    if (span_ends(target, "_UUID"))
        target.size -= strlen("_UUID");
    if (is_printable_word(target) && is_printable_word(state))
        printf("import " SPAN_FMT " " SPAN_FMT "\n", SPAN_ARG(target), SPAN_ARG(state));
}

static void imports_print(const char *root)
{
    static const char *const patterns[] = { "/sys/kernel/debug/lustre/mdc/*/import",
                                            "/sys/kernel/debug/lustre/osc/*/import",
                                            "/proc/fs/lustre/mdc/*/import",
                                            "/proc/fs/lustre/osc/*/import" };
    size_t count = 0;
    for (size_t i = 0; i < COUNT_OF(patterns); i++) {
        char pattern[1024];
        glob_t found = { 0 };
        (void)snprintf(pattern, sizeof pattern, "%s%s", root, patterns[i]);
        if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0)
            for (size_t k = 0; k < found.gl_pathc && count < IMPORTS_MAX; k++, count++)
                import_print(found.gl_pathv[k]);
        globfree(&found);
    }
}

int mount_probe_main(int argc, char **argv)
{
    const char *root = argc > 2 ? argv[2] : "";
    for (int i = 4; i < argc; i++) {
        AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
        struct statfs now;
        strbuf_addf(&path, "%s%s", root, argv[i]);
        int error = strbuf_error(&path)           ? ENOMEM
                    : statfs(path.data, &now) < 0 ? errno
                                                  : 0;
        printf("%d %d\n", i - 4, error);
        (void)fflush(stdout); /* the next one may hang */
    }
    if (argc > 3 && strcmp(argv[3], "imports") == 0)
        imports_print(root);
    printf("end\n");
    return fflush(stdout) == 0 ? 0 : 1;
}
