/* The embedded R: the only file that knows R. Loaded by strucchange.c when a fit asks for it. */
#define CSTACK_DEFNS 1 /* R_CStackLimit */
#include <Rinternals.h>

#include <R_ext/Parse.h>
#include <Rembedded.h>
#include <Rinterface.h>
#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "estimators/r/strucchange_r.h"

/* The regression of y on x with relative errors (all divided by y), in segments of at least three
 * points; how many breaks there are is chosen by BIC. The value is the last index of each segment
 * but the last, from 1. */
static const char program[] =
    "function(x, y, breaks) {"
    "  suppressWarnings(suppressMessages(requireNamespace('strucchange', quietly = TRUE))) ||"
    "    stop('the R package strucchange is not installed (Debian: r-cran-strucchange)');"
    "  d <- data.frame(one = y / y, constant = 1 / y, slope = x / y);"
    "  b <- strucchange::breakpoints(one ~ 0 + constant + slope, data = d, h = 3,"
    "                                breaks = breaks)$breakpoints;"
    "  if (length(b) == 1 && is.na(b)) integer(0) else as.integer(b)"
    "}";

/* R lives as long as the process: it cannot be started twice. */
static bool started;

/* R ends the process if it does not find its base package, so that is looked for first. */
static int find_home(char *message, size_t size)
{
    char base[1024];
    if (!getenv("R_HOME") && setenv("R_HOME", CPM_R_HOME, 1)) {
        snprintf(message, size, "no memory for R_HOME");
        return -1;
    }
    snprintf(base, sizeof base, "%s/library/base/R/base", getenv("R_HOME"));
    if (access(base, R_OK) == 0)
        return 0;
    snprintf(message, size, "there is no R in R_HOME=%.100s (%.120s)", getenv("R_HOME"), base);
    return -1;
}

static int start(char *message, size_t size)
{
    char *arguments[] = {"R", "--vanilla", "--no-echo", "--no-readline"};
    if (started)
        return 0;
    if (find_home(message, size))
        return -1;
    char *locale = strdup(setlocale(LC_ALL, NULL)); /* R sets the user's, for the whole process */
    if (!locale) {
        snprintf(message, size, "no memory to start R");
        return -1;
    }
    R_SignalHandlers = 0;
    Rf_initialize_R(sizeof arguments / sizeof *arguments, arguments);
    R_CStackLimit = (uintptr_t)-1; /* a simulated rank runs on a stack that R does not know */
    R_Interactive = FALSE;
    setup_Rmainloop();
    setlocale(LC_ALL, locale);
    free(locale);
    started = true;
    return 0;
}

static SEXP vector_of(const double *values, int count)
{
    SEXP v = PROTECT(Rf_allocVector(REALSXP, count));
    memcpy(REAL(v), values, (size_t)count * sizeof *values);
    return v;
}

/* Leaves two objects on the protection stack: the parsed text and the function. */
static SEXP compile(int *failed)
{
    ParseStatus status;
    SEXP text = PROTECT(Rf_mkString(program));
    SEXP parsed = PROTECT(R_ParseVector(text, 1, &status, R_NilValue));
    *failed = status != PARSE_OK;
    return *failed ? R_NilValue : R_tryEvalSilent(VECTOR_ELT(parsed, 0), R_GlobalEnv, failed);
}

static void say(char *message, size_t size)
{
    const char *text = R_curErrorBuf();
    const char *colon = strstr(text, " : ");
    snprintf(message, size, "%s", colon ? colon + 3 + strspn(colon + 3, " \n") : text);
    message[strcspn(message, "\n")] = '\0';
}

int cpm_r_breakpoints(const double *x, const double *y, int count, int max_breaks, int *break_index,
                      int *breaks, char *message, size_t size)
{
    if (start(message, size))
        return -1;
    int failed = 0, protected = 5;
    SEXP function = PROTECT(compile(&failed));
    SEXP vx = vector_of(x, count), vy = vector_of(y, count), result = R_NilValue;
    if (!failed) {
        SEXP call = PROTECT(Rf_lang4(function, vx, vy, Rf_ScalarInteger(max_breaks)));
        result = R_tryEvalSilent(call, R_GlobalEnv, &failed);
        protected++;
    }
    if (failed) {
        say(message, size);
    } else {
        *breaks = Rf_length(result);
        for (int i = 0; i < *breaks; i++)
            break_index[i] = INTEGER(result)[i] - 1;
    }
    UNPROTECT(protected);
    return failed ? -1 : 0;
}
