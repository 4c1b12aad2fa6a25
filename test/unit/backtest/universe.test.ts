import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { CandleRunner, type CandleRun, type RunMarket } from '../../../src/backtest/candle-runner.ts';
import { createMarket } from '../../../src/domain/market.ts';
import { parseUnits } from '../../../src/domain/money.ts';
import { DEFAULT_ENGINE_TIMES } from '../../../src/engine/engine-settings.ts';
import { parseMarket } from '../../../src/exchange/market-names.ts';
import { createRiskLimits } from '../../../src/engine/risk-limits.ts';
import { defineStrategy, type StrategyDefinition } from '../../../src/strategy/definition.ts';
import { sma } from '../../../src/strategy/indicators/averages.ts';
import { outText } from '../../../src/strategy/rank-markets.ts';
import { BarFillSimulator } from '../../../src/venues/bar-fill-simulator.ts';
import { FROM_MS } from './candle-run.ts';
import { runnerOn } from '../../support/runner-on.ts';
import { barColumns } from '../../support/bar-columns.ts';

const HOUR_MS = 3_600_000;

/** Makes a market from its hours, each with price and traded volume; null leaves an hour out. */
function marketOf(
  symbol: string,
  hours: readonly (readonly [price: number, volume: number] | null)[],
): RunMarket {
  const market = createMarket({ market: parseMarket(symbol), priceStep: '1', amountStep: '0.0001' });
  const rows = hours.flatMap((bar, hour) => {
    if (bar === null) return [];
    const [price, volume] = bar;
    return [[FROM_MS + hour * HOUR_MS, price, price, price, price, volume]];
  });
  return { market, columns: barColumns(market.symbol, '1h', rows) };
}

interface Followed {
  readonly fromMs?: number;
  readonly strategy?: StrategyDefinition;
  readonly params?: object;
  /** Another strategy that runs beside it. */
  readonly beside?: StrategyDefinition;
}

/** Returns the log of a strategy that follows a universe of these markets; lines begin with the hour. */
function told(markets: readonly RunMarket[], of: Followed = {}): readonly string[] {
  const lines = ran(markets, of).logs.get('follower') ?? [];
  return lines.map(({ text, atMs }) => `${(atMs - FROM_MS) / HOUR_MS} ${text}`);
}

/** Runs a strategy that follows a universe of these markets, the best by rank. */
function ran(markets: readonly RunMarket[], of: Followed = {}): CandleRun {
  const instanceOf = (strategy: StrategyDefinition, params: object) => ({
    runner: runnerOn(strategy, 'USDTIRT', '1h', {
      params: { ...params },
      hasBooks: false,
      isDataSet: true,
      knownMarkets: new Set(markets.map(({ market }) => market.symbol)),
    }),
    onError: 'stop' as const,
    pauseMs: 0,
    limits: createRiskLimits({ maxBookAgeMs: null, collarBps: null }),
    capital: {},
  });
  const run = new CandleRunner({
    settings: {
      ...DEFAULT_ENGINE_TIMES,
      instance: 'test',
      instances: [
        instanceOf(of.strategy ?? follower, of.params ?? {}),
        ...(of.beside === undefined ? [] : [instanceOf(of.beside, {})]),
      ],
    },
    markets,
    venue: new BarFillSimulator({
      markets: markets.map(({ market }) => market),
      fees: { rls: { maker: 0, taker: 0 }, usdt: { maker: 0, taker: 0 } },
      balances: { rls: parseUnits('1000000000') },
      rules: {},
    }),
    quote: 'rls',
    fromMs: of.fromMs ?? FROM_MS,
  }).run();
  expect([...run.failures]).toEqual([]);
  return run;
}

const text = (markets: readonly string[]): string => markets.join(' ') || '-';

