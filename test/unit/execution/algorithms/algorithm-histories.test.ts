import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  multiplyUnits,
  NO_UNITS,
  parseUnits,
  type Units,
  divideHalfEven,
} from '../../../../src/domain/money.ts';
import { isFinal, mayTrade, type OrderRecord, type OrderState } from '../../../../src/records/order.ts';
import { onAmountGrid } from '../../../../src/engine/algorithms/requested-units.ts';
import { algorithmFromJson, algorithmToJson, type Algorithm } from '../../../../src/engine/algorithm-json.ts';
import {
  type AlgorithmOrder,
  type AlgorithmView,
  plainOrder,
} from '../../../../src/engine/algorithms/algorithm-step.ts';
import {
  advanceAlgorithm,
  createAlgorithm,
  type SizedAlgorithmIntent,
} from '../../../../src/engine/algorithms/algorithms.ts';
import { updateQuotes } from '../../../../src/engine/algorithms/quotes.ts';
import { deepRuns } from '../../../support/deep-runs.ts';
import { CREATED, MARKET, orderOf, QUIET_VIEW, quotesOf } from './algorithm-table.ts';
import { english } from '../../../../src/language/sentence.ts';

/**
 * An engine and an exchange that do all that can happen to an algorithm's orders: they refuse and lose them,
 * fill parts, end orders before their fills are read, fail cancels, prove absence, and drop ended orders.
 * `crashes`: the algorithm is read from its stored text before each step.
 */
class World {
  readonly orders: OrderRecord[] = [];
  readonly log: string[] = [];
  algorithm: Algorithm;
  /** Orders that the algorithm wanted placed in its last step. */
  asked: readonly AlgorithmOrder[] = [];
  isOver = false;
  nowMs = 0;
  position: Units;
  /** Amount that the dropped orders have filled. */
  forgotten = 0n;
  private refusals: { order: AlgorithmOrder; reason: string }[] = [];
  private count = 0;
  private readonly crashes: boolean;

  constructor(
    intent: SizedAlgorithmIntent,
    options: { readonly crashes: boolean; readonly position: Units },
  ) {
    this.crashes = options.crashes;
    this.position = options.position;
    if (intent.kind === 'replace') this.add(OLD, { key: 'old', state: 'open' });
    const created = createAlgorithm(intent, { ...CREATED, replaced: this.orders[0] });
    if (!created.ok) throw new Error(english(created.reason));
    this.algorithm = created.algorithm;
  }

  /** Lets one event happen, chosen by two numbers, and then advances the algorithm as an engine would. */
  step(choice: number, size: number): void {
    const subject = this.orders.filter((order) => !isFinal(order))[choice % 3];
    if (choice < 20) this.nowMs += 1 + size * 150;
    else if (choice < 26) this.refuse(size % 2 === 0);
    else if (choice < 30) this.forget();
    else if (choice < 34 && this.algorithm.kind === 'quotes') this.say(size);
    else if (subject !== undefined) this.happen(subject, { choice, size });
    this.ask();
  }

  /** Lets 30 s pass, ends all orders at the exchange, and advances the algorithm. */
  settle(): void {
    this.nowMs += 30_000;
    for (const order of this.orders) if (!isFinal(order)) this.move(order, { state: 'cancelled' });
    this.ask();
  }

  filled(): bigint {
    return this.orders.reduce((sum, order) => sum + order.filled, this.forgotten);
  }

  /** Returns the most that may still be filled. */
  exposed(): bigint {
    return this.orders.reduce((sum, order) => (isFinal(order) ? sum : sum + order.amount - order.filled), 0n);
  }

  ask(): void {
    this.asked = [];
    if (this.isOver) return;
    const step = advanceAlgorithm(this.read(), this.view());
    this.refusals = [];
    this.algorithm = step.algorithm;
    this.isOver = step.done !== null;
    this.asked = step.place;
    this.log.push(
      `${this.nowMs} ${step.cancel.join()} ${step.place.length} ${step.wakeAtMs} ${english(step.done)}`,
    );
    let isNews = false;
    for (const key of step.cancel) {
      const order = this.orders.find((one) => one.key === key);
      if (order?.state === 'planned') {
        this.move(order, { state: 'rejected', reason: 'Cancelled' });
        isNews = true;
      } else if (order?.state === 'open') this.move(order, { state: 'cancelling' });
    }
    for (const order of step.place) {
      this.count += 1;
      this.add(order, { key: String(this.count), state: 'planned', plannedAtMs: this.nowMs });
    }
    if (!this.isOver && !isNews)
      expect(advanceAlgorithm(this.read(), this.view()).place, 'asked again').toEqual([]);
  }

