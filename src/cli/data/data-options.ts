import { Command, InvalidArgumentError } from 'commander';
import { SarrafError, type ErrorCode } from '../../domain/errors.ts';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import { TIMEFRAMES, type Timeframe } from '../../domain/timeframe.ts';
import type { FolderKey, RecordKind } from '../../recording/folder-key.ts';
import { TimeReader } from '../../recording/import/time-reader.ts';
import { EARLIEST_MS, LATEST_MS, timeText } from '../../recording/read-partitions.ts';
import { failed, wrongInput, type CommandError } from '../command-error.ts';

/** What every command of the catalogue knows. */
export interface DataOptions {
  readonly catalogue: string;
  readonly json?: true;
}

/** Where recordings are kept where no option names a folder. */
export const DEFAULT_CATALOGUE = 'data/catalogue';

/** What the user can mend by writing something else. */
const USERS_MISTAKES: ReadonlySet<ErrorCode> = new Set([
  'INVALID_OPTIONS',
  'INVALID_FILE',
  'INVALID_MARKET',
  'INVALID_STRATEGY',
  'TOO_LARGE',
  'TOO_MANY_DECIMALS',
]);

/** A command of `sarraf data` with what all of them take. */
export function dataCommand(
  name: string,
  about: { readonly description: string; readonly examples: string },
): Command {
  return new Command(name)
    .description(about.description)
    .option('--catalogue <folder>', 'folder of the recordings', DEFAULT_CATALOGUE)
    .option('--json', 'prints JSON')
    .addHelpText('after', `\nExamples:\n${about.examples}`);
}

/** Runs a command; what its user wrote wrong ends it with one line and exit code 2. */
export async function asCommand(run: () => Promise<void> | void): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (error instanceof SarrafError && USERS_MISTAKES.has(error.code)) throw wrongInput(error.message);
    throw fileFailure(error) ?? error;
  }
}

/** What the system says of a file or folder, as one line without a stack; null for any other error. */
function fileFailure(error: unknown): CommandError | null {
  if (!(error instanceof Error) || error instanceof SarrafError) return null;
  const { code = '', path } = error as NodeJS.ErrnoException;
  const todo = TODOS[code];
  if (todo === undefined) return null;
  const [, reason = error.message] = /^[A-Z]+: ([^,]*)/.exec(error.message) ?? [];
  const where = path === undefined ? 'its files' : path;
  const message = `expected to be able to use ${where}: ${reason} (${code}): ${todo}`;
  return NAMED_WRONG.has(code) ? wrongInput(message) : failed(message);
}

/** Those that another name mends. */
const NAMED_WRONG: ReadonlySet<string> = new Set(['ENOTDIR', 'EEXIST', 'EISDIR', 'ENAMETOOLONG']);

/** What to do about errors of the system. */
const TODOS: Readonly<Partial<Record<string, string>>> = {
  EACCES: 'give yourself the right to it, or name another folder',
  EPERM: 'give yourself the right to it, or name another folder',
  EROFS: 'name a folder on a disk that can be written to',
  ENOSPC: 'make room on the disk, and try again',
  EDQUOT: 'make room on the disk, and try again',
  ENOTDIR: 'name a folder where this names a file',
  EEXIST: 'name a folder where this names a file',
  EISDIR: 'name a file where this names a folder',
  ENAMETOOLONG: 'give it a shorter name',
  EMFILE: 'close other programs, and try again',
  EIO: 'look after the disk',
};

/** Reads a timeframe, such as `1h`. */
export function timeframeOption(text: string): Timeframe {
  const found = TIMEFRAMES.find((known) => known === text.toLowerCase());
  if (found !== undefined) return found;
  throw new InvalidArgumentError(`expected one of ${TIMEFRAMES.join(', ')}.`);
}

/** Reads a time: ISO 8601, UTC where it has no zone, or a number since 1970. */
export function timeOption(text: string): number {
  const time = new TimeReader().read(text, { path: text, line: 1 });
  if (typeof time === 'number') return time;
  throw new InvalidArgumentError(`${time}.`);
}

/** A stretch from options; all time where they are not given. */
export function rangeOption(options: { readonly from?: number; readonly to?: number }): {
  readonly fromMs: number;
  readonly toMs: number;
} {
  const range = { fromMs: options.from ?? EARLIEST_MS, toMs: options.to ?? LATEST_MS };
  if (range.fromMs < range.toMs) return range;
  throw wrongInput(
    `expected a stretch of time that begins before it ends, was ${timeText(range.fromMs)} to ${timeText(range.toMs)}`,
  );
}

/** Options that name one folder of the catalogue. */
export interface FolderOptions {
  readonly market: MarketSymbol;
  readonly kind: RecordKind;
  readonly timeframe?: Timeframe;
}

export const RECORD_KINDS: readonly RecordKind[] = ['candles', 'trades', 'books', 'stats'];

/** The folder that options name. */
export function folderOf({ market, kind, timeframe }: FolderOptions): FolderKey {
  if (kind !== 'candles') return { market, kind };
  if (timeframe === undefined) throw wrongInput('expected --timeframe for candles, such as --timeframe 1h');
  return { market, kind, timeframe };
}
