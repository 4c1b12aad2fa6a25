import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import {
  anchorIn,
  anchorText,
  shownAnchors,
  UTC_BARS,
  type BarAnchors,
  TIMEFRAMES,
  type Timeframe,
} from '../domain/candle.ts';
import { messageOf, type SarrafError, dataUnusable } from '../domain/errors.ts';
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
  /** Month or day in UTC: `2024-08`, `2024-08-09`. */
  name: z.string().regex(/^\d{4,6}-\d\d(-\d\d)?$/),
  file: fileName,
  rows: z.int().positive(),
  bytes: z.int().positive(),
  sha256,
  fromMs: time,
  toMs: time,
  /** Maximum number of decimals of its prices, and of its amounts. */
  priceDecimals: decimals,
  amountDecimals: decimals,
  /** Origins of its rows, in the order of arrival. */
  sources: z.array(z.string()),
});

const range = z.strictObject({ fromMs: time, toMs: time });

/** Schema of bar anchors in JSON. */
export const BAR_ANCHORS = z.partialRecord(
  z.enum(TIMEFRAMES),
  z.strictObject({ zone: z.string().refine(isZone), offsetMs: z.int().nonnegative() }),
) satisfies z.ZodType<BarAnchors>;

const manifest = z.strictObject({
  version: z.literal(VERSION),
  market: z.string(),
  folder: z.string(),
  /** Number of changes of this folder so far. */
  generation: z.int().nonnegative(),
  partitions: z.array(partition),
  /** Start of candles, and of longer ones of the market; missing in a folder of an older version. */
  anchors: BAR_ANCHORS.optional(),
  /** Ranges that a download has received completely, so that a real gap is not requested again. */
  covered: z.array(range),
  /** Ranges in which a recorder may have missed rows. */
  gaps: z.array(range),
  /** Names of the recorder's segments whose rows are included: one left after a crash is not added again. */
  sealed: z.array(z.string()),
  /** Whole book at the end of a depth feed, for a file that continues it. */
  tail: z.strictObject({ file: fileName, sha256 }).nullable(),
});

/** Entry of one Parquet file of a folder. */
export type Partition = Readonly<z.infer<typeof partition>>;

/** Contents of a folder: files that the manifest does not name are not part of the catalogue. */
export type Manifest = Readonly<z.infer<typeof manifest>>;

/**
 * Returns the manifest of a folder; null if the folder does not exist yet. Throws `DATA_UNUSABLE` if it is
 * unreadable, and if the market's candles are of an older version.
 */
export function readManifest(root: string, key: FolderKey): Manifest | null {
  const folder = folderPath(root, key);
  const path = join(folder, MANIFEST);
  if (!existsSync(path)) {
    if (key.kind === 'candles') refuseUnknownCandles(root, key.market);
    if (!existsSync(folder) || !readdirSync(folder).some((name) => name.endsWith('.parquet'))) return null;
    throw dataUnusable(
      `expected ${path}, which says what the Parquet files beside it are, found none: put it back, or move the folder away`,
    );
  }
  const parsed = manifest.safeParse(readJson(path));
  if (!parsed.success) throw damaged(path, z.prettifyError(parsed.error).split('\n')[0] ?? '');
  const { market, folder: name } = parsed.data;
  if (market !== key.market || name !== folderName(key))
    throw damaged(path, `it is that of ${market} ${name}, so the folder was moved`);
  return parsed.data;
}

/** Returns the manifest of a folder for writing; a missing one is created together with the folder. */
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
 * Returns the start of a folder's candles, and of longer ones of its market, from its manifest. An older
 * manifest has none: then from the first and the last bar of each file, and UTC if these do not decide.
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

/** Replaces the manifest of a folder in one step, which makes a change of the folder take effect. */
export function writeManifest(root: string, key: FolderKey, next: Manifest): void {
  replaceFile(join(folderPath(root, key), MANIFEST), `${JSON.stringify(next, null, 1)}\n`);
}

/** Adds a range to sorted ranges; ranges that touch are joined. */
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
  return dataUnusable(
    `expected a manifest of the catalogue at ${path}: ${reason}. Restore a copy of it, or move the folder away and import again`,
  );
}

const OWN_FILE = /^(.+)\.(\d+)\.(?:parquet|json)$/;

/**
 * Returns the files that a killed writer has left in a folder: drafts, files that are not in the manifest
 * yet, and files replaced by newer ones. A file with another kind of name is never a left-over.
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

/** Removes left-over files. The caller must hold the folder's lock: drafts of other writers look alike. */
export function removeLeftOvers(folder: string, manifest: Manifest): void {
  for (const name of leftOvers(folder, manifest))
    rmSync(join(folder, name), { recursive: true, force: true });
}

/** Returns files of a folder that neither the manifest names nor a killed writer has left. */
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
 * Returns the folders of a catalogue by market and kind, in whatever state they are. Throws `DATA_UNUSABLE`
 * if a folder of candles does not name a timeframe.
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

/** Coverage of one folder of the catalogue. */
export interface RecordingCoverage {
  readonly market: string;
  readonly folder: string;
  /** Anchor at which candles begin, such as `Asia/Tehran`; null for all other data. */
  readonly anchor: string | null;
  readonly rows: number;
  readonly fromMs: number | null;
  readonly toMs: number | null;
  readonly files: number;
  readonly bytes: number;
  readonly gaps: number;
  readonly sources: readonly string[];
}

export function coverageOf(key: FolderKey, found: Manifest): RecordingCoverage {
  const { partitions, gaps } = found;
  return {
    market: key.market,
    folder: folderName(key),
    anchor:
      key.kind === 'candles' ? anchorText(anchorIn(anchorsOf(found, key.timeframe), key.timeframe)) : null,
    rows: partitions.reduce((sum, { rows }) => sum + rows, 0),
    fromMs: partitions[0]?.fromMs ?? null,
    toMs: partitions.at(-1)?.toMs ?? null,
    files: partitions.length,
    bytes: partitions.reduce((sum, { bytes }) => sum + bytes, 0),
    gaps: gaps.length,
    sources: [...new Set(partitions.flatMap(({ sources }) => sources))],
  };
}