  private read(): Algorithm {
    return this.crashes ? algorithmFromJson(algorithmToJson(this.algorithm)) : this.algorithm;
  }

  private view(): AlgorithmView {
    const book = {
      bestBid: parseUnits('99'),
      bestAsk: parseUnits('101'),
      seenAtMs: this.nowMs,
      venueAtMs: null,
      freshUntilMs: null,
    };
    const { nowMs, position, refusals, orders } = this;
    return { ...QUIET_VIEW, nowMs, book, orders: [...orders], position, refusals };
  }

  /** Refuses the orders of the last step; the algorithm may or may not be notified. */
  private refuse(isReported: boolean): void {
    for (const order of this.asked) {
      const index = this.orders.findLastIndex(({ state }) => state === 'planned');
      if (index === -1) return;
      this.orders.splice(index, 1);
      if (isReported) this.refusals.push({ order, reason: 'refused' });
    }
  }

  /** Drops the oldest order from all views, as one that ended long ago. */
  private forget(): void {
    const [oldest] = this.orders;
    if (oldest === undefined || !isFinal(oldest) || this.isOver) return;
    this.orders.shift();
    this.forgotten += oldest.filled;
  }

  private say(size: number): void {
    if (this.algorithm.kind !== 'quotes') return;
    const updated = updateQuotes(this.algorithm, SETS[size % SETS.length] ?? quotesOf([]), this.nowMs);
    if (updated.ok) this.algorithm = updated.algorithm;
  }

  private happen(order: OrderRecord, by: { readonly choice: number; readonly size: number }): void {
    const part = onAmountGrid(MARKET, ((order.amount - order.filled) * BigInt(by.size)) / 100n);
    const matched = (order.filled + part) as Units;
    const outcomes = NEXT[order.state];
    const next = outcomes[by.choice % outcomes.length];
    if (next === undefined) return;
    if (next === 'fill') return this.fill(order, part);
    if (next === 'closed') return this.move(order, { state: 'settling', matched });
    if (next === 'matched') return this.move(order, { state: 'settling', matched: order.amount });
    if (next === 'settled') {
      this.fill(order, (order.matched - order.filled) as Units);
      const state = order.matched === order.amount ? 'filled' : 'cancelled';
      return this.move(this.now(order), { state });
    }
    this.move(order, { state: next, reason: next === 'rejected' ? 'NoFunds' : null });
    if (next === 'rejected' && by.size % 3 > 0)
      this.refusals.push({ order: { ...order, stopLimitPrice: null }, reason: 'NoFunds' });
  }

  private fill(order: OrderRecord, amount: Units): void {
    if (amount === 0n || order.filled + amount > order.amount) return;
    const filled = (order.filled + amount) as Units;
    this.position = (order.side === 'buy' ? this.position + amount : this.position - amount) as Units;
    const matched = filled > order.matched ? filled : order.matched;
    const isEvidence = order.state === 'unknown';
    const filledTotal = multiplyUnits(filled, order.price ?? parseUnits('100'), divideHalfEven);
    this.move(order, { filled, filledTotal, matched, state: isEvidence ? 'open' : order.state });
  }

  private now(order: OrderRecord): OrderRecord {
    return this.orders.find(({ key }) => key === order.key) ?? order;
  }

  private move(order: OrderRecord, fields: Partial<OrderRecord>): void {
    const index = this.orders.findIndex(({ key }) => key === order.key);
    const isClosing = fields.state !== undefined && !mayTrade({ ...order, ...fields });
    this.orders[index] = { ...order, closedAtMs: isClosing ? this.nowMs : null, ...fields };
  }

  private add(order: AlgorithmOrder, fields: Partial<OrderRecord> & { readonly key: string }): void {
    const amount = onAmountGrid(MARKET, order.amount);
    this.orders.push(orderOf({ ...order, amount }, fields));
  }
}

type Outcome = OrderState | 'fill' | 'closed' | 'matched' | 'settled';

/**
 * Possible outcomes for an order in each state. `closed`: ended with an unread fill; `matched`: all of it has
 * traded; `settled`: its fills are read.
 */
const NEXT: Readonly<Record<OrderState, readonly Outcome[]>> = {
  planned: ['sending', 'sending', 'sending', 'rejected'],
  sending: ['open', 'open', 'open', 'unknown', 'unknown', 'matched', 'closed', 'rejected'],
  unknown: ['open', 'fill', 'matched', 'closed', 'rejected'],
  open: ['fill', 'fill', 'matched', 'closed'],
  cancelling: ['closed', 'closed', 'matched', 'fill', 'open'],
  settling: ['settled', 'settled', 'fill'],
  filled: [],
  cancelled: [],
  rejected: [],
};

