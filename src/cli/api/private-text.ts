import { readFailure, readSmallFile } from '../../configuration/secret-file.ts';
import { wrongInput } from '../command-error.ts';
import type { CommandIo } from './command-io.ts';

const LARGEST_BYTES = 8_192;

/**
 * A secret that is on no command line: of a file where one is named, else of the environment, else typed without being shown. Throws as wrong input
 * where there is none.
 */
export async function privateText(
  of: {
    /** What it is, such as `password`. */
    readonly what: string;
    readonly file: { readonly option: string; readonly path: string | undefined };
    readonly variable: string;
  },
  io: CommandIo,
): Promise<string> {
  const { what, file, variable } = of;
  if (file.path !== undefined) return textOfFile(file.path, what);
  const value = io.environment[variable];
  if (value !== undefined && value !== '') return value;
  const typed = io.isTerminal ? await io.askHidden(`${what}: `) : '';
  if (typed !== '') return typed;
  throw wrongInput(
    `expected the ${what} in ${variable}, in ${file.option} <file>, or typed at a terminal; nothing was sent`,
  );
}

function textOfFile(path: string, what: string): string {
  let text: string;
  try {
    text = readSmallFile(path, LARGEST_BYTES).text.trim();
  } catch (error) {
    throw wrongInput(`${path}: ${readFailure(error)}`);
  }
  if (text === '') throw wrongInput(`expected the ${what} in ${path}, was empty`);
  return text;
}
