import { ENDPOINTS, type EndpointName } from '../exchange/endpoints.ts';
import type { HttpRequest, HttpResponse, Transport } from '../exchange/transport.ts';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DayFiles, SYNC_EVERY_MS } from './read-segment.ts';
import { PackedFile, afterOnMachine, type After } from './durable-file.ts';

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

/** Stores whole replies as JSON lines, in packed files per day. */
export class RawFile extends DayFiles {
  constructor({ root, life, onError, after = afterOnMachine }: RawFileOptions) {
    super({
      onError,
      open: (day, number, fail) => {
        const folder = join(root, RAW, day);
        mkdirSync(folder, { recursive: true });
        const path = join(folder, `${life}-${number}.jsonl.gz`);
        return new PackedFile({ path, after, syncEveryMs: SYNC_EVERY_MS, onError: fail });
      },
    });
  }

  /** Stores a reply. Never throws. */
  write(reply: RawReply): void {
    this.append(`${JSON.stringify(reply)}\n`, reply.seenMs);
  }
}
