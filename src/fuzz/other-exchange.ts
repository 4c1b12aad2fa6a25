import { z } from 'zod';
import { BudgetLedger } from '../budget/ledger.ts';
import { MemoryLockouts } from '../budget/lockouts.ts';
import { SarrafError } from '../domain/errors.ts';
import { createRandom } from '../domain/random.ts';
import type { EngineOutput } from '../engine/engine-event.ts';
import { budgetTable } from '../exchange/client-options.ts';
import { ExchangeClient } from '../exchange/client.ts';
import type { HttpRequest, HttpResponse, Transport } from '../exchange/transport.ts';
import { readExchangeConfig } from '../simulator-server/exchange-config.ts';
import { InProcessVenue } from '../simulator-server/in-process-venue.ts';
import { createSimulation } from '../simulator-server/simulation.ts';
import { SyntheticFlow } from '../simulator/synthetic-flow.ts';
import { INTERFACE_PROFILE } from '../venues/interface-profile.ts';
import { defineStrategy } from '../strategy/definition.ts';
import { otherVenueFacts, type OtherVenue } from '../venues/other-venues.ts';
import { createVenueCaller } from '../venues/venue-caller.ts';
import { createVirtualLimiter } from '../virtual/virtual-executor.ts';
import type { Timeline } from '../virtual/virtual-time.ts';
import type { JournalEntry } from '../engine/mirror-change.ts';
import type { Coverage } from './coverage.ts';
import type { Violation } from './checkers/exchange-truth.ts';
import { Dice } from './dice.ts';

/** Faults of another exchange: each is what its requests meet. */
export const OTHER_FAULTS = ['none', 'down', 'hangs', 'late', 'web page', 'limited', 'no access'] as const;

type OtherFault = (typeof OTHER_FAULTS)[number];

/** Time that a late reply takes, in ms: within the time-out. */
const LATE_MS = 4_000;

const REPLIES: Readonly<Partial<Record<OtherFault, HttpResponse>>> = {
  'web page': { status: 200, headers: {}, body: '<html>Welcome</html>' },
  limited: { status: 429, headers: { 'retry-after': '60' }, body: '{"message":"Too many requests"}' },
  'no access': { status: 401, headers: {}, body: '{"detail":"no access"}' },
};

/** Name under which the fuzzed bot knows the other exchange. */
const OTHER_NAME = 'world';

/** Share of the seeds with another exchange. */
const OTHER_SHARE = 0.3;

/** Range of the time until its next fault, and of the length of a fault, in ms. */
const GAP_MS = [120_000, 1_800_000] as const;
const FAULT_MS = [5_000, 300_000] as const;

/** True if the bot of a seed reads another exchange. */
export const hasOtherExchange = (seed: number): boolean =>
  Dice.of(seed, 'other exchange').happens(OTHER_SHARE);

/** Facts of the other exchange for the plan. */
export const OTHER_FACTS = otherVenueFacts([
  { name: OTHER_NAME, profile: INTERFACE_PROFILE, budgets: budgetTable() },
]);

/** Longest age of its price that the follower accepts, in ms. */
const FOLLOWER_AGE_MS = 20_000;

/** Tag of the follower's own orders. */
const FOLLOWS = 'follow';

/**
 * A strategy that orders by the last price of the other exchange that it has seen, however old that is: the
 * engine alone keeps it from orders by an old one.
 */
export const FOLLOWER = defineStrategy({
  name: 'follower',
  params: z.strictObject({ seed: z.int(), activity: z.number().positive().max(1) }),
  state: z.strictObject({ random: z.number().nullable().default(null) }),
  data: ({ market, venue }) => ({
    own: market.book({ everyMs: 8_000, maxAgeMs: 120_000 }),
    world: venue(OTHER_NAME).book('BTCUSDT', { everyMs: 4_000, maxAgeMs: FOLLOWER_AGE_MS }),
  }),
  on: {
    own(ctx, { bestBid }) {
      const random = createRandom(ctx.state.random ?? ctx.params.seed);
      const dice = new Dice(Math.floor(random.next() * 0x1_0000_0000));
      ctx.setState({ random: random.state });
      if (bestBid === null || !dice.happens(ctx.params.activity)) return;
      const terms = { tag: FOLLOWS, expireAfterMs: dice.integer(5_000, 60_000) };
      const price = bestBid.price * (1 - dice.logUniform(0.001, 0.02));
      ctx.buy({ ...terms, amount: dice.logUniform(0.0005, 0.002), price });
    },
  },
});

