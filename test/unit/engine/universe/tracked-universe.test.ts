import { describe, expect, test } from 'vitest';
import { TrackedUniverse } from '../../../../src/engine/universe/tracked-universe.ts';
import type { StoredUniverse } from '../../../../src/engine/stored-records.ts';
import { MARKET_NAMES } from '../../../../src/exchange/market-names.ts';
import { StrategyInstance } from '../../../../src/engine/strategy-instance.ts';
import { createRiskLimits } from '../../../../src/engine/risk-limits.ts';
import { defineStrategy } from '../../../../src/strategy/definition.ts';
import type { MarketRanking } from '../../../../src/strategy/rank-markets.ts';
import { runnerOn } from '../../../support/runner-on.ts';

const CANDIDATES = ['AIRT', 'BIRT', 'CIRT', 'DIRT'];

const roamer = defineStrategy({
  name: 'roamer',
  data: ({ universe }) => ({
    members: universe({ quote: 'rls', rankBy: 'volume24h', take: 2, reserve: 1 }),
  }),
  on: {},
});

function tracked(stored?: StoredUniverse): TrackedUniverse {
  const runner = runnerOn(roamer, 'USDTIRT', '1h', { knownMarkets: new Set([...CANDIDATES, 'USDTIRT']) });
  const settings = {
    runner,
    onError: 'stop',
    pauseMs: 0,
    limits: createRiskLimits({}),
    capital: {},
  } as const;
  const instance = new StrategyInstance(settings, { marketNames: MARKET_NAMES, sees: () => true });
  const wanted = runner.subscriptions.find(({ kind }) => kind === 'universe');
  if (wanted?.kind !== 'universe') throw new Error('expected a universe');
  return new TrackedUniverse(instance, wanted, stored);
}

function ranking(...members: readonly string[]): MarketRanking {
  return {
    members,
    ranks: new Map(members.map((market, place) => [market, place + 1])),
    out: new Map(
      CANDIDATES.filter((market) => !members.includes(market)).map((market, place) => [
        market,
        { by: 'rank', found: members.length + place + 1, limit: 2 },
      ]),
    ),
  };
}

/** Ranks markets and reads the bars of all new ones; returns the change the strategy is notified of. */
function told(
  one: TrackedUniverse,
  atMs: number,
  of: { readonly members: readonly string[]; readonly held?: readonly string[] },
) {
  one.rank(ranking(...of.members), atMs, (market) => of.held?.includes(market) ?? false);
  for (const market of one.unread) one.read(market, []);
  const change = one.drainChange(atMs);
  return change === null ? null : { entered: change.entered, left: change.left };
}

describe('a universe over time', () => {
  test('tells who enters and leaves, and is silent while nobody does', () => {
    const one = tracked();
    expect(told(one, 1, { members: ['AIRT', 'BIRT'] })).toEqual({ entered: ['AIRT', 'BIRT'], left: [] });
    expect(told(one, 2, { members: ['BIRT', 'AIRT'] })).toBeNull();
    expect(told(one, 3, { members: ['CIRT', 'AIRT'] })).toEqual({ entered: ['CIRT'], left: ['BIRT'] });
    expect(one.state.members).toEqual([
      { market: 'CIRT', rank: 1, sinceMs: 3 },
      { market: 'AIRT', rank: 2, sinceMs: 1 },
    ]);
    expect(one.followed).toEqual(['AIRT', 'CIRT']);
  });

  test('has a member once its bars are there, and never one that left before', () => {
    const one = tracked();
    one.rank(ranking('AIRT', 'BIRT'), 1, () => false);
    one.read('AIRT', []);
    expect(one.drainChange(1)?.entered).toEqual(['AIRT']);
    expect(one.state.out['BIRT']).toEqual({ by: 'past', found: null, limit: null });
    one.rank(ranking('AIRT', 'CIRT'), 2, () => false);
    one.read('BIRT', []);
    one.read('CIRT', []);
    expect(one.drainChange(2)).toMatchObject({ entered: ['CIRT'], left: [], past: [] });
  });

  test('says with which rank a market enters, and why one leaves', () => {
    const one = tracked();
    told(one, 1, { members: ['AIRT', 'BIRT'] });
    const out = new Map([['BIRT', { by: 'minPrice', found: 5, limit: 10 } as const]]);
    one.rank({ ...ranking('AIRT', 'CIRT'), out }, 2, () => false);
    one.read('CIRT', []);
    expect(one.drainChange(2)?.changes).toEqual([
      { market: 'BIRT', kind: 'left', rank: null, reason: { by: 'minPrice', found: 5, limit: 10 } },
      { market: 'CIRT', kind: 'entered', rank: 2, reason: { by: 'rank', found: 2, limit: 2 } },
    ]);
  });

  test('follows what is held until it is gone, and lets it come back without a reading', () => {
    const one = tracked();
    told(one, 1, { members: ['AIRT', 'BIRT'] });
    told(one, 2, { members: ['BIRT', 'CIRT'], held: ['AIRT'] });
    expect(one.state.kept).toEqual(['AIRT']);
    expect(one.followed).toEqual(['BIRT', 'CIRT', 'AIRT']);
    one.rank(ranking('AIRT', 'BIRT'), 3, () => false);
    expect(one.unread).toEqual(['AIRT']);
    one.release(() => false);
    expect(one.state.kept).toEqual([]);
  });

  test('takes back a kept market at once', () => {
    const one = tracked();
    told(one, 1, { members: ['AIRT', 'BIRT'] });
    told(one, 2, { members: ['BIRT', 'CIRT'], held: ['AIRT'] });
    one.rank(ranking('AIRT', 'BIRT'), 3, (market) => market === 'AIRT');
    expect(one.unread).toEqual([]);
    expect(one.drainChange(3)).toMatchObject({ entered: ['AIRT'], left: ['CIRT'], past: [] });
  });

  test('has newcomers wait while its reserve is used up, and says so', () => {
    const one = tracked();
    told(one, 1, { members: ['AIRT', 'BIRT'] });
    expect(told(one, 2, { members: ['CIRT', 'DIRT'], held: ['AIRT', 'BIRT'] })).toEqual({
      entered: ['CIRT'],
      left: ['AIRT', 'BIRT'],
    });
    expect(one.followed.length).toBe(3);
    expect(one.state.out['DIRT']).toEqual({ by: 'no place', found: 2, limit: 1 });
    expect(told(one, 3, { members: ['CIRT', 'DIRT'], held: ['AIRT'] })).toEqual({
      entered: ['DIRT'],
      left: [],
    });
  });

  test('is after a restart what it was, and tells nobody of entering or leaving', () => {
    const before = tracked();
    told(before, 1, { members: ['AIRT', 'BIRT'] });
    told(before, 2, { members: ['BIRT', 'CIRT'], held: ['AIRT'] });
    const after = tracked(before.stored);
    expect(after.state.members).toEqual(before.state.members);
    expect(after.state.kept).toEqual(['AIRT']);
    expect(after.followed).toEqual([]);
    for (const market of after.unread) after.read(market, []);
    expect(after.drainChange(9)).toMatchObject({ entered: [], left: [], past: [] });
    expect(after.followed).toEqual(['BIRT', 'CIRT', 'AIRT']);
    expect(told(after, 10, { members: ['BIRT', 'CIRT'], held: ['AIRT'] })).toBeNull();
  });
});
