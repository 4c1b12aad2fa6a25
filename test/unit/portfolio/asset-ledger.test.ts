import { describe, expect, test } from 'vitest';
import { formatUnits, parseUnits, type Units } from '../../../src/domain/money.ts';
import type { AssetLedger } from '../../../src/portfolio/asset-ledger.ts';
import { profitOf } from '../../../src/portfolio/profit.ts';
import { ledgerOf, MIDNIGHT_MS, play } from './ledger-table.ts';
import { parseMarket, MARKET_NAMES } from '../../../src/exchange/market-names.ts';
import { positionIn } from '../../../src/engine/risk/exposure-checks.ts';
import { scenarios } from '../../support/scenarios.ts';

const HOUR_MS = 3_600_000;

const viewOf = (ledger: AssetLedger, atMs: number) => {
  const track = ledger.tracksAt(atMs, 'usdt').get('usdt');
  if (track === undefined) throw new Error('no result in tether');
  return { ...track.marks, ...ledger.state.streak };
};

const viewAfter = (steps: string) => {
  const ledger = ledgerOf('usdt');
  const { result, dayBeganWith, peakResult, lossesInARow } = viewOf(ledger, play(ledger, steps));
  return `result ${formatUnits(result)} day ${formatUnits(result - dayBeganWith)} peak ${formatUnits(peakResult)} losses ${lossesInARow}`;
};

describe('the results of a strategy in one quote currency', () => {
  scenarios((line) => {
    const [steps = '', expected = ''] = line.split(' => ');
    expect(viewAfter(steps)).toBe(expected);
  })`
    begin with nothing
      at 100 => result 0 day 0 peak 0 losses 0
    count the position at the last price
      buy 1 for 100, at 110 => result 10 day 10 peak 10 losses 0
    count it at the price of its fill before any is known
      buy 2 for 200 => result 0 day 0 peak 0 losses 0
    fall with it
      buy 1 for 100, at 130, at 90 => result -10 day -10 peak 30 losses 0
    realise a sale
      buy 2 for 200, at 110, sell 1 for 110, at 100 => result 10 day 10 peak 20 losses 0
    count fees in the coin
      buy 1 for 100 fee 0.01, at 100 => result -1 day -1 peak 0 losses 0
    count fees in the quote
      buy 1 for 100, sell 1 for 100 fee 0.5 => result -0.5 day -0.5 peak 0 losses 1
    count fees in the quote of a purchase
      buy 1 for 100 fee 0.5 from usdt, at 100 => result -0.5 day -0.5 peak 0 losses 0
    count fees in the coin of a sale
      buy 2 for 200, sell 1 for 100 fee 0.01 from btc, at 100 => result -1 day -1 peak 0 losses 0
    count fees in another coin at the value that they had, whatever it costs later
      buy 1 for 100 fee 0.1 from bnb worth 5, at 100, BNBUSDT at 70 => result -5 day -5 peak 0 losses 0
    count a trip as lost by its fees in another coin
      buy 1 for 100 fee 0.1 from bnb worth 5, sell 1 for 103 => result -2 day -2 peak 0 losses 1
    value such fees at the first price if they had none
      buy 1 for 100 fee 0.1 from bnb, at 100, BNBUSDT at 50 => result -5 day -5 peak 0 losses 0
    count a short position
      sell 1 for 100, at 90 => result 10 day 10 peak 10 losses 0
    add up markets
      buy 1 for 100, buy 2 for 50 in ETHUSDT, at 110, ETHUSDT at 20 => result 0 day 0 peak 10 losses 0
    begin a day with what they are
      buy 1 for 100, at 90, 24h later, at 85 => result -15 day -5 peak 0 losses 0
    begin a day without any step
      buy 1 for 100, at 90, 24h later => result -10 day 0 peak 0 losses 0
    keep a day to its last moment
      buy 1 for 100, at 90, 23.999h later => result -10 day -10 peak 0 losses 0
    begin no day again
      at 1, 24h later, buy 1 for 100, -1h later, at 90 => result -10 day -10 peak 0 losses 0
  `;

  test.each([
    ['by one that lost', 'buy 1 for 100, sell 1 for 90', 1],
    ['only when it is over', 'buy 2 for 200, sell 1 for 90', 0],
    ['as one however many fills it has', 'buy 1 for 100, buy 1 for 90, sell 1.5 for 120, sell 0.5 for 40', 1],
    ['one after the other', 'buy 1 for 100, sell 1 for 90, buy 1 for 100, sell 1 for 99', 2],
    ['from none after one that won', 'buy 1 for 100, sell 1 for 90, buy 1 for 100, sell 1 for 101', 0],
    [
      'from none after one that brought nothing',
      'buy 1 for 100, sell 1 for 90, buy 1 for 100, sell 1 for 100',
      0,
    ],
    ['when the position turns round', 'buy 1 for 100, sell 2 for 180', 1],
    ['again when it turns back', 'buy 1 for 100, sell 2 for 180, buy 2 for 200', 2],
    ['when no more than dust is left', 'buy 1 for 100 fee 0.0025005, sell 0.997499 for 90', 1],
    ['not while a whole step is left', 'buy 1 for 100 fee 0.0025, sell 0.997499 for 90', 0],
    [
      'of all markets together',
      'buy 1 for 100, buy 1 for 50 in ETHUSDT, sell 1 for 90, sell 1 for 40 in ETHUSDT',
      2,
    ],
    ['of short positions', 'sell 1 for 100, buy 1 for 110', 1],
  ])('count losing round trips %s', (_, steps, losses) => {
    const ledger = ledgerOf('usdt');
    expect(viewOf(ledger, play(ledger, steps)).lossesInARow).toBe(losses);
  });

  test('say when the last loss ended', () => {
    const ledger = ledgerOf('usdt');
    const atMs = play(
      ledger,
      'buy 1 for 100, 1h later, sell 1 for 90, 1h later, buy 1 for 90, 1h later, sell 1 for 95',
    );
    expect(viewOf(ledger, atMs)).toMatchObject({ lossesInARow: 0, lastLossAtMs: MIDNIGHT_MS + HOUR_MS });
  });

  test('owe no coin for fees, and take them from coins that they hold', () => {
    const ledger = ledgerOf('usdt');
    play(ledger, 'buy 1 for 100 fee 0.1 from bnb worth 5');
    expect(ledger.held('bnb')).toBe(0n);
    play(ledger, 'buy 3 for 150 in BNBUSDT, buy 1 for 100 fee 0.1 from bnb worth 6');
    expect(ledger.held('bnb')).toBe(parseUnits('2.9'));
    play(ledger, 'sell 2.9 for 145 fee 0.2 from bnb in BNBUSDT');
    expect(ledger.held('bnb')).toBe(0n);
    // 5 for the first fee, 5 for the coin that the second took, and 10 for the last one.
    play(ledger, 'at 100');
    expect(profitLine(ledger)).toBe('total -20 usdt, realised -9, open -11');
  });

  test('are not known while a fee has no price', () => {
    const ledger = ledgerOf('usdt');
    play(ledger, 'buy 1 for 100 fee 0.1 from bnb, at 110');
    expect(ledger.tracksAt(MIDNIGHT_MS, 'usdt').get('usdt')?.unvalued).toEqual(['bnb']);
  });

  test('realise against the average cost', () => {
    const ledger = ledgerOf('usdt');
    play(ledger, 'buy 1 for 100, buy 3 for 420, sell 2 for 300, at 150');
    expect(ledger.held('btc')).toBe(parseUnits('2'));
    expect(profitLine(ledger)).toBe('total 80 usdt, realised 40, open 40');
  });
});

