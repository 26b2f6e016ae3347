#!/bin/sh
# symbols.sh FOLDER: checks that objects for an instruction set define no symbol that the linker may
# use in place of another file's: no weak (W, V, w, v) or unique (u) symbols.
set -eu
n_objects=0
for object in $(find "$1" -path '*rows_avx*' -name '*.o'); do
  n_objects=$((n_objects + 1))
  if nm -C --defined-only "$object" | grep -E ' [WVwvu] '; then
    echo "$object defines weak symbols: code of one level may run at another."
    exit 1
  fi
done
case $(uname -m) in
  x86_64) [ $n_objects -ge 2 ] || { echo "no objects of levels found in $1."; exit 1; } ;;
esac
echo "symbols: $n_objects objects define no weak ones"
