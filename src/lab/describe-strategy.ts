import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../domain/errors.ts';
import { loadStrategy } from '../plugins/load-strategy.ts';
import { ownModule } from '../plugins/own-files.ts';
import { formFieldsOf } from './form-fields.ts';
import type { LabReply } from './lab-schema.ts';

/** Form of a strategy's params, or why its file cannot be read. */
export type DescribedStrategy = LabReply<'params'>;

/** Path of this file, which is also the program of the child process. */
const OWN_FILE = fileURLToPath(ownModule('lab/describe-strategy'));

/** Time after which that process is ended, in ms. */
const LONGEST_MS = 20_000;

/** Memory limit of the process, in MB. */
const HEAP_MB = 256;

/**
 * Reads the params of a strategy in a process of its own: its file is other people's code, which may loop,
 * crash or write files. That process gets no environment, and may only read. Never rejects.
 */
export async function describeStrategy(file: string, timeout = LONGEST_MS): Promise<DescribedStrategy> {
  const child = fork(OWN_FILE, [file], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {},
    execArgv: [
      `--max-old-space-size=${HEAP_MB}`,
      '--permission',
      '--allow-fs-read=*',
      '--allow-addons',
      '--allow-worker',
    ],
    timeout,
    killSignal: 'SIGKILL',
  });
  return new Promise((resolve) => {
    const fail = (problem: string): void => resolve({ fields: [], problem });
    child.once('message', (answer) => resolve(answer as DescribedStrategy));
    child.once('error', (error) => fail(messageOf(error)));
    child.once('exit', (code, signal) =>
      fail(`expected the params of ${file}, its process ended with ${signal ?? code}`),
    );
  });
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
