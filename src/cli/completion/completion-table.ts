import type { Command } from 'commander';
import { CALLS } from '../api/call-catalogue.ts';

/** Possible input at one place of the command line. */
export interface CompletionRow {
  /** The commands before it, such as `api transfer`; empty for the program itself. */
  readonly place: string;
  readonly commands: readonly string[];
  /** Fields of a call, each with its `=`, and words that an argument has to be one of. */
  readonly fields: readonly string[];
  readonly options: readonly string[];
  /** Options behind which a value is typed. */
  readonly takesValue: readonly string[];
  /** Values that are known, by their option or field. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** Every place of a program, from its commands, their options, and the declared fields of the calls. */
export function completionTable(program: Command): readonly CompletionRow[] {
  return rowsOf(program, '');
}

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
    takesValue: options
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
