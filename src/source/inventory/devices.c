/* SPDX-License-Identifier: Apache-2.0 */
/* devices - processors, disks, network devices and GPUs, by what their drivers show. */
#include "source/inventory/inventory_private.h"

#include "base/file.h"
#include "base/number.h"

#include <stdio.h>
#include <stdlib.h>

#define CPUINFO_BYTES_MAX ((size_t)8 << 20)
#define PROCESSORS_MAX 64
#define SECTOR_BYTES 512

static bool sub_path(const char *directory, const char *name, const char *below,
                     char ret[PATH_BYTES_MAX])
{
    int size = snprintf(ret, PATH_BYTES_MAX, "%s/%s%s", directory, name, below);
    return size > 0 && size < PATH_BYTES_MAX;
}

static struct span first_of(struct span a, struct span b)
{
    return a.size > 0 ? a : b;
}

/* ---- processors ---- */

struct processor_lines {
    struct span model, vendor, microcode, package;
    uint64_t seen; /* bit of each package */
};

static void processor_end(struct part_list *list, struct processor_lines *p)
{
    uint64_t package = 0;
    char slot[16];
    if (p->model.size == 0)
        return; /* no processor's block: this kernel prints it otherwise */
    (void)number_parse_u64(p->package, &package);
    if (package >= PROCESSORS_MAX || p->seen & UINT64_C(1) << package)
        return;
    p->seen |= UINT64_C(1) << package;
    (void)snprintf(slot, sizeof slot, "cpu%u", (unsigned)package);
    struct node_part *part = part_list_add(list, PART_CPU, span_of(slot));
    if (!part)
        return;
    part->vendor = part_list_text(list, p->vendor);
    part->model = part_list_text(list, p->model);
    part->firmware = part_list_text(list, p->microcode);
}

void inventory_add_processors(struct part_list *list)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct processor_lines p = { .package = SPAN("0") };
    char path[PATH_BYTES_MAX];
    size_t before = list->count;
    (void)snprintf(path, sizeof path, "%s/proc/cpuinfo", list->root);
    if (file_read(path, CPUINFO_BYTES_MAX, &text, NULL) == 0) {
        struct span rest = strbuf_span(&text), line, key;
        while (rest.size) {
            (void)span_cut(&rest, '\n', &line);
            (void)span_cut(&line, ':', &key);
            key = span_trim(key);
            struct span *field = span_is(key, "model name")    ? &p.model
                                 : span_is(key, "vendor_id")   ? &p.vendor
                                 : span_is(key, "microcode")   ? &p.microcode
                                 : span_is(key, "physical id") ? &p.package
                                                               : NULL;
            if (field)
                *field = span_trim(line);
            if (key.size > 0 && rest.size > 0)
                continue;
            processor_end(list, &p);
            p = (struct processor_lines){ .package = SPAN("0"), .seen = p.seen };
        }
    }
    if (list->count == before)
        list->unread |= 1U << PART_CPU;
}

/* ---- disks ---- */

/* "../devices/pci0000:00/0000:00:1f.2/ata3/host2/target2:0:0/2:0:0:0/block/sda" as
 * "0000:00:1f.2 ata3 0:0:0": the number of a host is another after the next start. */
static struct span disk_slot(struct part_list *list, const char *name)
{
    char path[PATH_BYTES_MAX], slot[INVENTORY_TEXT_BYTES_MAX + 1];
    struct span pci = SPAN(""), port = SPAN(""), unit = SPAN(""), word;
    (void)snprintf(path, sizeof path, "%s/sys/block/%s", list->root, name);
    AUTO_FREE char *real = realpath(path, NULL);
    for (struct span rest = span_of(real); rest.size;) {
        (void)span_cut(&rest, '/', &word);
        struct span copy = word, host;
        if (word.size == 12 && word.data[4] == ':' && word.data[7] == ':' &&
            word.data[10] == '.')
            pci = word;
        else if (span_starts(word, "ata") || span_starts(word, "end_device-") ||
                 span_starts(word, "virtio"))
            port = word;
        else if (word.size < 24 && word.size > 6 && span_cut(&copy, ':', &host) &&
                 span_glob(copy, "[0-9]*:[0-9]*:[0-9]*"))
            unit = copy;
    }
    if (pci.size == 0)
        return SPAN("");
    if (port.size > 40)
        port.size = 40;
    (void)snprintf(slot, sizeof slot, SPAN_FMT "%s" SPAN_FMT "%s" SPAN_FMT,
                   SPAN_ARG(pci), port.size ? " " : "", SPAN_ARG(port),
                   unit.size ? " " : "", SPAN_ARG(unit));
    return part_list_text(list, span_of(slot));
}

