import { expect, test } from 'vitest';
import { formatUnits, parseUnits } from '../../../src/domain/money.ts';
import { profitText } from '../../../src/portfolio/profit.ts';
import { readFigures } from '../../../src/engine/strategy-instance-record.ts';
import { StrategyInstance } from '../../../src/engine/strategy-instance.ts';
import { EMPTY_FILL, type FillRecord } from '../../../src/records/fill.ts';
import { createRiskLimits } from '../../../src/engine/risk-limits.ts';
import { defineStrategy } from '../../../src/strategy/definition.ts';
import { orderIdOf, tradeIdOf } from '../../../src/venues/read-records.ts';
import { MARKET_NAMES } from '../../../src/exchange/market-names.ts';
import { runnerOn } from '../../support/runner-on.ts';

const TRIANGLE = ['BTCIRT', 'BTCUSDT', 'USDTIRT'] as const;
const NOON_MS = Date.UTC(2026, 0, 2, 12);

function instanceOver(markets: readonly string[]): StrategyInstance {
  const definition = defineStrategy({
    name: 'arbitrage',
    data: (setup) => ({ books: markets.map((market) => setup.markets.of(market).book()) }),
    on: { books: () => undefined },
  });
  const market = markets[0] ?? '';
  const runner = runnerOn(definition, market, '1m', { params: {}, knownMarkets: new Set(TRIANGLE) });
  const limits = createRiskLimits();
  return new StrategyInstance(
    { runner, onError: 'stop', pauseMs: 0, limits, capital: {} },
    {
      marketNames: MARKET_NAMES,
      sees: (symbol) => (TRIANGLE as readonly string[]).includes(symbol),
    },
  );
}

function fillOf(
  market: string,
  side: 'buy' | 'sell',
  numbers: readonly [amount: string, total: string],
): FillRecord {
  const [amount, total] = numbers.map((text) => parseUnits(text));
  if (amount === undefined || total === undefined) throw new Error('an amount and a total');
  const price = parseUnits(String(Number(numbers[1]) / Number(numbers[0])));
  const fee = parseUnits('0');
  const ids = {
    ...EMPTY_FILL,
    tradeId: tradeIdOf(1),
    cursor: 1,
    venueOrderId: orderIdOf(1),
    orderKey: 'key',
    strategy: 'arbitrage',
  };
  return { ...ids, market, side, atMs: NOON_MS, price, amount, total, fee };
}

const tetherAt100 = (symbol: string) => (symbol === 'USDTIRT' ? parseUnits('100') : null);

/** Buys for 9,900 rial, sells for 100 tether, and sells these for 10,000 rial. */
function roundTriangle(instance: StrategyInstance): void {
  const of = { leastAmount: parseUnits('0.001'), priceOf: tetherAt100 };
  instance.applyFill(fillOf('BTCIRT', 'buy', ['1', '9900']), of);
  instance.applyFill(fillOf('BTCUSDT', 'sell', ['1', '100']), of);
  instance.applyFill(fillOf('USDTIRT', 'sell', ['100', '10000']), of);
}

test('a triangle of three markets makes what it brought, and holds nothing', () => {
  const instance = instanceOver(TRIANGLE);
  roundTriangle(instance);
  expect(profitText(instance.ledger, () => null)).toEqual({
    currency: 'rls',
    profit: '100',
    realised: '100',
    open: '0',
    positions: { btc: '0', usdt: '0' },
    unvalued: [],
  });
  const results = instance
    .pnlViews('rls', NOON_MS)
    .inCurrencies.map(({ quote, dayResult }) => [quote, dayResult]);
  expect(results).toEqual([
    ['rls', parseUnits('100')],
    ['usdt', parseUnits('1')],
  ]);
});

test('a fill of a market that is followed no more is held all the same', () => {
  const instance = instanceOver(['BTCIRT']);
  instance.applyFill(fillOf('ETHIRT', 'buy', ['2', '50']), { leastAmount: null, priceOf: () => null });
  expect(formatUnits(instance.held('eth'))).toBe('2');
  expect(profitText(instance.ledger, () => null)).toMatchObject({ profit: '0', unvalued: [] });
});

test('the result of a strategy of tether markets alone is in tether', () => {
  const instance = instanceOver(['BTCUSDT']);
  instance.applyFill(fillOf('BTCUSDT', 'buy', ['1', '100']), {
    leastAmount: parseUnits('0.001'),
    priceOf: () => null,
  });
  expect(profitText(instance.ledger, () => parseUnits('110'))).toMatchObject({
    currency: 'usdt',
    profit: '10',
    open: '10',
  });
});

test('a row gives back what was held, fees and results, to an instance and to a reader without one', () => {
  const instance = instanceOver(TRIANGLE);
  roundTriangle(instance);
  instance.applyFill(
    { ...fillOf('BTCIRT', 'buy', ['1', '9900']), fee: parseUnits('0.002') },
    {
      leastAmount: parseUnits('0.001'),
      priceOf: () => null,
    },
  );
  const record = instance.drainRecord(NOON_MS);
  if (record === null) throw new Error('expected a record of an instance that traded');
  const again = instanceOver(TRIANGLE);
  again.restore(record);
  expect(again.drainRecord(NOON_MS)).toBeNull();
  again.isDirty = true;
  expect(again.drainRecord(NOON_MS)?.json).toBe(record.json);
  expect(again.fees.get('btc')).toBe(parseUnits('0.002'));
  const read = readFigures(record, MARKET_NAMES);
  expect(profitText(read.ledger)).toEqual(profitText(instance.ledger, () => null));
  expect(read.fills).toBe(4);
});
