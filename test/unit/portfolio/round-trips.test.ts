import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type RoundTrips, roundTrips, TripBooks, valueAt } from '../../../src/portfolio/round-trips.ts';
import { valuedFills } from '../../../src/backtest/valued-fills.ts';
import {
  expectancy,
  profitFactor,
  systemQuality,
  tripLengths,
  tripReturns,
  winRate,
} from '../../../src/backtest/metrics/run-metrics.ts';
import { NO_UNITS, formatUnits, parseUnits } from '../../../src/domain/money.ts';
import { EMPTY_FILL, type FillRecord } from '../../../src/records/fill.ts';
import { demoRun } from '../backtest/demo-run.ts';
import { tradeIdOf } from '../../../src/venues/read-records.ts';
import { runBacktest } from '../../../src/backtest/run-backtest.ts';
import { backtestOf } from '../backtest/three-markets.ts';

const MARKET = {
  base: 'btc',
  amountStep: parseUnits('0.01'),
  minOrderValue: NO_UNITS,
  lastPrice: parseUnits('130'),
};
const MARKETS = new Map([['BTCUSDT', MARKET]]);
/** The market with orders of a value of 5 or more. */
const FIVE = new Map([['BTCUSDT', { ...MARKET, minOrderValue: parseUnits('5') }]]);

/**
 * Reads a fill from `1 buy 2 at 100 fee 0.1 of a`: time, side, amount, price, fee, order. A fee that is not in
 * the currency received is `0.1/bnb/5`, with its value, or `0.1/bnb` without one.
 */
function fill(line: string): FillRecord {
  const [time, side, amount, , price, , paid = '', , order = null, strategy = 'one'] = line.split(' ');
  const [fee, feeCurrency = null, worth = null] = paid.split('/');
  const units = { amount: parseUnits(amount ?? ''), price: parseUnits(price ?? '') };
  return {
    ...EMPTY_FILL,
    tradeId: tradeIdOf(Number(time)),
    cursor: Number(time),
    orderKey: order,
    strategy,
    market: 'BTCUSDT',
    side: side === 'buy' ? 'buy' : 'sell',
    atMs: Number(time),
    ...units,
    total: valueAt(units.price, units.amount),
    fee: parseUnits(fee ?? ''),
    feeCurrency,
    feeValue: worth === null ? null : parseUnits(worth),
  };
}

const tripsOf = (...lines: string[]): RoundTrips => roundTrips(lines.map(fill), MARKETS);

/** Writes a trip as a line: entry > exit order, amount, cost, proceeds, profit, fees and times. */
const shown = ({ trips }: RoundTrips): string[] =>
  trips.map((trip) => {
    const { entryOrder, exitOrder, amount, cost, proceeds, profit, fees, openedAtMs, closedAtMs } = trip;
    const money = [amount, cost, proceeds, profit, fees].map(formatUnits).join(' ');
    return `${entryOrder}>${exitOrder ?? 'open'} ${money} ${openedAtMs}-${closedAtMs ?? ''}`;
  });

