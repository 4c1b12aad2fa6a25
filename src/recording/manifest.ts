import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { shownAnchors, UTC_BARS, type BarAnchors, TIMEFRAMES, type Timeframe } from '../domain/candle.ts';
import { messageOf, SarrafError } from '../domain/errors.ts';
import { isZone } from '../domain/zone-time.ts';
import { replaceFile, SPILL_FOLDER } from './durable-file.ts';
import {
  folderName,
  folderPath,
  refuseUnknownCandles,
  type FolderKey,
  type TimeRange,
  parseFolder,
} from './records.ts';

const MANIFEST = 'manifest.json';
const VERSION = 1;

const time = z.int();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const decimals = z.int().min(0).max(10);
const fileName = z.string().regex(/^[\w.-]+$/);

const partition = z.strictObject({
  /** The month or day, UTC: `2024-08`, `2024-08-09`. */
  name: z.string().regex(/^\d{4,6}-\d\d(-\d\d)?$/),
  file: fileName,
  rows: z.int().positive(),
  bytes: z.int().positive(),
  sha256,
  fromMs: time,
  toMs: time,
  /** As many decimals as its prices and amounts have. */
  priceDecimals: decimals,
  amountDecimals: decimals,
  /** Origins of its rows, in the order of arrival. */
  sources: z.array(z.string()),
});

const range = z.strictObject({ fromMs: time, toMs: time });

/** Anchors as JSON has them. */
export const BAR_ANCHORS = z.partialRecord(
  z.enum(TIMEFRAMES),
  z.strictObject({ zone: z.string().refine(isZone), offsetMs: z.int().nonnegative() }),
) satisfies z.ZodType<BarAnchors>;

const manifest = z.strictObject({
  version: z.literal(VERSION),
  market: z.string(),
  folder: z.string(),
  /** Counts the changes of this folder. */
  generation: z.int().nonnegative(),
  partitions: z.array(partition),
  /** Start of candles, and of longer ones of the market; missing in a folder of an older version. */
  anchors: BAR_ANCHORS.optional(),
  /** Stretches that a download has asked for and had answered, so that a real gap is not asked for again. */
  covered: z.array(range),
  /** Stretches in which a recorder may have missed something. */
  gaps: z.array(range),
  /** Segments of a recorder that are in here: one that is still there after a crash is not taken up twice. */
  sealed: z.array(z.string()),
  /** The whole book at the end of a depth feed, for the file that continues it. */
  tail: z.strictObject({ file: fileName, sha256 }).nullable(),
});

/** One Parquet file of a folder. */
export type Partition = Readonly<z.infer<typeof partition>>;

/** Content of a folder: a file that it does not name is not part of the catalogue. */
export type Manifest = Readonly<z.infer<typeof manifest>>;

/**
 * The manifest of a folder; null where there is no such folder yet. Throws `DATA_UNUSABLE` for one that can
 * not be read, and where the market's candles are those of an older version.
 */
export function readManifest(root: string, key: FolderKey): Manifest | null {
  const folder = folderPath(root, key);
  const path = join(folder, MANIFEST);
  if (!existsSync(path)) {
    if (key.kind === 'candles') refuseUnknownCandles(root, key.market);
    if (!existsSync(folder) || !readdirSync(folder).some((name) => name.endsWith('.parquet'))) return null;
    throw new SarrafError(
      'DATA_UNUSABLE',
      `expected ${path}, which says what the Parquet files beside it are, found none: put it back, or move the folder away`,
    );
  }
  const parsed = manifest.safeParse(readJson(path));
  if (!parsed.success) throw damaged(path, z.prettifyError(parsed.error).split('\n')[0] ?? '');
  const { market, folder: name } = parsed.data;
  if (market !== key.market || name !== folderName(key)) {
    throw damaged(path, `it is that of ${market} ${name}, so the folder was moved`);
  }
  return parsed.data;
}

/**
 * The manifest of a folder to be written to: made, with the folder, where there is none, so that Parquet
 * files never lie without one.
 */
export function createManifest(root: string, key: FolderKey): Manifest {
  const found = readManifest(root, key);
  if (found !== null) return found;
  const made: Manifest = {
    version: VERSION,
    market: key.market,
    folder: folderName(key),
    generation: 0,
    partitions: [],
    covered: [],
    gaps: [],
    sealed: [],
    tail: null,
  };
  mkdirSync(folderPath(root, key), { recursive: true });
  writeManifest(root, key, made);
  return made;
}