/**
 * Checks that no order of the follower is sent by a price that is too old: at that moment, the last book of
 * the other exchange that the same life read was asked for no longer ago than the follower accepts.
 */
export class OtherPriceChecker {
  private readonly count: Coverage['count'];
  private readonly found: Violation[] = [];
  private readonly sent = new Set<string>();
  private askedAtMs = Number.NEGATIVE_INFINITY;

  constructor(count: Coverage['count']) {
    this.count = count;
  }

  /** Called when a life begins, which has read nothing yet. */
  begins(): void {
    this.askedAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Notes a book that was read. */
  read(askedAtMs: number): void {
    this.askedAtMs = Math.max(this.askedAtMs, askedAtMs);
  }

  watch({ changes }: Pick<EngineOutput, 'changes'>, nowMs: number): void {
    for (const change of changes) {
      if (change.kind === 'journal' && isLate(change.entry))
        this.count('order refused as that price is late');
      if (change.kind !== 'order') continue;
      const { key, strategy, state, tag } = change.order;
      if (strategy !== FOLLOWER.name || tag !== FOLLOWS || state !== 'sending' || this.sent.has(key))
        continue;
      this.sent.add(key);
      this.count('order by the price of another exchange');
      const ageMs = nowMs - this.askedAtMs;
      if (ageMs <= FOLLOWER_AGE_MS) continue;
      const message = `expected ${key} to be sent by a price of at most ${FOLLOWER_AGE_MS} ms, it was asked for ${ageMs} ms before ${nowMs}`;
      this.found.push({ check: 'other price', message });
    }
  }

  violations(): readonly Violation[] {
    return this.found;
  }
}

interface OtherExchangeOptions {
  readonly seed: number;
  readonly startMs: number;
  readonly now: () => number;
  readonly sleep: (durationMs: number) => Promise<void>;
  /** Market there and its first price. */
  readonly market: { readonly symbol: string; readonly price: string };
}

/** True for the line of an order of the follower that the age of data refused. */
const isLate = ({ kind, subject, json }: JournalEntry): boolean =>
  kind === 'intent' && subject === FOLLOWER.name && json.includes('"refusedBy":"data-age"');

/** Process that reads it. */
interface OtherProcess {
  /** Resolves once the process runs, or never if it is dead. */
  readonly awake: () => Promise<void>;
  /** Called with the time of the request of each book that was read. */
  readonly onRead: (askedAtMs: number) => void;
}

/** A second simulated exchange in the same virtual time, whose books a bot reads, with its own faults. */
export class OtherExchange implements Transport {
  fault: OtherFault = 'none';
  /** True while faults are drawn. */
  isOn = true;
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

  /** Draws faults from now on, each for some time, while `isOn`. */
  drawFaults(time: Timeline): void {
    const dice = Dice.of(this.options.seed, 'faults of the other exchange');
    const next = (): void => {
      time.at(time.now() + dice.logUniform(...GAP_MS), () => {
        if (!this.isOn) return;
        this.fault = dice.pick(OTHER_FAULTS) ?? 'none';
        time.at(time.now() + dice.logUniform(...FAULT_MS), () => {
          this.fault = 'none';
          next();
        });
      });
    };
    next();
  }

  /** Opens it for a process, with the built-in client: limiter and ledger are new. */
  open(time: Timeline, of: Partial<OtherProcess> = {}): OtherVenue {
    const { awake = async () => undefined, onRead = () => undefined } = of;
    const nowMs = (): number => time.now();
    const transport: Transport = {
      send: async (request) => {
        const askedAtMs = nowMs();
        try {
          const response = await this.send(request);
          await awake();
          if (response.status === 200 && response.body.startsWith('{')) onRead(askedAtMs);
          return response;
        } catch (error) {
          await awake();
          throw error;
        }
      },
      close: async () => undefined,
    };
    const client = new ExchangeClient({ transport, credentials: { kind: 'none' }, nowMs });
    const budgets = client.budgets.values();
    const ledger = new BudgetLedger(client.budgets.values());
    return {
      name: OTHER_NAME,
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
