import { createHmac } from 'node:crypto';
import type { z } from 'zod';
import {
  createSimulatedSpot,
  type SpotCore,
  spotExchangeSettings,
} from '../../../src/binance-spot/simulated-exchange.ts';

/** Time at which the exchanges of tests open: 2026-09-21 14:13:20 UTC. */
export const OPENING_MS = 1_790_000_000_000;

/** A market without traders, whose last price is 100. */
export const QUIET: z.input<typeof spotExchangeSettings> = {
  flow: { kind: 'none' },
  markets: [
    { symbol: 'BTCUSDT', base: 'BTC', quote: 'USDT', startPrice: '100' },
    { symbol: 'BNBUSDT', base: 'BNB', quote: 'USDT', startPrice: '600', stepSize: '0.001', minQty: '0.001' },
  ],
  users: [
    {
      uid: 1,
      keys: [{ key: 'one', secret: 'first' }],
      balances: { USDT: '2000', BTC: '10' },
      discount: false,
    },
    {
      uid: 2,
      keys: [{ key: 'two', secret: 'second' }],
      balances: { USDT: '2000', BTC: '10' },
      discount: false,
    },
  ],
};

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read any field of any reply
  readonly body: any;
}

type Params = Readonly<Record<string, string | number | boolean>>;

interface CallOptions {
  readonly key?: string;
  readonly ip?: string;
  /** Sent as they are, in place of the encoded ones. */
  readonly raw?: string;
  readonly timeUnit?: string;
}

/** An exchange with a clock of its own, and a caller who signs. */
export class SpotCaller {
  readonly core: SpotCore;
  nowMs = OPENING_MS;
  /** Faults of the next requests. */
  faults: ReturnType<SpotCore['strike']> | undefined;
  private readonly secrets: ReadonlyMap<string, string>;

  constructor(settings: z.input<typeof spotExchangeSettings> = QUIET, seed = 1) {
    const read = spotExchangeSettings.parse(settings);
    this.core = createSimulatedSpot({ settings: read, seed, startMs: OPENING_MS });
    this.secrets = new Map(
      read.users.flatMap(({ keys }) => keys.map(({ key, secret = '' }) => [key, secret] as const)),
    );
  }

  /** Sends a signed request in its query. */
  signed(method: string, path: string, params: Params = {}, options: CallOptions = {}): Reply {
    const { key = 'one' } = options;
    const query = encoded({ ...params, timestamp: this.nowMs });
    const signature = createHmac('sha256', this.secrets.get(key) ?? '')
      .update(query)
      .digest('hex');
    return this.send(method, path, { ...options, key, raw: `${query}&signature=${signature}` });
  }

  /** Sends a request without a signature. */
  open(path: string, params: Params = {}, options: CallOptions = {}): Reply {
    return this.send('GET', path, { raw: encoded(params), ...options });
  }

  send(method: string, path: string, options: CallOptions & { readonly body?: string } = {}): Reply {
    const reply = this.core.handle(
      {
        method,
        path: `/api/v3/${path}`,
        query: options.raw ?? '',
        body: options.body ?? '',
        apiKey: options.key,
        timeUnit: options.timeUnit,
        acceptsHtml: false,
        ip: options.ip ?? '10.0.0.1',
      },
      this.nowMs,
      this.faults,
    );
    const isJson = reply.headers['content-type']?.startsWith('application/json') === true;
    return { ...reply, body: isJson ? (JSON.parse(reply.body) as unknown) : reply.body };
  }

  /** Places an order written as `BUY LIMIT 1 @ 100`, and what comes after it as `name=value`. */
  order(text: string, options: CallOptions = {}): Reply {
    return this.signed('POST', 'order', orderParams(text), options);
  }

  /** Lets the world outside trade or quote: `buy 1 @ 100`, or `buy 1` for a market order. */
  outside(text: string, symbol = 'BTCUSDT'): void {
    const [side, quantity = '0', , price = '0'] = text.split(' ');
    this.core.advance(this.nowMs);
    this.core.tradeOutside({ symbol, side: side === 'buy' ? 'buy' : 'sell', quantity, price });
  }

  /** Free and locked money of an account, such as `USDT 1900+100`. */
  money(key = 'one'): Record<string, string> {
    const { balances } = this.signed('GET', 'account', { omitZeroBalances: true }, { key }).body;
    return Object.fromEntries(
      balances.map(({ asset, free, locked }: Record<string, string>) => [
        asset ?? '',
        Number(locked) === 0 ? String(Number(free)) : `${Number(free)}+${Number(locked)}`,
      ]),
    );
  }

  query(orderId: number, key = 'one', symbol = 'BTCUSDT'): Reply['body'] {
    return this.signed('GET', 'order', { symbol, orderId }, { key }).body;
  }
}

export function orderParams(text: string): Record<string, string> {
  const [main = '', ...pairs] = text.split(/\s+(?=\w+=)/);
  const [side = '', type = '', quantity = '', at, price] = main.split(' ');
  return {
    symbol: 'BTCUSDT',
    side,
    type,
    ...(quantity === '' ? {} : { quantity }),
    ...(at === '@' && price !== undefined ? { price } : {}),
    ...(type === 'LIMIT' || type.endsWith('_LIMIT') ? { timeInForce: 'GTC' } : {}),
    ...Object.fromEntries(pairs.map((pair) => pair.trim().split('='))),
  };
}

export const encoded = (params: Params): string =>
  Object.entries(params)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
