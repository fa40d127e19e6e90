/* SPDX-License-Identifier: Apache-2.0 */
/* test_inventory - the firmware's table, whole, cut and hostile; labels of EDAC. */
#include "base/cleanup.h"
#include "base/file.h"
#include "base/span.h"
#include "base/test/scratch.h"
#include "source/inventory/inventory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct found {
    size_t count;
    char text[1024];
};

static int on_part(void *arg, const struct smbios_part *part)
{
    struct found *found = arg;
    size_t at = strlen(found->text);
    (void)snprintf(found->text + at, sizeof found->text - at,
                   "%d[" SPAN_FMT "|" SPAN_FMT "|" SPAN_FMT "|" SPAN_FMT "|" SPAN_FMT
                   "|%lld]",
                   (int)part->kind, SPAN_ARG(part->vendor), SPAN_ARG(part->model),
                   SPAN_ARG(part->serial), SPAN_ARG(part->version),
                   SPAN_ARG(part->slot), (long long)(part->size_bytes >> 20));
    found->count++;
    return 0;
}

/* A module of 32 GiB in slot A1, with 28 bytes of fields. */
#define MODULE                                                                     \
    "\x11\x1c\x00\x11\x00\x00\x00\x00\x40\x00\x40\x00\x00\x40\x09\x00\x01\x02\x1a" \
    "\x00\x00\x00\x00\x03\x04\x00\x05\x00"                                         \
    "A1\0BANK 0\0Samsung\0"                                                        \
    "3C4D5E6F\0M393\0\0"
#define SYSTEM                                                               \
    "\x01\x1b\x01\x00\x01\x02\x00\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" \
    "ACME\0Node\0CZ123\0\0"
#define END "\x7f\x04\x02\x00\0\0"

#define TEXT(literal)               \
    {                               \
        literal, sizeof literal - 1 \
    }

