import { existsSync, readdirSync, readFileSync, readSync, statSync, openSync, closeSync } from 'node:fs';
import { disposable } from '../domain/closing.ts';
import { constants as buffers } from 'node:buffer';
import { endianness } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { z } from 'zod';
import { messageOf, SarrafError, dataUnusable, invalidFile, invalidOptions } from '../domain/errors.ts';
import { columnParts, readColumns } from '../recording/column-file.ts';
import type { BacktestRun, EquityCurve } from './backtest-run.ts';
import { backtestResultSchema, RESULT_SCHEMA, type ResultHead, resultHeadSchema } from './result-schema.ts';
import { type ByteWriter, bytesOf } from './byte-writer.ts';
import type { FinishedRun } from './finish-run.ts';
import {
  CSV_FILES,
  FILL_TABLE,
  LOCK_TABLE,
  MEMBER_TABLE,
  ORDER_TABLE,
  type StoredTables,
  TRIP_TABLE,
} from './result/result-tables.ts';

/** Stored run: the name of its folder, its path, and its result without the tables. */
export interface StoredRun {
  readonly run: string;
  readonly path: string;
  readonly result: ResultHead;
}

/** Returns the folders under `root` with a finished run, oldest first; empty without `root`. */
function runNames(root: string): string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map((entry) => entry.name)
    .filter((name) => existsSync(join(root, name, 'summary.json')))
    .toSorted();
}

/** Returns the newest `most` runs under `root`, oldest first. `unreadable`: a sentence for each bad one. */
export function listRuns(
  root: string,
  most: number,
): { readonly runs: readonly StoredRun[]; readonly unreadable: readonly string[] } {
  const runs: StoredRun[] = [];
  const unreadable: string[] = [];
  for (const name of runNames(root).slice(-most)) {
    try {
      runs.push(readRun(join(root, name)));
    } catch (error) {
      if (!(error instanceof SarrafError)) throw error;
      unreadable.push(error.message);
    }
  }
  return { runs, unreadable };
}

/**
 * Returns the run that is named by `last`, a folder name, a unique part of one, or a path. Throws
 * `INVALID_OPTIONS` where none or several match, `INVALID_FILE` where it cannot be read.
 */
export function findRun(root: string, wanted: string): StoredRun {
  const names = runNames(root);
  const exact = names.filter((name) => name === wanted);
  const found =
    exact.length > 0
      ? exact
      : wanted === 'last'
        ? names.slice(-1)
        : names.filter((name) => name.includes(wanted));
  const [only, another] = found;
  if (only !== undefined && another === undefined) return readRun(join(root, only));
  if (only === undefined && existsSync(join(wanted, 'summary.json'))) return readRun(wanted);
  const expected = `expected ${wanted === 'last' ? 'a run' : `one run named like "${wanted}"`} under ${root}`;
  throw invalidOptions(
    only === undefined
      ? `${expected}, found none; \`sarraf report list\` shows the stored ones`
      : `${expected}, there are ${found.length}: ${found.slice(0, 5).join(', ')}`,
  );
}

function readRun(path: string): StoredRun {
  const file = join(path, 'summary.json');
  try {
    return {
      run: basename(path),
      path: join(dirname(path), basename(path)),
      result: parseResultHead(readFileSync(file, 'utf8')),
    };
  } catch (error) {
    const found =
      error instanceof z.ZodError
        ? 'which is not: run the backtest again, or read it with the version that wrote it'
        : `which can not be read (${messageOf(error)}): run the backtest again`;
    throw invalidFile(`expected a result of schema ${RESULT_SCHEMA} in ${file}, ${found}`, { cause: error });
  }
}

/** Texts between the pieces of a result: each piece on its own lines, or all on one line. */
interface Layout {
  readonly head: string;
  readonly beforeTable: string;
  readonly afterName: string;
  readonly beforeColumn: string;
  readonly afterTable: string;
  readonly end: string;
}

/** Writes a result as JSON, with one table column on each line. */
export function writeResultJson(finished: FinishedRun, out: ByteWriter): void {
  const head = JSON.stringify(finished.head, null, 2);
  writePieces(finished, out, {
    head: head.slice(0, head.lastIndexOf('\n}')),
    beforeTable: ',\n  ',
    afterName: ': ',
    beforeColumn: '\n    ',
    afterTable: '\n  ',
    end: '\n}\n',
  });
}

/** Writes a result as one line of JSON, with more fields in its head. */
export function writeResultLine(
  finished: FinishedRun,
  more: Readonly<Record<string, string | number | null>>,
  out: ByteWriter,
): void {
  const head = JSON.stringify({ ...finished.head, ...more });
  writePieces(finished, out, {
    head: head.slice(0, -1),
    beforeTable: ',',
    afterName: ':',
    beforeColumn: '',
    afterTable: '',
    end: '}\n',
  });
}

