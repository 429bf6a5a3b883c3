exec 9>&1; while IFS= read -r -d '' _mark && IFS= read -r -d '' _line; do eval "$_line" </dev/null; printf '%s %d %s\0' "$_mark" "$?" "$PWD" >&9; done
