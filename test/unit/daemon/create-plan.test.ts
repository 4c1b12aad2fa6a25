import { INTERFACE_PROFILE } from '../../../src/venues/interface-profile.ts';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { planInputOf } from '../../../src/daemon/create-plan.ts';
import { budgetTable } from '../../../src/exchange/client-options.ts';
import { planPolls } from '../../../src/scheduler/plan-polls.ts';
import { defineStrategy } from '../../../src/strategy/definition.ts';
import { StrategyRunner } from '../../../src/strategy/runner.ts';
import { runnerOn } from '../../support/runner-on.ts';

const looking = defineStrategy({
  name: 'looking',
  params: z.strictObject({}),
  data: ({ market, markets, margin, timer, universe }) => {
    const members = universe({ quote: 'rls', rankBy: 'volume24h', take: 1, refreshMs: 3_600_000 });
    return {
      look: timer('0 * * * *'),
      wallets: margin.wallets(),
      own: market.candles('1h'),
      bars: markets.of('ETHIRT').candles('1h'),
      tape: markets.of('LTCIRT').trades(),
      members,
      memberBars: members.candles('1h'),
    };
  },
  on: {},
});

test('a strategy has a book of each market that it names, and of none that may only become a member', () => {
  const runner = runnerOn(looking, 'BTCIRT', '1h', {
    knownMarkets: new Set(['BTCIRT', 'ETHIRT', 'LTCIRT', 'XRPIRT']),
    params: {},
  });
  const input = planInputOf([runner], budgetTable().values(), INTERFACE_PROFILE);
  expect(input.traded.map(({ market }) => market)).toEqual(['BTCIRT', 'ETHIRT', 'LTCIRT']);
  const books = planPolls(input).feeds.filter(({ kind }) => kind === 'book' || kind === 'books');
  expect(books.flatMap(({ askers }) => askers)).toContain('price collar of looking');
  expect(books.filter(({ isPooled }) => isPooled !== true).map(({ key }) => key)).toEqual([
    'book BTCIRT',
    'book ETHIRT',
    'book LTCIRT',
  ]);
});

const idle = (name: string) =>
  defineStrategy({
    name,
    params: z.strictObject({}),
    data: ({ timer }) => ({ look: timer('0 * * * *') }),
    on: {},
  });

const idleIn = (market: string): StrategyRunner =>
  runnerOn(idle(market.toLowerCase()), market, '1h', {
    knownMarkets: new Set(['BTCIRT', 'BTCUSDT', 'USDTIRT']),
    params: {},
  });

const bridgedIn = (...markets: readonly string[]) =>
  planInputOf(markets.map(idleIn), budgetTable().values(), INTERFACE_PROFILE).bridged;

test('the price of tether in rial is read for the equity of a bot with strategies in both', () => {
  expect(bridgedIn('BTCIRT', 'BTCUSDT')).toEqual(['btcusdt']);
  expect(bridgedIn('BTCIRT')).toEqual([]);
  expect(bridgedIn('BTCUSDT')).toEqual([]);
});
