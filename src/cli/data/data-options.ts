import { messageOf } from '../../domain/errors.ts';
import { Command, InvalidArgumentError } from 'commander';
import { usualCatalogue } from '../../daemon/open-catalogue.ts';
import { readAnchor, type BarAnchor, TIMEFRAMES, type Timeframe } from '../../domain/candle.ts';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import type { FolderKey, RecordKind } from '../../recording/records.ts';
import { TimeReader } from '../../recording/written-form.ts';
import { EARLIEST_MS, LATEST_MS, timeText } from '../../recording/read-rows.ts';
import { wrongInput } from '../command-error.ts';

/** Options of every command of the catalogue. */
export interface DataOptions {
  readonly catalogue: string;
  readonly json?: true;
}

/** Creates a command of `sarraf data` with the options that all of them have. */
export function dataCommand(
  name: string,
  about: { readonly description: string; readonly examples: string },
): Command {
  return new Command(name)
    .description(about.description)
    .option('--catalogue <folder>', 'folder of the recordings', usualCatalogue())
    .option('--json', 'prints JSON')
    .addHelpText('after', `\nExamples:\n${about.examples}`);
}

/** Reads a timeframe, such as `1h`. */
export function timeframeOption(text: string): Timeframe {
  const found = TIMEFRAMES.find((known) => known === text.toLowerCase());
  if (found !== undefined) return found;
  throw new InvalidArgumentError(`expected one of ${TIMEFRAMES.join(', ')}.`);
}

export const ANCHOR_HELP =
  'where the candles begin: UTC, Asia/Tehran, or "UTC 08:00" (default: found by what is there)';

export function anchorOption(text: string): BarAnchor {
  try {
    return readAnchor(text);
  } catch (error) {
    throw new InvalidArgumentError(`${messageOf(error)}.`);
  }
}

/** Reads a time: ISO 8601, UTC if it has no zone, or a number since 1970. */
export function timeOption(text: string): number {
  const time = new TimeReader().read(text, { path: text, line: 1 });
  if (typeof time === 'number') return time;
  throw new InvalidArgumentError(`${time}: write it such as 2024-03-01T14:10Z.`);
}

/** Reads a range from options; all time without them. */
export function rangeOption(options: { readonly from?: number; readonly to?: number }): {
  readonly fromMs: number;
  readonly toMs: number;
} {
  const range = { fromMs: options.from ?? EARLIEST_MS, toMs: options.to ?? LATEST_MS };
  if (range.fromMs < range.toMs) return range;
  throw wrongInput(
    `expected a range of time that begins before it ends, was ${timeText(range.fromMs)} to ${timeText(range.toMs)}`,
  );
}

export interface FolderOptions {
  readonly market: MarketSymbol;
  readonly kind: RecordKind;
  readonly timeframe?: Timeframe;
}

export const RECORD_KINDS: readonly RecordKind[] = ['candles', 'trades', 'books', 'stats'];

export function folderOf({ market, kind, timeframe }: FolderOptions): FolderKey {
  if (kind !== 'candles') return { market, kind };
  if (timeframe === undefined) throw wrongInput('expected --timeframe for candles, such as --timeframe 1h');
  return { market, kind, timeframe };
}
