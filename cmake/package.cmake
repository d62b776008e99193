# `cpack --config CPackSourceConfig.cmake` makes a tarball of the sources, `cpack` one of what is installed.
set(CPACK_PACKAGE_VENDOR "CPM")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_CURRENT_SOURCE_DIR}/COPYING)
set(CPACK_GENERATOR TGZ)
set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME cpm-${PROJECT_VERSION})
# Patterns of whole paths: a tarball may be made below a folder that is itself called build.
string(REGEX REPLACE "([][+.*()^$?|\\\\])" "\\\\\\1" CPM_HERE "${CMAKE_CURRENT_SOURCE_DIR}")
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_SOURCE_IGNORE_FILES "^${CPM_HERE}/build/" "^${CPM_HERE}/quickstart-output/" "/\\.git"
  "__pycache__" "\\.egg-info")
include(CPack)
