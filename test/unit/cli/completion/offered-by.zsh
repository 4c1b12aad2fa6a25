# Prints what zsh offers behind each line of its input, with the completion script $1: at a terminal of its own for each, where what would be put there is printed.
zmodload zsh/zpty
while IFS= read -r typed; do
  zpty z zsh -f -i
  zpty -w z "PROMPT= RPROMPT= PS2=; stty -echo; autoload -Uz compinit; compinit -C -D; source $1"
  zpty -w z 'compadd() { local -a hits; builtin compadd -A hits "$@"; (( $#hits )) && print -r -- "<$IPREFIX${^hits}>" }'
  zpty -w z '_over() { print -r -- "<ov""er>" }; comppostfuncs=(_over); print -r -- "<rea""dy>"'
  zpty -r -m z line '*<ready>*'
  zpty -w -n z "$typed"$'\t'
  zpty -r -m z line '*<over>*'
  print -r -- ${${line##*$typed}//[$'\r\n']/ }
  zpty -d z
done
