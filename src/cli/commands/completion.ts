import { Argument, Command } from 'commander';
import { MACHINE_IO, type CommandIo } from '../api/command-io.ts';
import { CALLS } from '../api/call-catalogue.ts';

const HELP = `
The script completes commands, options, the calls of "sarraf api", their fields and the values of
fields. It is made for this version: make it again after an upgrade.

Examples:
  sarraf completion bash > ~/.local/share/bash-completion/completions/sarraf
  sarraf completion zsh > "\${fpath[1]}/_sarraf"
  sarraf completion fish > ~/.config/fish/completions/sarraf.fish`;

export function completionCommand(program: () => Promise<Command>, io: CommandIo = MACHINE_IO): Command {
  return new Command('completion')
    .description('Prints a script with which a shell completes commands, calls, fields and their values.')
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .option('--json', 'prints the words themselves as one JSON object, for other shells')
    .addHelpText('after', HELP)
    .action(async (shell: Shell, options: { readonly json?: true }) => {
      const rows = rowsOf(await program(), '');
      const plain = rows.map(({ values, ...row }) => ({ ...row, values: Object.fromEntries(values) }));
      io.out(options.json === true ? JSON.stringify({ places: plain }) : completionScript(shell, rows));
    });
}

const SHELLS = ['bash', 'zsh', 'fish'] as const;

type Shell = (typeof SHELLS)[number];

function completionScript(shell: Shell, rows: readonly CompletionRow[]): string {
  switch (shell) {
    case 'bash':
      return [...tables(rows, posixCase), BASH].join('\n');
    case 'zsh':
      return ['#compdef sarraf', ...tables(rows, posixCase), ZSH].join('\n');
    case 'fish':
      return [...tables(rows, fishSwitch), FISH].join('\n');
  }
}

type Entry = readonly [key: string, words: readonly string[]];

/** Writes four functions that print words for a place, or for a place and the word before a value. */
function tables(
  rows: readonly CompletionRow[],
  write: (name: string, entries: readonly Entry[]) => string,
): readonly string[] {
  return [
    write(
      '__sarraf_commands',
      rows.map(({ place, commands }): Entry => [place, commands]),
    ),
    write(
      '__sarraf_words',
      rows.map(({ place, fields, options }): Entry => [place, [...fields, ...options]]),
    ),
    write(
      '__sarraf_takes',
      rows.map(({ place, needsValue }): Entry => [place, needsValue]),
    ),
    write(
      '__sarraf_values',
      rows.flatMap(({ place, values }) =>
        [...values].map(([name, words]): Entry => [`${place} ${name}`, words]),
      ),
    ),
  ];
}

/** Quotes a text of words, which are letters, digits and a few signs and need only quotes. */
const quoted = (text: string): string => `'${text.replaceAll("'", '')}'`;

function posixCase(name: string, entries: readonly Entry[]): string {
  const lines = entries
    .filter(([, words]) => words.length > 0)
    .map(([key, words]) => `    ${quoted(key)}) echo ${quoted(words.join(' '))} ;;`);
  return [`${name}() {`, '  case "$1" in', ...lines, '  esac', '}'].join('\n');
}

function fishSwitch(name: string, entries: readonly Entry[]): string {
  const lines = entries
    .filter(([, words]) => words.length > 0)
    .map(([key, words]) => `    case ${quoted(key)}\n      printf '%s\\n' ${words.map(quoted).join(' ')}`);
  return [`function ${name}`, '  switch "$argv[1]"', ...lines, '  end', 'end'].join('\n');
}

/**
 * Completion script for Bash. Bash splits a word at "=", so the words are read from the line, and only the
 * part after the "=" is returned.
 */
