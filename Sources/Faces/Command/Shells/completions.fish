# Completions of PROGRAM for fish. To load them now: PROGRAM completions fish | source

function _FUNCTION
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    # An open quote has no end, so it cannot be unescaped.
    if string match -qr '^["\']' -- $current
        set current (string sub -s 2 -- $current)
    else
        set current (string unescape -- $current; or echo $current)
    end
    set -l program PROGRAM
    command -q $words[1]; and set program $words[1]
    set -l answer (command $program __complete -- $words[2..-1] "$current" 2>/dev/null)
    set -l head (string match -r '^--[^=]*=' -- $current)
    set -l value (string replace -r '^--[^=]*=' '' -- $current)
    switch "$answer[1]"
        case files
            for path in (__fish_complete_path "$value")
                echo "$head$path"
            end
        case folders
            for path in (__fish_complete_directories "$value" '')
                echo "$head$path"
            end
        case '*'
            printf '%s\n' $answer[2..-1]
    end
end

complete -c PROGRAM -e
complete -c PROGRAM -f -k -a '(_FUNCTION)'
