import type { SimulatedExchange } from '../../../src/simulator/exchange.ts';
import { WireAdapter } from '../../../src/simulator-server/wire/wire-adapter.ts';
import { DEFAULT_FORMS, type WireForms } from '../../../src/simulator-server/wire/handler.ts';
import { NOW_MS } from '../client-over.ts';
import { createSigner } from '../../../src/exchange/authenticator.ts';
import { ALICE_TOKEN, BOB_TOKEN, createWorld, type TestKey, type WorldOptions } from '../world.ts';

export interface RawReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The text parsed as JSON; undefined when it is not JSON. */
  readonly json: unknown;
}

export interface RawOptions {
  readonly token?: string | null;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly ip?: string;
}

/** The simulator at the level of bytes: no client, no codecs. Time moves only with `nowMs`. */
export class RawVenue {
  readonly exchange: SimulatedExchange;
  readonly adapter: WireAdapter;
  nowMs = NOW_MS;

  constructor(
    options: WorldOptions & { readonly forms?: Partial<WireForms>; readonly lenience?: boolean } = {},
  ) {
    const { forms, lenience, ...world } = options;
    const serviceName = forms?.serviceName ?? DEFAULT_FORMS.serviceName;
    this.exchange = createWorld({ ...world, serviceName });
    this.adapter = new WireAdapter({
      exchange: this.exchange,
      forms: { ...DEFAULT_FORMS, ...forms },
      ...(lenience === undefined ? {} : { isLenient: lenience }),
    });
  }

  send(request: string, options: RawOptions = {}): RawReply {
    const [method = '', path = ''] = request.split(' ');
    const { body, token = ALICE_TOKEN, headers = {}, ip = '198.51.100.7' } = options;
    const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
    this.exchange.advance(this.nowMs);
    const reply = this.adapter.handle(
      {
        method,
        path,
        headers: {
          'user-agent': 'TraderBot/tests',
          ...(text === '' ? {} : { 'content-type': 'application/json' }),
          ...(token === null ? {} : { authorization: `Token ${token}` }),
          ...headers,
        },
        body: text,
        ip,
      },
      this.nowMs,
    );
    return { status: reply.status, headers: reply.headers, text: reply.body, json: tryParse(reply.body) };
  }

  /** Places a limit order of bob in BTC-RLS, changed by `fields`, and returns its id. */
  bobPlaces(fields: Readonly<Record<string, unknown>>): number {
    const { json } = this.send('POST /market/orders/add', {
      token: BOB_TOKEN,
      body: { srcCurrency: 'btc', dstCurrency: 'rls', pro: true, ...fields },
    });
    return (json as { readonly order: { readonly id: number } }).order.id;
  }

  /** Places two levels on each side of BTC-RLS, around 12,600,000,000. */
  fillBook(): void {
    this.bobPlaces({ type: 'sell', price: '12600000010', amount: '0.5' });
    this.bobPlaces({ type: 'sell', price: '12600000020', amount: '1.25' });
    this.bobPlaces({ type: 'buy', price: '12599999990', amount: '0.75' });
    this.bobPlaces({ type: 'buy', price: '12599999980', amount: '2' });
  }
}

/** Headers of a request that a key has signed, under the name of a service. */
export function signedBy(
  key: TestKey,
  signed: Parameters<ReturnType<typeof createSigner>>[0],
  service = 'service',
): Readonly<Record<string, string>> {
  return {
    [`${service}-key`]: key.publicKey,
    [`${service}-signature`]: createSigner(key)(signed),
    [`${service}-timestamp`]: signed.timestamp,
  };
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
