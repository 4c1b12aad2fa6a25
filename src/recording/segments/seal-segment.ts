import { createReadStream, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import type { Catalogue } from '../catalogue.ts';
import type { RecordedBook, RecordedStats, RecordedTrade, TimeRange } from '../records.ts';
import { readSegmentLine } from './segment-record.ts';

/** What a segment held. */
export interface SealReport {
  readonly segment: string;
  readonly records: number;
  /** Lines that could not be read: the last one of a process that was killed is cut short. */
  readonly badLines: number;
}

interface MarketRecords {
  readonly trades: RecordedTrade[];
  readonly books: RecordedBook[];
  readonly stats: RecordedStats[];
  readonly gaps: TimeRange[];
}

/**
 * Moves what is in a segment to the catalogue, and then removes it. Each folder takes a segment up once, so that a crash between two folders, or before the removal,
 * leaves nothing out and nothing twice. Held in memory, which the largest size of a segment bounds. Throws as appending does; then the segment stays.
 */
export async function sealSegment(catalogue: Catalogue, path: string): Promise<SealReport> {
  const segment = basename(path);
  const markets = new Map<MarketSymbol, MarketRecords>();
  let records = 0;
  let badLines = 0;
  for await (const text of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    const record = readSegmentLine(text);
    if (record === null) {
      badLines += 1;
      continue;
    }
    records += 1;
    const of = markets.get(record.market) ?? { trades: [], books: [], stats: [], gaps: [] };
    markets.set(record.market, of);
    if (record.kind === 'trade') of.trades.push(record.trade);
    else if (record.kind === 'book') of.books.push(record.book);
    else if (record.kind === 'stats') of.stats.push(record.stats);
    else of.gaps.push(record.gap);
  }
  for (const [market, of] of markets) await append(catalogue, { market, segment, source: 'record' }, of);
  rmSync(path);
  return { segment, records, badLines };
}

async function append(
  catalogue: Catalogue,
  to: { readonly market: MarketSymbol; readonly segment: string; readonly source: string },
  { trades, books, stats, gaps }: MarketRecords,
): Promise<void> {
  if (trades.length > 0 || gaps.length > 0) await catalogue.appendTrades({ ...to, trades: [trades], gaps });
  if (books.length > 0) await catalogue.appendBooks({ ...to, books: [books] });
  if (stats.length > 0) await catalogue.appendStats({ ...to, stats: [stats] });
}