describe('round trips', () => {
  test('put what one order bought and another sold together, fees and all', () => {
    // Bought 2 at 100 for 200, of which 0.02 is the fee (2 in quote); 1.98 sold at 110 for 217.8 less 0.2178.
    const trips = tripsOf('1 buy 2 at 100 fee 0.02 of a', '5 sell 1.98 at 110 fee 0.2178 of b');
    expect(shown(trips)).toEqual(['a>b 1.98 200 217.5822 17.5822 2.2178 1-5']);
    expect(trips.trips[0]).toMatchObject({ number: 1, isOpen: false, strategy: 'one', market: 'BTCUSDT' });
  });

  test('have fees in the quote of a purchase, the coin of a sale and a third currency as costs', () => {
    const trips = tripsOf(
      '1 buy 2 at 100 fee 1/usdt/1 of a',
      '2 buy 1 at 100 fee 0.1/bnb/5 of a',
      '3 sell 1 at 110 fee 0.1/btc/11 of b',
      '4 sell 1.9 at 110 fee 0.1/bnb/4 of b',
    );
    expect(shown(trips)).toEqual(['a>b 3 306 315 9 21 1-4']);
    expect(trips.trips[0]?.hasUnvaluedFee).toBe(false);
  });

  test('say of a fee that had no price that they are without it', () => {
    const { trips } = tripsOf(
      '1 buy 2 at 100 fee 0.1/bnb of a',
      '2 sell 1 at 110 fee 0 of b',
      '3 buy 1 at 100 fee 0 of c',
      '4 sell 1 at 110 fee 0 of d',
      '5 sell 1 at 110 fee 0.1/bnb of e',
    );
    expect(
      trips.map(({ entryOrder, exitOrder, profit, hasUnvaluedFee }) => [
        `${entryOrder}>${exitOrder}`,
        formatUnits(profit),
        hasUnvaluedFee,
      ]),
    ).toEqual([
      ['a>b', '10', true],
      ['a>d', '10', true],
      ['c>e', '10', true],
    ]);
  });

  test('sell the oldest first and split partial closes', () => {
    const trips = tripsOf(
      '1 buy 1 at 100 fee 0 of a',
      '2 buy 1 at 120 fee 0 of b',
      '3 sell 0.5 at 110 fee 0 of c',
      '4 sell 1 at 140 fee 0 of d',
    );
    expect(shown(trips)).toEqual([
      'a>c 0.5 50 55 5 0 1-3',
      'a>d 0.5 50 70 20 0 1-4',
      'b>d 0.5 60 70 10 0 2-4',
      'b>open 0.5 60 65 5 0 2-',
    ]);
    expect(trips.trips.map(({ isOpen }) => isOpen)).toEqual([false, false, false, true]);
  });

  test('make one trip of an order, however many fills it takes', () => {
    const trips = tripsOf(
      '1 buy 1 at 100 fee 0 of a',
      '2 buy 1 at 110 fee 0 of a',
      '3 sell 0.5 at 120 fee 0 of b',
      '4 sell 1.5 at 130 fee 0 of b',
    );
    expect(shown(trips)).toEqual(['a>b 2 210 255 45 0 1-4']);
    expect(trips.trips[0]).toMatchObject({ entryPrice: parseUnits('105'), exitPrice: parseUnits('127.5') });
  });

  test('make one trip of two orders whose fills took turns with those of others', () => {
    const trips = tripsOf(
      '1 buy 1 at 100 fee 0 of a',
      '2 buy 1 at 110 fee 0 of b',
      '3 buy 1 at 120 fee 0 of a',
      '4 buy 1 at 130 fee 0 of b',
      '5 sell 2.5 at 120 fee 0 of c',
    );
    expect(shown(trips)).toEqual([
      'a>c 1.5 160 180 20 0 1-5',
      'b>c 1 110 120 10 0 2-5',
      'a>open 0.5 60 65 5 0 3-',
      'b>open 1 130 130 0 0 4-',
    ]);
  });

  test('hand what is too little to sell to the next buy, so that it makes no trip of its own', () => {
    // 0.999 is held and 0.99 can be sold; 0.009, which cost 0.9009009009, goes with the next buy: 1.008 for
    // 100.9009009009, of which 1 is sold.
    const trips = tripsOf(
      '1 buy 1 at 100 fee 0.001 of a',
      '2 sell 0.99 at 100 fee 0 of b',
      '3 buy 1 at 100 fee 0.001 of c',
      '4 sell 1 at 100 fee 0 of d',
    );
    expect(shown(trips)).toEqual([
      'a>b 0.99 99.0990990991 99 -0.0990990991 0.0990990991 1-2',
      'c>d 1 100.1001001001 100 -0.1001001001 0.0992063492 3-4',
    ]);
    expect(trips.dust).toEqual([
      expect.objectContaining({ amount: parseUnits('0.008'), value: parseUnits('1.04'), strategy: 'one' }),
    ]);
  });

  test('give what is worth too little for an order to the next buy, however many steps it is', () => {
    // Fees leave 0.02 of the first buy, which cost 2, and 0.03 of both: a value of 5 or less is no order.
    const lines = [
      '1 buy 1 at 100 fee 0 of a',
      '2 sell 0.98 at 110 fee 0 of b',
      '3 buy 1 at 100 fee 0 of c',
      '4 sell 0.99 at 110 fee 0 of d',
    ];
    const trips = roundTrips(lines.map(fill), FIVE);
    expect(shown(trips)).toEqual(['a>b 0.98 98 107.8 9.8 0 1-2', 'c>d 0.99 99 108.9 9.9 0 3-4']);
    expect(trips.dust).toEqual([
      expect.objectContaining({ amount: parseUnits('0.03'), cost: parseUnits('3') }),
    ]);
  });

  test('sell such a rest with the order that left it, and by an order of its own', () => {
    const lines = [
      '1 buy 1 at 100 fee 0 of a',
      '2 buy 1 at 100 fee 0 of c',
      '3 sell 0.98 at 110 fee 0 of b',
      '4 sell 0.02 at 110 fee 0 of b',
      '5 sell 0.97 at 110 fee 0 of d',
      '6 sell 0.03 at 110 fee 0 of e',
    ];
    expect(shown(roundTrips(lines.map(fill), FIVE))).toEqual([
      'a>b 1 100 110 10 0 1-4',
      'c>d 0.97 97 106.7 9.7 0 2-5',
      'c>e 0.03 3 3.3 0.3 0 2-6',
    ]);
  });

  test('keep strategies apart', () => {
    const trips = tripsOf('1 buy 1 at 100 fee 0 of a one', '2 sell 1 at 110 fee 0 of b two');
    expect(shown(trips)).toEqual(['a>open 1 100 130 30 0 1-']);
    expect(trips.unmatched).toEqual([
      { market: 'BTCUSDT', strategy: 'two', amount: parseUnits('1'), proceeds: parseUnits('110') },
    ]);
  });

  test('refuse a fill of a market that is not of the run', () => {
    expect(() => roundTrips([fill('1 buy 1 at 1 fee 0 of a')], new Map())).toThrow(RangeError);
  });

  test('add up to what the equity gained, to the last digit', () => {
    fc.assert(
      fc.property(fc.integer(), fc.bigInt({ min: 0n, max: 500_000n }), (seed, feeRate) => {
        const run = demoRun({ seed, feeRate, bars: 120, tradeChance: 0.4 });
        const markets = new Map(
          run.markets.map(({ market, lastPrice }) => [market.symbol, { ...market, lastPrice }]),
        );
        const { trips, dust, unmatched } = roundTrips(run.fills, markets);
        const profit = trips.reduce((sum, trip) => sum + trip.profit, 0n);
        const ofDust = dust.reduce((sum, { value, cost }) => sum + value - cost, 0n);
        expect(unmatched).toEqual([]);
        expect(profit + ofDust).toBe(run.finalEquity - run.initialEquity);
        // What is read amid the fills changes nothing.
        const books = new TripBooks(markets);
        for (const fill of run.fills) {
          books.add(fill);
          books.trips();
        }
        expect(books.trips()).toEqual({ trips, dust, unmatched, received: [] });
      }),
    );
  });

  test('of twenty thousand lots do not take the square of their number', () => {
    const fills = ['buy 1 at 100 fee 0 of a', 'sell 1 at 100 fee 0 of b'].flatMap((line) =>
      Array.from({ length: 20_000 }, (_, index) => fill(`${index} ${line}${index}`)),
    );
    expect(roundTrips(fills, MARKETS).trips).toHaveLength(20_000);
  });
});

