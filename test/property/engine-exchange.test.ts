import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatUnits } from '../../src/domain/money.ts';
import type { VenueOrder, VenueOrderId, VenueTradeId } from '../../src/domain/order.ts';
import { isOpenStatus, type VenueCall } from '../../src/venues/port.ts';
import { mayTrade } from '../../src/records/order.ts';
import type { Intent } from '../../src/strategy/intents.ts';
import { buy, cancel, cancelAll, iceberg, oco, quotes, replace, sell, target } from '../support/intents.ts';
import { EngineWorld } from '../unit/engine/engine-world.ts';
import { INTERFACE_PROFILE } from '../../src/venues/interface-profile.ts';
import { deepRuns } from '../support/deep-runs.ts';

/**
 * Trades and orders stay hidden at least this long, at most until the next event after it. `LAG_MS` is the
 * longest lag of lists that the engine allows for.
 */
const HIDDEN_MS = 10_000;
const LAG_MS = 60_000;

/** Outcomes of a request that changes the exchange. */
type Fate = 'done' | 'reply lost' | 'unlisted' | 'lost' | 'late' | 'refused' | 'unsent';

type Happening =
  | { readonly kind: 'wish'; readonly wish: number; readonly price: number }
  | { readonly kind: 'answer'; readonly fate: Fate }
  | { readonly kind: 'arrive' }
  | { readonly kind: 'fill'; readonly which: number; readonly isAll: boolean; readonly isHidden: boolean }
  | { readonly kind: 'end'; readonly which: number }
  | { readonly kind: 'deposit'; readonly amount: number }
  | { readonly kind: 'by hand'; readonly price: number }
  | { readonly kind: 'fail'; readonly what: 'orders' | 'trades' | 'wallets' | null }
  | { readonly kind: 'pass'; readonly seconds: number }
  | { readonly kind: 'halt' }
  | { readonly kind: 'resume' }
  | { readonly kind: 'restart'; readonly losing: boolean };

const HAPPENINGS: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 5, arbitrary: record('wish', { wish: fc.nat(11), price: fc.integer({ min: 92, max: 96 }) }) },
  {
    weight: 6,
    arbitrary: record('answer', {
      fate: fc.constantFrom<Fate>(
        'done',
        'done',
        'done',
        'reply lost',
        'unlisted',
        'lost',
        'late',
        'refused',
        'unsent',
      ),
    }),
  },
  { weight: 1, arbitrary: record('arrive', {}) },
  { weight: 4, arbitrary: record('fill', { which: fc.nat(5), isAll: fc.boolean(), isHidden: fc.boolean() }) },
  { weight: 1, arbitrary: record('end', { which: fc.nat(5) }) },
  { weight: 1, arbitrary: record('deposit', { amount: fc.integer({ min: 1, max: 50 }) }) },
  { weight: 1, arbitrary: record('by hand', { price: fc.integer({ min: 104, max: 110 }) }) },
  { weight: 1, arbitrary: record('fail', { what: fc.constantFrom('orders', 'trades', 'wallets', null) }) },
  { weight: 4, arbitrary: record('pass', { seconds: fc.integer({ min: 1, max: 20 }) }) },
  { weight: 1, arbitrary: record('halt', {}) },
  { weight: 2, arbitrary: record('resume', {}) },
  { weight: 1, arbitrary: record('restart', { losing: fc.boolean() }) },
);

function record<Kind extends string, Rest extends object>(
  kind: Kind,
  rest: { readonly [Name in keyof Rest]: fc.Arbitrary<Rest[Name]> },
): fc.Arbitrary<{ readonly kind: Kind } & Rest> {
  return fc.record({ kind: fc.constant(kind), ...rest }) as unknown as fc.Arbitrary<
    { readonly kind: Kind } & Rest
  >;
}

/** A scripted exchange, and an engine whose strategy may want anything. */
class Play {
  readonly world: EngineWorld;
  private hiddenSinceMs: number | null = null;
  private late: { readonly call: VenueCall; readonly untilMs: number }[] = [];

  constructor(resendUnknown: boolean, feeCoins: string) {
    const reconciliation = { everyMs: 20_000, lagMs: LAG_MS, alertAfterMs: 600_000 };
    this.world = EngineWorld.ready({ settings: { resendUnknown, reconciliation }, feeCoins }, 20_000);
    this.world.answers.add('order');
  }

