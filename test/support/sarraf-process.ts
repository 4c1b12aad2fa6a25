import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

export interface Finished {
  /** The exit code, or the signal that ended it. */
  readonly code: number | NodeJS.Signals;
  readonly out: string;
  readonly error: string;
}

/** Turns the errors that a command writes under `--json` into those without it; other lines stay. */
export function inWords(text: string): string {
  return text.replaceAll(/^\{"error":.*\}$/gm, (line) => {
    const { error } = JSON.parse(line) as { readonly error: { code: string; message: string } };
    return /^(?:FAILED|WRONG_INPUT)$/.test(error.code) ? error.message : `${error.code}: ${error.message}`;
  });
}

/** Longest wait for a line, in ms: a test that hangs shows what was printed until then. */
const LINE_WITHIN_MS = 600_000;

/** A command of sarraf as a process of its own. */
export interface SarrafProcess {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  /** Resolves with the first line of output that `matches`; rejects if the process ends or hangs without one. */
  line(matches: (line: string) => boolean): Promise<string>;
}

/**
 * Starts `node FILE …args` in a folder, by default the project's, on the same Node as this test.
 * `environment` is added to that of this test.
 */
export function startNode(
  args: readonly string[],
  cwd = process.cwd(),
  environment: NodeJS.ProcessEnv = {},
): SarrafProcess {
  return startCommand(process.execPath, args, cwd, environment);
}

/** Starts any command, as `startNode` starts a script. */
export function startCommand(
  command: string,
  args: readonly string[],
  cwd = process.cwd(),
  environment: NodeJS.ProcessEnv = {},
): SarrafProcess {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let error = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (error += text));
  const finished = once(child, 'close').then(([code, signal]): Finished => ({
    code: (code ?? signal) as Finished['code'],
    out,
    error,
  }));
  const line = async (matches: (line: string) => boolean): Promise<string> => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const fail = (why: string): void => reject(new Error(`expected a line ${why}, was\n${out}\n${error}`));
    const timer = setTimeout(() => fail(`within ${LINE_WITHIN_MS} ms`), LINE_WITHIN_MS);
    const poll = (): void => {
      const found = out.split('\n').slice(0, -1).find(matches);
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', poll);
    poll();
    void finished.then(({ code }) => fail(`before the end (code ${code})`));
    return promise.finally(() => clearTimeout(timer));
  };
  return { child, finished, line };
}

export const startSarraf = (args: readonly string[]): SarrafProcess => startNode(['bin/sarraf.js', ...args]);
