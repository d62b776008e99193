/* What the shared libraries export: everything else is hidden. */
#ifndef CPM_BASE_API_H
#define CPM_BASE_API_H

#if defined(__GNUC__)
#define CPM_API __attribute__((visibility("default")))
#else
#define CPM_API
#endif

#endif