/* Page 0x80 of SCSI's vital product data: four bytes, then the serial number. */
static struct span scsi_serial(struct part_list *list, const char *device)
{
    AUTO(strbuf_done) struct strbuf page = STRBUF_INIT;
    char path[PATH_BYTES_MAX];
    int size = snprintf(path, sizeof path, "%s%s/vpd_pg80", list->root, device);
    if (size >= (int)sizeof path ||
        file_read(path, SMALL_FILE_BYTES_MAX, &page, NULL) < 0 || page.size <= 4)
        return SPAN("");
    size_t length = (unsigned char)page.data[3];
    struct span text = span_skip(strbuf_span(&page), 4);
    text.size = text.size < length ? text.size : length;
    return part_list_text(list, text);
}

static void on_block(struct part_list *list, const char *directory, const char *name)
{
    char device[PATH_BYTES_MAX], block[PATH_BYTES_MAX];
    int64_t sectors;
    if (!sub_path(directory, name, "/device", device) ||
        !sub_path(directory, name, "", block))
        return;
    /* One way to a disk of several ways: its head is another device, and is shown. */
    if (span_is(part_list_file(list, block, "hidden"), "1"))
        return;
    struct span model = part_list_file(list, device, "model");
    struct span serial = first_of(part_list_file(list, device, "serial"),
                                  part_list_file(list, block, "serial"));
    if (serial.size == 0)
        serial = scsi_serial(list, device);
    struct span vendor = part_list_file(list, device, "vendor");
    if (model.size + serial.size == 0)
        return; /* made by the kernel: loop, ram, dm, md */
    struct span slot =
        first_of(part_list_file(list, device, "address"), disk_slot(list, name));
    struct node_part *part =
        part_list_add(list, PART_DISK, first_of(slot, span_of(name)));
    if (!part)
        return;
    part->model = model;
    part->serial = serial;
    part->vendor = vendor;
    part->firmware = first_of(part_list_file(list, device, "firmware_rev"),
                              part_list_file(list, device, "rev"));
    if (number_parse_i64(part_list_file(list, block, "size"), &sectors) == 0 &&
        sectors > 0 && sectors < INT64_MAX / SECTOR_BYTES)
        part->size_bytes = sectors * SECTOR_BYTES;
}

void inventory_add_disks(struct part_list *list)
{
    if (!part_list_each(list, "/sys/block", on_block))
        list->unread |= 1U << PART_DISK;
}

/* ---- network devices ---- */

/* "0x15b3", "0x1017" as "15b3:1017". */
static struct span pci_model(struct part_list *list, const char *device)
{
    char model[32];
    struct span vendor = part_list_file(list, device, "vendor");
    struct span id = part_list_file(list, device, "device");
    if (vendor.size < 3 || vendor.size > 10 || id.size < 3 || id.size > 10)
        return SPAN("");
    (void)snprintf(model, sizeof model, "%.*s:%.*s", (int)vendor.size - 2,
                   vendor.data + 2, (int)id.size - 2, id.data + 2);
    return part_list_text(list, span_of(model));
}

/* Made by a command out of the device that is there, and gone with the next start. */
static bool is_virtual_function(struct part_list *list, const char *device)
{
    return part_list_link(list, device, "physfn").size > 0;
}

static void on_net(struct part_list *list, const char *directory, const char *name)
{
    char device[PATH_BYTES_MAX], net[PATH_BYTES_MAX], bond[PATH_BYTES_MAX];
    if (!sub_path(directory, name, "/device", device) ||
        !sub_path(directory, name, "", net) ||
        !sub_path(directory, name, "/bonding_slave", bond))
        return;
    struct span model = pci_model(list, device);
    if (model.size == 0 || is_virtual_function(list, device))
        return; /* a bridge, a bond, a tunnel; or of no bus that numbers its devices */
    struct span slot = part_list_link(list, net, "device");
    struct node_part *part =
        part_list_add(list, PART_NIC, first_of(slot, span_of(name)));
    if (!part)
        return;
    part->model = model;
    part->vendor = part_list_link(list, device, "driver");
    /* In a bond all have one address; its own is what the device was made with. */
    part->serial = first_of(part_list_file(list, bond, "perm_hwaddr"),
                            part_list_file(list, net, "address"));
}

static void on_hca(struct part_list *list, const char *directory, const char *name)
{
    char hca[PATH_BYTES_MAX], device[PATH_BYTES_MAX];
    char model[INVENTORY_TEXT_BYTES_MAX + 8];
    if (!sub_path(directory, name, "", hca) ||
        !sub_path(directory, name, "/device", device) ||
        is_virtual_function(list, device))
        return;
    struct span type = part_list_file(list, hca, "hca_type");
    struct span board = part_list_file(list, hca, "board_id");
    struct span slot = part_list_link(list, hca, "device");
    struct node_part *part =
        part_list_add(list, PART_HCA, first_of(slot, span_of(name)));
    if (!part)
        return;
    (void)snprintf(model, sizeof model, SPAN_FMT "%s" SPAN_FMT, SPAN_ARG(type),
                   type.size && board.size ? " " : "", SPAN_ARG(board));
    part->model = part_list_text(list, span_of(model));
    part->serial = part_list_file(list, hca, "node_guid");
    part->firmware = part_list_file(list, hca, "fw_ver");
}

