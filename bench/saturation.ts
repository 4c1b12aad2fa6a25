import { type Budget, mayUseReserve, REQUEST_CLASSES, type RequestClass } from '../src/domain/rate-limit.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reserveOf } from '../src/budget/admission.ts';
import { LedgerStore } from '../src/budget/store.ts';
import { createVenueCaller, sendRequest } from '../src/venues/venue-caller.ts';
import { parseUnits } from '../src/domain/money.ts';
import { createRandom } from '../src/domain/random.ts';
import type { VenueCall } from '../src/venues/port.ts';
import { ExchangeClient } from '../src/exchange/client.ts';
import type { Transport } from '../src/exchange/transport.ts';
import { InProcessVenue } from '../src/simulator-server/in-process-venue.ts';
import { readExchangeConfig } from '../src/simulator-server/exchange-config.ts';
import { createSimulation } from '../src/simulator-server/simulation.ts';
import type { LoggedRequest } from '../src/simulator-server/request-log.ts';
import { createVirtualLimiter } from '../src/virtual/virtual-executor.ts';
import { VirtualTime } from '../src/virtual/virtual-time.ts';
import type { BenchResult } from './result.ts';

const START_MS = Date.UTC(2026, 0, 5, 12);
const SEED = 7;
const WINDOWS = 10;
const TARGET_SHARE = 0.98;
/** Time of each reply, as a share of the window: just under a hundredth. */
const REPLY_SHARE = 0.0099;
/** Longest time from an admission to the send, in ms. */
const MOST_START_MS = 4;
/** Number of callers: more than may have requests under way at once, so that some always wait. */
const POLLERS = 18;

/**
 * Requests that compete for one budget: callers, spread evenly over the classes, that ask again after each
 * reply.
 */
interface Demand {
  readonly name: string;
  readonly classes: readonly RequestClass[];
  readonly call: (number: number) => VenueCall;
}

const listOrders = (): VenueCall => ({ kind: 'orders', status: 'open', market: null, from: null });

const DEMANDS: readonly Demand[] = [
  { name: 'orders-list/all-classes', classes: REQUEST_CLASSES, call: listOrders },
  { name: 'orders-list/market-data', classes: ['market'], call: listOrders },
  { name: 'order-book/market-data', classes: ['market'], call: () => ({ kind: 'book', market: 'BTCUSDT' }) },
  { name: 'orders-add/placements', classes: ['place'], call: placement },
];

function placement(number: number): VenueCall {
  return {
    kind: 'place',
    order: {
      clientOrderId: `saturation-${number}`,
      base: 'btc',
      quote: 'usdt',
      side: 'buy',
      execution: 'limit',
      amount: parseUnits('0.001'),
      price: parseUnits(50_000 - (number % 1_000)),
      stopPrice: null,
    },
  };
}

/** Requests of one demand, as the exchange saw them. */
interface Seen {
  readonly budget: Budget;
  readonly requests: readonly LoggedRequest[];
}

/** A transport with a round trip of `replyMs`. */
function slowWay(venue: Transport, time: VirtualTime, context: { replyMs: number }): Transport {
  const random = createRandom(SEED);
  return {
    async send(request) {
      const outMs = Math.round(random.next() * context.replyMs);
      await time.sleep(outMs);
      const response = await venue.send(request);
      await time.sleep(context.replyMs - outMs);
      return response;
    },
    close: () => venue.close(),
  };
}

/** The bot's own limiter, ledger file and client with a simulated exchange, in virtual time. */
function createWorld(demand: Demand, ledgerPath: string) {
  const time = new VirtualTime(START_MS);
  const nowMs = (): number => time.now();
  const { adapter } = createSimulation({
    config: readExchangeConfig({
      markets: [{ symbol: 'BTCUSDT', priceStep: '0.01', amountStep: '0.000001', initialPrice: '65000' }],
      users: [{ username: 'bot', tokens: ['bot-token'], balances: { usdt: '9000000000' } }],
    }),
    startMs: START_MS,
  });
  const context = { replyMs: 0 };
  const client = new ExchangeClient({
    transport: slowWay(new InProcessVenue({ adapter, now: nowMs }), time, context),
    credentials: { kind: 'token', token: 'bot-token' },
    nowMs,
  });
  const caller = createVenueCaller(client);
  const budgets = [...client.budgets.values()];
  const budget = budgets.find(({ name }) => name === caller.budgetOf(demand.call(0)));
  if (budget === undefined) throw new Error(`expected a budget for ${demand.name}, was none`);
  context.replyMs = Math.floor(budget.windowMs * REPLY_SHARE);
  const ledger = new LedgerStore({
    path: ledgerPath,
    budgets,
    subjects: { ip: 'here', token: 'bot' },
    whenMissing: 'empty',
    machine: { bootId: 'boot', owner: 'bench', lifeSignOf: () => 'alive', monotonicMs: nowMs, wallMs: nowMs },
  });
  const random = createRandom(SEED);
  const startMs = (): number => Math.round(random.next() * MOST_START_MS);
  const limiter = createVirtualLimiter({ time, budgets, ledger, lockouts: ledger, startMs });
  return { time, nowMs, log: adapter.log, caller, budget, ledger, limiter };
}

