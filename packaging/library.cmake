# libchronoveil: every module except those that need libtorch, as one library, static and shared; and how others find
# it: headers, a package for CMake, a file for pkg-config. See docs/library.md.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(library_objects)
get_property(library_modules GLOBAL PROPERTY chronoveil_modules)
list(REMOVE_ITEM library_modules neural networks)
foreach(module ${library_modules})
  set_target_properties(chronoveil_${module} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  # Nobody replaces our functions from outside, so they may be inlined as in a program.
  target_compile_options(chronoveil_${module} PRIVATE -fno-semantic-interposition)
  list(APPEND library_objects $<TARGET_OBJECTS:chronoveil_${module}>)
endforeach()
# By name, so that whoever links the static library needs no CMake package to find these.
set(library_links sodium sqlite3 z lzma date-tz fmt tomlplusplus)

foreach(form static shared)
  string(TOUPPER ${form} type)
  add_library(chronoveil_${form} ${type} ${library_objects})
  set_target_properties(chronoveil_${form} PROPERTIES OUTPUT_NAME chronoveil LINKER_LANGUAGE CXX)
  target_compile_features(chronoveil_${form} INTERFACE cxx_std_20)
  target_include_directories(chronoveil_${form} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
endforeach()
set_target_properties(chronoveil_static PROPERTIES EXPORT_NAME chronoveil_static)
target_link_libraries(chronoveil_static INTERFACE ${library_links})
# Everything of ours can be seen, since a public type may be made of any; nothing of others' that was compiled in.
set_target_properties(chronoveil_shared PROPERTIES EXPORT_NAME chronoveil VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} LINK_DEPENDS ${PROJECT_SOURCE_DIR}/packaging/chronoveil.map)
target_link_libraries(chronoveil_shared PRIVATE ${library_links})
target_link_options(chronoveil_shared PRIVATE -Wl,--no-undefined
  -Wl,--version-script=${PROJECT_SOURCE_DIR}/packaging/chronoveil.map)

install(DIRECTORY include/chronoveil DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS chronoveil_static chronoveil_shared EXPORT ChronoveilTargets
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Chronoveil)
install(EXPORT ChronoveilTargets NAMESPACE Chronoveil:: DESTINATION ${package_folder})
set(made ${CMAKE_BINARY_DIR}/packaging)
# The bindings are built against this folder, without an installation.
export(EXPORT ChronoveilTargets NAMESPACE Chronoveil:: FILE ${made}/ChronoveilTargets.cmake)
file(COPY packaging/ChronoveilConfig.cmake DESTINATION ${made})
write_basic_package_version_file(${made}/ChronoveilConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES packaging/ChronoveilConfig.cmake ${made}/ChronoveilConfigVersion.cmake DESTINATION ${package_folder})

# Paths in it are relative to where it lies, so that an installed tree may be moved.
set(pkgconfig_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH up /${pkgconfig_folder} /)
list(TRANSFORM library_links PREPEND -l OUTPUT_VARIABLE links)
list(JOIN links " " links)
set(libs "-L\${libdir} -lchronoveil")
configure_file(packaging/chronoveil.pc.in ${made}/chronoveil.pc @ONLY)
set(libs "\${libdir}/libchronoveil.a ${links}")
configure_file(packaging/chronoveil.pc.in ${made}/chronoveil-static.pc @ONLY)
install(FILES ${made}/chronoveil.pc ${made}/chronoveil-static.pc DESTINATION ${pkgconfig_folder})
install(DIRECTORY examples/cpp DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
