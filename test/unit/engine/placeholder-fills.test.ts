import { describe, expect, it } from 'vitest';
import { formatUnits, NO_UNITS, parseUnits, type Units } from '../../../src/domain/money.ts';
import type { VenueTrade } from '../../../src/domain/trade.ts';
import type { VenueOrderId } from '../../../src/domain/order.ts';
import { EngineWorld, FAST, WISH, type WorldOptions } from './engine-world.ts';
import { english } from '../../../src/language/sentence.ts';

const SLOW_ALERT = { ...FAST, alertAfterMs: 600_000 };
const MINUTE_MS = 60_000;

interface Closed {
  readonly world: EngineWorld;
  readonly id: VenueOrderId | null;
  readonly trades: readonly VenueTrade[];
}

function placed(more: WorldOptions = {}): Omit<Closed, 'trades'> {
  const settings = { reconciliation: SLOW_ALERT };
  const world = EngineWorld.answering({ settings, ...more }, 30_000).want(WISH);
  return { world, id: world.accept().id };
}

/** Makes an order that filled 0.3 at 97.5 and 0.5 at 97; the second trade or both are not listed. */
function closed(
  hidden: 'both' | 'second',
  record: { total?: Units; fee?: Units } | null = {},
  more: WorldOptions = {},
): Closed {
  const { world, id } = placed(more);
  const first = world.venue.fill(id, '0.3', '97.5');
  if (hidden === 'second') world.advance(20_000);
  const second = world.venue.fill(id, '0.5', '97');
  for (const trade of hidden === 'both' ? [first, second] : [second]) world.venue.hidden.add(trade.id);
  if (record !== null)
    Object.assign(world.venue.orderOf(id), {
      total: parseUnits('77.75'),
      fee: parseUnits('0.0016'),
      ...record,
    });
  world.venue.end(id);
  return { world, id, trades: [first, second] };
}

const held = (world: EngineWorld): Units | undefined => world.engine.instances[0]?.held('btc');
const profit = (world: EngineWorld): unknown => world.engine.instances[0]?.ledger.state.flows.get('BTCUSDT');

