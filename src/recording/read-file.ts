import type { CandleColumns } from '../domain/candle-columns.ts';
import { invalidFile } from '../domain/errors.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';
import type { Timeframe } from '../domain/candle.ts';
import type { AppendOutcome } from './staging-table.ts';
import { CandleCollector } from './candle-collector.ts';
import { importTable } from './import-table.ts';
import { fileKind } from './open-text.ts';
import type { FileForm } from './written-form.ts';
import type { RecordedTrade } from './records.ts';

/** Maximum number of trades of one file: two hundred days with a trade per second. */
const MOST_TRADES = 20_000_000;

/** Options for reading a file. */
interface FileQuestion {
  readonly market: MarketSymbol;
  /** Kind of the rows; null: found from the columns. */
  readonly kind: 'candles' | null;
  /** Timeframe; null: found from the times. Shorter candles are resampled to it. */
  readonly timeframe: Timeframe | null;
  /** Format of the file as given by the user. */
  readonly form?: FileForm;
}

/** Content of a file, in order of time. */
type FileData =
  | { readonly kind: 'candles'; readonly columns: CandleColumns }
  | { readonly kind: 'trades'; readonly trades: readonly RecordedTrade[]; readonly symbol: string | null };

/**
 * Reads the candles or trades of a file into memory, by the import's rules. Throws `INVALID_FILE` for a file
 * that an import would reject (with the first bad line, if there is one) or with more than `MOST_TRADES`
 * trades; `INVALID_OPTIONS` for too many candles, `TOO_LARGE` for a number that does not fit its column.
 */
export async function readDataFile(path: string, question: FileQuestion): Promise<FileData> {
  const trades: RecordedTrade[] = [];
  const onTrades = (part: readonly RecordedTrade[]): void => {
    for (const trade of part) trades.push(trade);
    if (trades.length <= MOST_TRADES) return;
    throw invalidFile(`expected at most ${MOST_TRADES} trades in ${path}, found more: cut the file`);
  };
  // Only JSON can be a feed, and most files are tables.
  if (fileKind(path).form === 'json' && (await import('./feed-message.ts')).isFeed(path)) {
    const symbol = await (await import('./import-feed.ts')).readFeedTrades(path, onTrades);
    return { kind: 'trades', trades: inOrder(trades), symbol };
  }
  const collector = new CandleCollector();
  const report = await importTable({
    catalogue: {
      appendCandles: (options) => collector.appendCandles(options),
      async appendTrades(options): Promise<AppendOutcome> {
        for await (const part of options.trades) onTrades(part);
        return { kind: 'added', added: trades.length, known: 0, fromMs: null, toMs: null };
      },
    },
    path,
    ...question,
    mayResample: true,
    preset: null,
    columns: new Map(),
    skipBadRows: false,
    roundsAmounts: true,
    source: path,
  });
  if (report.result !== 'imported') {
    const { firstBad: bad } = report;
    const what =
      bad === null ? `expected candles or trades in ${path}` : `${path}:${bad.line}: ${bad.problem}`;
    throw invalidFile(`${what}; "sarraf data import" says all that is wrong with it`);
  }
  if (trades.length > 0) return { kind: 'trades', trades: inOrder(trades), symbol: null };
  return { kind: 'candles', columns: collector.candlesOf(question.market) };
}

/** Returns the exchange's time of a trade, or the time it was seen if there is none. */
export const timeOf = ({ timeMs, seenMs }: RecordedTrade): number => timeMs ?? seenMs;

/** Sorts trades by time. Trades of one moment keep their real order, even if the newest come first. */
function inOrder(trades: RecordedTrade[]): readonly RecordedTrade[] {
  const [first, last] = [trades[0], trades.at(-1)];
  if (first !== undefined && last !== undefined && timeOf(first) > timeOf(last)) trades.reverse();
  return trades.sort((left, right) => timeOf(left) - timeOf(right));
}