function writePieces({ run, trips }: FinishedRun, out: ByteWriter, layout: Layout): void {
  const { beforeTable, afterName, beforeColumn: before, afterTable: after } = layout;
  const name = (table: string): void => out.text(`${beforeTable}"${table}"${afterName}`);
  out.text(layout.head);
  name('trades');
  TRIP_TABLE.writeJson(trips, { before, after }, out);
  name('orders');
  ORDER_TABLE.writeJson(run.orders, { before, after }, out);
  name('fills');
  FILL_TABLE.writeJson(run.fills, { before, after }, out);
  name('lockSpans');
  LOCK_TABLE.writeJson(run.locks.records, { before, after }, out);
  name('members');
  MEMBER_TABLE.writeJson(run.members.records, { before, after }, out);
  out.text(layout.end);
}

/** Reads the head of a result. Throws a ZodError if it is not of this schema version. */
export function parseResultHead(text: string): ResultHead {
  return resultHeadSchema.parse(JSON.parse(text));
}

/**
 * File of a run: `result.json` as one frame of Zstandard, which its tools and DuckDB read. Behind it lies the
 * equity curve in columns, as a frame that they skip (RFC 8878, 3.1.2). The curve ends with the tail: the
 * bytes of `result.json` as a float, and its own bytes.
 */
export const RUN_FILE = 'result.json.zst';

/** File of a run before it was compressed; CSV files lay beside it, `equity.csv` with the curve. */
const PLAIN_FILE = 'result.json';

const SKIPPED_FRAME = 0x184d2a50;
const FRAME_HEAD_BYTES = 8;
const TAIL_BYTES = 12;
const { MAX_STRING_LENGTH } = buffers;

/** A higher level than the fastest takes twice the time for a tenth less. */
const ZSTD = {
  params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 },
} as const;

/** Writes the file of a run. Throws a RangeError for a curve with an invalid time. */
export function writeRunFile(finished: FinishedRun, out: ByteWriter): void {
  const curve = columnParts(packCurve(finished.run));
  const json = bytesOf((into) => writeResultJson(finished, into));
  out.bytes(zstdCompressSync(json, ZSTD));
  const curveBytes = curve.reduce((sum, { length }) => sum + length, TAIL_BYTES);
  const head = Buffer.alloc(FRAME_HEAD_BYTES);
  head.writeUInt32LE(SKIPPED_FRAME, 0);
  head.writeUInt32LE(curveBytes, 4);
  const tail = Buffer.alloc(TAIL_BYTES);
  tail.writeDoubleLE(json.length, 0);
  tail.writeUInt32LE(curveBytes, 8);
  for (const part of [head, ...curve, tail]) out.bytes(part);
}

/** Most steps from a point of the curve to the next one that a byte holds, with a bit for the exposure. */
const MOST_STEPS = 127;

const PACKED_CURVE = z.strictObject({
  order: z.literal(endianness()),
  fromMs: z.number(),
  stepMs: z.number(),
  equity: z.instanceof(Float64Array),
  moments: z.instanceof(Uint8Array),
  otherMs: z.instanceof(Float64Array),
});

/**
 * Packs a curve into 9 bytes a point: its equity, and a byte with the steps of `barMs` from the point before
 * and the exposure. A point that is not so many steps later has no steps, and its time in `otherMs`.
 */
function packCurve({ curve, fromMs, barMs: stepMs }: BacktestRun) {
  const { length, timeMs, equity, isExposed } = curve;
  const moments = new Uint8Array(length);
  const others: number[] = [];
  let beforeMs = fromMs;
  for (let index = 0; index < length; index += 1) {
    const atMs = timeMs[index] ?? 0;
    const steps = (atMs - beforeMs) / stepMs;
    const isNear =
      Number.isInteger(steps) && steps > 0 && steps <= MOST_STEPS && beforeMs + steps * stepMs === atMs;
    if (!isNear) others.push(atMs);
    moments[index] = (isNear ? 2 * steps : 0) + (isExposed[index] ?? 0);
    beforeMs = atMs;
  }
  if (!others.every(Number.isFinite)) throw new RangeError('expected a time for each point of the curve');
  return {
    order: endianness(),
    fromMs,
    stepMs,
    equity: equity.subarray(0, length),
    moments,
    otherMs: Float64Array.from(others),
  };
}

function unpackCurve(packed: z.output<typeof PACKED_CURVE>): EquityCurve {
  const { fromMs, stepMs, equity, moments, otherMs } = packed;
  const { length } = equity;
  const timeMs = new Float64Array(length);
  const isExposed = new Uint8Array(length);
  let beforeMs = fromMs;
  let other = 0;
  moments.forEach((moment, index) => {
    const steps = moment >> 1;
    if (steps > 0) beforeMs += steps * stepMs;
    else beforeMs = otherMs[other++] ?? Number.NaN;
    timeMs[index] = beforeMs;
    isExposed[index] = moment & 1;
  });
  return { length, timeMs, equity, isExposed };
}

