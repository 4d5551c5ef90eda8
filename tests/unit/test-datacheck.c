// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/datacheck.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/mem.h"

static void heavy_tails(void **state)
{
	static const double calm[] = { 10, 10.1, 10.2, 9.9, 9.8, 10, 10.1 };
	static const double burst[] = { 10, 10.1, 10.2, 9.9, 9.8, 10, 15.2 };
	/* Mean and median apart without any value 1.5 times the median. */
	static const double skew[] = { 10, 10, 10, 10, 10, 10, 10, 10, 10.5 };
	static const double even[] = { 4, 4, 4, 4, 4, 4, 4 };

	(void)state;
	assert_false(data_heavy_tail(calm, ARRAY_SIZE(calm)));
	assert_true(data_heavy_tail(burst, ARRAY_SIZE(burst)));
	assert_true(data_heavy_tail(skew, ARRAY_SIZE(skew)));
	assert_false(data_heavy_tail(even, ARRAY_SIZE(even)));
	assert_false(data_heavy_tail(calm, 2));
	assert_false(data_heavy_tail(NULL, 0));
}

static void resolution_of_the_clock(void **state)
{
	static const double seconds[] = { 91, 93, 92, 93, 90, 91, 93, 89, 91 };
	static const double fine[] = { 9.123, 9.127, 9.131, 9.14, 9.09 };
	static const double same[] = { 5, 5, 5, 5 };
	static const double around_zero[] = { -1, 0, 1 };
	struct data_resolution r;

	(void)state;
	data_resolution(seconds, ARRAY_SIZE(seconds), NAN, &r);
	assert_true(r.step == 1 && fabs(r.step_pct - 100.0 / 91) < 1e-9);
	assert_true(fabs(r.tied - 6.0 / 9) < 1e-12 && r.coarse);
	data_resolution(fine, ARRAY_SIZE(fine), 1, &r);
	assert_true(fabs(r.step - 0.004) < 1e-9 && r.tied == 0 && !r.coarse);
	data_resolution(fine, ARRAY_SIZE(fine), 0.08, &r);
	assert_true(r.coarse);
	data_resolution(same, ARRAY_SIZE(same), 1, &r);
	assert_true(isnan(r.step) && isnan(r.step_pct) && r.tied == 1 && !r.coarse);
	data_resolution(around_zero, ARRAY_SIZE(around_zero), 1, &r);
	assert_true(r.step == 1 && isnan(r.step_pct) && !r.coarse);
	data_resolution(NULL, 0, 1, &r);
	assert_true(isnan(r.step) && isnan(r.tied) && !r.coarse);
}

static void first_iteration_of_a_boot(void **state)
{
	double x[20];
	size_t boot[20];
	struct data_first f;

	(void)state;
	/* Five boots of four, interleaved in time. */
	for (size_t i = 0; i < ARRAY_SIZE(x); i++) {
		boot[i] = i % 5;
		x[i] = i < 5 ? 12 : 10 + 0.1 * i;
	}
	data_first(x, boot, ARRAY_SIZE(x), 5, BETTER_LOWER, &f);
	assert_int_equal(f.boots, 5);
	assert_int_equal(f.worst_first, 5);
	assert_true(fabs(f.p - pow(0.25, 5)) < 1e-12 && f.warn);
	data_first(x, boot, ARRAY_SIZE(x), 5, BETTER_HIGHER, &f);
	assert_true(f.worst_first == 0 && f.p == 1 && !f.warn);
	/* Two boots: all firsts are the worst, but that is one chance in sixteen. */
	for (size_t i = 0; i < 8; i++)
		boot[i] = i % 2;
	x[0] = x[1] = 20;
	data_first(x, boot, 8, 2, BETTER_LOWER, &f);
	assert_true(f.worst_first == 2 && fabs(f.p - 1.0 / 16) < 1e-12 && !f.warn);
	/* One iteration a boot has no first. */
	for (size_t i = 0; i < 8; i++)
		boot[i] = i;
	data_first(x, boot, 8, 8, BETTER_LOWER, &f);
	assert_true(f.boots == 0 && isnan(f.p) && !f.warn);
}

static void lost_units(void **state)
{
	(void)state;
	assert_int_equal(data_loss(0, 10, 0, 10), DATA_LOSS_NONE);
	assert_int_equal(data_loss(1, 10, 0, 10), DATA_LOSS_UNEVEN);
	assert_int_equal(data_loss(0, 10, 2, 10), DATA_LOSS_UNEVEN);
	assert_int_equal(data_loss(0, 10, 3, 10), DATA_LOSS_TOO_MUCH);
	assert_int_equal(data_loss(2, 20, 2, 20), DATA_LOSS_NONE);
	/* 15 % against 0 %: within the limit, but no chance. */
	assert_int_equal(data_loss(15, 100, 0, 100), DATA_LOSS_TOO_MUCH);
	assert_int_equal(data_loss(1, 1, 0, 10), DATA_LOSS_TOO_MUCH);
}

static void noise_of_boots(void **state)
{
	/* Means 10, 20, 30 (variance 100), inside each boot variance 2. */
	static const double x[] = { 9, 11, 19, 21, 29, 31 };
	static const size_t boot[] = { 0, 0, 1, 1, 2, 2 };
	static const size_t alone[] = { 0, 0, 1, 2, 3, 4 };
	static const size_t mixed[] = { 0, 1, 2, 2, 1, 0 };
	struct data_boots b;

	(void)state;
	data_boots(x, boot, ARRAY_SIZE(x), 3, 400, &b);
	assert_true(fabs(b.iter_var - 2) < 1e-12 && fabs(b.boot_var - 99) < 1e-9);
	assert_true(b.iterations == 2 && b.boots_matter);
	/* sqrt(400 * 2 / 99) = 2.84 */
	assert_true(b.worth == 3);
	data_boots(x, boot, ARRAY_SIZE(x), 3, NAN, &b);
	assert_true(isnan(b.worth) && b.boots_matter);
	/* All the noise is inside the boots. */
	data_boots(x, mixed, ARRAY_SIZE(x), 3, 400, &b);
	assert_true(b.boot_var == 0 && !b.boots_matter && isnan(b.worth));
	/* Only one boot with two iterations. */
	data_boots(x, alone, ARRAY_SIZE(x), 5, 400, &b);
	assert_true(isnan(b.iter_var) && isnan(b.boot_var) && !b.boots_matter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heavy_tails),
		cmocka_unit_test(resolution_of_the_clock),
		cmocka_unit_test(first_iteration_of_a_boot),
		cmocka_unit_test(lost_units),
		cmocka_unit_test(noise_of_boots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
