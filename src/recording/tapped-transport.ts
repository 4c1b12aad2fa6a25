import { ENDPOINTS, type EndpointName } from '../exchange/endpoints.ts';
import type { HttpRequest, HttpResponse, Transport } from '../exchange/transport.ts';
import type { RawReply } from './raw-file.ts';

/**
 * Market data, which belongs to nobody. A log-in's reply has a token in it, and all others tell of an
 * account: none of these is ever kept.
 */
const KEPT: readonly EndpointName[] = [
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

const PATHS = KEPT.map((name) => {
  const { path, method } = ENDPOINTS[name];
  return { method, start: path.split('{', 1)[0] ?? path, isWhole: !path.includes('{') };
});

/** A way to the exchange that hands a copy of each reply with market data on. */
export class TappedTransport implements Transport {
  private readonly inner: Transport;
  private readonly nowMs: () => number;
  private readonly onReply: (reply: RawReply) => void;

  constructor(options: {
    readonly inner: Transport;
    readonly nowMs: () => number;
    /** Must not throw. */
    readonly onReply: (reply: RawReply) => void;
  }) {
    this.inner = options.inner;
    this.nowMs = options.nowMs;
    this.onReply = options.onReply;
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    const sentMs = this.nowMs();
    const response = await this.inner.send(request);
    if (isMarketData(request)) {
      const { status, body } = response;
      this.onReply({
        sentMs,
        seenMs: this.nowMs(),
        endpoint: `${request.method} ${request.path}`,
        status,
        body,
      });
    }
    return response;
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}

function isMarketData({ method, path }: HttpRequest): boolean {
  const [place = path] = path.split('?', 1);
  return PATHS.some(
    (known) =>
      known.method === method && (known.isWhole ? place === known.start : place.startsWith(known.start)),
  );
}
