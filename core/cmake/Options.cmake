# candor_options: what every target of the project compiles with.
add_library(candor_options INTERFACE)
target_include_directories(candor_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(candor_options INTERFACE -Wall -Wextra -pedantic)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(candor_options INTERFACE -Wno-restrict)  # g++ 12 is wrong about "literal" + std::string (PR 105651)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # g++ 13 and 14 are wrong about std::vector's copies, libtorch's SmallVector and functions that return what a reference
  # argument leads to.
  target_compile_options(candor_options INTERFACE -Wno-array-bounds -Wno-maybe-uninitialized -Wno-dangling-reference)
endif()
if(CANDOR_WERROR)
  target_compile_options(candor_options INTERFACE -Werror)
endif()
if(CANDOR_SANITIZE)
  target_compile_options(candor_options INTERFACE -fsanitize=${CANDOR_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(candor_options INTERFACE -fsanitize=${CANDOR_SANITIZE})
endif()
