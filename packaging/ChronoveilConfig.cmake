# Chronoveil::chronoveil, the shared library, and Chronoveil::chronoveil_static.
find_path(Chronoveil_EXPECTED tl/expected.hpp)
if(Chronoveil_EXPECTED)
  include(${CMAKE_CURRENT_LIST_DIR}/ChronoveilTargets.cmake)
else()
  set(Chronoveil_FOUND FALSE)
  set(Chronoveil_NOT_FOUND_MESSAGE "its headers need tl/expected.hpp, which is in Debian's libexpected-dev")
endif()
