import { describe, expect, it } from 'vitest';
import type { Intent } from '../../../src/strategy/intents.ts';
import { INTERFACE_PROFILE, NO_MARGIN_BY_KEY } from '../../../src/venues/interface-profile.ts';
import { EngineWorld, FAST, type WorldOptions } from './engine-world.ts';

function transfer(amount: string, from: 'spot' | 'margin' = 'spot', currency = 'usdt'): Intent {
  return { kind: 'transfer', currency, amount, from, to: from === 'spot' ? 'margin' : 'spot' };
}

/** Makes a world whose books have begun. */
function begun(settings: WorldOptions['settings'] = {}): EngineWorld {
  const world = EngineWorld.ready({ settings: { reconciliation: FAST, ...settings } }, 30_000);
  expect(world.engine.status().conclusions).toBeGreaterThan(0);
  return world;
}

const told = (world: EngineWorld, kind: string): readonly unknown[] =>
  world.events.filter((event) => event.kind === kind).map(({ what }) => what);

const sent = (world: EngineWorld): number => world.made.filter(({ call }) => call.kind === 'transfer').length;

describe('a transfer', () => {
  it('is on the disk before it leaves, and is told once it is made', () => {
    const world = begun().want(transfer('12.5'));
    expect(world.pending('transfer').call).toEqual({
      kind: 'transfer',
      currency: 'usdt',
      amount: 125_000_000_000n,
      from: 'spot',
    });
    const kept = world.mirror.load(0).stored['transfers'] ?? '';
    expect(JSON.parse(kept)).toMatchObject([{ currency: 'usdt', amount: '12.5', state: 'sending' }]);
    world.venue.deposit('usdt', '-12.5');
    world.give('transfer', null).advance(100);
    expect(told(world, 'transfer')).toMatchObject([
      {
        currency: 'usdt',
        amount: 12.5,
        from: 'spot',
        to: 'margin',
        status: 'done',
        exact: { amount: '12.5' },
      },
    ]);
    expect(JSON.parse(world.mirror.load(0).stored['transfers'] ?? '')).toEqual([]);
  });

  it.each(['spot', 'margin'] as const)('from %s is in the books: they agree at once and later', (from) => {
    const world = begun().want(transfer('12.5', from));
    world.venue.deposit('usdt', from === 'spot' ? '-12.5' : '12.5');
    world.give('transfer', null);
    const before = world.engine.status().conclusions;
    world.advance(120_000);
    expect(world.engine.status().conclusions).toBeGreaterThan(before + 3);
    expect([world.engine.reconciler.break, world.alarms()]).toEqual([null, []]);
    const begin = from === 'spot' ? '-12.5' : '12.5';
    expect(world.engine.reconciler.books.expectedOf('usdt')).toBe(
      begun().engine.reconciler.books.expectedOf('usdt')! + BigInt(Number(begin) * 1e10),
    );
  });

  it('that the exchange refuses is a rejection with its code, and another may follow', () => {
    const world = begun().want(transfer('1'));
    world.refuse('transfer', 'InsufficientBalance').advance(100);
    expect(told(world, 'reject')).toMatchObject([{ code: 'InsufficientBalance' }]);
    world.want(transfer('1'));
    expect(sent(world)).toBe(2);
  });

  it('that never left is a rejection', () => {
    const world = begun().want(transfer('1'));
    world.unsend('transfer').advance(100);
    expect(told(world, 'reject')).toMatchObject([{ code: 'unsent' }]);
    expect(told(world, 'transfer')).toEqual([]);
  });

  it.each([
    ['arrived', '-12.5'],
    ['did not arrive', '0'],
  ])('without a reply is never sent again, whether it %s, until the balances are accepted', (_, moved) => {
    const world = begun().want(transfer('12.5'));
    if (moved !== '0') world.venue.deposit('usdt', moved);
    world.fail('transfer').advance(600_000);
    expect(told(world, 'transfer')).toMatchObject([{ status: 'unknown' }]);
    expect(world.alarms()).toEqual([expect.stringMatching(/nobody knows whether the transfer of 12.5 usdt/)]);
    expect(world.engine.reconciler.break).toBe(null);
    world.want(transfer('1')).advance(100);
    expect(told(world, 'reject')).toMatchObject([{ code: 'closed' }]);
    expect(sent(world)).toBe(1);
    world.control({ kind: 'accept-balances' }).advance(60_000);
    expect(told(world, 'transfer')).toMatchObject([{ status: 'unknown' }, { status: 'accepted' }]);
    world.want(transfer('1'));
    expect(sent(world)).toBe(2);
  });

  describe.each([true, false])('at work when the run ends: killed %s', (losing) => {
    it.each([
      ['before it left', '0'],
      ['after it arrived', '-12.5'],
    ])('%s is neither sent again nor forgotten', (_, moved) => {
      const world = begun().want(transfer('12.5'));
      if (moved !== '0') world.venue.deposit('usdt', moved);
      for (let life = 1; life <= 2; life += 1) {
        world.restart({ losing }).advance(600_000);
        expect(world.alarms().at(-1)).toMatch(
          /nobody knows whether the transfer of 12.5 usdt.*run ended before/,
        );
        // Each run reports it anew, since the report of the run before may have been lost.
        expect(told(world, 'transfer')).toMatchObject(
          Array.from({ length: life }, () => ({ status: 'unknown', amount: 12.5 })),
        );
        world.want(transfer('1')).advance(100);
        expect(told(world, 'reject').at(-1)).toMatchObject({ code: 'closed' });
        expect([sent(world), world.engine.reconciler.break]).toEqual([1, null]);
      }
      world.control({ kind: 'accept-balances' }).advance(60_000);
      expect(told(world, 'transfer').at(-1)).toMatchObject({ status: 'accepted' });
      world.want(transfer('1'));
      expect(sent(world)).toBe(2);
    });
  });

  it('reserves its money until its end: nobody spends it twice', () => {
    const world = begun();
    const free = Number(world.engine.reconciler.books.expectedOf('usdt')) / 1e10;
    world.want(transfer(String(free - 1)), {
      kind: 'place',
      market: 'BTCUSDT',
      side: 'buy',
      amount: '1',
      price: '98',
    });
    world.advance(100);
    expect(world.waitingKinds()).toEqual(['transfer']);
    expect(told(world, 'reject')).toMatchObject([
      { code: 'funds', reason: expect.stringContaining('may be on its way to the margin wallet') },
    ]);
  });

  it.each([
    ['more than is there', transfer('100000000'), 'funds', {}],
    ['nothing after 8 decimals', transfer('0.000000001'), 'fit', {}],
    ['a currency that is not followed', transfer('1', 'spot', 'doge'), 'data', {}],
    [
      'with a key',
      transfer('1'),
      'unserved',
      { venue: { ...INTERFACE_PROFILE, unserved: NO_MARGIN_BY_KEY } },
    ],
  ] as const)('of %s is refused before it is sent', (_, intent, code, settings) => {
    const world = begun(settings).want(intent);
    world.advance(100);
    expect(told(world, 'reject')).toMatchObject([{ code }]);
    expect(sent(world)).toBe(0);
  });

  it('is not taken while trading is halted', () => {
    const world = begun();
    world.control({ kind: 'halt', reason: 'by hand', wholeAccount: false });
    world.want(transfer('1')).advance(100);
    expect([told(world, 'reject').length, sent(world)]).toEqual([1, 0]);
  });

  it('is not taken in a run without balances to compare, as a backtest on bars', () => {
    const world = EngineWorld.ready({ settings: { reconciliation: null } }).want(transfer('1'));
    world.advance(100);
    expect(told(world, 'reject')).toMatchObject([{ code: 'unserved' }]);
  });
});
