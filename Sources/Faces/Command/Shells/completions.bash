# Completions of PROGRAM for bash. To load them now: eval "$(PROGRAM completions bash)"

# Sets `plain` to a word without its quotes; nothing in it is run.
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
  # Readline also breaks words at = and :; parts without a blank between them are joined again.
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
  # Readline replaces the text after the last of these signs; the sign itself stays.
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
      # Readline quotes the candidates as names of files.
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
    # A word that begins with a quote stays quoted.
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
