# The functions of MPI that a preloaded library puts before the MPI library's. As objects they are
# linked with a program, so in a simulation, where nothing can be preloaded.
file(GLOB PRELOAD_SOURCES CONFIGURE_DEPENDS tuned/preload/*.c)
if(CPM_SMPI)
  list(FILTER PRELOAD_SOURCES EXCLUDE REGEX "/(library|named)\\.c$")
endif()
add_library(cpm_tuned_objects OBJECT ${PRELOAD_SOURCES})
target_link_libraries(cpm_tuned_objects PRIVATE cpm_flags PUBLIC mpib)
target_include_directories(cpm_tuned_objects PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
set_target_properties(cpm_tuned_objects PROPERTIES C_VISIBILITY_PRESET default)
if(NOT CPM_SMPI)
  include(CheckCSourceCompiles)
  set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
  check_c_source_compiles(
    "#include <mpi.h>\n int main(void) { return sizeof(char[sizeof(MPI_Fint) == sizeof(int) ? 1 : -1]) - 1; }"
    CPM_FORTRAN_INTEGER_IS_INT)
  unset(CMAKE_REQUIRED_LIBRARIES)
  target_compile_definitions(cpm_tuned_objects PRIVATE
    $<$<BOOL:${CPM_FORTRAN_INTEGER_IS_INT}>:CPM_FORTRAN_INTEGER_IS_INT>)
  add_library(cpm_tuned SHARED)
  add_library(cpm::tuned ALIAS cpm_tuned)
  target_link_libraries(cpm_tuned PRIVATE cpm_tuned_objects PUBLIC mpib)
  set_target_properties(cpm_tuned PROPERTIES OUTPUT_NAME cpm-tuned EXPORT_NAME tuned
    VERSION ${PROJECT_VERSION} SOVERSION 0
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib INSTALL_RPATH "$ORIGIN")
endif()

# Idle ranks give the processor away when ranks outnumber cores; part of an executable.
add_library(mpib_yield OBJECT mpib/yield.c)
target_include_directories(mpib_yield PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(mpib_yield PRIVATE cpm_flags)
target_link_options(mpib_yield INTERFACE LINKER:--export-dynamic-symbol=ucp_worker_progress)

# The same for programs that know nothing of it: cpm run --yield preloads it.
if(NOT CPM_SMPI)
  add_library(cpm_yield SHARED mpib/yield.c)
  target_link_libraries(cpm_yield PRIVATE cpm_flags ${CMAKE_DL_LIBS})
  target_include_directories(cpm_yield PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  set_target_properties(cpm_yield PROPERTIES OUTPUT_NAME cpm-yield
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
endif()