static void tables_are_read(void **state)
{
    (void)state;
    static const struct {
        struct span table;
        int rc;
        const char *want;
    } cases[] = {
        { TEXT(SYSTEM MODULE END), 0,
          "1[ACME|Node|CZ123|||0]17[Samsung|M393|3C4D5E6F||A1|16384]" },
        { TEXT(SYSTEM END MODULE), 0, "1[ACME|Node|CZ123|||0]" },
        { TEXT(SYSTEM "\x11\x1c\x00"), -EBADMSG, "1[ACME|Node|CZ123|||0]" },
        { TEXT("\x11\x00\x00\x11\0\0"), -EBADMSG, "" }, /* no length: it would loop */
        { TEXT("\x11\x03\x00\x11\0\0"), -EBADMSG, "" },
        { TEXT("\x11\xff\x00\x11\0\0"), -EBADMSG, "" }, /* beyond the table */
        { TEXT("\x01\x04\x00\x00"
               "abc"),
          -EBADMSG, "" }, /* strings without an end */
        { TEXT("\x01\x04\x00\x00\0\0" END), 0, "1[|||||0]" }, /* fields are not there */
        { TEXT("\x01\x08\x00\x00\xff\x02\x00\xfe"
               "a\0b\0\0" END),
          0, "1[|b||||0]" },
        { TEXT("\x11\x0e\x00\x11\0\0\0\0\0\0\0\0\0\0\0\0" END), 0,
          "" }, /* empty slot */
        { TEXT(""), -EBADMSG, "" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct found found = { 0 };
        int rc = smbios_read(cases[i].table, on_part, &found);
        if (rc != cases[i].rc || strcmp(found.text, cases[i].want) != 0)
            fail_msg("case %zu: %d %s", i, rc, found.text);
    }
}

static void a_cut_table_is_never_read_beyond(void **state)
{
    (void)state;
    static const char whole[] = SYSTEM MODULE END;
    for (size_t size = 0; size < sizeof whole - 1; size++) {
        struct found found = { 0 };
        char *copy = malloc(size + 1); /* the sanitizer sees its end */
        memcpy(copy, whole, size);
        (void)smbios_read((struct span){ copy, size }, on_part, &found);
        assert_in_range(found.count, 0, 2);
        free(copy);
    }
}

static void labels_are_modules_by_name_or_position(void **state)
{
    (void)state;
    static const struct {
        const char *label, *slot, *bank;
        bool want;
    } cases[] = {
        { "DIMM_A1", "DIMM_A1", "", true },
        { "DIMM A1", "DIMM_A1", "BANK 0", true },
        { "BANK 0 DIMM_A1", "DIMM_A1", "BANK 0", true },
        { "DIMM_A2", "DIMM_A1", "", false },
        { "CPU_SrcID#0_MC#1_Chan#2_DIMM#0", "A1", "P0_Node1_Channel2_Dimm0", true },
        { "CPU_SrcID#1_MC#1_Chan#2_DIMM#0", "A1", "P0_Node1_Channel2_Dimm0", false },
        { "CPU_SrcID#0_MC#0_Chan#2_DIMM#0", "A1", "P0_Node1_Channel2_Dimm0", false },
        { "CPU_SrcID#0_MC#1_Chan#2_DIMM#1", "A1", "P0_Node1_Channel2_Dimm0", false },
        { "mc#0csrow#0channel#0", "DIMM 0", "P0 CHANNEL A", false },
        { "", "", "", false },
        { "#", "-", "", false },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (inventory_is_module(span_of(cases[i].label), span_of(cases[i].slot),
                                span_of(cases[i].bank)) != cases[i].want)
            fail_msg("%s, %s, %s", cases[i].label, cases[i].slot, cases[i].bank);
}

/* ---- a played /sys ---- */

static void play_directory(const char *root, const char *path)
{
    char whole[256];
    assert_in_range(snprintf(whole, sizeof whole, "%s/%s", root, path), 1,
                    sizeof whole - 1);
    for (char *at = strchr(whole + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = '\0';
        (void)mkdir(whole, 0700);
        *at = '/';
    }
    assert_true(mkdir(whole, 0700) == 0 || errno == EEXIST);
}

/* "PATH TEXT" is a file, "PATH -> TARGET" a link, "PATH/" a directory. */
static void play(const char *root, const char *const *lines)
{
    for (; *lines; lines++) {
        char path[256];
        struct span rest = span_of(*lines), name;
        (void)span_cut(&rest, ' ', &name);
        (void)snprintf(path, sizeof path, SPAN_FMT, SPAN_ARG(name));
        char *slash = strrchr(path, '/');
        *slash = '\0';
        play_directory(root, path);
        (void)snprintf(path, sizeof path, "%s/" SPAN_FMT, root, SPAN_ARG(name));
        if (name.data[name.size - 1] == '/')
            continue;
        if (span_starts(rest, "-> ")) {
            assert_int_equal(symlink(rest.data + 3, path), 0);
            continue;
        }
        int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        assert_true(fd >= 0);
        assert_int_equal(file_write_all(fd, rest.data, rest.size), 0);
        (void)close(fd);
    }
}

/* "class slot" of each disk, GPU, network device; "?class" of what was not read. */
static void check_played(const char *name, const char *const *lines, const char *want)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(arena_done) struct arena arena;
    AUTO(inventory_dmi_done) struct inventory_dmi dmi = { 0 };
    struct node_inventory found = { 0 };
    size_t dropped;
    const char *root = scratch_path(name);
    play(root, lines);
    arena_init(&arena, (size_t)16 << 20);
    assert_int_equal(inventory_read(root, &dmi, &arena, &found, &dropped), 0);
    for (size_t i = 0; i < found.part_count; i++)
        if (found.parts[i].class >= PART_DISK)
            strbuf_addf(&text, "%s " SPAN_FMT "\n",
                        part_class_name(found.parts[i].class),
                        SPAN_ARG(found.parts[i].slot));
    for (enum part_class class = PART_DISK; class < PART_CLASS_COUNT; class ++)
        if (found.unread & 1U << class)
            strbuf_addf(&text, "?%s\n", part_class_name(class));
    if (strcmp(strbuf_text(&text), want) != 0)
        fail_msg("%s: %s", name, strbuf_text(&text));
}

#define HCA                                          \
    "sys/class/infiniband/mlx5_0/node_guid 1:2:3:4", \
        "sys/class/infiniband/mlx5_0/device/x 1"
#define BMC                                                                     \
    "sys/block/", "sys/class/net/", "sys/class/drm/card0/device/vendor 0x1a03", \
        "sys/bus/pci/devices/0000:02:00.0/vendor 0x1a03",                       \
        "sys/bus/pci/devices/0000:02:00.0/class 0x030000"
#define NVIDIA                                        \
    "sys/bus/pci/devices/0000:49:00.0/vendor 0x10de", \
        "sys/bus/pci/devices/0000:49:00.0/class 0x030200"
#define AMD                                           \
    "sys/bus/pci/devices/0000:c1:00.0/vendor 0x1002", \
        "sys/bus/pci/devices/0000:c1:00.0/class 0x038000"

static void what_has_no_driver_yet_is_not_missing(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *lines[12];
        const char *want;
    } cases[] = {
        { "a BMC's VGA, and no GPU", { BMC, HCA }, "hca mlx5_0\n" },
        { "GPUs, and no driver", { BMC, HCA, NVIDIA }, "hca mlx5_0\n?gpu\n" },
        { "nouveau",
          { BMC, HCA, NVIDIA,
            "sys/bus/pci/devices/0000:49:00.0/driver -> ../../drivers/nouveau" },
          "hca mlx5_0\n?gpu\n" },
        { "one of two",
          { BMC, HCA, NVIDIA, "proc/driver/nvidia/gpus/0000:4a:00.0/information x" },
          "hca mlx5_0\ngpu 0000:4a:00.0\n?gpu\n" },
        { "all of them",
          { BMC, HCA, NVIDIA, "proc/driver/nvidia/gpus/0000:49:00.0/information x",
            "sys/bus/pci/devices/0000:49:00.0/driver -> ../../drivers/nvidia" },
          "hca mlx5_0\ngpu 0000:49:00.0\n" },
        { "AMD's without a driver", { BMC, HCA, AMD }, "hca mlx5_0\n?gpu\n" },
        { "no HCA's module", { BMC, "sys/class/infiniband/" }, "?hca\n" },
        { "no bus",
          { "sys/block/", "sys/class/net/", "sys/class/drm/", HCA },
          "hca mlx5_0\n?gpu\n" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        check_played(cases[i].name, cases[i].lines, cases[i].want);
}

static void what_software_makes_is_no_part(void **state)
{
    (void)state;
    static const char *const lines[] = {
        BMC,
        "sys/block/nvme0n1/device/serial S64F",
        "sys/block/nvme0n1/hidden 0",
        "sys/block/nvme0c0n1/device/serial S64F",
        "sys/block/nvme0c0n1/hidden 1",
        "sys/class/net/eth0/device/vendor 0x15b3",
        "sys/class/net/eth0/device/device 0x1017",
        "sys/class/net/eth1/device/vendor 0x15b3",
        "sys/class/net/eth1/device/device 0x1018",
        "sys/class/net/eth1/device/physfn -> ../0000:41:00.0",
        HCA,
        "sys/class/infiniband/mlx5_1/node_guid 1:2:3:5",
        "sys/class/infiniband/mlx5_1/device/physfn -> ../0000:41:00.0",
        NULL,
    };
    check_played("software", lines, "disk nvme0n1\nnic eth0\nhca mlx5_0\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_read),
        cmocka_unit_test(a_cut_table_is_never_read_beyond),
        cmocka_unit_test(labels_are_modules_by_name_or_position),
        cmocka_unit_test(what_has_no_driver_yet_is_not_missing),
        cmocka_unit_test(what_software_makes_is_no_part),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