const OLD = plainOrder('buy', parseUnits('10'), parseUnits('99'));
const SETS = [
  quotesOf(['buy', '1@99', 'sell', '1@101']),
  quotesOf(['buy', '1@98', 'sell', '1@101']),
  quotesOf(['buy', '1@99', 'buy', '1@98', 'sell', '1@102']),
  quotesOf(['sell', '2@101', 'sell', '1@102', 'sell', '1@103']),
  quotesOf([]),
];

const market = 'BTCUSDT';
const TEN = { market, amount: '10' } as const;
const priceOrNone = fc.constantFrom({}, { price: '100' });
const side = fc.constantFrom('buy' as const, 'sell' as const);
const kinds = ['quotes', 'replace', 'target', 'twap', 'vwap', 'iceberg', 'ladder', 'peg', 'dca'] as const;
type Kind = (typeof kinds)[number];
const INTENTS: Readonly<Record<Kind, fc.Arbitrary<SizedAlgorithmIntent>>> = {
  quotes: fc.constantFrom(...SETS),
  replace: fc.constantFrom('3', '10', '17.5').map((amount) => ({
    kind: 'replace',
    clientOrderId: 'id-old',
    price: '98',
    amount,
  })),
  target: fc
    .record({
      wished: fc.constantFrom(
        { position: '9.5' },
        { position: '0' },
        { equityShare: '0.7' },
        { value: '700' },
      ),
      price: priceOrNone,
    })
    .map(({ wished, price }) => ({ kind: 'target', market, ...wished, ...price })),
  twap: fc
    .record({ side, slices: fc.integer({ min: 1, max: 7 }), price: priceOrNone })
    .map(({ side, slices, price }) => ({ kind: 'twap', side, slices, ...price, ...TEN, overMs: 60_000 })),
  vwap: fc
    .record({
      side,
      profile: fc.constantFrom(['1'], ['3', '1', '2'], ['0', '5', '0.01', '1']),
      price: priceOrNone,
    })
    .map(({ side, profile, price }) => ({ kind: 'vwap', side, profile, ...price, ...TEN, overMs: 60_000 })),
  ladder: fc
    .record({ side, orders: fc.integer({ min: 2, max: 6 }), expireAfterMs: fc.constantFrom(20_000, 400_000) })
    .map(({ side, orders, expireAfterMs }) => ({
      kind: 'ladder',
      side,
      ...TEN,
      from: '99',
      to: '95',
      orders,
      scale: 'linear',
      expireAfterMs,
    })),
  peg: fc.record({ side, offset: fc.integer({ min: 0, max: 2 }) }).map(({ side, offset }) => ({
    kind: 'peg',
    market,
    side,
    amount: '10',
    bound: side === 'buy' ? '98.99' : '101.01',
    offset,
    everyMs: 1_000,
    expireAfterMs: 400_000,
  })),
  dca: fc.constantFrom(1, 3).map((times) => ({ kind: 'dca', market, value: '300', everyMs: 60_000, times })),
  iceberg: fc
    .record({ side, visible: fc.constantFrom('0.7', '3', '10') })
    .map(({ side, visible }) => ({ kind: 'iceberg', market, side, amount: '10', visible, price: '100' })),
};

const happenings = fc.array(fc.tuple(fc.nat(99), fc.nat(100)), { maxLength: 120, size: 'max' });
const start = parseUnits('4');

/** Runs an algorithm through a history of events, and checks it after each. */
function live(
  intent: SizedAlgorithmIntent,
  history: readonly (readonly [number, number])[],
  options: { readonly crashes: boolean; readonly check?: (world: World) => void },
): World {
  const world = new World(intent, { crashes: options.crashes, position: start });
  world.ask();
  for (const [choice, size] of history) {
    world.step(choice, size);
    options.check?.(world);
  }
  return world;
}

describe.each(kinds)('whatever becomes of its orders, %s', (kind) => {
  test('goes on after a crash between any two steps as if there was none', () => {
    fc.assert(
      fc.property(INTENTS[kind], happenings, (intent, history) => {
        const whole = live(intent, history, { crashes: false });
        const crashed = live(intent, history, { crashes: true });
        expect(crashed.log).toEqual(whole.log);
        expect(crashed.orders).toEqual(whole.orders);
        expect(crashed.algorithm).toEqual(whole.algorithm);
      }),
      { numRuns: deepRuns(50, 20) },
    );
  });
});

