import { describe, expect, it } from 'vitest';
import { LastPrices, strategyStatus } from '../../../src/mirror/strategy-status.ts';
import { parseMarket } from '../../../src/exchange/market-names.ts';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { parseUnits } from '../../../src/domain/money.ts';
import type { StrategyRecord } from '../../../src/records/rows.ts';
import { UNTIL_RESUMED_MS } from '../../../src/engine/lock.ts';
import { english } from '../../../src/language/sentence.ts';
import { newLedger, instanceJson } from '../../support/new-ledger.ts';

/** Makes the row of a strategy that bought 2 BTC at 100 and sold one at 130; the last price is 120. */
function row(status: StrategyRecord['status'] = 'running'): StrategyRecord {
  const ledger = newLedger();
  const market = parseMarket('BTCUSDT');
  const terms = { market, atMs: 5_000, leastAmount: parseUnits('0.001') };
  const trade = { ...terms, feeCurrency: null, feeValue: null };
  const [one, two] = [parseUnits('1'), parseUnits('2')];
  ledger.applyTrade({
    ...trade,
    side: 'buy',
    amount: two,
    price: parseUnits('100'),
    total: parseUnits('200'),
    fee: parseUnits('0.01084'),
  });
  ledger.applyTrade({
    ...trade,
    side: 'sell',
    amount: one,
    price: parseUnits('130'),
    total: parseUnits('130'),
    fee: parseUnits('0.13'),
  });
  ledger.applyPrices(() => parseUnits('120'), 6_000);
  const fees = new Map<string, bigint>([
    ['btc', parseUnits('0.01084')],
    ['usdt', parseUnits('0.13')],
  ]);
  const json = instanceJson(ledger, { requests: 7, fills: 2, orders: 4, fees }, '{"level":3}');
  return { name: 'grid', status, reason: null, json, atMs: 6_000 };
}

/** Makes last prices from a book of BTCUSDT, 149 to 151, that was read at a time. */
function pricesAt(seenAtMs: number): LastPrices {
  const bids = [[decimalText('149'), decimalText('1')]] as const;
  const asks = [[decimalText('151'), decimalText('1')]] as const;
  return new LastPrices({
    book: (market) => (market === 'BTCUSDT' ? { bids, asks, updatedAtMs: null, seenAtMs } : null),
  });
}

const profitWith = (prices: LastPrices): string | null =>
  strategyStatus(row(), true, { prices }).figures.profit;

describe('a strategy for the status', () => {
  it('says who has paused it, why and until when', () => {
    const pause = {
      name: 'pause',
      rule: null,
      strategy: 'maker',
      market: null,
      reason: 'news',
      beganAtMs: 1,
      endsAtMs: UNTIL_RESUMED_MS,
      entries: 'cancel',
      pauses: true,
      by: 'ali',
    } as const;
    const { status, reason } = strategyStatus(row(), true, { pause });
    expect([status, english(reason)]).toEqual(['paused by hand', 'by hand until it is resumed: news (ali)']);
    expect(strategyStatus(row('stopped'), true, { pause }).status).toBe('stopped');
  });

  it('has its profit, what it holds and its fees as decimal texts', () => {
    const { figures, state } = strategyStatus(row(), true);
    expect(state).toEqual({ level: 3 });
    expect(figures).toMatchObject({
      currency: 'usdt',
      profit: '48.5692',
      positions: { btc: '0.98916' },
      fees: { btc: '0.01084', usdt: '0.13' },
      orders: 4,
      fills: 2,
    });
    const { realised, open, profit } = figures;
    expect(parseUnits(realised ?? '') + parseUnits(open ?? '')).toBe(parseUnits(profit ?? ''));
    expect(JSON.stringify(strategyStatus(row(), true))).not.toMatch(/"-?\d+n"/);
  });

  it('is valued by the last book, where that is newer than the price of its row', () => {
    // 0.98916 BTC are worth 30 more for each coin than in the row.
    expect(profitWith(pricesAt(7_000))).toBe('78.244');
    expect(profitWith(pricesAt(5_000))).toBe('48.5692');
  });

  it.each([
    ['running', true, 'running'],
    ['running', false, 'not running'],
    ['running', null, 'unknown'],
    ['stopped', false, 'stopped'],
    ['paused', false, 'paused'],
  ] as const)('that was %s is, with a bot running %s, %s', (before, isRunning, status) => {
    expect(strategyStatus(row(before), isRunning).status).toBe(status);
  });

  it.each([
    '',
    '{',
    'null',
    '{"level":3}',
    '{"state":1,"requests":1,"fills":1,"orders":1,"fees":{"btc":"x"}}',
  ])('is refused where its row can not be read: %s', (json) => {
    expect(() => strategyStatus({ ...row(), json }, true)).toThrow(
      /^the stored row of the strategy grid is damaged: ./,
    );
  });
});
