import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { SimulatedExchange } from '../simulator/exchange.ts';
import { restoreExchange, storeExchange, type ExchangeState } from './exchange-state.ts';

const FORMAT = 'sarraf exchange state';
/** Raised whenever older programs could not read what is written. */
const VERSION = 1;

/** Latest possible date. */
const LATEST_MS = 8.64e15;

const header = z.object({
  format: z.literal(FORMAT),
  version: z.int().min(1),
  savedAtMs: z.int().min(0).max(LATEST_MS),
});

/** Reason that a state file can not be used; the message is one line for the user. */
export class StateFileError extends Error {
  override readonly name = 'StateFileError';
}

const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message.split('\n', 1)[0] : String(error)) ?? '';

/**
 * Writes the state so that at every moment the file is the old one or the new one, whole: to a temporary file
 * beside it, to the disk, then under its name. Throws `StateFileError`.
 */
export function writeStateFile(file: string, exchange: SimulatedExchange, savedAtMs: number): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    const text = JSON.stringify({
      format: FORMAT,
      version: VERSION,
      savedAtMs,
      state: storeExchange(exchange),
    });
    const descriptor = openSync(temporary, 'w', 0o600);
    try {
      writeSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, file);
    syncFolder(dirname(file));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new StateFileError(`${file}: the state can not be written: ${reasonOf(error)}`, { cause: error });
  }
}

/** The name itself must reach the disk too. */
function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Puts a stored state into a fresh exchange and answers when it was saved; null when there is no file yet.
 * Throws `StateFileError` for a file that is not ours, newer than this program, or damaged; the file is left
 * as it is.
 */
export function readStateFile(file: string, exchange: SimulatedExchange, nowMs: number): number | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new StateFileError(`${file}: the state can not be read: ${reasonOf(error)}`, { cause: error });
  }
  const { savedAtMs, state } = parseState(file, text);
  try {
    restoreExchange(exchange, state, Math.max(nowMs, savedAtMs));
  } catch (error) {
    throw new StateFileError(`${file}: the state does not fit: ${reasonOf(error)}`, { cause: error });
  }
  return savedAtMs;
}

function parseState(
  file: string,
  text: string,
): { readonly savedAtMs: number; readonly state: ExchangeState } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new StateFileError(`${file}: expected a state file, found no JSON: ${reasonOf(error)}`, {
      cause: error,
    });
  }
  const read = header.safeParse(parsed);
  if (!read.success)
    throw new StateFileError(`${file}: expected a file of the format "${FORMAT}", found another`);
  if (read.data.version > VERSION) {
    throw new StateFileError(
      `${file}: expected version ${VERSION} or older, found ${read.data.version} of a newer program`,
    );
  }
  return { savedAtMs: read.data.savedAtMs, state: (parsed as { readonly state: ExchangeState }).state };
}