  do(happening: Happening): void {
    const { world } = this;
    const { venue } = world;
    switch (happening.kind) {
      case 'wish':
        if (!world.engine.isAccountRead()) break;
        world.want(...this.wishes(happening.wish, String(happening.price)));
        break;
      case 'answer':
        this.answer(happening.fate);
        break;
      case 'arrive':
        this.arrive();
        break;
      case 'fill': {
        const order = this.openAt(happening.which);
        if (order === undefined) break;
        const trade = venue.fill(order.id, happening.isAll ? undefined : quarterOf(order));
        if (happening.isHidden) this.hide(trade.id);
        break;
      }
      case 'end':
        venue.end(this.openAt(happening.which)?.id ?? venue.placeByHand('buy', '1', '90').id);
        break;
      case 'deposit':
        venue.deposit('usdt', `${happening.amount}.25`);
        break;
      case 'by hand':
        venue.placeByHand('sell', '0.5', String(happening.price));
        break;
      case 'fail':
        world.failing = happening.what === null ? null : { kind: happening.what, code: 'TIMED_OUT' };
        break;
      case 'pass':
        world.advance(happening.seconds * 1_000);
        break;
      case 'halt':
        world.control({ kind: 'halt', reason: 'a test', wholeAccount: false });
        break;
      case 'resume':
        if (world.engine.haltReason() !== null) world.control({ kind: 'resume' });
        break;
      case 'restart':
        for (const { call } of world.waitingRequests()) this.delay(call);
        world.restart({ losing: happening.losing });
        world.advance(1_000);
    }
    if (this.hiddenSinceMs !== null && this.hiddenSinceMs + HIDDEN_MS < world.nowMs) {
      venue.hidden.clear();
      this.hiddenSinceMs = null;
    }
    this.check();
  }

  /** Answers everything truthfully, and lets time pass until nothing can be open any more. */
  becomeQuiet(): void {
    const { world } = this;
    world.failing = null;
    world.venue.hidden.clear();
    this.late = [];
    for (let waited = 0; waited < 260_000; waited += 2_000) {
      while (world.waitingKinds().length > 0) this.answer('done');
      world.advance(2_000);
    }
    this.check();
  }

  /**
   * Checks that nothing is placed twice: each of our ids is at the exchange once at most, and no intent has
   * two live orders unless it asks for several.
   */
  check(): void {
    const ids = this.world.venue.orders.flatMap(({ clientOrderId }) =>
      clientOrderId === null ? [] : [clientOrderId],
    );
    expect(ids).toHaveLength(new Set(ids).size);
    const live = this.world.engine.orderManager.blotter.table
      .unfinished()
      .filter((order) => mayTrade(order) && order.clientOrderId !== null)
      .map(({ intentId }) => intentId)
      .filter((intentId) => this.world.mirror.intents.get(intentId)?.kind !== 'quotes');
    expect(live).toHaveLength(new Set(live).size);
  }

  private wishes(which: number, price: string): readonly Intent[] {
    const own = [...this.world.engine.orderManager.blotter.table.unfinished('one')];
    const key = own[which % Math.max(1, own.length)]?.key ?? 'nobody';
    const market = 'BTCUSDT';
    const quote = { side: 'buy', price, amount: '0.5' } as const;
    const wishes: readonly (readonly Intent[])[] = [
      [buy(market, { amount: '1', price })],
      [buy(market, { amount: '1', price }), buy(market, { amount: '1', price })],
      [sell(market, { amount: '0.7', price: `1${price}` })],
      [oco(market, 'sell', { amount: '0.4', price: `1${price}`, stopPrice: '90', stopLimitPrice: '89' })],
      [cancel(key)],
      [cancelAll()],
      [quotes(market, [quote, { ...quote, side: 'sell', price: '105' }])],
      [quotes(market, [])],
      [target(market, { position: '2', price })],
      [iceberg(market, 'buy', { amount: '2', visible: '0.5', price })],
      [replace(key, { price: '91' })],
      [buy(market, { amount: '0.3' })],
    ];
    return wishes[which] ?? [];
  }

  private answer(fate: Fate): void {
    const { world } = this;
    const [kind] = world.waitingKinds();
    if (kind === 'place' || kind === 'place-oco') this.answerPlace(kind, fate);
    else if (kind === 'cancel') this.answerCancel(fate);
  }

  private answerPlace(kind: 'place' | 'place-oco', fate: Fate): void {
    const { world } = this;
    const { call } = world.pending(kind);
    if (fate === 'unsent') world.unsend(kind);
    else if (fate === 'refused') world.refuse(kind, 'InsufficientBalance');
    else if (fate === 'lost') world.fail(kind);
    else if (fate === 'late') {
      this.delay(call);
      world.fail(kind);
    } else {
      const placed = this.register(call);
      if (placed === null) world.refuse(kind, 'DuplicateClientOrderId');
      else if (fate === 'reply lost' || fate === 'unlisted') {
        if (fate === 'unlisted')
          for (const { id } of Array.isArray(placed) ? placed : [placed]) this.hide(id);
        world.fail(kind);
      } else world.give(kind, placed);
    }
  }

