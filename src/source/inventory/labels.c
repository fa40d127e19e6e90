/* SPDX-License-Identifier: Apache-2.0 */
/* labels - modules that EDAC counts errors of, as parts of the firmware's table. */
#include "source/inventory/inventory_private.h"

#include "base/number.h"

#include <ctype.h>
#include <stdio.h>

#define EDAC "/sys/devices/system/edac/mc"
#define NAME_MAX_BYTES 256

/* ---- names ---- */

/* Letters and digits, in lower case. */
static size_t name_fold(struct span text, char ret[NAME_MAX_BYTES], size_t size)
{
    for (size_t i = 0; i < text.size && size + 1 < NAME_MAX_BYTES; i++)
        if (isalnum((unsigned char)text.data[i]))
            ret[size++] = (char)tolower((unsigned char)text.data[i]);
    ret[size] = '\0';
    return size;
}

static bool is_same_name(struct span label, struct span one, struct span two)
{
    char want[NAME_MAX_BYTES], have[NAME_MAX_BYTES];
    size_t size = name_fold(label, want, 0);
    size_t found = name_fold(two, have, name_fold(one, have, 0));
    return size > 0 && size == found && memcmp(want, have, size) == 0;
}

/* ---- positions ---- */

struct module_at {
    int64_t processor, controller, channel, module; /* -1: not named */
};

/* "CPU_SrcID#0_MC#1_Chan#0_DIMM#1", "P0_Node1_Channel2_Dimm0": the number behind a
 * word, where that is one of those. */
static void position_add(struct span word, int64_t number, struct module_at *ret)
{
    static const struct {
        const char *word;
        size_t offset;
    } positions[] = {
        { "srcid", offsetof(struct module_at, processor) },
        { "cpu", offsetof(struct module_at, processor) },
        { "proc", offsetof(struct module_at, processor) },
        { "socket", offsetof(struct module_at, processor) },
        { "p", offsetof(struct module_at, processor) },
        { "node", offsetof(struct module_at, controller) },
        { "mc", offsetof(struct module_at, controller) },
        { "chan", offsetof(struct module_at, channel) },
        { "channel", offsetof(struct module_at, channel) },
        { "dimm", offsetof(struct module_at, module) },
    };
    for (size_t i = 0; i < COUNT_OF(positions); i++)
        if (span_is(word, positions[i].word))
            memcpy((char *)ret + positions[i].offset, &number, sizeof number);
}

static void position_of(struct span text, struct module_at *ret)
{
    char word[16];
    size_t size = 0;
    for (size_t i = 0; i < text.size;) {
        unsigned char c = (unsigned char)text.data[i];
        if (isdigit(c)) {
            int64_t number = 0;
            for (; i < text.size && isdigit((unsigned char)text.data[i]); i++)
                number = number < 100000 ? 10 * number + (text.data[i] - '0') : number;
            position_add((struct span){ word, size }, number, ret);
            size = 0;
            continue;
        }
        if (isalpha(c) && size < sizeof word)
            word[size++] = (char)tolower(c);
        else if (c != '#' && c != ' ')
            size = 0;
        i++;
    }
}

static bool is_position(const struct module_at *a, const struct module_at *b)
{
    return a->processor >= 0 && a->channel >= 0 && a->module >= 0 &&
           memcmp(a, b, sizeof *a) == 0;
}

bool inventory_is_module(struct span label, struct span slot, struct span bank)
{
    struct module_at a = { -1, -1, -1, -1 }, b = { -1, -1, -1, -1 };
    if (is_same_name(label, slot, SPAN("")) || is_same_name(label, bank, slot) ||
        is_same_name(label, slot, bank) || is_same_name(label, bank, SPAN("")))
        return true;
    position_of(label, &a);
    position_of(bank, &b);
    position_of(slot, &b);
    return is_position(&a, &b);
}

/* ---- what EDAC has ---- */

/* As source/node/edac.c names it, and with it the health of it. */
static struct span label_print(struct part_list *list, const char *directory,
                               struct span label)
{
    char text[INVENTORY_TEXT_BYTES_MAX + 1];
    struct span of = label.size > 0 ? label : span_of(strstr(directory, "/mc/") + 4);
    size_t size = of.size < 63 ? of.size : 63;
    for (size_t i = 0; i < size; i++) {
        char c = of.data[i];
        text[i] = c == '/' ? '-' : c <= ' ' || c > '~' || c == '\\' ? '_' : c;
    }
    return part_list_text(list, (struct span){ text, size });
}

static int64_t errors_counted(struct part_list *list, const char *directory,
                              const char *name)
{
    int64_t count;
    struct span text = part_list_file(list, directory, name);
    return number_parse_i64(text, &count) == 0 && count >= 0 ? count : -1;
}

static void module_label(struct part_list *list, const char *directory)
{
    struct span label = part_list_file(list, directory, "dimm_label");
    struct node_part *found = NULL;
    for (size_t i = 0; i < list->count && label.size > 0; i++) {
        struct node_part *part = &list->parts[i];
        if (part->class != PART_DIMM ||
            !inventory_is_module(label, part->slot, list->banks[i]))
            continue;
        if (found)
            return; /* whose errors they are is not known */
        found = part;
    }
    if (!found || found->label.size > 0)
        return;
    found->label = label_print(list, directory, label);
    found->corrected = errors_counted(list, directory, "dimm_ce_count");
    found->uncorrected = errors_counted(list, directory, "dimm_ue_count");
}

static void on_module_entry(struct part_list *list, const char *directory,
                            const char *name)
{
    char path[PATH_BYTES_MAX];
    if (strncmp(name, "dimm", 4) != 0 && strncmp(name, "rank", 4) != 0)
        return;
    if (snprintf(path, sizeof path, "%s/%s", directory, name) < (int)sizeof path)
        module_label(list, path);
}

static void on_controller_entry(struct part_list *list, const char *directory,
                                const char *name)
{
    char path[PATH_BYTES_MAX];
    if (strncmp(name, "mc", 2) != 0)
        return;
    if (snprintf(path, sizeof path, "%s/%s", directory, name) < (int)sizeof path)
        (void)part_list_each(list, path, on_module_entry);
}

void inventory_add_labels(struct part_list *list)
{
    (void)part_list_each(list, EDAC, on_controller_entry);
}
