import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseUnits } from '../../../../src/domain/money.ts';
import { storedForm } from '../../../../src/domain/stored-json.ts';
import { LockBook, type LockChange } from '../../../../src/engine/locks/lock-book.ts';
import type { LockRule, Lock } from '../../../../src/engine/lock.ts';
import { restored } from '../../../../src/engine/stored-records.ts';
import type { Exit } from '../../../../src/engine/locks/trade-counts.ts';

const HOUR_MS = 3_600_000;
const T0 = Date.UTC(2026, 0, 5);

const rule = (of: Partial<LockRule> & Pick<LockRule, 'kind'>): LockRule =>
  ({ name: of.kind, strategy: null, entries: 'cancel', ...of }) as LockRule;
const COOLDOWN = rule({ kind: 'cooldown', forMs: HOUR_MS });
const STOPS = rule({ kind: 'stops', stops: 2, withinMs: 6 * HOUR_MS, forMs: HOUR_MS, reach: 'all' });
const DRAWDOWN = rule({
  kind: 'drawdown',
  fallMillionths: 50_000,
  withinMs: 10 * HOUR_MS,
  forMs: HOUR_MS,
  reach: 'all',
});

const exit = (atMs: number, of: Partial<Exit> = {}): Exit => ({
  strategy: 'grid',
  market: 'BTCIRT',
  atMs,
  intentId: `i${atMs}`,
  isStop: true,
  endsPosition: true,
  result: { currency: 'rls', profit: parseUnits('-1'), cost: parseUnits('100') },
  ...of,
});
const byHand = (of: Partial<Lock> = {}): Lock => ({
  name: 'hand',
  rule: null,
  strategy: null,
  market: 'BTCIRT',
  reason: 'news',
  beganAtMs: T0,
  endsAtMs: T0 + HOUR_MS,
  entries: 'cancel',
  ...of,
});
const kinds = (changes: readonly LockChange[]): readonly string[] =>
  changes.map(({ kind, lock }) => `${lock.name} ${kind}`);

describe('a lock by hand', () => {
  test('holds from its begin up to its end', () => {
    const book = new LockBook([]);
    book.lockByHand(byHand(), T0);
    expect(book.nextChangeMs()).toBe(T0 + HOUR_MS);
    expect(book.advance(T0 + HOUR_MS - 1)).toEqual([]);
    expect(book.locksOn('grid', 'BTCIRT').map(({ name }) => name)).toEqual(['hand']);
    expect(book.locksOn('grid', 'ETHIRT')).toEqual([]);
    expect(kinds(book.advance(T0 + HOUR_MS))).toEqual(['hand ended']);
    expect(book.locksOn('grid', 'BTCIRT')).toEqual([]);
  });

  test('is only made longer by another of its name, and stands beside one of another name', () => {
    const book = new LockBook([]);
    book.lockByHand(byHand(), T0);
    expect(book.lockByHand(byHand({ endsAtMs: T0 + 1 }), T0)).toBeNull();
    expect(book.lockByHand(byHand({ endsAtMs: T0 + 2 * HOUR_MS }), T0)?.kind).toBe('extended');
    book.lockByHand(byHand({ name: 'news', endsAtMs: T0 + 3 * HOUR_MS }), T0);
    expect(book.locksOn('grid', 'BTCIRT').map(({ name }) => name)).toEqual(['news', 'hand']);
    expect(kinds(book.unlock({ name: 'news', scope: null }))).toEqual(['news ended early']);
    expect(book.locksOn('grid', 'BTCIRT')[0]?.endsAtMs).toBe(T0 + 2 * HOUR_MS);
  });

  test('that is over already is none', () => {
    const book = new LockBook([]);
    expect(book.lockByHand(byHand({ endsAtMs: T0 }), T0)).toBeNull();
    expect(book.active()).toEqual([]);
  });

  test('of all stays where one of a market is ended', () => {
    const book = new LockBook([]);
    book.lockByHand(byHand(), T0);
    book.lockByHand(byHand({ market: null }), T0);
    expect(book.unlock({ name: null, scope: { strategy: null, market: 'BTCIRT' } })).toHaveLength(1);
    expect(book.locksOn('grid', 'BTCIRT')[0]?.market).toBeNull();
  });
});