const trip = (profit: string, cost: string, lengthMs: number) => ({
  profit: parseUnits(profit),
  cost: parseUnits(cost),
  openedAtMs: 0,
  closedAtMs: lengthMs,
});

describe('statistics of trades, worked out by hand', () => {
  const trips = [trip('30', '100', 10), trip('-10', '100', 20), trip('10', '200', 60), trip('0', '50', 30)];

  test('an even trade is no win: 2 of 4', () => expect(winRate(trips)).toBe(0.5));
  test('profit factor is 40 / 10', () => expect(profitFactor(trips)).toBe(4));
  test('expectancy is 30 / 4', () => expect(expectancy(trips)).toBe(7.5));

  test('system quality is sqrt(4) x 7.5 / deviation', () => {
    // The mean is 7.5: 22.5^2 + 17.5^2 + 2.5^2 + 7.5^2 = 875; / 3; root = 17.0782513.
    expect(systemQuality(trips)).toBeCloseTo((2 * 7.5) / 17.0782513, 7);
  });

  test('returns are of the cost', () => {
    expect(tripReturns(trips)).toEqual({ average: 0.0625, best: 0.3, worst: -0.1 });
  });

  test('lengths are from buy to sell', () => {
    expect(tripLengths(trips)).toEqual({ average: 30, longest: 60 });
  });

  test('have no value without trades, nor what divides by losses without a loss', () => {
    for (const statistic of [winRate, profitFactor, expectancy, systemQuality])
      expect(statistic([]), statistic.name).toBeNull();
    expect(tripReturns([])).toEqual({ average: null, best: null, worst: null });
    expect(tripLengths([])).toEqual({ average: null, longest: null });
    expect(profitFactor([trip('1', '1', 1)])).toBeNull();
    expect(systemQuality([trip('1', '1', 1)])).toBeNull();
    expect(tripReturns([trip('1', '0', 1)]).average).toBeNull();
  });
});

test('without candles of tether its last price says what trades for it are worth', () => {
  const run = runBacktest(backtestOf());
  const markets = run.markets.map((one) =>
    one.market.symbol === 'USDTIRT' ? { ...one, candles: { ...one.candles, length: 0 } } : one,
  );
  const { traded } = valuedFills({ ...run, markets });
  expect(traded.length).toBeGreaterThan(0);
  expect(traded.filter(({ total, price }) => total === 0n || price === 0n)).toEqual([]);
});