const profitLine = (ledger: AssetLedger) => {
  const { currency, total, realised, open, unvalued } = profitOf(ledger);
  if (unvalued.length > 0) return `no value of ${unvalued.join(' and ')} in ${currency}`;
  if (total === null) return 'no total';
  const split =
    realised === null || open === null
      ? ''
      : `, realised ${formatUnits(realised)}, open ${formatUnits(open)}`;
  return `total ${formatUnits(total)} ${currency}${split}`;
};

describe('the profit over several markets', () => {
  const TRIANGLE =
    'USDTIRT at 100, buy 1 for 9900 in BTCIRT, sell 1 for 100 fee 0.1, sell 99.9 for 9990 in USDTIRT';

  scenarios((line) => {
    const [steps = '', expected = ''] = line.split(' => ');
    const ledger = ledgerOf('rls', 'usdt');
    play(ledger, steps);
    expect(profitLine(ledger)).toBe(expected);
  })`
    nets a coin that was bought in one market and sold in another
      ${TRIANGLE} => total 90 rls, realised 90, open 0
    values tether that is left once, by its rial market
      USDTIRT at 100, buy 1 for 9900 in BTCIRT, sell 1 for 100, USDTIRT at 99 => total 0 rls, realised 100, open -100
    values a coin by its rial market before the way through tether
      USDTIRT at 100, buy 1 for 99, at 99, BTCIRT at 9950 => total 50 rls, realised 0, open 50
    values a coin through tether where its rial market was not seen
      USDTIRT at 100, buy 1 for 99, at 101, USDTIRT at 101 => total 202 rls, realised 0, open 202
    takes a fee off the coin that it was paid in
      USDTIRT at 100, buy 1 for 10000 fee 0.01 in BTCIRT, BTCIRT at 10000 => total -100 rls, realised 0, open -100
    says what has no price
      buy 1 for 100 => no value of btc and usdt in rls
    turns costs over at the first price of tether
      buy 1 for 100, at 110, USDTIRT at 10 => total 100 rls, realised 0, open 100
    keeps what was realised before the first price of tether
      buy 1 for 100, sell 1 for 110, USDTIRT at 10 => total 100 rls, realised 100, open 0
    is nothing before any trade
      at 100 => total 0 rls, realised 0, open 0
  `;

  test.each([
    ['of a coin that went over', TRIANGLE.replace('9900', '10100'), 1],
    ['of a coin between two tether trades without a price of tether', 'buy 1 for 100, sell 1 for 90', 1],
    ['never where gain and loss can not be compared', 'buy 1 for 9900 in BTCIRT, sell 1 for 90', 0],
  ])('counts losing round trips %s', (_, steps, losses) => {
    const ledger = ledgerOf('rls', 'usdt');
    play(ledger, steps.split(', sell 99.9')[0] ?? '');
    expect(ledger.state.streak.lossesInARow).toBe(losses);
  });

  test('follows the result in both currencies', () => {
    const ledger = ledgerOf('rls', 'usdt');
    const atMs = play(ledger, `${TRIANGLE}, USDTIRT at 90`);
    const tracks = ledger.tracksAt(atMs, 'rls');
    expect(tracks.get('rls')?.marks.result).toBe(parseUnits('90'));
    expect(tracks.get('usdt')?.marks.result).toBe(parseUnits('1'));
  });

  test('begins to follow a currency that was not traded before without a loss of the day', () => {
    const ledger = ledgerOf('rls');
    const atMs = play(ledger, 'buy 1 for 10000 in BTCIRT, BTCIRT at 9000, 1h later');
    ledger.applyBridge(() => parseUnits('100'), atMs);
    const marks = ledger.tracksAt(atMs, 'usdt').get('usdt')?.marks;
    expect(marks).toMatchObject({
      result: parseUnits('-10'),
      dayBeganWith: parseUnits('-10'),
      peakResult: 0n,
    });
  });

  test('keeps the last marks while something has no price, and names it', () => {
    const ledger = ledgerOf('rls', 'usdt');
    const atMs = play(ledger, 'buy 1 for 100 in BTCIRT, BTCIRT at 90, buy 1 for 100 in ETHUSDT');
    expect(ledger.tracksAt(atMs, 'rls').get('rls')).toMatchObject({
      marks: { result: parseUnits('-10') },
      unvalued: ['eth', 'usdt'],
    });
  });
});

