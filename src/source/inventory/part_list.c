/* SPDX-License-Identifier: Apache-2.0 */
/* part_list - parts while they are found: texts made printable, files below the root.
 */
#include "source/inventory/inventory_private.h"

#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define ENTRIES_MAX 4096

struct span part_list_text(struct part_list *list, struct span text)
{
    char clean[INVENTORY_TEXT_BYTES_MAX];
    size_t size = 0;
    for (size_t i = 0; i < text.size && size < sizeof clean; i++) {
        char c = text.data[i];
        if (c == '\0')
            break;
        if (c < ' ' || c > '~')
            c = c == '\n' || c == '\t' ? ' ' : '?';
        clean[size++] = c;
    }
    struct span trimmed = span_trim((struct span){ clean, size });
    struct span copy = { arena_dup(list->arena, trimmed), trimmed.size };
    if (copy.data)
        return copy;
    list->is_out_of_memory = true;
    return SPAN("");
}

struct node_part *part_list_add(struct part_list *list, enum part_class class,
                                struct span slot)
{
    struct span text = part_list_text(list, slot);
    if (list->count == INVENTORY_PARTS_MAX) {
        list->dropped++;
        return NULL;
    }
    struct node_part *part = &list->parts[list->count++];
    *part = (struct node_part){
        .class = class,
        .slot = text.size ? text : span_of(part_class_name(class)),
        .vendor = SPAN(""),
        .model = SPAN(""),
        .serial = SPAN(""),
        .firmware = SPAN(""),
        .label = SPAN(""),
        .corrected = -1,
        .uncorrected = -1,
    };
    return part;
}

static bool path_print(const struct part_list *list, const char *directory,
                       const char *name, char ret[PATH_BYTES_MAX])
{
    int size = snprintf(ret, PATH_BYTES_MAX, "%s%s/%s", list->root, directory, name);
    return size > 0 && size < PATH_BYTES_MAX;
}

struct span part_list_file(struct part_list *list, const char *directory,
                           const char *name)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    char path[PATH_BYTES_MAX];
    if (!path_print(list, directory, name, path) ||
        file_read(path, SMALL_FILE_BYTES_MAX, &text, NULL) < 0)
        return SPAN("");
    return part_list_text(list, strbuf_span(&text));
}

struct span part_list_link(struct part_list *list, const char *directory,
                           const char *name)
{
    char path[PATH_BYTES_MAX], target[PATH_BYTES_MAX];
    if (!path_print(list, directory, name, path))
        return SPAN("");
    ssize_t size = readlink(path, target, sizeof target);
    if (size <= 0 || (size_t)size == sizeof target)
        return SPAN("");
    struct span rest = { target, (size_t)size }, part = rest;
    while (rest.size)
        (void)span_cut(&rest, '/', &part);
    return part_list_text(list, part);
}

static int is_entry(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

bool part_list_each(struct part_list *list, const char *directory, part_entry_fn *fn)
{
    char path[PATH_BYTES_MAX];
    struct dirent **entries = NULL;
    if (!path_print(list, directory, "", path))
        return false;
    int count = scandir(path, &entries, is_entry, alphasort);
    for (int i = 0; i < count; i++) {
        if (i < ENTRIES_MAX)
            fn(list, directory, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return count >= 0;
}