/** Runs one budget under endless demand. Throws when the exchange refuses anything. */
async function saturate(demand: Demand, ledgerPath: string): Promise<Seen> {
  const { time, nowMs, log, caller, budget, ledger, limiter } = createWorld(demand, ledgerPath);
  let calls = 0;
  const ask = async (requestClass: RequestClass): Promise<void> => {
    for (;;) {
      calls += 1;
      const { answer } = await sendRequest(
        { call: demand.call(calls), requestClass, dedupe: null, expiresAtMs: Infinity },
        { limiter, caller, canLogIn: false, engineMs: nowMs, limiterMs: nowMs },
      );
      // Nothing expires, so an unsent request has waited until the limiter was closed.
      if (answer.outcome === 'unsent') return;
      if (answer.outcome !== 'value') throw new Error(`${demand.name}: ${JSON.stringify(answer)}`);
    }
  };
  const asking = Array.from({ length: POLLERS }, async (_, index) =>
    ask(demand.classes[index % demand.classes.length] ?? 'market'),
  );
  await Promise.race([time.run(START_MS + (WINDOWS + 1) * budget.windowMs), Promise.all(asking)]);
  await limiter.close();
  ledger.close();
  return { budget, requests: log.values() };
}

/** Returns the most requests in any window, both ends included. */
function mostInAnyWindow(requests: readonly LoggedRequest[], windowMs: number): number {
  let first = 0;
  let most = 0;
  for (const [index, { timeMs }] of requests.entries()) {
    while ((requests[first]?.timeMs ?? timeMs) < timeMs - windowMs) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
}

/**
 * Requests per window after the first burst, which met an empty ledger. It is computed from the time in which
 * `usable` requests come round again, so that the start of a window does not matter.
 */
function steadyRate(
  requests: readonly LoggedRequest[],
  of: { readonly usable: number; readonly windowMs: number },
): number {
  const { usable, windowMs } = of;
  const cyclesMs = requests
    .slice(usable)
    .map(({ timeMs }, index) => timeMs - (requests[index]?.timeMs ?? timeMs));
  return (usable * windowMs * cyclesMs.length) / cyclesMs.reduce((sum, cycleMs) => sum + cycleMs, 0);
}

function resultsOf(demand: Demand, { budget, requests }: Seen): BenchResult[] {
  const { limit, windowMs } = budget;
  const usable = limit - (demand.classes.some(mayUseReserve) ? 0 : reserveOf(budget));
  const share = (name: string, value: number): BenchResult => ({
    name: `saturation/${demand.name}/${name}`,
    value: Number(value.toFixed(2)),
    unit: 'requests/window',
    reference: usable,
    ratio: Number((value / usable).toFixed(4)),
    target: TARGET_SHARE,
    holds: value >= usable * TARGET_SHARE,
  });
  const inTime = requests.filter(({ timeMs }) => timeMs < START_MS + WINDOWS * windowMs);
  const most = mostInAnyWindow(requests, windowMs);
  const areAllAnswered = requests.every(({ status }) => status === 200);
  return [
    share('from-an-empty-ledger', inTime.length / WINDOWS),
    share('steady', steadyRate(requests, { usable, windowMs })),
    {
      name: `saturation/${demand.name}/most-in-any-window`,
      value: most,
      unit: 'requests',
      reference: limit,
      ratio: Number((most / limit).toFixed(4)),
      target: 1,
      holds: most <= limit && areAllAnswered,
    },
  ];
}

/**
 * Measures how much of a limit a bot gets that always has requests: at least 98 % of what its classes may
 * use, and never more than the limit in any window, counted by the exchange. Replies take nearly a hundredth
 * of the window. It runs in virtual time and gives the same figures each time.
 */
export async function benchSaturation(): Promise<BenchResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sarraf-bench-'));
  try {
    const results: BenchResult[] = [];
    for (const [index, demand] of DEMANDS.entries()) {
      results.push(...resultsOf(demand, await saturate(demand, join(folder, `ledger-${index}.sqlite`))));
    }
    return results;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