const BASH = `_sarraf() {
  local line=\${COMP_LINE:0:COMP_POINT} place='' word cur last field i
  local -a words
  read -ra words <<< "$line"
  case "$line" in *' ') words+=('') ;; esac
  last=$((\${#words[@]} - 1))
  cur=\${words[last]}
  for ((i = 1; i < last; i++)); do
    word=\${words[i]}
    case " $(__sarraf_commands "$place") " in *" $word "*) place="\${place:+$place }$word" ;; esac
  done
  COMPREPLY=()
  word=\${words[last - 1]}
  case " $(__sarraf_takes "$place") " in
    *" $word "*)
      COMPREPLY=($(compgen -W "$(__sarraf_values "$place $word")" -- "$cur"))
      return
      ;;
  esac
  case "$cur" in
    -*=*) return ;;
    *=*)
      field=\${cur%%=*}
      COMPREPLY=($(compgen -W "$(__sarraf_values "$place $field")" -- "\${cur#*=}"))
      case "$COMP_WORDBREAKS" in *=*) ;; *) COMPREPLY=("\${COMPREPLY[@]/#/$field=}") ;; esac
      return
      ;;
  esac
  COMPREPLY=($(compgen -W "$(__sarraf_commands "$place") $(__sarraf_words "$place")" -- "$cur"))
  case "\${COMPREPLY[0]-}" in *=) [ "\${#COMPREPLY[@]}" = 1 ] && compopt -o nospace 2> /dev/null ;; esac
}
complete -o default -F _sarraf sarraf
`;

const ZSH = `_sarraf() {
  local place='' word cur=$words[CURRENT] before=$words[CURRENT-1]
  local -a found
  for word in \${words[2,CURRENT-1]}; do
    case " $(__sarraf_commands "$place") " in *" $word "*) place="\${place:+$place }$word" ;; esac
  done
  case " $(__sarraf_takes "$place") " in
    *" $before "*)
      found=(\${=$(__sarraf_values "$place $before")})
      if (( $#found )); then compadd -a found; else _files; fi
      return
      ;;
  esac
  if [[ $cur == *=* ]]; then
    found=(\${=$(__sarraf_values "$place \${cur%%=*}")})
    compset -P '*='
    compadd -a found
    return
  fi
  found=(\${=$(__sarraf_commands "$place")})
  compadd -a found
  found=(\${=$(__sarraf_words "$place")})
  compadd -S '' -- \${(M)found:#*=}
  compadd -- \${found:#*=}
}
compdef _sarraf sarraf
`;

const FISH = `function __sarraf_complete
  set -l words (commandline -opc)
  set -l cur (commandline -ct)
  set -l place ''
  for word in $words[2..-1]
    if contains -- $word (__sarraf_commands "$place")
      set place (string trim -- "$place $word")
    end
  end
  set -l before $words[-1]
  if contains -- $before (__sarraf_takes "$place")
    set -l found (__sarraf_values "$place $before")
    if test (count $found) -gt 0
      printf '%s\\n' $found
    else
      __fish_complete_path $cur
    end
    return
  end
  if string match -q -- '*=*' $cur
    set -l field (string split -m 1 = -- $cur)[1]
    for value in (__sarraf_values "$place $field")
      echo "$field=$value"
    end
    return
  end
  __sarraf_commands "$place"
  __sarraf_words "$place"
end
complete -c sarraf -f -a '(__sarraf_complete)'
`;

/** Possible input at one place of the command line. */
interface CompletionRow {
  /** Commands before it, such as `api transfer`; empty for the program itself. */
  readonly place: string;
  readonly commands: readonly string[];
  /** Fields of a call, each with its `=`, and the words that an argument accepts. */
  readonly fields: readonly string[];
  readonly options: readonly string[];
  /** Options that are followed by a value. */
  readonly needsValue: readonly string[];
  /** Known values, by their option or field. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** Returns each place of a program, from its commands, their options, and the calls' declared fields. */
function rowsOf(command: Command, place: string): readonly CompletionRow[] {
  const fields = place.startsWith('api ')
    ? (CALLS.find(({ word }) => `api ${word}` === place)?.fields ?? [])
    : [];
  const values = new Map<string, readonly string[]>();
  for (const { name, choices } of fields) if (choices.length > 0) values.set(name, choices);
  const options = command.options.filter(({ hidden }) => !hidden);
  for (const { long, argChoices } of options)
    if (long && argChoices !== undefined) values.set(long, argChoices);
  const row: CompletionRow = {
    place,
    commands: command.commands.map((inner) => inner.name()),
    fields: [
      ...fields.map(({ name }) => `${name}=`),
      ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    ],
    options: [...options.flatMap(({ long }) => long ?? []), '--help'],
    needsValue: options
      .filter(({ required, optional }) => required || optional)
      .flatMap(({ long }) => long ?? []),
    values,
  };
  return [
    row,
    ...command.commands.flatMap((inner) =>
      rowsOf(inner, place === '' ? inner.name() : `${place} ${inner.name()}`),
    ),
  ];
}
