import {
  readExchangeConfig,
  type ExchangeConfigInput,
} from '../../../../src/simulator-server/exchange-config.ts';
import { stateJson } from '../../../../src/simulator-server/exchange-state.ts';
import { createSimulation, type Simulation } from '../../../../src/simulator-server/simulation.ts';
import type { WireReply } from '../../../../src/simulator-server/wire/wire-adapter.ts';

/** Noon UTC of 10 April 2025. */
export const START_MS = Date.UTC(2025, 3, 10, 12);

export const ALI = 7;
const SARA = 8;

const CONFIG: ExchangeConfigInput = {
  markets: [
    { symbol: 'BTCIRT', priceStep: '10', amountStep: '0.000001', initialPrice: '50000000000' },
    { symbol: 'BTCUSDT', priceStep: '0.01', amountStep: '0.000001', initialPrice: '60000' },
    { symbol: 'USDTIRT', priceStep: '10', amountStep: '0.01', initialPrice: '800000' },
    { symbol: 'SHIBUSDT', priceStep: '0.00000001', amountStep: '1', initialPrice: '0.00002' },
  ],
  users: [
    {
      username: 'ali',
      id: ALI,
      password: 'secret',
      tokens: ['ali-token'],
      balances: { rls: '100000000000', usdt: '50000', btc: '2', shib: '100000000' },
    },
    {
      username: 'sara',
      id: SARA,
      tokens: ['sara-token'],
      balances: { rls: '100000000000', usdt: '50000', btc: '2' },
    },
  ],
};

/** Makes an exchange with four markets and two users with much money. */
export function createVenue(config: ExchangeConfigInput = {}): Simulation {
  return createSimulation({
    config: readExchangeConfig({ ...CONFIG, ...config }),
    startMs: START_MS,
    seed: 3,
  });
}

export interface Ask {
  readonly method?: string;
  readonly body?: unknown;
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly ip?: string;
  readonly timeMs?: number;
}

export interface Answer {
  readonly status: number;
  readonly headers: WireReply['headers'];
  readonly raw: string;
  readonly body: Record<string, unknown>;
}

/** Sends a request to the exchange and reads the JSON of the reply. A text body is sent as it is. */
export function ask(venue: Simulation, path: string, options: Ask = {}): Answer {
  const { token = 'ali-token' } = options;
  const reply = venue.adapter.handle(
    {
      method: options.method ?? (options.body === undefined ? 'GET' : 'POST'),
      path,
      headers: {
        'user-agent': 'TraderBot/test-1',
        ...(token === null ? {} : { authorization: `Token ${token}` }),
        ...options.headers,
      },
      body:
        options.body === undefined
          ? ''
          : typeof options.body === 'string'
            ? options.body
            : JSON.stringify(options.body),
      ip: options.ip ?? '10.0.0.1',
    },
    options.timeMs ?? START_MS,
  );
  return { status: reply.status, headers: reply.headers, raw: reply.body, body: readBody(reply.body) };
}

function readBody(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** A limit buy of 0.001 bitcoin for rial, ten percent below the market. */
export const BUY = {
  type: 'buy',
  srcCurrency: 'btc',
  dstCurrency: 'rls',
  amount: '0.001',
  price: '45000000000',
};

export interface OrderBody {
  readonly id: number;
  readonly status: string;
  readonly matchedAmount: string;
  readonly [field: string]: unknown;
}

/** Places an order that must be accepted, and returns it as the reply shows it. */
export function place(
  venue: Simulation,
  order: Readonly<Record<string, unknown>>,
  options: Ask = {},
): OrderBody {
  const { body, raw } = ask(venue, '/market/orders/add', { ...options, body: order });
  if (body['status'] !== 'ok') throw new Error(`expected an accepted order, was ${raw}`);
  return (body['order'] ?? (body['orders'] as unknown[])[0]) as OrderBody;
}

/** Returns everything of the exchange that a refused request must not change. */
export function stateOf(venue: Simulation): string {
  const { accounts, trading } = venue.exchange;
  return stateJson({ accounts: accounts.snapshot(), counters: trading.counters });
}
