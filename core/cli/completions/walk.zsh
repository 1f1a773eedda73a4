# Where the cursor is: below which command, and in which place of it.
_dossier() {
  local at=dossier pending='' closed='' count=0 i word kind
  local -a offers
  for ((i = 2; i < CURRENT; i++)); do
    word="${(Q)words[i]}"
    if [[ -n $pending ]]; then
      pending=''
    elif [[ -z $closed && $word == -- ]]; then
      closed=1
    elif [[ -z $closed && $word == -* ]]; then
      _dossier_value "$at $word"
      [[ -n $kind ]] && pending="$word"
    else
      _dossier_below "$at"
      if [[ $count == 0 && -n ${(M)offers:#$word:*} ]]; then at="$at $word"; else ((count++)); fi
    fi
  done
  if [[ -z $pending && -z $closed && $PREFIX == --*=* ]]; then
    pending="${PREFIX%%=*}"
    compset -P '*='
  fi
  if [[ -z $pending && -z $closed && $PREFIX == -* ]]; then
    _dossier_flags "$at"
    _describe -o option offers
    return
  fi
  _dossier_value "$at ${pending:-$count}"
  case "$kind" in
    choices) compadd -a offers ;;
    file) _files ;;
    directory) _files -/ ;;
  esac
  if [[ -z $pending && $count == 0 ]]; then
    _dossier_below "$at"
    (($#offers)) && _describe command offers
  fi
  return 0
}
if [[ "${funcstack[1]}" == _dossier ]]; then
  _dossier "$@"
else
  compdef _dossier dossier
fi
