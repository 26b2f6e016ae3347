#!/bin/sh
# Builds and runs the tests of the core:
#   native         with every instruction set of this machine; symbols of the objects
#   cpus           the same, as other processors under qemu, and cross-compiled for aarch64
#   threads        under the thread sanitizer
#   address        under the address and undefined-behaviour sanitizers
set -eu
cd "$(dirname "$0")/../.."
levels="baseline avx2 avx512"
skipped=77

# need PACKAGE TEST...: installs a Debian package unless the test succeeds; ends where it cannot.
need() {
  package=$1
  shift
  if "$@" >/dev/null 2>&1; then return; fi
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get install -y --no-install-recommends "$package" >/dev/null 2>&1 ||
      { apt-get update >/dev/null 2>&1 &&
        apt-get install -y --no-install-recommends "$package" >/dev/null 2>&1; } || true
  fi
  if "$@" >/dev/null 2>&1; then return; fi
  echo "core tests SKIPPED: they need $package (Debian's name), which is missing here."
  exit 0
}

# build FOLDER OPTION...: into build/FOLDER
build() {
  folder=build/$1
  shift
  cmake -S core -B "$folder" -DBANDSVM_CORE_TESTS=ON -DBANDSVM_WERROR=ON "$@" >"$folder.log" 2>&1 &&
    cmake --build "$folder" -j 2 >>"$folder.log" 2>&1 || { cat "$folder.log"; exit 1; }
}

# run_levels LABEL COMMAND...: the command at every level that it finds
run_levels() {
  label=$1
  shift
  for level in $levels; do
    echo "core tests, $label, $level:"
    status=0
    BANDSVM_SIMD=$level "$@" || status=$?
    [ "$status" = 0 ] || [ "$status" = $skipped ] || exit "$status"
  done
}

has_header() { echo '#include <doctest/doctest.h>' | c++ -E -x c++ -; }

mkdir -p build
need cmake command -v cmake
need doctest-dev has_header
tests=tests/core_tests
# qemu itself fails where a process with threads forks and starts new ones.
without_forks="--test-case-exclude=a forked child*"
case ${1:-native} in
  native)
    build core-tests
    sh core/tests/symbols.sh build/core-tests
    run_levels native "build/core-tests/$tests"
    ;;
  cpus)
    need qemu-user command -v qemu-x86_64
    need g++-aarch64-linux-gnu command -v aarch64-linux-gnu-g++
    build core-tests
    run_levels native "build/core-tests/$tests"
    # Without what qemu cannot emulate and warns of.
    for cpu in Nehalem Haswell-noTSX,-pcid,-x2apic,-tsc-deadline,-invpcid; do
      run_levels "${cpu%%,*}" qemu-x86_64 -cpu $cpu "build/core-tests/$tests" "$without_forks"
    done
    build core-aarch64 -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
      -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++
    echo "core tests, aarch64:"
    qemu-aarch64 -L /usr/aarch64-linux-gnu "build/core-aarch64/$tests" "$without_forks"
    ;;
  threads)
    build core-threads -DBANDSVM_SANITIZE=thread
    # A child with threads of its own is what a test is about.
    TSAN_OPTIONS="halt_on_error=1 die_after_fork=0" "build/core-threads/$tests"
    ;;
  address)
    build core-address -DBANDSVM_SANITIZE=address,undefined
    run_levels sanitized "build/core-address/$tests"
    ;;
esac
