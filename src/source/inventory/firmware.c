/* SPDX-License-Identifier: Apache-2.0 */
/* firmware - system, board, firmware and memory modules, out of the firmware's table.
 */
#include "source/inventory/inventory_private.h"

#include "base/file.h"

#include <errno.h>
#include <stdio.h>

#define TABLE_FILE "/sys/firmware/dmi/tables/DMI"

enum dmi_text {
    SYSTEM_VENDOR,
    SYSTEM_MODEL,
    SYSTEM_SERIAL,
    BOARD_VENDOR,
    BOARD_MODEL,
    BOARD_SERIAL,
    BOARD_VERSION,
    BIOS_VENDOR,
    BIOS_VERSION,
};

/* For nodes whose table cannot be read; serial numbers are for root, too. */
static const char *const dmi_files[DMI_TEXT_COUNT] = {
    [SYSTEM_VENDOR] = "sys_vendor",     [SYSTEM_MODEL] = "product_name",
    [SYSTEM_SERIAL] = "product_serial", [BOARD_VENDOR] = "board_vendor",
    [BOARD_MODEL] = "board_name",       [BOARD_SERIAL] = "board_serial",
    [BOARD_VERSION] = "board_version",  [BIOS_VENDOR] = "bios_vendor",
    [BIOS_VERSION] = "bios_version",
};

void inventory_dmi_done(struct inventory_dmi *dmi)
{
    strbuf_done(&dmi->table);
    for (size_t i = 0; i < DMI_TEXT_COUNT; i++)
        strbuf_done(&dmi->texts[i]);
}

void inventory_dmi_read(const char *root, struct inventory_dmi *ret)
{
    char path[PATH_BYTES_MAX];
    (void)snprintf(path, sizeof path, "%s" TABLE_FILE, root);
    if (file_read(path, SMBIOS_BYTES_MAX, &ret->table, NULL) < 0)
        strbuf_clear(&ret->table);
    for (size_t i = 0; i < DMI_TEXT_COUNT; i++) {
        (void)snprintf(path, sizeof path, "%s/sys/class/dmi/id/%s", root, dmi_files[i]);
        if (file_read(path, SMALL_FILE_BYTES_MAX, &ret->texts[i], NULL) < 0)
            strbuf_clear(&ret->texts[i]);
    }
}

static void texts_set(struct part_list *list, struct node_part *part,
                      struct span vendor, struct span model, struct span serial)
{
    part->vendor = part_list_text(list, vendor);
    part->model = part_list_text(list, model);
    part->serial = part_list_text(list, serial);
}

/* ---- by the table ---- */

static int on_smbios_part(void *arg, const struct smbios_part *found)
{
    static const enum part_class classes[] = {
        [SMBIOS_BIOS] = PART_BIOS,
        [SMBIOS_SYSTEM] = PART_SYSTEM,
        [SMBIOS_BOARD] = PART_BOARD,
    };
    struct part_list *list = arg;
    bool is_module = found->kind == SMBIOS_MODULE;
    struct node_part *part =
        part_list_add(list, is_module ? PART_DIMM : classes[found->kind], found->slot);
    if (!part)
        return 0;
    texts_set(list, part, found->vendor, found->model, found->serial);
    part->size_bytes = found->size_bytes;
    /* What a board or a system calls its version is a part of its model. */
    if (is_module || found->kind == SMBIOS_BIOS)
        part->firmware = part_list_text(list, found->version);
    list->banks[list->count - 1] = part_list_text(list, found->bank);
    return 0;
}

/* ---- by the files ---- */

static struct span dmi_text(const struct inventory_dmi *dmi, enum dmi_text text)
{
    return strbuf_span(&dmi->texts[text]);
}

static void files_add(struct part_list *list, const struct inventory_dmi *dmi)
{
    struct node_part *part;
    list->unread |= 1U << PART_DIMM;
    if (dmi_text(dmi, SYSTEM_MODEL).size + dmi_text(dmi, SYSTEM_VENDOR).size == 0) {
        list->unread |= 1U << PART_SYSTEM | 1U << PART_BOARD | 1U << PART_BIOS;
        return;
    }
    part = part_list_add(list, PART_SYSTEM, SPAN(""));
    if (part)
        texts_set(list, part, dmi_text(dmi, SYSTEM_VENDOR), dmi_text(dmi, SYSTEM_MODEL),
                  dmi_text(dmi, SYSTEM_SERIAL));
    part = part_list_add(list, PART_BOARD, SPAN(""));
    if (part)
        texts_set(list, part, dmi_text(dmi, BOARD_VENDOR), dmi_text(dmi, BOARD_MODEL),
                  dmi_text(dmi, BOARD_SERIAL));
    part = part_list_add(list, PART_BIOS, SPAN(""));
    if (part) {
        part->vendor = part_list_text(list, dmi_text(dmi, BIOS_VENDOR));
        part->firmware = part_list_text(list, dmi_text(dmi, BIOS_VERSION));
    }
}

void inventory_add_dmi(struct part_list *list, const struct inventory_dmi *dmi)
{
    size_t before = list->count;
    int rc = smbios_read(strbuf_span(&dmi->table), on_smbios_part, list);
    if (list->count == before)
        files_add(list, dmi);
    else if (rc < 0) /* cut off: what stood behind is not gone */
        list->unread |=
            1U << PART_DIMM | 1U << PART_SYSTEM | 1U << PART_BOARD | 1U << PART_BIOS;
}
