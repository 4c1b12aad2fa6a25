import { describe, expect, test } from 'vitest';
import { summaryLines, type StrategySummary, type Summary } from '../../../src/daemon/run/screen.ts';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { orderIdOf } from '../../../src/venues/read-records.ts';

const CROSS: StrategySummary = {
  strategy: 'ma-cross',
  market: 'BTCIRT',
  orders: 4,
  fills: 3,
  requests: 5,
  fees: { btc: '0.0000025', rls: '47250' },
  position: '0.001',
  positions: { btc: decimalText('0.001') },
  currency: 'rls',
  profit: decimalText('-126000.5'),
  realised: decimalText('-126000.5'),
  open: decimalText('0'),
  unvalued: [],
  failure: null,
};

const WHY_KEPT = 'Orders stay open by the rule of drain.openOrders; its value "cancel" leaves no order open.';

const SUMMARY: Summary = {
  strategies: [
    CROSS,
    {
      ...CROSS,
      strategy: 'market-maker',
      orders: 0,
      fills: 0,
      fees: { btc: '0', rls: '0' },
      position: '0',
      profit: null,
      unvalued: ['usdt'],
      failure: 'no idea',
    },
    {
      ...CROSS,
      strategy: 'tether',
      market: 'BTCUSDT',
      currency: 'usdt',
      fees: {},
      profit: decimalText('12.3456'),
    },
    {
      ...CROSS,
      strategy: 'triangle',
      fees: {},
      position: '0',
      positions: { btc: decimalText('0'), usdt: decimalText('59.8'), eth: decimalText('1') },
      profit: decimalText('100'),
    },
  ],
  endpoints: [{ endpoint: 'ordersList', requests: 40, most: 20, limit: 30, windowMs: 60_000 }],
  openOrders: 0,
  left: { orders: [], unprotected: [], unread: 0 },
};

describe('the lines of the summary', () => {
  test('show orders, fills, fees and profit of each strategy, and requests against their limits', () => {
    expect(summaryLines(SUMMARY)).toEqual([
      '',
      'strategy      orders   fills   profit (fees, position)',
      'ma-cross           4       3   -126,000 rls (fees 0.0000025 btc and 47,250 rls, position 0.001)',
      'market-maker       0       0   unknown: no price of usdt (fees 0, position 0)  STOPPED: no idea',
      'tether             4       3   12.35 usdt (fees 0, position 0.001)',
      'triangle           4       3   100 rls (fees 0, position 0, 59.8 usdt, 1 eth)',
      '',
      'endpoint              requests   most in a window / limit',
      'ordersList                  40   20 / 30 in 60 s',
      '',
      'No order is left open.',
    ]);
  });

  test('are loud about orders that may be open', () => {
    expect(summaryLines({ ...SUMMARY, openOrders: 2 }).at(-2)).toBe('2 ORDERS ARE NOT KNOWN TO BE CLOSED.');
  });

  test('say that fills are missing, whose positions they show', () => {
    const left = { ...SUMMARY.left, unread: 2 };
    expect(summaryLines({ ...SUMMARY, left }).slice(-2)).toEqual([
      'No order is left open.',
      'The fills of 2 orders could not be read in time: profits and positions lack them, and the next start reads them.',
    ]);
  });

  test('end with what is left open and what is unprotected', () => {
    const exit = {
      strategy: 'maker',
      market: 'BTCUSDT',
      side: 'sell',
      amount: '0.228',
      price: '70000',
    } as const;
    const left = {
      orders: [
        { ...exit, order: 'bot-1', id: orderIdOf(7), stopPrice: null, isOco: true },
        { ...exit, order: 'bot-1/2', id: null, price: '59000', stopPrice: '60000', isOco: true },
      ],
      unprotected: [
        { strategy: 'cross', asset: 'eth', held: '2', unprotected: '1.5' },
        { strategy: 'maker', asset: 'btc', held: '-0.3', unprotected: '-0.1' },
      ],
      unread: 0,
    };
    expect(summaryLines({ ...SUMMARY, openOrders: 2, left })).not.toContain(WHY_KEPT);
    expect(summaryLines({ ...SUMMARY, left }).slice(-5)).toEqual([
      'Left open: 7 BTCUSDT sell 0.228 at 70,000, of an OCO (maker, bot-1)',
      'Left open: id unknown BTCUSDT sell 0.228 at 59,000 once 60,000 is reached, of an OCO (maker, bot-1/2)',
      'Unprotected: cross holds 2 eth, of which no stop order or OCO covers 1.5',
      'Unprotected: maker has sold 0.3 btc more than it bought, of which no stop order or OCO covers 0.1',
      WHY_KEPT,
    ]);
  });
});
