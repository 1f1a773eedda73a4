# `__dossier_at PATH [NUMBER [more]]`: whether the cursor is below this command, and in this place
# among its arguments, or in one after it.
function __dossier_at
    set -l at dossier
    set -l count 0
    set -l pending 0
    for word in (commandline -opc)[2..]
        if test $pending = 1
            set pending 0
        else if string match -q -- '-*' $word
            contains -- "$at $word" $__dossier_valued; and set pending 1
        else if test $count = 0; and contains -- "$at $word" $__dossier_paths
            set at "$at $word"
        else
            set count (math $count + 1)
        end
    end
    test "$at" = "$argv[1]"; or return 1
    test (count $argv) -lt 2; and return 0
    if test (count $argv) -gt 2
        test $count -ge $argv[2]
    else
        test $count = $argv[2]
    end
end
