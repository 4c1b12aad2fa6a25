import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gridOf } from '../domain/bar-grid.ts';
import { SarrafError } from '../domain/errors.ts';
import type { Units } from '../domain/money.ts';
import type { Catalogue } from './catalogue.ts';
import { openDatabase } from './duckdb.ts';
import { checksum } from './durable-file.ts';
import { folderPath, type FolderKey } from './folder-key.ts';
import { anchorsOf, type Manifest, type Partition, leftOvers, unknownFiles } from './manifest.ts';
import { timeText } from './read-partitions.ts';
import type { TimeRange } from './records.ts';
import { checkCandles } from './verify/check-candles.ts';
import { BookCheck, TradeCheck } from './verify/check-rows.ts';
import { Findings } from './verify/findings.ts';

export interface VerifyOptions {
  readonly range: TimeRange;
  /** Null: found by the decimals that nearly all prices of candles have. */
  readonly priceStep: Units | null;
  /** Longest permitted time without a book. */
  readonly gapMs: number;
}

/** Result of verifying a folder. */
export interface VerifyReport {
  readonly key: FolderKey;
  readonly rows: number;
  readonly findings: Findings;
  /** Files that a killed writer has left; the next writer removes them. */
  readonly leftOvers: readonly string[];
}

/** Looks at everything in a folder; changes nothing. */
export async function verifyFolder(
  catalogue: Catalogue,
  key: FolderKey,
  options: VerifyOptions,
): Promise<VerifyReport> {
  const findings = new Findings();
  const manifest = manifestOf(catalogue, key, findings);
  if (manifest === null) return { key, rows: 0, findings, leftOvers: [] };
  const { sound, leftOvers } = await checkFiles(catalogue.root, { key, manifest, findings });
  const { range } = options;
  const within = sound.filter(({ fromMs, toMs }) => fromMs < range.toMs && toMs >= range.fromMs);
  const gaps = manifest.gaps.filter(({ fromMs, toMs }) => fromMs < range.toMs && toMs > range.fromMs);
  const rows = await checkRows(catalogue, {
    key,
    within,
    findings,
    options,
    gaps,
    watched: manifest.covered,
  });
  return { key, rows, findings, leftOvers };
}

/** Null where there is none that can be read; that is a finding, and other folders can be looked at. */
function manifestOf(catalogue: Catalogue, key: FolderKey, findings: Findings): Manifest | null {
  try {
    return catalogue.manifest(key);
  } catch (error) {
    if (!(error instanceof SarrafError) || error.code !== 'DATA_UNUSABLE') throw error;
    findings.add('file', null, error.message);
    return null;
  }
}

/** Answers how many rows were looked at; of those that nothing is to be looked for in, how many there are. */
async function checkRows(
  catalogue: Catalogue,
  of: {
    readonly key: FolderKey;
    readonly within: readonly Partition[];
    readonly findings: Findings;
    readonly options: VerifyOptions;
    readonly gaps: readonly TimeRange[];
    readonly watched: readonly TimeRange[];
  },
): Promise<number> {
  const { key, within, findings, options, gaps, watched } = of;
  const { range, priceStep, gapMs } = options;
  if (within.length === 0) return 0;
  if (key.kind === 'candles') {
    const database = await openDatabase();
    try {
      return await checkCandles(database, {
        root: catalogue.root,
        key,
        partitions: within,
        grid: gridOf(key.timeframe, anchorsOf(catalogue.manifest(key), key.timeframe)),
        range,
        priceStep,
        findings,
      });
    } finally {
      database.close();
    }
  }
  const rows = within.reduce((sum, partition) => sum + partition.rows, 0);
  if (key.kind === 'stats') {
    for (const { fromMs, toMs } of gaps) {
      findings.add(
        'gap',
        fromMs,
        `no statistics were asked for from ${timeText(fromMs)} to ${timeText(toMs)}`,
      );
    }
    return rows;
  }
  // A damaged partition would end the reading: then its finding is the one that counts.
  if (findings.byKind().file !== undefined) return rows;
  const question = { market: key.market, ...range };
  if (key.kind === 'trades') {
    return checkEach(catalogue.readTrades(question), new TradeCheck(findings, { priceStep, gaps }));
  }
  return checkEach(
    catalogue.readBooks(question),
    new BookCheck(findings, { priceStep, gapMs, watched, gaps }),
  );
}

async function checkEach<Row>(
  parts: AsyncIterable<readonly Row[]>,
  check: { readonly take: (row: Row) => void },
): Promise<number> {
  let rows = 0;
  for await (const part of parts) {
    for (const row of part) check.take(row);
    rows += part.length;
  }
  return rows;
}

/**
 * Holds the files of a folder against its manifest, and answers the partitions that can be read. What a
 * killed writer has left is no finding: the next one removes it.
 */
async function checkFiles(
  root: string,
  of: { readonly key: FolderKey; readonly manifest: Manifest; readonly findings: Findings },
): Promise<{ readonly sound: readonly Partition[]; readonly leftOvers: readonly string[] }> {
  const { key, manifest, findings } = of;
  const folder = folderPath(root, key);
  const sound: Partition[] = [];
  for (const partition of manifest.partitions) {
    const path = join(folder, partition.file);
    if (!existsSync(path)) findings.add('file', partition.fromMs, `${path} is missing`);
    else if (statSync(path).size !== partition.bytes || (await checksum(path)) !== partition.sha256) {
      findings.add('file', partition.fromMs, `${path} is not what was written: its checksum is wrong`);
    } else sound.push(partition);
  }
  for (const name of unknownFiles(folder, manifest)) {
    findings.add('file', null, `${join(folder, name)} is there, and the manifest does not know of it`);
  }
  return { sound, leftOvers: leftOvers(folder, manifest) };
}
