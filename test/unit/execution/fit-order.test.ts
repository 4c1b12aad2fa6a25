import { Decimal } from 'decimal.js';
import { describe, expect, test } from 'vitest';
import { createMarket } from '../../../src/domain/market.ts';
import { fitOrder } from '../../../src/execution/fit-order.ts';

const rial = createMarket({ market: 'BTCIRT', priceStep: '10', amountStep: '0.000001', minOrderValue: '3000000' });
const tether = createMarket({ market: 'BTCUSDT', priceStep: '0.01', amountStep: '0.000001', minOrderValue: '11' });
const coin = createMarket({ market: 'SHIBUSDT', priceStep: '0.00000001', amountStep: '1', minOrderValue: '11' });

describe('fitting an order', () => {
  test.each([
    ['an amount down', { amount: '0.0012349', price: '12600000000' }, 1_234, 1_260_000_000],
    ['a price to the nearest step', { amount: '0.001', price: '12600000007' }, 1_000, 1_260_000_001],
    ['a price between two steps to the even one', { amount: '0.001', price: '12600000005' }, 1_000, 1_260_000_000],
    ['digits beyond any step', { amount: '0.00100000000000000009', price: '12600000000.1' }, 1_000, 1_260_000_000],
    ['a Decimal', { amount: new Decimal('0.001'), price: new Decimal('1.26e10') }, 1_000, 1_260_000_000],
  ])('rounds %s', (_, wish, amount, price) => {
    expect(fitOrder(rial, wish)).toEqual({ ok: true, amount, price });
  });

  test('fits steps of a hundred millionth', () => {
    expect(fitOrder(coin, { amount: '1000000.9', price: '0.000017251' })).toEqual({
      ok: true,
      amount: 1_000_000,
      price: 1_725,
    });
  });

  test.each([
    ['nothing is left of the amount', { amount: '0.0000009', price: '65000' }, 'nothing is left'],
    ['nothing is left of the price', { amount: '1', price: '0.001' }, 'nothing is left'],
    ['the value is the minimum and not more', { amount: '0.0011', price: '10000' }, 'does not exceed the minimum'],
    ['the amount is negative', { amount: '-1', price: '65000' }, 'expected a positive amount, was "-1"'],
    ['the amount is no number', { amount: 'NaN', price: '65000' }, 'expected a positive amount, was "NaN"'],
    ['the price has no end', { amount: '1', price: 'Infinity' }, 'expected a positive price'],
    ['the price is nothing', { amount: '1', price: '0' }, 'expected a positive price'],
    ['the price is beyond all steps', { amount: '1', price: '1e20' }, 'within 2^53 steps'],
    ['the price is beyond all reason', { amount: '1', price: '1e400' }, 'expected a positive price'],
    [
      'the amount is a float',
      { amount: 0.5 as unknown as string, price: '65000' },
      'expected a positive amount, was 0.5',
    ],
  ])('refuses when %s', (_, wish, reason) => {
    expect(fitOrder(tether, wish)).toEqual({ ok: false, reason: expect.stringContaining(reason) });
  });

  test('takes the least value above the minimum', () => {
    expect(fitOrder(tether, { amount: '0.0011', price: '10000.01' }).ok).toBe(true);
  });
});
