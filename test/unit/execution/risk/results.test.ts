import { describe, expect, test } from 'vitest';
import { formatUnits, parseUnits, UNITS_PER_ONE, type Units } from '../../../../src/domain/money.ts';
import { divideHalfEven } from '../../../../src/domain/rounding.ts';
import type { FillRecord } from '../../../../src/execution/fill-record.ts';
import { NO_MARKET_RESULT } from '../../../../src/execution/risk/market-result.ts';
import {
  noResults,
  resultsAfterFill,
  resultsAtPrice,
  viewOf,
  type Results,
} from '../../../../src/execution/risk/results.ts';
import { marketOf } from './risk-table.ts';

const MIDNIGHT_MS = Date.UTC(2026, 0, 2);
const HOUR_MS = 3_600_000;

/** A fill such as `buy 1 for 100 fee 0.0025`, `in ETHUSDT` or else in BTCUSDT. */
function fillOf(text: string, atMs: number): FillRecord {
  const words = text.split(' ');
  const after = (word: string, otherwise: string) => words[words.indexOf(word) + 1 || words.length] ?? otherwise;
  const side = text.startsWith('buy') ? 'buy' : 'sell';
  const amount = parseUnits(after(side, ''));
  const total = parseUnits(after('for', ''));
  return {
    tradeId: 1,
    venueOrderId: 1,
    orderKey: 'key',
    strategy: 'mine',
    market: after('in', 'BTCUSDT'),
    side,
    atMs,
    price: divideHalfEven(total * UNITS_PER_ONE, amount) as Units,
    amount,
    total,
    fee: parseUnits(after('fee', '0')),
  };
}

/** The results after steps such as `buy 1 for 100`, `at 110`, `ETHUSDT at 50`, `1h later`, from 00:00 UTC on. */
function play(
  steps: string,
  from: { results: Results; atMs: number } = { results: noResults('usdt'), atMs: MIDNIGHT_MS },
) {
  let { results, atMs } = from;
  for (const step of steps.split(',').map((text) => text.trim())) {
    const words = step.split(' ');
    const symbol = words[0] === 'ETHUSDT' ? 'ETHUSDT' : 'BTCUSDT';
    if (step.endsWith('later')) atMs += Number.parseFloat(step) * HOUR_MS;
    else if (/^(buy|sell)/.test(step)) {
      const fill = fillOf(step, atMs);
      results = resultsAfterFill(results, { fill, market: marketOf(fill.market) });
    } else {
      results = resultsAtPrice(results, { market: symbol, price: parseUnits(words.at(-1) ?? ''), atMs });
    }
  }
  return { results, atMs };
}

const viewAfter = (steps: string) => {
  const { results, atMs } = play(steps);
  const { dayResult, peakResult, result, lossesInARow } = viewOf(results, atMs);
  return `result ${formatUnits(result)} day ${formatUnits(dayResult)} peak ${formatUnits(peakResult)} losses ${lossesInARow}`;
};

