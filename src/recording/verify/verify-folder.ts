import type { Units } from '../../domain/money.ts';
import type { Catalogue } from '../catalogue.ts';
import { openDatabase } from '../duckdb.ts';
import type { FolderKey } from '../folder-key.ts';
import type { Partition } from '../manifest.ts';
import type { TimeRange } from '../records.ts';
import { checkCandles } from './check-candles.ts';
import { checkFiles } from './check-files.ts';
import { BookCheck, TradeCheck } from './check-rows.ts';
import { Findings } from './findings.ts';

export interface VerifyOptions {
  readonly range: TimeRange;
  /** Null: found by the decimals that nearly all prices of candles have. */
  readonly priceStep: Units | null;
  /** How long there may be no book. */
  readonly gapMs: number;
}

/** What a folder was found to be like. */
export interface VerifyReport {
  readonly key: FolderKey;
  readonly rows: number;
  readonly findings: Findings;
  /** What a killed writer has left; the next writer removes it. */
  readonly leftOvers: readonly string[];
}

/** Looks at everything in a folder; changes nothing. Throws `DATA_UNUSABLE` where its manifest can not be read. */
export async function verifyFolder(
  catalogue: Catalogue,
  key: FolderKey,
  options: VerifyOptions,
): Promise<VerifyReport> {
  const findings = new Findings();
  const manifest = catalogue.manifest(key);
  if (manifest === null) return { key, rows: 0, findings, leftOvers: [] };
  const { sound, leftOvers } = await checkFiles(catalogue.root, { key, manifest, findings });
  const { range } = options;
  const within = sound.filter(({ fromMs, toMs }) => fromMs < range.toMs && toMs >= range.fromMs);
  await checkRows(catalogue, { key, within, findings, options, gaps: manifest.gaps });
  return { key, rows: within.reduce((sum, { rows }) => sum + rows, 0), findings, leftOvers };
}

async function checkRows(
  catalogue: Catalogue,
  of: {
    readonly key: FolderKey;
    readonly within: readonly Partition[];
    readonly findings: Findings;
    readonly options: VerifyOptions;
    readonly gaps: readonly TimeRange[];
  },
): Promise<void> {
  const { key, within, findings, options, gaps } = of;
  const { range, priceStep, gapMs } = options;
  if (within.length === 0) return;
  if (key.kind === 'candles') {
    const database = await openDatabase();
    try {
      await checkCandles(database, { root: catalogue.root, key, partitions: within, range, priceStep, findings });
    } finally {
      database.close();
    }
    return;
  }
  // A damaged partition would end the reading: then its finding is the one that counts.
  const isWhole = findings.byKind().file === undefined;
  if (!isWhole || key.kind === 'stats') return;
  const question = { market: key.market, ...range };
  if (key.kind === 'trades') {
    const check = new TradeCheck(findings, { priceStep, gaps });
    for await (const part of catalogue.readTrades(question)) for (const trade of part) check.take(trade);
    return;
  }
  const check = new BookCheck(findings, { gapMs });
  for await (const part of catalogue.readBooks(question)) for (const book of part) check.take(book);
}
