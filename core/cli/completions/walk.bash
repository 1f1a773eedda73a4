# Where the cursor is: below which command, and in which place of it.
_dossier_offer() {
  local one
  for one in "${words[@]}"; do
    [[ $one == "$cur"* ]] && printf -v one %q "$one" && COMPREPLY+=("$one")
  done
}
_dossier_files() {
  # The shell's own completion quotes names; an old shell has to do without.
  if [[ $1 == directory ]]; then compopt -o dirnames 2>/dev/null && return
  else compopt -o default 2>/dev/null && return; fi
  local one act=-f
  [[ $1 == directory ]] && act=-d
  while IFS= read -r one; do COMPREPLY+=("$one"); done < <(compgen "$act" -- "$cur")
}
_dossier() {
  local cur="${COMP_WORDS[COMP_CWORD]}" at=dossier pending='' closed='' count=0 i word kind
  local -a words
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${COMP_WORDS[i]}"
    if [[ $word == '=' ]]; then
      continue # --data=here is three words to bash
    elif [[ -n $pending ]]; then
      pending=''
    elif [[ -z $closed && $word == -- ]]; then
      closed=1
    elif [[ -z $closed && $word == -* ]]; then
      _dossier_value "$at $word"
      [[ -n $kind ]] && pending="$word"
    else
      _dossier_below "$at"
      if [[ $count == 0 && " ${words[*]} " == *" $word "* ]]; then at="$at $word"; else ((count++)); fi
    fi
  done
  [[ $cur == '=' ]] && cur=''
  if [[ -z $pending && -z $closed && $cur == -* ]]; then
    _dossier_flags "$at"
    _dossier_offer
    return
  fi
  _dossier_value "$at ${pending:-$count}"
  case "$kind" in
    choices) _dossier_offer ;;
    file | directory) _dossier_files "$kind" ;;
  esac
  if [[ -z $pending && $count == 0 ]]; then
    _dossier_below "$at"
    _dossier_offer
  fi
}
complete -F _dossier dossier