/** Makes a generator of random numbers from a seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const follower = defineStrategy({
  name: 'follower',
  params: z.strictObject({
    take: z.int().default(1),
    refreshHours: z.int().default(1),
    hysteresis: z.number().default(0),
    buys: z.boolean().default(false),
    sellsAtHour: z.number().default(1_000),
    logsBars: z.boolean().default(false),
  }),
  data: ({ universe, timeframe, params }) => {
    const members = universe({
      quote: 'rls',
      rankBy: 'volume24h',
      take: params.take,
      hysteresis: params.hysteresis,
      refreshMs: params.refreshHours * HOUR_MS,
      filters: { exclude: ['USDTIRT'] },
    });
    return { members, bars: members.candles(timeframe, { history: 2 }), prices: members.ticker() };
  },
  indicators: ({ bars }) => ({ average: sma(bars, 2) }),
  on: {
    members(ctx, { entered, left, members }) {
      ctx.log(`+ ${text(entered)} - ${text(left)} = ${text(members)} kept ${text(ctx.data.members.kept)}`);
      if (!ctx.params.buys) return;
      for (const market of entered) ctx.markets.of(market).buy({ amount: 1 });
    },
    bars(ctx, bar) {
      const { market, close } = bar;
      const { average } = ctx.indicators;
      const history = ctx.history.bars.of(market).map((one) => one.close);
      if (ctx.params.logsBars)
        ctx.log(
          `${market} ${close} average ${average.of(market)} history ${history.join(' ')} price ${ctx.data.prices.of(market)?.bid}`,
        );
      const hour = (ctx.nowMs - FROM_MS) / HOUR_MS;
      if (hour !== ctx.params.sellsAtHour) return;
      const of = ctx.markets.of(market);
      if (of.position > 0) of.sell({ amount: of.position });
    },
  },
});

/** Makes hours that are all the same. */
const steady = (price: number, volume: number, hours = 30) =>
  Array.from({ length: hours }, () => [price, volume] as const);

const TETHER = marketOf('USDTIRT', steady(10, 1));
const busy = marketOf('BTCIRT', steady(10, 5));
/** Traded much from its fourth hour on; from the fifth on its volume of 24 h is above the other market's. */
const rising = marketOf(
  'ETHIRT',
  steady(10, 1).map((bar, hour) => (hour < 4 ? bar : ([10, 50] as const))),
);