describe('an order whose trades are not listed any more', () => {
  it('gets a fill from its own record once they were waited for, and trading goes on', () => {
    const { world, id } = closed('both');
    world.advance(4 * MINUTE_MS);
    expect(world.order()).toMatchObject({ state: 'settling' });
    world.advance(2 * MINUTE_MS);
    expect(world.order()).toMatchObject({
      state: 'cancelled',
      filled: parseUnits('0.8'),
      filledTotal: parseUnits('77.75'),
      fee: parseUnits('0.0016'),
    });
    expect(world.fills()).toMatchObject([
      { tradeId: `placeholder ${id}`, orderKey: world.order().key, price: parseUnits('97.1875') },
    ]);
    expect(held(world)).toBe(parseUnits('0.7984'));
    expect(world.eventsOf('fill')).toMatchObject([{ amount: 0.8, total: 77.75, fee: 0.0016 }]);
    expect(world.alarms().join()).toContain(`as "placeholder ${id}", until they come`);
    world.advance(10 * MINUTE_MS);
    expect(world.engine.closedReason()).toBeNull();
    expect(world.engine.reconciler.break).toBeNull();
  });

  it('gets one of what is missing beside the trades that came', () => {
    const { world, id } = closed('second');
    world.advance(7 * MINUTE_MS);
    expect(world.fills()).toMatchObject([
      { amount: parseUnits('0.3') },
      {
        tradeId: `placeholder ${id}`,
        amount: parseUnits('0.5'),
        total: parseUnits('48.5'),
        fee: parseUnits('0.001'),
      },
    ]);
    expect(world.order()).toMatchObject({ state: 'cancelled', filled: parseUnits('0.8') });
  });

  it.each(['before', 'after'] as const)(
    'has it replaced by its trades when they come, to the last digit, also over a restart %s them',
    (when) => {
      const { world, id, trades } = closed('both', { total: parseUnits('77.7'), fee: parseUnits('0.0017') });
      world.advance(7 * MINUTE_MS);
      expect(held(world)).toBe(parseUnits('0.7983'));
      if (when === 'before') world.restart();
      const [first, second] = trades;
      if (first === undefined || second === undefined) throw new Error('no trades');
      world.venue.hidden.delete(first.id);
      world.advance(12 * MINUTE_MS);
      expect(world.fills()).toMatchObject([
        { tradeId: first.id, amount: parseUnits('0.3') },
        { tradeId: `placeholder ${id}`, amount: parseUnits('0.5') },
      ]);
      if (when === 'after') world.restart();
      world.venue.hidden.clear();
      world.advance(12 * MINUTE_MS);
      world.restart().advance(MINUTE_MS);
      expect(world.fills()).toMatchObject([
        { tradeId: first.id, strategy: 'one', total: first.total },
        { tradeId: second.id, strategy: 'one', total: second.total },
      ]);
      expect(world.orders().at(-1)).toMatchObject({
        state: 'cancelled',
        filled: parseUnits('0.8'),
        filledTotal: parseUnits('77.75'),
        fee: parseUnits('0.0016'),
      });
      expect(held(world)).toBe(parseUnits('0.7984'));
      expect(profit(world)).toEqual({ position: parseUnits('0.7984'), cash: parseUnits('-77.75') });
      expect(world.engine.instances[0]).toMatchObject({ fills: 2 });
      expect(world.eventsOf('fill')).toHaveLength(1);
    },
  );

  it('has it replaced by trades whose fees are in another coin, which its record does not say', () => {
    const { world } = closed('both', { fee: NO_UNITS }, { feeCoins: '1' });
    world.advance(7 * MINUTE_MS);
    expect(held(world)).toBe(parseUnits('0.8'));
    world.venue.hidden.clear();
    world.advance(20 * MINUTE_MS);
    world.restart().advance(MINUTE_MS);
    expect(world.fills()).toMatchObject([
      { fee: parseUnits('0.000585'), feeCurrency: 'bnb' },
      { fee: parseUnits('0.00097'), feeCurrency: 'bnb' },
    ]);
    expect(world.orders().at(-1)).toMatchObject({ state: 'cancelled', fee: NO_UNITS });
    expect(held(world)).toBe(parseUnits('0.8'));
    expect(world.engine.instances[0]?.fees.get('bnb')).toBe(parseUnits('0.001555'));
    const { reconciler } = world.engine;
    expect(reconciler.break).toBeNull();
    expect(formatUnits(reconciler.books.expectedOf('bnb') ?? 0n)).toBe(world.venue.totalOf('bnb'));
  });

  it('waits for a person where its record does not say for how much, and ends when that accepts', () => {
    const { world, id } = closed('both', null);
    world.advance(20 * MINUTE_MS);
    expect(world.order()).toMatchObject({ state: 'settling' });
    expect(english(world.engine.closedReason())).toMatch(/could not be compared/);
    world.control({ kind: 'accept-balances' }).advance(2 * MINUTE_MS);
    expect(world.order()).toMatchObject({ state: 'cancelled', filledTotal: parseUnits('78.4') });
    expect(world.fills()).toMatchObject([{ tradeId: `placeholder ${id}` }]);
    expect(world.engine.closedReason()).toBeNull();
    // The accepted balances already contain the trades as they really were.
    world.restart();
    world.venue.hidden.clear();
    world.advance(15 * MINUTE_MS);
    expect(world.order()).toMatchObject({ filledTotal: parseUnits('77.75') });
    expect(world.engine.reconciler.break).toBeNull();
  });

  it('has the lines of all its trades in the histories of the wallets, so that none explains another change', () => {
    const { world, id } = placed();
    world.venue.deposit('usdt', '-7');
    for (let cents = 0; cents < 20; cents += 1)
      world.venue.hidden.add(world.venue.fill(id, '0.05', `97.${cents + 10}`).id);
    for (const amount of ['3', '-2000']) world.venue.deposit('usdt', amount);
    Object.assign(world.venue.orderOf(id), { total: parseUnits('97.195'), fee: parseUnits('0.002') });
    world.end(id).advance(20 * MINUTE_MS);
    expect(world.fills()).toMatchObject([{ tradeId: `placeholder ${id}` }]);
    expect(world.engine.closedReason()).toBeNull();
  });

  it('ends before that time when a person accepts', () => {
    const { world } = closed('both');
    world.advance(2 * MINUTE_MS);
    expect(world.order()).toMatchObject({ state: 'settling' });
    world.control({ kind: 'accept-balances' }).advance(30_000);
    expect(world.order()).toMatchObject({ state: 'cancelled', filled: parseUnits('0.8') });
  });
});