/**
 * Returns the start of a folder's candles, and of longer ones of its market, by its manifest. One of an older
 * version has none: then by the first and the last bar of each file, and UTC if these show nothing.
 */
export function anchorsOf(
  manifest: Pick<Manifest, 'anchors' | 'partitions'> | null,
  timeframe: Timeframe,
): BarAnchors {
  if (manifest?.anchors !== undefined) return manifest.anchors;
  const ends = (manifest?.partitions ?? []).flatMap(({ fromMs, toMs }) => [fromMs, toMs]);
  return shownAnchors(
    timeframe,
    ends.map((openTimeMs) => ({ openTimeMs })),
    UTC_BARS,
  );
}

/**
 * Puts a manifest in place of the one before, in one step: this is what makes a change of the folder happen.
 */
export function writeManifest(root: string, key: FolderKey, next: Manifest): void {
  replaceFile(join(folderPath(root, key), MANIFEST), `${JSON.stringify(next, null, 1)}\n`);
}

/** Stretches with another one, in order; those that touch become one. */
export function withRange(ranges: readonly TimeRange[], added: TimeRange): TimeRange[] {
  if (added.toMs <= added.fromMs) return [...ranges];
  const merged: { fromMs: number; toMs: number }[] = [];
  for (const { fromMs, toMs } of [...ranges, added].toSorted((left, right) => left.fromMs - right.fromMs)) {
    const last = merged.at(-1);
    if (last !== undefined && fromMs <= last.toMs) last.toMs = Math.max(last.toMs, toMs);
    else merged.push({ fromMs, toMs });
  }
  return merged;
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw damaged(path, messageOf(error));
  }
}

function damaged(path: string, reason: string): SarrafError {
  return new SarrafError(
    'DATA_UNUSABLE',
    `expected a manifest of the catalogue at ${path}: ${reason}. Restore a copy of it, or move the folder away and import again`,
  );
}

const OWN_FILE = /^(.+)\.(\d+)\.(?:parquet|json)$/;

/**
 * Returns the files that a killed writer has left in a folder: drafts, files that it had not yet entered in
 * the manifest, and files that a newer one has replaced. A file of another name is never a left-over.
 */
export function leftOvers(folder: string, manifest: Manifest): string[] {
  if (!existsSync(folder)) return [];
  const known = new Set([...manifest.partitions.map(({ file }) => file), manifest.tail?.file]);
  const newest = new Map(
    [...manifest.partitions.map(({ file }) => file), manifest.tail?.file ?? ''].map((file) => {
      const [, name = '', generation = '0'] = OWN_FILE.exec(file) ?? [];
      return [name, Number(generation)];
    }),
  );
  return readdirSync(folder).filter((file) => {
    if (file.endsWith('.tmp') || file === SPILL_FOLDER) return true;
    const [, name = '', generation = ''] = OWN_FILE.exec(file) ?? [];
    if (generation === '' || known.has(file)) return false;
    return Number(generation) > manifest.generation || Number(generation) < (newest.get(name) ?? 0);
  });
}

/** Removes them. Only whoever has the folder's lock may: another writer's drafts look the same. */
export function removeLeftOvers(folder: string, manifest: Manifest): void {
  for (const name of leftOvers(folder, manifest))
    rmSync(join(folder, name), { recursive: true, force: true });
}

/** Files of a folder that neither the manifest names nor a killed writer has left. */
export function unknownFiles(folder: string, manifest: Manifest): string[] {
  if (!existsSync(folder)) return [];
  const known = new Set([
    ...manifest.partitions.map(({ file }) => file),
    manifest.tail?.file,
    'manifest.json',
  ]);
  const left = new Set(leftOvers(folder, manifest));
  return readdirSync(folder).filter(
    (name) => !known.has(name) && !left.has(name) && !name.startsWith('.lock'),
  );
}

/**
 * The folders of a catalogue, by market and kind, whatever state they are in. Throws `DATA_UNUSABLE` where a
 * market has candles in a folder that names no timeframe.
 */
export function listFolders(root: string): readonly FolderKey[] {
  return folders(root).flatMap((market) => {
    refuseUnknownCandles(root, market);
    return folders(join(root, market)).flatMap((name) => parseFolder(market, name) ?? []);
  });
}

function folders(path: string): string[] {
  if (!existsSync(path)) return [];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();
}
