/* How much a loop over many cases tries. */
#ifndef CPM_TESTS_QUICK_H
#define CPM_TESTS_QUICK_H

/* What is found by the value is found without sanitizers, which take ten times as long; what they
 * find is found by fewer cases. */
#ifdef __SANITIZE_ADDRESS__
#define CPM_TEST_CASES(usual, sanitized) (sanitized)
#else
#define CPM_TEST_CASES(usual, sanitized) (usual)
#endif

#endif
