import { Console } from 'node:console';
import { Readable, Writable } from 'node:stream';
import { expect, vi } from 'vitest';
import { runSarraf } from '../../src/cli/run-sarraf.ts';
import type { Finished } from './sarraf-process.ts';

/** Matches lines of progress, which only a slow machine has time to print. */
const PROGRESS = /^(?:\[[#.]+\] .*|[a-z][^:\n]*: \d+ s)\n/gm;

const withWords = (words: string | RegExp): unknown =>
  typeof words === 'string' ? expect.stringContaining(words) : expect.stringMatching(words);

/** Matches a command that ended with this code and with an error of these words. */
export const failed = (code: number, words: string | RegExp): unknown =>
  expect.objectContaining({ code, error: withWords(words) });

/** Matches a command that printed these words and ended well, or with this code. */
export const printed = (words: string | RegExp, code = 0): unknown =>
  expect.objectContaining({ code, out: withWords(words) });

/** A stream that keeps its text. */
class Kept extends Writable {
  text = '';

  override _write(chunk: Buffer | string, _: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

/** Replaces an own value of an object; returns a function that restores it. */
function replace(object: object, name: string, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(object, name);
  if (before === undefined) throw new Error(`expected an own ${name} to replace, was none`);
  Object.defineProperty(object, name, { value, configurable: true, writable: true, enumerable: true });
  return () => void Object.defineProperty(object, name, before);
}

/**
 * Runs a command in this process, which takes a hundredth of the time of a new one. Returns what it printed,
 * without progress. Its input is `typed`, then ends. One call at a time, as the console is replaced. For
 * signals, an end with something still open, or uncaught errors use `startSarraf`.
 */
export async function sarrafHere(args: readonly string[], typed = ''): Promise<Finished> {
  const [out, error] = [new Kept(), new Kept()];
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => out.write(chunk)),
    vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => error.write(chunk)),
  ];
  const restored = [
    replace(globalThis, 'console', new Console({ stdout: out, stderr: error })),
    replace(process, 'stdin', Readable.from(typed === '' ? [] : [Buffer.from(typed)])),
  ];
  const streams = [process.stdout, process.stderr];
  const watched = streams.map((stream) => stream.listeners('error'));
  try {
    const code = await runSarraf(args);
    return { code, out: out.text, error: error.text.replaceAll(PROGRESS, '') };
  } finally {
    for (const restore of restored) restore();
    for (const spy of spies) spy.mockRestore();
    // A process of its own would have ended the streams.
    for (const [index, stream] of streams.entries()) {
      const own = stream.listeners('error').filter((listener) => !watched[index]?.includes(listener));
      for (const listener of own) stream.off('error', listener as () => void);
    }
  }
}
