import { fileURLToPath } from 'node:url';
import { answerApart } from '../daemon/rule-answers.ts';
import { messageOf } from '../domain/errors.ts';
import { loadStrategy } from '../plugins/load-strategy.ts';
import { ownModule } from '../plugins/own-files.ts';
import { formFieldsOf } from './form-fields.ts';
import type { LabReply } from './lab-schema.ts';

/** Form of a strategy's params, or why its file cannot be read. */
export type DescribedStrategy = LabReply<'params'>;

/** Path of this file, which is also the program of the child process. */
const OWN_FILE = fileURLToPath(ownModule('lab/describe-strategy'));

/** Options of Node for that process: it may only read. */
const READ_ONLY = ['--permission', '--allow-fs-read=*', '--allow-addons', '--allow-worker'];

/**
 * Reads the params of a strategy in a process of its own: its file is other people's code, which may loop,
 * crash or write files. Never rejects.
 */
export async function describeStrategy(file: string, timeout?: number): Promise<DescribedStrategy> {
  return answerApart<DescribedStrategy>(OWN_FILE, file, { timeout, flags: READ_ONLY }).catch((error) => ({
    fields: [],
    problem: `${file}: ${messageOf(error)}`,
  }));
}

async function describe(file: string): Promise<DescribedStrategy> {
  try {
    const { params } = (await loadStrategy(file)).definition;
    return { fields: params === undefined ? [] : [...formFieldsOf(params)], problem: null };
  } catch (error) {
    return { fields: [], problem: messageOf(error) };
  }
}

if (process.argv[1] === OWN_FILE) process.send?.(await describe(process.argv[2] ?? ''), () => process.exit());