describe('a rule', () => {
  test('counts from the trade, however late it was listed, and not from a clock ahead', () => {
    const late = new LockBook([COOLDOWN]);
    expect(late.onExit(exit(T0), T0 + 10_000)[0]?.lock.endsAtMs).toBe(T0 + HOUR_MS);
    const ahead = new LockBook([COOLDOWN]);
    expect(ahead.onExit(exit(T0 + 90_000), T0)[0]?.lock.endsAtMs).toBe(T0 + HOUR_MS);
    const old = new LockBook([COOLDOWN]);
    expect(old.onExit(exit(T0), T0 + HOUR_MS)).toEqual([]);
  });

  test('counts the orders of one position as one stop-out', () => {
    const book = new LockBook([STOPS]);
    expect(book.onExit(exit(T0, { intentId: 'i1' }), T0)).toEqual([]);
    expect(book.onExit(exit(T0 + 1, { intentId: 'i1' }), T0 + 1)).toEqual([]);
    expect(kinds(book.onExit(exit(T0 + 2, { intentId: 'i2', market: 'ETHIRT' }), T0 + 2))).toEqual([
      'stops begun',
    ]);
    expect(book.active()[0]).toMatchObject({ market: null, strategy: null });
  });

  test('of one strategy counts and locks that one', () => {
    const book = new LockBook([{ ...COOLDOWN, strategy: 'grid' }]);
    expect(book.onExit(exit(T0, { strategy: 'maker' }), T0)).toEqual([]);
    book.onExit(exit(T0), T0);
    expect(book.locksOn('grid', 'BTCIRT')).not.toEqual([]);
    expect(book.locksOn('maker', 'BTCIRT')).toEqual([]);
  });

  test('on drawdown forgets what is older than its window, and what brought a lock', () => {
    const [wanted] = new LockBook([DRAWDOWN]).drawdownRules;
    const book = new LockBook([DRAWDOWN]);
    const look = (equity: string, atMs: number): readonly string[] => {
      const ended = book.advance(atMs);
      const of = { strategy: null, equity: parseUnits(equity), base: parseUnits('1000'), quote: 'rls' };
      return kinds([...ended, ...book.onEquity(wanted!, of, atMs)]);
    };
    expect(look('1000', T0)).toEqual([]);
    expect(look('951', T0 + HOUR_MS)).toEqual([]);
    // The peak is out of the window by now.
    expect(look('949', T0 + 10.2 * HOUR_MS)).toEqual([]);
    expect(look('900', T0 + 11 * HOUR_MS)).toEqual(['drawdown begun']);
    expect(look('500', T0 + 11.5 * HOUR_MS)).toEqual([]);
    expect(look('500', T0 + 12 * HOUR_MS)).toEqual(['drawdown ended']);
    expect(look('476', T0 + 13 * HOUR_MS)).toEqual([]);
    expect(look('475', T0 + 13 * HOUR_MS)).toEqual(['drawdown begun']);
  });

  test('that is not configured any more takes its locks with it after a restart', () => {
    const book = new LockBook([COOLDOWN]);
    book.onExit(exit(T0), T0);
    book.lockByHand(byHand(), T0);
    const next = new LockBook([]);
    expect(next.restore(book.stored()).map(({ name }) => name)).toEqual(['cooldown']);
    expect(next.active().map(({ name }) => name)).toEqual(['hand']);
  });
});

type Deed =
  | { readonly kind: 'exit'; readonly stop: boolean; readonly market: string; readonly strategy: string }
  | { readonly kind: 'lock'; readonly forMs: number; readonly market: string | null }
  | { readonly kind: 'unlock' }
  | { readonly kind: 'equity'; readonly equity: bigint }
  | { readonly kind: 'restart' };

const market = fc.constantFrom('BTCIRT', 'ETHIRT');
const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({
    kind: fc.constant('exit' as const),
    stop: fc.boolean(),
    market,
    strategy: fc.constantFrom('grid', 'maker'),
  }),
  fc.record({
    kind: fc.constant('lock' as const),
    forMs: fc.integer({ min: 0, max: 3 * HOUR_MS }),
    market: fc.option(market),
  }),
  fc.constant({ kind: 'unlock' as const }),
  fc.record({ kind: fc.constant('equity' as const), equity: fc.bigInt({ min: 1n, max: 2_000n }) }),
  fc.constant({ kind: 'restart' as const }),
);

test('a lock ends after it begins, holds up to then, and a restart changes nothing', () => {
  const rules = [
    COOLDOWN,
    STOPS,
    { ...STOPS, name: 'own', strategy: 'grid', reach: 'market' } as LockRule,
    DRAWDOWN,
  ];
  fc.assert(
    fc.property(
      fc.array(fc.tuple(deed, fc.integer({ min: 0, max: HOUR_MS })), { maxLength: 40 }),
      (deeds) => {
        let book = new LockBook(rules);
        let nowMs = T0;
        for (const [what, waitMs] of deeds) {
          nowMs += waitMs;
          book.advance(nowMs);
          const { market: where = null } = what.kind === 'lock' ? what : {};
          if (what.kind === 'exit') book.onExit(exit(nowMs, { ...what, isStop: what.stop }), nowMs);
          if (what.kind === 'lock')
            book.lockByHand(byHand({ market: where, beganAtMs: nowMs, endsAtMs: nowMs + what.forMs }), nowMs);
          if (what.kind === 'unlock') book.unlock({ name: null, scope: null });
          if (what.kind === 'equity') {
            const { equity } = what;
            const of = {
              strategy: null,
              equity: parseUnits(String(equity)),
              base: parseUnits('1'),
              quote: 'rls',
            };
            book.onEquity(book.drawdownRules[0]!, of, nowMs);
          }
          if (what.kind === 'restart') {
            const again = new LockBook(rules);
            const locks = JSON.stringify(storedForm(book.stored()));
            again.restore(restored({ locks }, 'locks')!);
            again.advance(nowMs);
            expect(again.stored()).toEqual(book.stored());
            book = again;
          }
          for (const { beganAtMs, endsAtMs } of book.active()) {
            expect(beganAtMs).toBeLessThan(endsAtMs);
            expect(endsAtMs).toBeGreaterThan(nowMs);
          }
          for (const strategy of ['grid', 'maker']) {
            const reaching = book
              .active()
              .filter(
                (lock) => [null, strategy].includes(lock.strategy) && [null, 'BTCIRT'].includes(lock.market),
              );
            const endsAtMs = Math.max(...reaching.map((lock) => lock.endsAtMs));
            expect(book.locksOn(strategy, 'BTCIRT')[0]?.endsAtMs ?? Number.NEGATIVE_INFINITY).toBe(endsAtMs);
          }
        }
      },
    ),
    { numRuns: 200 },
  );
});