describe('the results of a strategy', () => {
  test.each([
    ['begin with nothing', 'at 100', 'result 0 day 0 peak 0 losses 0'],
    ['count the position at the last price', 'buy 1 for 100, at 110', 'result 10 day 10 peak 10 losses 0'],
    ['count it at the price of its fill before any is told', 'buy 2 for 200', 'result 0 day 0 peak 0 losses 0'],
    ['fall with it', 'buy 1 for 100, at 130, at 90', 'result -10 day -10 peak 30 losses 0'],
    ['realise a sale', 'buy 2 for 200, at 110, sell 1 for 110, at 100', 'result 10 day 10 peak 20 losses 0'],
    ['count fees in the coin', 'buy 1 for 100 fee 0.01, at 100', 'result -1 day -1 peak 0 losses 0'],
    ['count fees in the quote', 'buy 1 for 100, sell 1 for 100 fee 0.5', 'result -0.5 day -0.5 peak 0 losses 1'],
    ['count a short position', 'sell 1 for 100, at 90', 'result 10 day 10 peak 10 losses 0'],
    [
      'add up markets',
      'buy 1 for 100, buy 2 for 50 in ETHUSDT, at 110, ETHUSDT at 20',
      'result 0 day 0 peak 10 losses 0',
    ],
    ['begin a day with what they are', 'buy 1 for 100, at 90, 24h later, at 85', 'result -15 day -5 peak 0 losses 0'],
    ['begin a day without any step', 'buy 1 for 100, at 90, 24h later', 'result -10 day 0 peak 0 losses 0'],
    ['keep a day to its last moment', 'buy 1 for 100, at 90, 23.999h later', 'result -10 day -10 peak 0 losses 0'],
    ['begin no day again', 'at 1, 24h later, buy 1 for 100, -1h later, at 90', 'result -10 day -10 peak 0 losses 0'],
  ])('%s', (_, steps, expected) => {
    expect(viewAfter(steps)).toBe(expected);
  });

  test.each([
    ['by one that lost', 'buy 1 for 100, sell 1 for 90', 1],
    ['only when it is over', 'buy 2 for 200, sell 1 for 90', 0],
    ['as one however many fills it has', 'buy 1 for 100, buy 1 for 90, sell 1.5 for 120, sell 0.5 for 40', 1],
    ['one after the other', 'buy 1 for 100, sell 1 for 90, buy 1 for 100, sell 1 for 99', 2],
    ['from none after one that won', 'buy 1 for 100, sell 1 for 90, buy 1 for 100, sell 1 for 101', 0],
    ['from none after one that brought nothing', 'buy 1 for 100, sell 1 for 90, buy 1 for 100, sell 1 for 100', 0],
    ['when the position turns round', 'buy 1 for 100, sell 2 for 180', 1],
    ['again when it turns back', 'buy 1 for 100, sell 2 for 180, buy 2 for 200', 2],
    ['when no more than dust is left', 'buy 1 for 100 fee 0.0025005, sell 0.997499 for 90', 1],
    ['not while a whole step is left', 'buy 1 for 100 fee 0.0025, sell 0.997499 for 90', 0],
    ['of all markets together', 'buy 1 for 100, buy 1 for 50 in ETHUSDT, sell 1 for 90, sell 1 for 40 in ETHUSDT', 2],
    ['of short positions', 'sell 1 for 100, buy 1 for 110', 1],
  ])('count losing round trips %s', (_, steps, losses) => {
    const { results, atMs } = play(steps);
    expect(viewOf(results, atMs).lossesInARow).toBe(losses);
  });

  test('say when the last loss ended', () => {
    const { results, atMs } = play(
      'buy 1 for 100, 1h later, sell 1 for 90, 1h later, buy 1 for 90, 1h later, sell 1 for 95',
    );
    expect(viewOf(results, atMs)).toMatchObject({ lossesInARow: 0, lastLossAtMs: MIDNIGHT_MS + HOUR_MS });
  });

  test('realise against the average cost', () => {
    const { results } = play('buy 1 for 100, buy 3 for 420, sell 2 for 300');
    expect(results.markets['BTCUSDT']).toEqual({
      ...NO_MARKET_RESULT,
      position: parseUnits('2'),
      cash: parseUnits('-220'),
      cost: parseUnits('260'),
      realised: parseUnits('40'),
      price: parseUnits('100'),
    });
  });

  test('are the same value where nothing comes of a price', () => {
    const { results } = play('buy 1 for 100, at 110');
    const at = (market: string) => resultsAtPrice(results, { market, price: parseUnits('110'), atMs: MIDNIGHT_MS });
    expect(at('BTCUSDT')).toBe(results);
    expect(at('ETHUSDT')).toBe(results);
  });

  test('refuse a fill of another quote currency', () => {
    const fill = fillOf('buy 1 for 100 in BTCIRT', 0);
    expect(() => resultsAfterFill(noResults('usdt'), { fill, market: marketOf('BTCIRT') })).toThrow('expected a fill');
    expect(() => resultsAfterFill(noResults('usdt'), { fill, market: marketOf('BTCUSDT') })).toThrow('expected a fill');
  });
});
