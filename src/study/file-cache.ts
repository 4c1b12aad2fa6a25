import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type SarrafError, dataUnusable, invalidOptions } from '../domain/errors.ts';
import { createHash } from 'node:crypto';
import type { CandleColumns } from '../domain/candle-columns.ts';
import {
  readCandleFile,
  readPackedMarket,
  writeCandleFile,
  writePackedMarket,
} from '../recording/column-file.ts';
import type { RunData } from './data/study-data.ts';
import type { StudySettings } from './study-settings.ts';
import { readWrittenSignals, writeSignals } from './data-set.ts';

/** Maximum disk space of a cache. Beyond it the least recently used files are deleted. */
const MOST_BYTES = 2 * 1024 ** 3;

const NAME = /^[0-9a-f]{64}$/;

/** Folder of files that are named by the SHA-256 of their content. Several processes may use it at once. */
export class FileCache {
  private readonly folder: string;
  private readonly mostBytes: number;

  constructor(folder: string, mostBytes: number = MOST_BYTES) {
    this.folder = folder;
    this.mostBytes = mostBytes;
    mkdirSync(folder, { recursive: true });
  }

  /** Returns the content of a file; null if it is missing or damaged. A damaged file is removed. */
  find(sha256: string): Buffer | null {
    const path = join(this.folder, sha256);
    let bytes: Buffer;
    try {
      bytes = readFileSync(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
    if (checksumOf(bytes) !== sha256) {
      rmSync(path, { force: true });
      return null;
    }
    utimesSync(path, new Date(), new Date());
    return bytes;
  }

  /**
   * Stores a file whose checksum was verified; the least recently used files are deleted if there is no room.
   * Throws the system's error, and leaves nothing behind, if the file cannot be written.
   */
  write(sha256: string, bytes: Uint8Array): void {
    const made = join(this.folder, `${sha256}.${process.pid}.new`);
    try {
      writeFileSync(made, bytes);
      renameSync(made, join(this.folder, sha256));
    } catch (error) {
      rmSync(made, { force: true });
      throw error;
    }
    this.trim(sha256);
  }

  private trim(newest: string): void {
    const files = readdirSync(this.folder)
      .filter((name) => NAME.test(name))
      .flatMap((name) => {
        const stat = statSync(join(this.folder, name), { throwIfNoEntry: false });
        return stat === undefined ? [] : [{ name, bytes: stat.size, usedMs: stat.mtimeMs }];
      })
      .toSorted((left, right) => left.usedMs - right.usedMs);
    let all = files.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { name, bytes } of files) {
      if (all <= this.mostBytes) return;
      if (name === newest) continue;
      rmSync(join(this.folder, name), { force: true });
      all -= bytes;
    }
  }
}

/** Host from which a worker downloads files of studies. */
export interface FileSource {
  /** Host as a URL writes it: in lower case, an IPv6 address in brackets. */
  readonly host: string;
  /** Port; null for any. */
  readonly port: number | null;
}

const LARGEST_PORT = 65_535;
const OF_THIS_MACHINE: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** Reads `HOST` or `HOST:PORT`, with an IPv6 address in brackets. Throws `INVALID_OPTIONS`. */
export function readFileSource(text: string): FileSource {
  const [, written, portText] = /^(\[[\da-f:.]+\]|[^:[\]/@?#\s]+)(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const host = written === undefined ? undefined : URL.parse(`http://${written}`)?.hostname;
  const port = portText === undefined ? null : Number(portText);
  if (host === undefined || host === '' || port === 0 || (port ?? 0) > LARGEST_PORT)
    throw invalidOptions(
      `expected for --data-from the host of a coordinator, such as 10.0.0.1 or 10.0.0.1:7300, found ${text}`,
    );
  return { host, port };
}

/** Returns the default source of files: the host of Redis, on any port. */
export const sourceOfRedis = ({ host }: { readonly host: string }): FileSource =>
  readFileSource(host.includes(':') ? `[${host}]` : host);

/**
 * Returns the origin of the address in an offer. Whoever writes to Redis could name any address, so only
 * those on the worker's own command line are allowed. Throws `DATA_UNUSABLE`, with the option that would
 * allow it.
 */
export function allowedOrigin(address: string, sources: readonly FileSource[]): string {
  const url = URL.parse(address);
  // Only a host and a port are allowed: no path, no name and password.
  if (url?.protocol !== 'http:' || url.href !== `${url.origin}/`)
    throw refused('an address such as http://10.0.0.1:7300', address, 'mend what writes to Redis');
  const port = url.port === '' ? 80 : Number(url.port);
  const isAllowed = sources.some(
    (source) =>
      (source.host === url.hostname ||
        (OF_THIS_MACHINE.has(source.host) && OF_THIS_MACHINE.has(url.hostname))) &&
      (source.port ?? port) === port,
  );
  if (isAllowed) return url.origin;
  const allowed = sources.map((one) => (one.port === null ? one.host : `${one.host}:${one.port}`));
  throw refused(
    `data from ${allowed.join(' or ')} only`,
    address,
    `if that is your coordinator, start this worker with --data-from ${url.hostname}:${port}`,
  );
}

const refused = (expected: string, found: string, remedy: string): SarrafError =>
  dataUnusable(`expected ${expected}, found an offer of ${JSON.stringify(found)}: ${remedy}`);

/** Address at which the coordinator serves files. */
export interface ServedAddress {
  readonly host: string;
  /** Port; 0 for any free one. */
  readonly port: number;
}

/** Default address, which only workers on this machine can reach. */
export const LOOPBACK: ServedAddress = { host: '127.0.0.1', port: 0 };

const EVERYWHERE: ReadonlySet<string> = new Set(['0.0.0.0', '::', '*']);

/** Reads `HOST:PORT`. Throws `INVALID_OPTIONS`, also for all networks: workers need one host. */
export function readServedAddress(text: string): ServedAddress {
  const [, bracketed, plain, portText = ''] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = Number(portText);
  if (host === undefined || port > 65_535)
    throw wrongAddress('the host and port by which workers reach this machine, such as 10.0.0.5:7300', text);
  if (EVERYWHERE.has(host))
    throw wrongAddress('the host by which workers reach this machine, such as 10.0.0.5:7300', host);
  return { host, port };
}

const wrongAddress = (expected: string, found: string): SarrafError =>
  invalidOptions(`expected for --serve ${expected}, found ${found}`);

/** Returns the SHA-256 of a file's bytes, in hex. */
export const checksumOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Files with the data that trials see. */
interface TrialFiles {
  /** Candles, one file for each market in order, followed by the files of finer candles. */
  readonly markets: readonly Buffer[];
  /** Signals; null if the strategy gets none. */
  readonly signals: Buffer | null;
}

export function writeTrialFiles(data: RunData): TrialFiles {
  return {
    markets:
      data.fidelity === 'candles'
        ? [...data.candles, ...data.detail].map(writeCandleFile)
        : data.markets.map(writePackedMarket),
    signals: data.signals.length === 0 ? null : writeSignals(data.signals),
  };
}

/** Reads what `writeTrialFiles` wrote. Throws `DATA_UNUSABLE` for anything else. */
export function readTrialFiles(
  { markets: files, signals: signalFiles }: TrialFiles,
  { fidelity, detail, to }: Pick<StudySettings, 'fidelity' | 'detail' | 'to'>,
): RunData {
  if (files.length === 0) throw dataUnusable('expected data of a study, found none');
  const signals = signalFiles === null ? [] : readWrittenSignals(signalFiles);
  if (fidelity === 'poll')
    return { fidelity, markets: files.map(readPackedMarket), toMs: to ?? null, signals };
  const [candles, finer] = [[], []] as [CandleColumns[], CandleColumns[]];
  for (const columns of files.map(readCandleFile))
    (columns.timeframe === detail ? finer : candles).push(columns);
  return { fidelity, candles, detail: finer, signals };
}