  private answerCancel(fate: Fate): void {
    const { world } = this;
    const { call } = world.pending('cancel');
    const order = world.venue.orders.findLast(({ id, clientOrderId, status }) =>
      call.venueId === null
        ? clientOrderId === call.clientOrderId && isOpenStatus(INTERFACE_PROFILE, status ?? '')
        : id === call.venueId,
    );
    if (fate === 'unsent') world.unsend('cancel');
    else if (fate === 'lost' || fate === 'late') world.fail('cancel');
    else if (order === undefined || fate === 'refused') world.refuse('cancel', 'NotFound');
    else if (!isOpenStatus(INTERFACE_PROFILE, order.status ?? ''))
      world.refuse('cancel', 'NotApplied', { order: { ...order } });
    else {
      const ended = world.venue.end(order.id);
      if (fate === 'reply lost' || fate === 'unlisted') world.fail('cancel');
      else world.give('cancel', { status: ended.status, order: ended });
    }
  }

  /** Places an order at the exchange, unless one with its name is open; returns the reply, or null. */
  private register(call: VenueCall): VenueOrder | readonly VenueOrder[] | null {
    const { venue } = this.world;
    if (call.kind !== 'place' && call.kind !== 'place-oco') return null;
    const { clientOrderId } = call.order;
    if (venue.open().some((order) => order.clientOrderId === clientOrderId)) return null;
    return call.kind === 'place' ? { ...venue.place(call.order) } : venue.placePair(call.order);
  }

  /** A request that was lost may still arrive, within the two minutes that this may take. */
  private delay(call: VenueCall): void {
    this.late.push({ call, untilMs: this.world.nowMs + 119_000 });
  }

  private arrive(): void {
    const { nowMs } = this.world;
    const next = this.late.shift();
    if (next !== undefined && next.untilMs >= nowMs) this.register(next.call);
  }

  /** Hides a trade or an order from the lists for a while. */
  private hide(id: VenueTradeId | VenueOrderId | null): void {
    this.world.venue.hidden.add(id);
    this.hiddenSinceMs ??= this.world.nowMs;
  }

  private openAt(which: number): VenueOrder | undefined {
    const open = this.world.venue.open();
    return open[which % Math.max(1, open.length)];
  }
}

const quarterOf = (order: VenueOrder): string =>
  formatUnits(((order.amount - order.matchedAmount) / 4_000_000n) * 1_000_000n);

/** Expects both sides to agree about our orders after the quiet time. */
function agreement(world: EngineWorld): void {
  const { venue, engine } = world;
  const { table } = engine.orderManager.blotter;
  const known = world.orders();
  const own = venue.orders.filter(({ clientOrderId, pairId }) => clientOrderId !== null || pairId !== null);
  for (const order of own) {
    const record = known.find(({ venueId }) => venueId === order.id);
    expect(record, `the order ${order.id} of ${order.clientOrderId}`).toBeDefined();
    expect(record?.filled ?? 0n).toBe(order.matchedAmount);
    expect(table.byVenueId(order.id)?.state === 'open').toBe(
      isOpenStatus(INTERFACE_PROFILE, order.status ?? ''),
    );
  }
  expect(table.unfinished().map(({ key, state }) => [key, state])).toEqual(
    table.unfinished().map(({ key }) => [key, 'open']),
  );
  const fills = world.fills();
  expect(fills).toHaveLength(venue.trades.length);
  expect(new Set(fills.map(({ tradeId }) => tradeId))).toEqual(new Set(venue.trades.map(({ id }) => id)));
  for (const fill of fills)
    expect(fill.orderKey).toBe(known.find(({ venueId }) => venueId === fill.venueOrderId)?.key ?? null);
  expect(engine.reconciler.break).toBeNull();
  for (const currency of ['btc', 'usdt', 'bnb'])
    expect(formatUnits(engine.reconciler.books.expectedOf(currency) ?? 0n), currency).toBe(
      engine.reconciler.currencies.has(currency) ? venue.totalOf(currency) : '0',
    );
}

describe('an engine against an exchange of any kind', () => {
  it('has at most one live order an intent, takes every fill once, and agrees with it once it is quiet', () => {
    fc.assert(
      fc.property(
        fc.array(HAPPENINGS, { minLength: 5, maxLength: 30 }),
        fc.boolean(),
        // Enough for no fee, for some fees or for all, so that an order may have several kinds.
        fc.constantFrom('0', '0.002', '0.003', '100'),
        (happenings, resends, feeCoins) => {
          const play = new Play(resends, feeCoins);
          for (const happening of happenings) play.do(happening);
          play.becomeQuiet();
          agreement(play.world);
        },
      ),
      { numRuns: deepRuns(12, 6) },
    );
  });
});