/** Returns true for a run of before its file was compressed. */
const isPlain = (folder: string): boolean =>
  !existsSync(join(folder, RUN_FILE)) && existsSync(join(folder, PLAIN_FILE));

/**
 * Returns the file of a stored run from which DuckDB reads its result, and the bytes of that without
 * compression. Throws `DATA_UNUSABLE` if it cannot be read.
 */
export function resultFile(folder: string): { readonly path: string; readonly bytes: number } {
  const path = join(resolve(folder), isPlain(folder) ? PLAIN_FILE : RUN_FILE);
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (isPlain(folder)) return { path, bytes: size };
  if (size < TAIL_BYTES) throw unreadable(path);
  const tail = Buffer.alloc(TAIL_BYTES);
  using file = disposable(openSync(path, 'r'), closeSync);
  readSync(file.value, tail, { position: size - TAIL_BYTES });
  const bytes = tail.readDoubleLE(0);
  if (Number.isSafeInteger(bytes) && bytes > 0 && tail.readUInt32LE(8) < size) return { path, bytes };
  throw unreadable(path);
}

/** A file that belongs to a run: its name, and what writes it. */
type RunExport = readonly [name: string, write: (out: ByteWriter) => void];

/** Returns what writes the CSV tables of a stored run. Throws `DATA_UNUSABLE` for an unreadable file. */
export function csvExports(folder: string): readonly RunExport[] {
  const names = Object.keys(CSV_FILES);
  if (isPlain(folder)) return names.filter((name) => existsSync(join(folder, name))).map(copyOf(folder));
  const tables = storedTables(folder);
  return Object.entries(CSV_FILES).map(([name, write]) => [name, (out) => write(tables, out)]);
}

/** Returns what writes `equity.csv` of a stored run, without its other tables. Throws as `csvExports`. */
export function equityExport(folder: string): RunExport {
  const name = 'equity.csv';
  if (isPlain(folder)) return copyOf(folder)(name);
  const { curve } = readRunFile(folder);
  const { summary } = readRun(folder).result;
  return [name, (out) => CSV_FILES[name]({ summary, curve }, out)];
}

/** Returns what writes `result.json` of a stored run. Throws as `csvExports`. */
export function jsonExport(folder: string): RunExport {
  if (isPlain(folder)) return copyOf(folder)(PLAIN_FILE);
  const json = storedJson(folder);
  return [PLAIN_FILE, (out) => out.bytes(json)];
}

const copyOf =
  (folder: string) =>
  (name: string): RunExport => [name, (out) => out.bytes(readFileSync(join(folder, name)))];

/** Reads the file of a run: `result.json`, compressed, and the curve. */
function readRunFile(folder: string): { readonly frame: Uint8Array; readonly curve: EquityCurve } {
  return reading(folder, (path) => {
    const bytes = readFileSync(path);
    const curveAt = bytes.length - bytes.readUInt32LE(bytes.length - 4);
    const packed = readColumns(bytes.subarray(curveAt, bytes.length - TAIL_BYTES), PACKED_CURVE);
    const isWhole = bytes.readUInt32LE(curveAt - FRAME_HEAD_BYTES) === SKIPPED_FRAME;
    if (packed === null || !isWhole || packed.moments.length !== packed.equity.length) throw unreadable(path);
    return { frame: bytes.subarray(0, curveAt - FRAME_HEAD_BYTES), curve: unpackCurve(packed) };
  });
}

function storedJson(folder: string, frame = readRunFile(folder).frame): Uint8Array {
  return reading(folder, () => zstdDecompressSync(frame));
}

/** Reads the tables of a run. A column that is newer than the run is missing. */
function storedTables(folder: string): StoredTables {
  const { frame, curve } = readRunFile(folder);
  const json = storedJson(folder, frame);
  const { trades, orders, lockSpans, members } = backtestResultSchema.shape;
  const schema = z.object({
    ...resultHeadSchema.shape,
    trades: trades.partial(),
    orders: orders.partial(),
    lockSpans: lockSpans.partial(),
    members: members.partial(),
  });
  return reading(folder, (path) => {
    if (json.length > MAX_STRING_LENGTH)
      throw dataUnusable(
        `expected a result of at most ${MAX_STRING_LENGTH} bytes in ${path}, found ${json.length}: write it with \`sarraf report json\`, and read its tables with another tool`,
      );
    return { ...schema.parse(JSON.parse(Buffer.from(json).toString('utf8'))), curve };
  });
}

/** Runs what reads the file of a run. Throws `DATA_UNUSABLE` where it fails. */
function reading<Value>(folder: string, read: (path: string) => Value): Value {
  const path = join(folder, RUN_FILE);
  try {
    return read(path);
  } catch (error) {
    throw error instanceof SarrafError ? error : unreadable(path, error);
  }
}

const unreadable = (path: string, cause?: unknown): SarrafError =>
  dataUnusable(
    `expected the result of a run in ${path}, found a damaged or unfinished file: run the backtest again`,
    { cause },
  );
