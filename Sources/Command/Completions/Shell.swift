import AggregatorCore

/// A shell that completions are written for.
enum Shell: String, CaseIterable, Sendable {
  case bash, zsh, fish

  /// What it loads to complete a program's command lines: that hands the words so far to the program, and shows what comes back:
  /// `Completions.text` says in which form.
  func script(for program: String) -> String {
    let script =
      switch self {
      case .bash: Self.bashScript
      case .zsh: Self.zshScript
      case .fish: Self.fishScript
      }
    // A name that a shell takes for a function.
    let function = "_" + String(program.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    return script.replacingEach("FUNCTION", with: function).replacingEach("PROGRAM", with: program)
  }
}

extension Shell {
  private static let bashScript = #"""
    # Completions of PROGRAM for bash. To load them now: eval "$(PROGRAM completions bash)"

    # A word as it is typed, without its quotes; nothing in it is run.
    FUNCTION_plain() {
      local text=$1 quote='' letter
      plain=''
      while [[ -n $text ]]; do
        letter=${text:0:1} text=${text:1}
        case $quote$letter in
          \' | \") quote=$letter ;;
          "''" | '""') quote='' ;;
          \\ | '"\') plain+=${text:0:1} text=${text:1} ;;
          \'* | \"*) plain+=$letter ;;
          *) plain+=$letter ;;
        esac
      done
    }

    FUNCTION() {
      local rest=$COMP_LINE word plain line manner='' index head='' typed='' program=$1
      local -a words=() found=()
      # Readline breaks words at = and : too; what nothing stands between is put together again.
      for ((index = 0; index <= COMP_CWORD; index++)); do
        word=${COMP_WORDS[index]}
        if ((index > 0 && ${#words[@]} > 0)) && [[ -n $word && $rest != [[:space:]]* ]]; then
          head=${words[${#words[@]} - 1]}
          words[${#words[@]} - 1]+=$word
        else
          head=''
          words+=("$word")
        fi
        rest=${rest#*"$word"}
      done
      # Readline replaces what stands behind the last of those; the sign itself stays.
      [[ $word != [=:] ]] || head=${words[${#words[@]} - 1]}
      typed=${words[${#words[@]} - 1]}
      for ((index = 1; index < ${#words[@]}; index++)); do
        FUNCTION_plain "${words[index]}"
        words[index]=$plain
      done
      local current=${words[${#words[@]} - 1]}
      FUNCTION_plain "$head"
      head=$plain
      [[ $program != '~/'* ]] || program=$HOME/${program:2}
      type -P "$program" >/dev/null || program=PROGRAM

      while IFS= read -r line; do
        if [[ -z $manner ]]; then manner=$line; else found+=("${line%%$'\t'*}"); fi
      done < <("$program" __complete -- "${words[@]:1}" 2>/dev/null)

      case $manner in
        files | folders)
          # Readline quotes what it takes for names of files.
          compopt -o filenames 2>/dev/null
          [[ $current != --*=* ]] || current=${current#*=}
          local action=-f
          [[ $manner == files ]] || action=-d
          while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$action" -- "$current")
          return
          ;;
        parts) compopt -o nospace 2>/dev/null ;;
      esac
      compopt -o nosort 2>/dev/null
      for line in "${found[@]}"; do
        # A word that begins with a quote stays in it.
        case $typed in
          \"*) line=${line//\\/\\\\} line=${line//\"/\\\"} line=${line//\$/\\\$} line=${line//\`/\\\`} ;;
          \'*) line=${line//\'/\'\\\'\'} ;;
          *)
            line=${line:${#head}}
            [[ $line =~ ^[[:alnum:]_./:=@%+,-]*$ ]] || printf -v line %q "$line"
            ;;
        esac
        COMPREPLY+=("$line")
      done
    }

    complete -F FUNCTION PROGRAM

    """#

  private static let zshScript = #"""
    #compdef PROGRAM
    # Completions of PROGRAM for zsh. To load them now: source <(PROGRAM completions zsh)

    FUNCTION() {
      local program=${(Q)words[1]} line value manner
      local -a answer found
      [[ $program != '~/'* ]] || program=$HOME/${program#'~/'}
      (( $+commands[$program] )) || [[ -x $program ]] || program=PROGRAM

      answer=("${(@f)$("$program" __complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
      manner=$answer[1]
      shift answer
      for line in "${answer[@]}"; do
        # A colon ends the value unless it is escaped.
        value=${line%%$'\t'*}
        value=${${value//\\/\\\\}//:/\\:}
        [[ $line != *$'\t'* ]] || value+=:${line#*$'\t'}
        found+=("$value")
      done

      case $manner in
        files) compset -P '--*='; _files ;;
        folders) compset -P '--*='; _files -/ ;;
        parts) _describe -V PROGRAM found -S '' ;;
        *) _describe -V PROGRAM found ;;
      esac
    }

    if [[ $funcstack[1] == FUNCTION ]]; then
      FUNCTION "$@"
    else
      (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
      compdef FUNCTION PROGRAM
    fi

    """#

  private static let fishScript = #"""
    # Completions of PROGRAM for fish. To load them now: PROGRAM completions fish | source

    function _FUNCTION
        set -l words (commandline -opc)
        set -l current (commandline -ct)
        # What is still open has no end to unescape.
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

    """#
}