describe('a universe in a backtest on bars', () => {
  test('takes the most traded of the bars that have closed, and changes with them', () => {
    expect(told([TETHER, busy, rising])).toEqual([
      '1 + BTCIRT - - = BTCIRT kept -',
      '5 + - - BTCIRT = - kept -',
      '5 + ETHIRT - - = ETHIRT kept -',
    ]);
  });

  test('is in the result of the run, with the rank and the reason of each change', () => {
    const { records, more } = ran([TETHER, busy, rising]).members;
    expect(
      records.map(({ atMs, strategy, universe, market, kind, rank, reason, rankBy }) =>
        [(atMs - FROM_MS) / HOUR_MS, strategy, universe, market, kind, rank, outText(reason, rankBy)].join(),
      ),
    ).toEqual([
      '1,follower,members,BTCIRT,entered,1,its rank by volume24h is 1, of 1',
      '5,follower,members,BTCIRT,left,2,its rank by volume24h is 2, of 1',
      '5,follower,members,ETHIRT,entered,1,its rank by volume24h is 1, of 1',
    ]);
    expect(more).toBe(0);
  });

  test('has no member that has no bars in the day before', () => {
    const gone = marketOf('BTCIRT', [...steady(10, 50, 3), ...Array.from({ length: 50 }, () => null)]);
    const other = marketOf('ETHIRT', steady(10, 1, 50));
    expect(told([marketOf('USDTIRT', steady(10, 1, 50)), gone, other])).toEqual([
      '1 + BTCIRT - - = BTCIRT kept -',
      '27 + - - BTCIRT = - kept -',
      '27 + ETHIRT - - = ETHIRT kept -',
    ]);
  });

  test('warms a newcomer up before its first bar, with indicators and history of its own', () => {
    const first = marketOf('BTCIRT', steady(10, 5, 8));
    const prices = [20, 21, 22, 23, 24, 25, 26, 27];
    const second = marketOf(
      'ETHIRT',
      prices.map((price, hour) => [price, hour < 3 ? 1 : 99] as const),
    );
    const lines = told([TETHER, first, second], { params: { logsBars: true } });
    expect(lines.filter((line) => line.includes('ETHIRT'))).toEqual([
      '4 + ETHIRT - - = ETHIRT kept -',
      '5 ETHIRT 24 average 23.5 history 23 24 price 24',
      '6 ETHIRT 25 average 24.5 history 24 25 price 25',
      '7 ETHIRT 26 average 25.5 history 25 26 price 26',
      '8 ETHIRT 27 average 26.5 history 26 27 price 27',
    ]);
    expect(lines.filter((line) => line.includes('BTCIRT 10'))).toHaveLength(3);
  });

  test('follows a market that has left until nothing is held there, and sells nothing by itself', () => {
    const lines = told([TETHER, busy, rising], { params: { buys: true, logsBars: true, sellsAtHour: 9 } });
    expect(lines.filter((line) => line.includes('+'))).toEqual([
      '1 + BTCIRT - - = BTCIRT kept -',
      '5 + - - BTCIRT = - kept BTCIRT',
      '5 + ETHIRT - - = ETHIRT kept BTCIRT',
    ]);
    const last = lines.findLast((line) => line.includes('BTCIRT 10 average'));
    expect(last).toMatch(/^(9|10) /);
  });

  test('passes over bars of markets that it does not follow, and comes to the same with them', () => {
    const markets = ['BTCIRT', 'ETHIRT', 'LTCIRT', 'TRXIRT'].map((symbol, place) => {
      const next = randomOf(place + 1);
      const hours = Array.from({ length: 200 }, () => {
        const price = 10 + Math.floor(next() * 5);
        return next() < 0.1 ? null : ([price, 1 + Math.floor(next() ** 8 * 1_000)] as const);
      });
      return marketOf(symbol, hours);
    });
    const all = [marketOf('USDTIRT', steady(10, 1, 200)), ...markets];
    /** Subscribes to the bars of all markets, so that the run passes over none. */
    const watcher = defineStrategy({
      name: 'watcher',
      data: (run) => ({ bars: markets.map(({ market }) => run.markets.of(market.symbol).candles('1h')) }),
      on: { bars: () => undefined },
    });
    const params = { take: 2, refreshHours: 7, buys: true, logsBars: true, sellsAtHour: 150 };
    const [one, other] = [ran(all, { params }), ran(all, { params, beside: watcher })];
    expect(one.fills.length).toBeGreaterThan(10);
    expect(one.logs.get('follower')).toEqual(other.logs.get('follower'));
    expect([one.orders, one.fills, one.members]).toEqual([other.orders, other.fills, other.members]);
  });

  test('is ranked by the past alone: another future changes nothing before it', () => {
    const untilHour = 40;
    const drawn = (futureSeed: number): readonly string[] => {
      const markets = ['BTCIRT', 'ETHIRT', 'LTCIRT', 'TRXIRT'].map((symbol, place) => {
        const [past, future] = [randomOf(place + 1), randomOf(futureSeed + place)];
        const hours = Array.from({ length: 80 }, (_, hour) => {
          const next = hour < untilHour ? past : future;
          return [10 + Math.floor(next() * 5), 1 + Math.floor(next() ** 8 * 1_000)] as const;
        });
        return marketOf(symbol, hours);
      });
      return told([marketOf('USDTIRT', steady(10, 1, 80)), ...markets], { params: { take: 2 } });
    };
    const before = (lines: readonly string[]): readonly string[] =>
      lines.filter((line) => Number(line.split(' ')[0]) <= untilHour);
    const one = drawn(100);
    expect(before(one).length).toBeGreaterThan(4);
    for (const seed of [200, 300, 400]) expect(before(drawn(seed))).toEqual(before(one));
    expect(drawn(200)).not.toEqual(one);
  });
});
