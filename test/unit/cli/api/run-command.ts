import { CommanderError, type Command } from 'commander';
import type { CommandIo } from '../../../../src/cli/api/command-io.ts';
import { CommandError } from '../../../../src/cli/command-error.ts';
import { rootAbove } from '../../../../src/cli/run-sarraf.ts';
import type { ServedAccount } from '../../../support/served-account.ts';

export interface Ended {
  readonly code: number;
  readonly out: string;
  /** Text on the error output; the failure comes last. */
  readonly error: string;
  /** Questions that the command asked, in order. */
  readonly asked: readonly string[];
}

export interface Scripted {
  readonly environment?: Readonly<Record<string, string>>;
  readonly workingFolder?: string;
  /** Answers of a person at a terminal, one after the other; if it is left out there is no terminal. */
  readonly answers?: readonly string[];
}

/** Runs a command below the root of the program, as `main` does, with scripted answers. */
export async function runCommand(
  create: (io: CommandIo) => Command,
  args: readonly string[],
  scripted: Scripted = {},
): Promise<Ended> {
  const out: string[] = [];
  const said: string[] = [];
  const asked: string[] = [];
  const answers = [...(scripted.answers ?? [])];
  const answer = async (question: string): Promise<string> => {
    asked.push(question);
    return answers.shift() ?? '';
  };
  const io: CommandIo = {
    environment: scripted.environment ?? {},
    workingFolder: scripted.workingFolder ?? '/nowhere',
    isTerminal: scripted.answers !== undefined,
    out: (text) => out.push(text),
    log: (line) => said.push(line),
    confirm: async (question, word) => (await answer(question)) === word,
    ask: answer,
    askHidden: answer,
  };
  const command = create(io).exitOverride();
  const quiet = (each: Command): void => {
    each.configureOutput({
      writeErr: (text) => said.push(text.trimEnd()),
      writeOut: (text) => out.push(text),
    });
    for (const inner of each.commands) quiet(inner);
  };
  const program = rootAbove([command]);
  quiet(program);
  let code = 0;
  try {
    await program.parseAsync([command.name(), ...args], { from: 'user' });
  } catch (error) {
    if (error instanceof CommandError) {
      code = error.exitCode;
      said.push(error.message);
    } else if (error instanceof CommanderError) code = error.exitCode === 0 ? 0 : 2;
    else throw error;
  }
  return { code, out: out.join('\n'), error: said.join('\n'), asked };
}

/** Returns the options that name a served exchange. */
export function at({
  baseUrl,
  ledgerFolder,
}: Pick<ServedAccount, 'baseUrl' | 'ledgerFolder'>): readonly string[] {
  return ['--url', baseUrl, '--ledger-folder', ledgerFolder];
}
