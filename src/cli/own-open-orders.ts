import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SarrafError } from '../domain/errors.ts';
import { readMirror } from './read-mirror.ts';

/** Open orders that are counted; no account has as many. */
const MOST_COUNTED = 100_000;

const OF_ALL = { strategy: null, market: null };

/**
 * Own orders, of a strategy and market where these are not null, that were open when the mirror of a data
 * folder was last written; null where it can not be read.
 */
export function ownOpenOrders(
  data: string,
  of: { readonly strategy: string | null; readonly market: string | null } = OF_ALL,
): number | null {
  try {
    return readMirror({ data }, (reader) => reader.orders({ state: 'open', ...of, last: MOST_COUNTED }))
      .length;
  } catch (error) {
    if (error instanceof SarrafError) return null;
    throw error;
  }
}

/** Returns why the mirror of a data folder cannot be read; null if it can. */
export function mirrorProblem(data: string): string | null {
  try {
    readMirror({ data }, () => null);
    return null;
  } catch (error) {
    if (error instanceof SarrafError) return error.message;
    throw error;
  }
}

/**
 * True if a data folder has only ever belonged to a bot on the embedded exchange, which ends with its bot.
 */
export function isOfEmbeddedExchange(data: string): boolean {
  return existsSync(join(data, 'embedded.sqlite')) && !existsSync(join(data, 'mirror.sqlite'));
}
