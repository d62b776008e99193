/* Numbers of files, as people and programs write them. */
#ifndef CPM_BASE_NUMBERS_H
#define CPM_BASE_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

/* What times, rates and sizes in files may be: 0, or in magnitude from 1e-100 to 1e30. Their sums,
 * products and ratios then stay far from the limits of a double. */
#define CPM_NUMBER_LEAST 1e-100
#define CPM_NUMBER_MOST  1e30

/* Processes that a file may be of. */
#define CPM_MOST_PROCESSES (1 << 20)

/* Whether one of the whole numbers from least to most, above 0, is a power of two; whether one
 * is none. */
bool cpm_has_power_of_two(int64_t least, int64_t most);
bool cpm_has_other_than_power_of_two(int64_t least, int64_t most);

/* What is wrong with a value: "is not a number", "is infinite", "is too large (...)"; NULL:
 * nothing. */
const char *cpm_number_flaw(double value);

/* A decimal number, all of text: "0.5", "-1e-6"; neither hexadecimal nor a name, and not surrounded
 * by spaces. False, *out unset: it is none. Too large ones are infinite. */
bool cpm_number_parse(const char *text, double *out);

/* A whole number from least to most, all of text: digits, with a '-' before them, but neither a '+'
 * nor zeros that are not needed. False, *out unset: it is none. */
bool cpm_integer_parse(const char *text, long least, long most, long *out);

#endif
