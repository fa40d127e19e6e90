/* SPDX-License-Identifier: Apache-2.0 */
/* testing - what every unit test includes: cmocka with the headers it forgets. */
#ifndef BASE_TEST_TESTING_H
#define BASE_TEST_TESTING_H

/* cmocka.h needs the others before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#endif
