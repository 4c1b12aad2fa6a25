import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { vi } from 'vitest';
import { runSarraf } from '../../src/cli/run-sarraf.ts';
import type { Finished } from './sarraf-process.ts';

/** Keeps what is written as text. */
class Kept extends Writable {
  text = '';

  override _write(chunk: Buffer | string, _: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

/**
 * Runs a command in this process, which takes a hundredth of the time of one of its own, and answers with what it printed. For what is about the
 * process itself (its signals, its input, its end with something still open), use `startSarraf`. One at a time: the console is taken meanwhile.
 */
export async function sarrafHere(args: readonly string[]): Promise<Finished> {
  const [out, error] = [new Kept(), new Kept()];
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => out.write(chunk)),
    vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => error.write(chunk)),
  ];
  const { console: ownConsole } = globalThis;
  globalThis.console = new Console({ stdout: out, stderr: error });
  const streams = [process.stdout, process.stderr];
  const watched = streams.map((stream) => stream.listeners('error'));
  try {
    const code = await runSarraf(args);
    return { code, out: out.text, error: error.text };
  } finally {
    globalThis.console = ownConsole;
    for (const spy of spies) spy.mockRestore();
    // A process of its own would have ended with these.
    for (const [index, stream] of streams.entries()) {
      const own = stream.listeners('error').filter((listener) => !watched[index]?.includes(listener));
      for (const listener of own) stream.off('error', listener as () => void);
    }
  }
}
