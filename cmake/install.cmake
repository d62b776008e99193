# What `cmake --install` puts where, and how other projects find it: a CMake package (cpm::cpm, and
# cpm::mpib where MPI is there) and pkg-config files.
include(CMakePackageConfigHelpers)

set(CPM_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/cpm)

# What there has to be before `cmake --install`: ./quickstart builds this, and no tests.
add_custom_target(installed)
# cpm_install_targets(TARGET... -- what install(TARGETS) takes)
function(cpm_install_targets)
  list(FIND ARGN -- end)
  list(SUBLIST ARGN 0 ${end} targets)
  list(SUBLIST ARGN ${end} -1 how)
  list(POP_FRONT how)
  install(TARGETS ${targets} ${how})
  add_dependencies(installed ${targets})
endfunction()
cpm_install_targets(cpm -- EXPORT cpm-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(with_mpi)
  cpm_install_targets(mpib cpm_tuned -- EXPORT mpib-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  cpm_install_targets(cpm_yield -- LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
cpm_install_targets(cpm_command -- RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET cpm_r)
  cpm_install_targets(cpm_r -- LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/cpm)
endif()

set(CPM_INSTALLED cpm)
if(with_mpi)
  list(APPEND CPM_INSTALLED mpib)
  install(FILES ${CMAKE_BINARY_DIR}/include/cpm/cpm_mpi.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cpm)
endif()
install(FILES ${CMAKE_BINARY_DIR}/include/cpm/cpm.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cpm)

install(DIRECTORY gnuplot/ DESTINATION ${CMAKE_INSTALL_DATADIR}/cpm/gnuplot
  FILES_MATCHING PATTERN "*.gp")
install(DIRECTORY examples/models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/cpm/models)
# The pages and what they lead to, in folders as here.
install(FILES README.md COPYING DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY doc examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
  PATTERN "__pycache__" EXCLUDE PATTERN "*-output" EXCLUDE)
install(FILES python/README.md python/pyproject.toml DESTINATION ${CMAKE_INSTALL_DOCDIR}/python)
install(DIRECTORY python/src/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/python/src
  FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "*.egg-info" EXCLUDE)
install(FILES ${CMAKE_BINARY_DIR}/cpm.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(DIRECTORY ${CMAKE_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${CMAKE_BINARY_DIR}/completion/cpm
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${CMAKE_BINARY_DIR}/completion/_cpm
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${CMAKE_BINARY_DIR}/completion/cpm.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
# Shells look for these when a launcher's words are completed. Slurm has a file of its own for srun,
# which is taken over when cpm's is loaded.
foreach(launcher mpiexec mpirun)
  install(FILES ${CMAKE_BINARY_DIR}/completion/cpm RENAME _${launcher}
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${CMAKE_BINARY_DIR}/completion/cpm.fish RENAME ${launcher}.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endforeach()

# Two sets, so that a project that only predicts needs no MPI.
install(EXPORT cpm-targets NAMESPACE cpm:: DESTINATION ${CPM_PACKAGE_DIR})
if(with_mpi)
  install(EXPORT mpib-targets NAMESPACE cpm:: DESTINATION ${CPM_PACKAGE_DIR})
endif()
configure_package_config_file(cmake/cpm-config.cmake.in ${CMAKE_BINARY_DIR}/cmake/cpm-config.cmake
  INSTALL_DESTINATION ${CPM_PACKAGE_DIR} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cmake/cpm-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/cmake/cpm-config.cmake
  ${CMAKE_BINARY_DIR}/cmake/cpm-config-version.cmake DESTINATION ${CPM_PACKAGE_DIR})

# The prefix is told relative to the file, so that an installation can be moved.
set(CPM_PC_DIR ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH CPM_PC_TO_PREFIX ${CPM_PC_DIR} ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" CPM_PC_TO_PREFIX ${CPM_PC_TO_PREFIX})
foreach(name ${CPM_INSTALLED})
  configure_file(cmake/${name}.pc.in ${CMAKE_BINARY_DIR}/cmake/${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/cmake/${name}.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