test('coins that were given have a value at the first price, which is a change that has to be stored', () => {
  const ledger = ledgerOf('usdt');
  ledger.applyInventory({ asset: 'btc', amount: parseUnits('2'), market: 'BTCUSDT', atMs: MIDNIGHT_MS });
  expect(ledger.waitsForPrices).toBe(true);
  const at = (price: string) =>
    ledger.applyPrices((market) => (market === 'BTCUSDT' ? parseUnits(price) : null), MIDNIGHT_MS);
  expect(at('100')).toBe(true);
  expect(formatUnits(viewOf(ledger, MIDNIGHT_MS).result)).toBe('0');
  expect(ledger.waitsForPrices).toBe(false);
  // Below the peak a changed result is no change that has to be stored for a restart.
  expect(at('90')).toBe(false);
});

/**
 * Returns the amounts held in BTCIRT, BTCUSDT and USDTIRT, after purchases of these amounts in each, with
 * this much tether in total.
 */
const heldAfter = (bought: readonly [string, string, string], tether: string) => {
  const [inRial, inTether, bridge] = bought.map((text) => parseUnits(text));
  const flows: Readonly<Record<string, Units | undefined>> = {
    BTCIRT: inRial,
    BTCUSDT: inTether,
    USDTIRT: bridge,
  };
  const zero = parseUnits('0');
  const flowOf = (market: string) => ({ position: flows[market] ?? zero, cash: zero });
  return ['BTCIRT', 'BTCUSDT', 'USDTIRT'].map((symbol) =>
    formatUnits(
      positionIn(parseMarket(symbol), flowOf, { marketNames: MARKET_NAMES, bridgeHeld: parseUnits(tether) }),
    ),
  );
};

test.each([
  ['stays where it was bought', ['1', '2', '3'], '3', ['1', '2', '3']],
  ['is gone once it was sold in the other market', ['1', '-1', '0'], '0', ['0', '0', '0']],
  ['is what is left of it, where it was bought', ['1', '-0.8', '0'], '0', ['0.2', '0', '0']],
  ['is owed where more of it was sold', ['1', '-1.5', '0'], '0', ['0', '-0.5', '0']],
  ['is owed where it was sold in both', ['-1', '-2', '0'], '0', ['-1', '-2', '0']],
] as const)('a coin %s', (_, bought, tether, held) => {
  expect(heldAfter(bought, tether)).toEqual(held);
});

test.each([
  ['that came from a sale counts', ['0', '0', '0'], '100', '100'],
  ['that was bought and spent is gone', ['0', '0', '100'], '0', '0'],
  ['that the account had before and spent is not owed', ['0', '0', '0'], '-100', '0'],
  ['that was sold for rial is owed', ['0', '0', '-100'], '-150', '-100'],
  ['that was sold for rial and came back is owed no more', ['0', '0', '-100'], '-40', '-40'],
] as const)('tether %s', (_, bought, tether, held) => {
  expect(heldAfter(bought, tether)[2]).toBe(held);
});
