import { BudgetLedger } from '../budget/ledger.ts';
import { MemoryLockouts } from '../budget/lockouts.ts';
import { SarrafError } from '../domain/errors.ts';
import { ExchangeClient } from '../exchange/client.ts';
import type { HttpRequest, HttpResponse, Transport } from '../exchange/transport.ts';
import { readExchangeConfig } from '../simulator-server/exchange-config.ts';
import { InProcessVenue } from '../simulator-server/in-process-venue.ts';
import { createSimulation } from '../simulator-server/simulation.ts';
import { SyntheticFlow } from '../simulator/synthetic-flow.ts';
import { INTERFACE_PROFILE } from '../venues/interface-profile.ts';
import type { OtherVenue } from '../venues/other-venues.ts';
import { createVenueCaller } from '../venues/venue-caller.ts';
import { createVirtualLimiter } from '../virtual/virtual-executor.ts';
import type { Timeline } from '../virtual/virtual-time.ts';

/** Faults of another exchange: each is what its requests meet. */
export const OTHER_FAULTS = ['none', 'down', 'hangs', 'late', 'web page', 'limited', 'no access'] as const;

type OtherFault = (typeof OTHER_FAULTS)[number];

/** Time that a late reply takes, in ms: within the time-out, and beyond the age that strategies accept. */
const LATE_MS = 8_000;

const REPLIES: Readonly<Partial<Record<OtherFault, HttpResponse>>> = {
  'web page': { status: 200, headers: {}, body: '<html>Welcome</html>' },
  limited: { status: 429, headers: { 'retry-after': '60' }, body: '{"message":"Too many requests"}' },
  'no access': { status: 401, headers: {}, body: '{"detail":"no access"}' },
};

interface OtherExchangeOptions {
  readonly seed: number;
  readonly startMs: number;
  readonly now: () => number;
  readonly sleep: (durationMs: number) => Promise<void>;
  /** Market there and its first price. */
  readonly market: { readonly symbol: string; readonly price: string };
}

/** A second simulated exchange in the same virtual time, whose books a bot reads, with its own faults. */
export class OtherExchange implements Transport {
  fault: OtherFault = 'none';
  /** Number of requests that arrived. */
  requests = 0;
  private readonly options: OtherExchangeOptions;
  private readonly venue: InProcessVenue;

  constructor(options: OtherExchangeOptions) {
    const { seed, startMs, now, sleep, market } = options;
    this.options = options;
    const { exchange, faulty } = createSimulation({
      config: readExchangeConfig({
        markets: [
          {
            symbol: market.symbol,
            priceStep: '0.01',
            amountStep: '0.000001',
            initialPrice: market.price,
          },
        ],
      }),
      startMs,
      seed,
    });
    const flow = new SyntheticFlow({ exchange, seed, startMs, historyMinutes: 1 });
    this.venue = new InProcessVenue({
      adapter: faulty,
      now,
      sleep,
      world: {
        advance(timeMs) {
          flow.advance(timeMs);
          exchange.advance(timeMs);
        },
      },
    });
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    const { sleep } = this.options;
    this.requests += 1;
    const { fault } = this;
    const reply = REPLIES[fault];
    if (reply !== undefined) return reply;
    if (fault === 'down') throw new SarrafError('CONNECTION_REFUSED', `${request.path}: no connection`);
    if (fault === 'hangs') {
      await sleep(request.timeoutMs);
      throw new SarrafError('TIMED_OUT', `${request.path}: expected a reply within ${request.timeoutMs} ms`);
    }
    const response = await this.venue.send(request);
    if (fault === 'late') await sleep(LATE_MS);
    return response;
  }

  async close(): Promise<void> {}

  /** Opens it for a process, with the built-in client: limiter and ledger are new. */
  open(name: string, time: Timeline): OtherVenue {
    const nowMs = (): number => time.now();
    const client = new ExchangeClient({ transport: this, credentials: { kind: 'none' }, nowMs });
    const budgets = client.budgets.values();
    const ledger = new BudgetLedger(client.budgets.values());
    return {
      name,
      profile: INTERFACE_PROFILE,
      budgets: client.budgets,
      caller: createVenueCaller(client),
      limiter: createVirtualLimiter({ time, budgets, ledger, lockouts: new MemoryLockouts() }),
      limiterMs: nowMs,
      namedLimits: () => ledger.namedLimits(nowMs()),
      close: async () => undefined,
    };
  }
}
