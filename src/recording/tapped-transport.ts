import { ENDPOINTS, type EndpointName } from '../exchange/endpoints.ts';
import type { HttpRequest, HttpResponse, Transport } from '../exchange/transport.ts';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { partitionName } from './table-shape.ts';
import { AppendFile, afterOnMachine, type After } from './durable-file.ts';

/** Endpoints of public market data. Other replies are never stored: they contain a token or account data. */
const TAPPED_ENDPOINTS: readonly EndpointName[] = [
  'orderBook',
  'orderBookV3',
  'allOrderBooks',
  'allOrderBooksV3',
  'depth',
  'publicTrades',
  'marketStats',
  'globalStats',
  'history',
  'options',
];

const PATHS = TAPPED_ENDPOINTS.map((name) => {
  const { path, method } = ENDPOINTS[name];
  return { method, start: path.split('{', 1)[0] ?? path, isWhole: !path.includes('{') };
});

/** Transport to the exchange that passes on a copy of each reply with market data. */
export class TappedTransport implements Transport {
  private readonly options: {
    readonly inner: Transport;
    readonly nowMs: () => number;
    /** Called with each reply; must not throw. */
    readonly onReply: (reply: RawReply) => void;
  };

  constructor(options: TappedTransport['options']) {
    this.options = options;
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    const sentMs = this.options.nowMs();
    const response = await this.options.inner.send(request);
    if (isMarketData(request)) {
      const { status, body } = response;
      this.options.onReply({
        sentMs,
        seenMs: this.options.nowMs(),
        endpoint: `${request.method} ${request.path}`,
        status,
        body,
      });
    }
    return response;
  }

  close(): Promise<void> {
    return this.options.inner.close();
  }
}

function isMarketData({ method, path }: HttpRequest): boolean {
  const [place = path] = path.split('?', 1);
  return PATHS.some(
    (known) =>
      known.method === method && (known.isWhole ? place === known.start : place.startsWith(known.start)),
  );
}

/** Folder of the catalogue for raw replies. */
const RAW = 'raw';

/** Interval in ms, and size, at which replies are compressed. Shorter loses less, in larger files. */
const PACK_EVERY_MS = 1_000;
const LARGEST_PACK_BYTES = 256 * 1024;

/** Size in bytes at which the next file begins. */
const LARGEST_BYTES = 64_000_000;

/** Reply as it was received. */
interface RawReply {
  /** Times in ms since 1970 of the request and of the reply. */
  readonly sentMs: number;
  readonly seenMs: number;
  /** Method, path and query of the request. */
  readonly endpoint: string;
  readonly status: number;
  readonly body: string;
}

interface RawFileOptions {
  /** Folder of the catalogue. */
  readonly root: string;
  /** Distinguishes the files of this process from all others. */
  readonly life: string;
  /** Called when writing fails; nothing more is stored then. */
  readonly onError: (error: unknown) => void;
  readonly after?: After;
}

/**
 * Stores whole replies as JSON lines, compressed with gzip in pieces of about a second, in one or more files
 * per day (UTC). Each piece can be decompressed without those after it, so that a killed process damages only
 * the last.
 */
export class RawFile {
  /** Number of replies stored. */
  count = 0;
  private readonly options: RawFileOptions;
  private readonly after: After;
  private current: { readonly day: string; readonly file: AppendFile } | null = null;
  private lines: string[] = [];
  private lineBytes = 0;
  private files = 0;
  private cancelPack: (() => void) | null = null;
  private closing: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(options: RawFileOptions) {
    this.options = options;
    this.after = options.after ?? afterOnMachine;
  }

  /** Stores a reply. Never throws. */
  write(reply: RawReply): void {
    if (this.isStopped) return;
    const day = partitionName(reply.seenMs, 'day');
    if (this.current !== null && (this.current.day !== day || this.current.file.bytes >= LARGEST_BYTES))
      this.rotate();
    try {
      this.current ??= { day, file: this.open(day) };
    } catch (error) {
      this.fail(error);
      return;
    }
    const line = `${JSON.stringify(reply)}\n`;
    this.lines.push(line);
    this.lineBytes += line.length;
    this.count += 1;
    if (this.lineBytes >= LARGEST_PACK_BYTES) this.pack();
    else this.cancelPack ??= this.after(PACK_EVERY_MS, () => this.pack());
  }

  /** Writes everything to the disk and stops. */
  async close(): Promise<void> {
    this.rotate();
    this.isStopped = true;
    await this.closing;
  }

  private open(day: string): AppendFile {
    const { root, life } = this.options;
    const folder = join(root, RAW, day);
    mkdirSync(folder, { recursive: true });
    this.files += 1;
    return new AppendFile({
      path: join(folder, `${life}-${String(this.files).padStart(6, '0')}.jsonl.gz`),
      after: this.after,
      syncEveryMs: PACK_EVERY_MS,
      onError: (error) => this.fail(error),
    });
  }

  private pack(): void {
    this.cancelPack?.();
    this.cancelPack = null;
    if (this.lines.length === 0) return;
    this.current?.file.append(gzipSync(this.lines.join('')));
    this.lines = [];
    this.lineBytes = 0;
  }

  private rotate(): void {
    this.pack();
    const { current } = this;
    this.current = null;
    if (current !== null) this.closing = this.closeAfter(current.file, this.closing);
  }

  private async closeAfter(file: AppendFile, before: Promise<void>): Promise<void> {
    await before;
    try {
      await file.close();
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    if (this.isStopped) return;
    this.isStopped = true;
    this.options.onError(error);
  }
}