/** Checks an algorithm after each event of many histories, in which it crashes between any two steps. */
function always(
  kind: Kind,
  [deep, shallow]: readonly [deep: number, shallow: number],
  check: (world: World, intent: SizedAlgorithmIntent) => void,
): void {
  fc.assert(
    fc.property(INTENTS[kind], happenings, (intent, history) => {
      live(intent, history, { crashes: true, check: (world) => check(world, intent) });
    }),
    { numRuns: deepRuns(deep, shallow) },
  );
}

describe.each(['replace', 'target', 'twap', 'vwap', 'iceberg', 'peg', 'dca'] as const)(
  'whatever becomes of its orders, %s',
  (kind) => {
    test('has one order at a time', () =>
      always(kind, [50, 12], ({ orders }) =>
        expect(orders.filter((order) => !isFinal(order)).length).toBeLessThanOrEqual(1),
      ));
  },
);

describe.each(['replace', 'twap', 'vwap', 'iceberg', 'ladder', 'peg'] as const)(
  'whatever becomes of its orders, %s',
  (kind) => {
    test('never trades more than its amount', () =>
      always(kind, [50, 12], (world, intent) => {
        const wanted = 'amount' in intent ? parseUnits(String(intent.amount)) : NO_UNITS;
        // The order that is replaced may have filled, or still fill, more than is wanted now.
        const old = world.orders.find(({ key }) => key === 'old');
        const isOldAlone = kind === 'replace' && world.orders.length === 1 && old !== undefined;
        if (!isOldAlone) expect(world.filled() + world.exposed()).toBeLessThanOrEqual(wanted);
      }));
  },
);

describe('whatever becomes of its orders', () => {
  test('target never goes beyond its position, and never sells what is not there', () =>
    always('target', [50, 12], ({ algorithm, position, orders }) => {
      const target = algorithm.kind === 'target' ? algorithm.position : null;
      const order = orders.find((one) => !isFinal(one));
      if (order === undefined || target === null) return;
      const rest = order.amount - order.filled;
      if (order.side === 'buy') expect(position + rest).toBeLessThanOrEqual(target);
      else expect(position - rest).toBeGreaterThanOrEqual(target);
    }));

  test('quotes has no more orders on a side than were wanted when it placed the last', () =>
    always('quotes', [70, 15], ({ algorithm, orders, asked }) => {
      if (algorithm.kind !== 'quotes') return;
      for (const side of new Set(asked.map((order) => order.side))) {
        const resting = orders.filter((order) => order.side === side && !isFinal(order));
        const wanted = algorithm.quotes.filter((quote) => quote.side === side);
        expect(resting.length).toBeLessThanOrEqual(wanted.length);
        expect(wanted.map(({ price }) => price)).toEqual(
          expect.arrayContaining(resting.map((order) => order.price)),
        );
      }
    }));

  test('ladder has each rung once', () =>
    always('ladder', [50, 12], ({ orders }) => {
      const accepted = orders.filter(({ state }) => state !== 'rejected').map(({ price }) => price);
      expect(new Set(accepted).size).toBe(accepted.length);
    }));

  test('peg never lies beyond its bound, nor where it would trade at once', () =>
    always('peg', [20, 10], ({ asked }, intent) => {
      const bound = 'bound' in intent ? parseUnits(String(intent.bound)) : NO_UNITS;
      for (const { side, price } of asked)
        expect(side === 'buy' ? price! <= bound : price! >= bound).toBe(true);
    }));

  test('dca spends no more than the value of each time that has come', () =>
    always('dca', [50, 12], (world, intent) => {
      const value = 'value' in intent ? parseUnits(String(intent.value)) : NO_UNITS;
      const everyMs = 'everyMs' in intent ? (intent.everyMs ?? 0) : 0;
      // Its amount is computed with the best ask of 101, and it fills at 100.
      const most = (world.filled() + world.exposed()) * 101n;
      const times = BigInt(Math.floor(world.nowMs / everyMs) + 1);
      expect(most).toBeLessThanOrEqual(value * times);
    }));
});

/** An algorithm that ends on its own is over when its time is up and nothing is left at the exchange. */
describe.each(['twap', 'vwap', 'ladder', 'peg', 'dca'] as const)('in the end, %s', (kind) => {
  test('is over', () => {
    fc.assert(
      fc.property(INTENTS[kind], happenings, (intent, history) => {
        const world = live(intent, history, { crashes: true });
        for (let round = 0; round < 200 && !world.isOver; round += 1) world.settle();
        expect(world.isOver).toBe(true);
      }),
      { numRuns: deepRuns(20, 10) },
    );
  });
});
