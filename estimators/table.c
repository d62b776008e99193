/* The table of estimators: one row per model and method, a model's default first. */
#include "estimators/methods.h"

/* clang-format off */
const cpm_estimator cpm_estimators[] = {
    {"hockney", "regression", "Hockney, linear regression over message sizes", "thesis 6.2",
     2, cpm_hockney_regression_plan, cpm_hockney_fit},
    {"hockney", "two-sizes",  "Hockney, empty and non-empty round trips",      "thesis 3.2.2, 6.2",
     2, cpm_hockney_two_sizes_plan, cpm_hockney_fit},
    {"logp",    "own",        "LogP, saturation, overheads and round trips of one message size",
     "Culler et al. 1996; thesis 2.2.2", 2, cpm_logp_plan, cpm_logp_fit},
    {"loggp",   "own",        "LogGP, saturation by small and large messages",
     "thesis 2.2.3, 5.3", 2, cpm_loggp_own_plan, cpm_loggp_own_fit},
    {"loggp",   "plogp",      "LogGP, derived from PLogP",
     "Kielmann et al. 2000; thesis 5.3", 2, cpm_plogp_plan, cpm_loggp_plogp_fit},
    {"plogp",   "own",        "PLogP, saturation by empty messages, two round trips for each size",
     "Kielmann et al. 2000; thesis 2.2.4", 2, cpm_plogp_plan, cpm_plogp_fit},
    {"lmo",     "joint",      "LMO, round trips and trains in one robust least-squares problem",
     "doc/estimation.md", 3, cpm_lmo_joint_plan, cpm_lmo_joint_fit},
    {"lmo",     "thesis",     "LMO, the published triplet equations (biased with eager sends)",
     "thesis (4.4)-(4.10)", 3, cpm_lmo_thesis_plan, cpm_lmo_thesis_fit},
    {"lmo2",    "joint",      "extended LMO: regimes, overheads apart, shared link ends",
     "doc/estimation.md", 3, cpm_lmo2_plan, cpm_lmo2_fit},
    {"interp",  "measured",   "measured curves of all algorithms from root 0", "linear interpolation",
     2, cpm_interp_plan, cpm_interp_fit},
    {0},
};
/* clang-format on */
