# `cpack --config CPackSourceConfig.cmake` makes a tarball of the sources, `cpack` one of what is installed.
set(CPACK_PACKAGE_VENDOR "CPM")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_CURRENT_SOURCE_DIR}/COPYING)
set(CPACK_GENERATOR TGZ)
set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME cpm-${PROJECT_VERSION})
set(CPACK_SOURCE_IGNORE_FILES "/build/" "/\\\\.git" "/quickstart-output/" "__pycache__" "\\\\.egg-info")
include(CPack)
