/* The table of estimators: one row per model and method, a model's default first. */
#include "estimators/methods.h"

/* clang-format off */
const cpm_estimator cpm_estimators[] = {
    {"hockney", "regression", "Hockney, linear regression over message sizes", "thesis 6.2",
     2, cpm_hockney_regression_plan, cpm_hockney_fit},
    {"hockney", "two-sizes",  "Hockney, empty and non-empty round trips",      "thesis 3.2.2, 6.2",
     2, cpm_hockney_two_sizes_plan, cpm_hockney_fit},
    {"lmo",     "joint",      "LMO, round trips and trains in one robust least-squares problem",
     "doc/estimation.md", 3, cpm_lmo_joint_plan, cpm_lmo_joint_fit},
    {"lmo",     "thesis",     "LMO, the published triplet equations (biased with eager sends)",
     "thesis (4.4)-(4.10)", 3, cpm_lmo_thesis_plan, cpm_lmo_thesis_fit},
    {"lmo2",    "joint",      "extended LMO: regimes, overheads apart, shared link ends",
     "doc/estimation.md", 3, cpm_lmo2_plan, cpm_lmo2_fit},
    {0},
};
/* clang-format on */
