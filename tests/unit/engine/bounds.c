/* SPDX-License-Identifier: Apache-2.0
 * bounds.c: tests of segments: that they are the service's, and that each hash lies in exactly one. */
#include "bounds.h"

#include "suites.h"

static td_bounds segment_of(uint32_t segment, uint32_t total)
{
    td_bounds bounds;
    td_bounds__init(&bounds);
    td_bounds__set_segment(&bounds, segment, total);
    return bounds;
}

START_TEST(segments_cover_the_key_space_without_overlap)
{
    static const uint32_t totals[] = {1, 2, 3, 7, 4095, 4096, 4097, 5000, 1000000};
    for (size_t i = 0; i < TD_COUNT_OF(totals); i++) {
        uint64_t next = 0;
        for (uint32_t segment = 0; segment < totals[i]; segment++) {
            td_bounds bounds = segment_of(segment, totals[i]);
            ck_assert_uint_eq(bounds.hash_from, next);
            ck_assert_uint_le(bounds.hash_from, bounds.hash_to);
            next = bounds.hash_to + 1;
        }
        ck_assert_uint_eq(next, 0); /* past the last hash */
    }
}
END_TEST

/* Source: throttling.md, Appendix A: segments of 4096 that keys were seen in. */
START_TEST(segments_are_the_services)
{
    static const struct {
        uint64_t hash;
        uint32_t segment;
    } cases[] = {
        {UINT64_C(0x0008c2d900000000), 0}, {UINT64_C(0x000efbc100000000), 0},    {UINT64_C(0x001fef2900000000), 1},
        {UINT64_C(0x0044772800000000), 4}, {UINT64_C(0xfff5d33700000000), 4095},
    };
    for (size_t i = 0; i < TD_COUNT_OF(cases); i++) {
        td_bounds bounds = segment_of(cases[i].segment, 4096);
        ck_assert(td_bounds__has_hash(&bounds, cases[i].hash));
    }
}
END_TEST

TCase *bounds_tests(void)
{
    TCase *tests = tcase_create("bounds");
    tcase_add_test(tests, segments_cover_the_key_space_without_overlap);
    tcase_add_test(tests, segments_are_the_services);
    return tests;
}
