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
