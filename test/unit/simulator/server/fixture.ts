import {
  ExchangeServer,
  type ExchangeServerOptions,
} from '../../../../src/simulator-server/exchange-server.ts';
import { WorldClock, type Simulation } from '../../../../src/simulator-server/simulation.ts';
import type { ExchangeConfigInput } from '../../../../src/simulator-server/exchange-config.ts';
import { createVenue, START_MS } from '../wire/fixture.ts';

export const ADMIN_TOKEN = 'administrator-1';

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

interface Asking {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: string | null;
  readonly signal?: AbortSignal;
}

/** An exchange served on a free port, whose wall clock stands still at `START_MS`. */
export interface Served {
  readonly venue: Simulation;
  readonly clock: WorldClock;
  readonly address: string;
  readonly ask: (path: string, asking?: Asking) => Promise<Reply>;
  /** Calls the interface of the administrator. */
  readonly admin: (path: string, body?: unknown, method?: string) => Promise<Reply>;
  readonly close: () => Promise<void>;
}

export async function serve(
  config: ExchangeConfigInput = {},
  adminToken: string | null = ADMIN_TOKEN,
  options: Pick<ExchangeServerOptions, 'requestWithinMs'> = {},
): Promise<Served> {
  const venue = createVenue(config);
  const clock = new WorldClock(() => START_MS);
  const server = new ExchangeServer({ simulation: venue, clock, adminToken, ...options });
  const address = await server.listen({ host: '127.0.0.1', port: 0 });
  const ask = async (path: string, asking: Asking = {}): Promise<Reply> => {
    const { body, token = 'ali-token', headers, signal } = asking;
    const text = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(`${address}${path}`, {
      method: asking.method ?? (text === null ? 'GET' : 'POST'),
      redirect: 'manual',
      headers: {
        ...(text === null ? {} : { 'content-type': 'application/json' }),
        ...(token === null ? {} : { authorization: `Token ${token}` }),
        ...headers,
      },
      body: text,
      ...(signal === undefined ? {} : { signal }),
    });
    return { status: response.status, headers: response.headers, ...(await read(response)) };
  };
  return {
    venue,
    clock,
    address,
    ask,
    admin: (path, body, method) =>
      ask(`/_sim${path}`, {
        token: null,
        headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
        ...(body === undefined ? {} : { body }),
        ...(method === undefined ? {} : { method }),
      }),
    close: () => server.close(),
  };
}

async function read(
  response: Response,
): Promise<{ readonly text: string; readonly body: Record<string, unknown> }> {
  const text = await response.text();
  try {
    return { text, body: JSON.parse(text) as Record<string, unknown> };
  } catch {
    return { text, body: {} };
  }
}
