/* SPDX-License-Identifier: Apache-2.0 */
/* test_inventory - the firmware's table, whole, cut and hostile; labels of EDAC. */
#include "base/cleanup.h"
#include "base/span.h"
#include "source/inventory/inventory.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_read),
        cmocka_unit_test(a_cut_table_is_never_read_beyond),
        cmocka_unit_test(labels_are_modules_by_name_or_position),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
