# candor_torch: libtorch as a system library. The PyTorch of the active Python or Torch_DIR where there is one, else the
# distribution's. With a pip PyTorch, find_library must not pick /usr/lib's libtorch or libc10 beside it.
if(NOT Torch_DIR AND DEFINED ENV{Torch_DIR})
  set(Torch_DIR $ENV{Torch_DIR} CACHE PATH "TorchConfig.cmake's folder")
endif()
if(NOT Torch_DIR)
  find_program(CANDOR_PYTHON NAMES python3 python)
  if(CANDOR_PYTHON)
    execute_process(
      COMMAND ${CANDOR_PYTHON} -c
              "import torch, os; print(os.path.dirname(torch.__file__) if torch.compiled_with_cxx11_abi() else '')"
      OUTPUT_VARIABLE torch_home OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(torch_home AND EXISTS ${torch_home}/share/cmake/Torch/TorchConfig.cmake)
      set(Torch_DIR ${torch_home}/share/cmake/Torch CACHE PATH "TorchConfig.cmake's folder")
    endif()
  endif()
endif()
if(Torch_DIR)
  get_filename_component(torch_lib ${Torch_DIR}/../../../lib ABSOLUTE)
  if(EXISTS ${torch_lib}/libc10.so)
    list(PREPEND CMAKE_LIBRARY_PATH ${torch_lib})
  endif()
endif()
find_package(Torch REQUIRED)
message(STATUS "libtorch ${Torch_VERSION} in ${Torch_DIR}")
foreach(library ${TORCH_LIBRARY} ${C10_LIBRARY})
  if(torch_lib AND EXISTS ${torch_lib}/libc10.so AND IS_ABSOLUTE "${library}" AND NOT library MATCHES "^${torch_lib}/")
    message(FATAL_ERROR "two libtorchs are mixed: headers of ${Torch_DIR}, library ${library}. Delete the build folder "
                        "and configure again with -DCMAKE_LIBRARY_PATH=${torch_lib}")
  endif()
endforeach()

add_library(candor_torch INTERFACE)
target_include_directories(candor_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
target_link_libraries(candor_torch INTERFACE ${TORCH_LIBRARIES})
string(REPLACE " " ";" torch_flags "${TORCH_CXX_FLAGS}")
target_compile_options(candor_torch INTERFACE ${torch_flags})
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