void inventory_add_networks(struct part_list *list)
{
    if (!part_list_each(list, "/sys/class/net", on_net))
        list->unread |= 1U << PART_NIC;
    /* Their modules are loaded later than others, some after the agent began: where
     * there is none, nothing is known of them. */
    size_t before = list->count;
    (void)part_list_each(list, "/sys/class/infiniband", on_hca);
    if (list->count == before)
        list->unread |= 1U << PART_HCA;
}

/* ---- GPUs ---- */

/* NVIDIA's driver: "Model: NVIDIA A100", "GPU UUID: GPU-...", "Video BIOS: 92.00". */
static void on_nvidia(struct part_list *list, const char *directory, const char *name)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    char path[PATH_BYTES_MAX];
    int size =
        snprintf(path, sizeof path, "%s%s/%s/information", list->root, directory, name);
    struct node_part *part = part_list_add(list, PART_GPU, span_of(name));
    if (!part || size >= (int)sizeof path ||
        file_read(path, SMALL_FILE_BYTES_MAX, &text, NULL) < 0)
        return;
    struct span rest = strbuf_span(&text), line, key;
    while (rest.size) {
        (void)span_cut(&rest, '\n', &line);
        (void)span_cut(&line, ':', &key);
        struct span *field = span_is(span_trim(key), "Model")        ? &part->model
                             : span_is(span_trim(key), "GPU UUID")   ? &part->serial
                             : span_is(span_trim(key), "Video BIOS") ? &part->firmware
                                                                     : NULL;
        if (field)
            *field = part_list_text(list, line);
    }
    /* Until the driver has begun with it, it shows question marks. */
    struct span *const texts[] = { &part->serial, &part->firmware };
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        if (texts[i]->size > 0 && memchr(texts[i]->data, '?', texts[i]->size))
            *texts[i] = SPAN("");
    part->vendor = SPAN("NVIDIA");
}

/* AMD's driver has these beside its card; of other cards they are missing. */
static void on_card(struct part_list *list, const char *directory, const char *name)
{
    char device[PATH_BYTES_MAX], card[PATH_BYTES_MAX];
    if (strncmp(name, "card", 4) != 0 || strchr(name, '-') ||
        !sub_path(directory, name, "/device", device) ||
        !sub_path(directory, name, "", card))
        return;
    struct span serial = first_of(part_list_file(list, device, "unique_id"),
                                  part_list_file(list, device, "serial_number"));
    struct span firmware = part_list_file(list, device, "vbios_version");
    if (serial.size + firmware.size == 0)
        return;
    struct span slot = part_list_link(list, card, "device");
    struct node_part *part =
        part_list_add(list, PART_GPU, first_of(slot, span_of(name)));
    if (!part)
        return;
    part->serial = serial;
    part->firmware = firmware;
    part->model =
        first_of(part_list_file(list, device, "product_name"), pci_model(list, device));
}

/* GPUs without their driver, which alone knows their numbers: they are there. */
static void on_gpu_without_driver(struct part_list *list, const char *directory,
                                  const char *name)
{
    char device[PATH_BYTES_MAX];
    if (!sub_path(directory, name, "", device))
        return;
    struct span vendor = part_list_file(list, device, "vendor");
    struct span class = part_list_file(list, device, "class");
    struct span driver = part_list_link(list, device, "driver");
    bool is_nvidia = span_is(vendor, "0x10de") && span_starts(class, "0x03");
    bool is_amd = span_is(vendor, "0x1002") &&
                  (span_starts(class, "0x0380") || span_starts(class, "0x1200"));
    if ((is_nvidia || is_amd) &&
        (driver.size == 0 || (is_nvidia && span_is(driver, "nouveau"))))
        list->unread |= 1U << PART_GPU;
}

/* The VGA of a BMC has a card, too: that there are cards shows nothing of GPUs. */
void inventory_add_gpus(struct part_list *list)
{
    bool has_nvidia = part_list_each(list, "/proc/driver/nvidia/gpus", on_nvidia);
    (void)part_list_each(list, "/sys/class/drm", on_card);
    bool has_pci = part_list_each(list, "/sys/bus/pci/devices", on_gpu_without_driver);
    if (!has_nvidia && !has_pci)
        list->unread |= 1U << PART_GPU;
}
