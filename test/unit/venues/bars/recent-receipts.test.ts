import { describe, expect, test } from 'vitest';
import { BarFillSimulator } from '../../../../src/venues/bar-fill-simulator.ts';
import { RecentReceipts } from '../../../../src/venues/bars/bar-account.ts';
import { columnsOf, type CandleColumns } from '../../../../src/domain/candle-columns.ts';
import { decimalText } from '../../../../src/domain/decimal-text.ts';
import { createMarket, type Market } from '../../../../src/domain/market.ts';
import { formatUnits, parseUnits } from '../../../../src/domain/money.ts';
import type { Wallet } from '../../../../src/simulator/wallet.ts';
import { NO_FEES } from '../../../support/bare-exchange.ts';
import { parseMarket } from '../../../../src/exchange/market-names.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const BTC = createMarket({ market: parseMarket('BTCUSDT'), priceStep: '0.01', amountStep: '0.001' });
const ETH = createMarket({ market: parseMarket('ETHUSDT'), priceStep: '0.01', amountStep: '0.001' });

function bar(
  market: Market,
  hour: number,
  [open, high, low, close]: readonly [string, string, string, string],
): CandleColumns {
  const prices = {
    open: decimalText(open),
    high: decimalText(high),
    low: decimalText(low),
    close: decimalText(close),
  };
  const candle = { openTimeMs: hour * HOUR_MS, ...prices, volume: decimalText('1000') };
  return columnsOf({ market: market.symbol, timeframe: '1h' }, [candle]);
}

describe('money that one market brings inside a bar', () => {
  test('does not pay for what another bought as the same bar opened', () => {
    const balances = { usdt: parseUnits('1000'), btc: parseUnits('10') };
    const venue = new BarFillSimulator({ markets: [BTC, ETH], fees: NO_FEES, balances });
    venue.onCandle(0, bar(BTC, 0, ['100', '100', '100', '100']), 0);
    venue.onCandle(1, bar(ETH, 0, ['100', '100', '100', '100']), 0);
    const [amount, price, quote] = [parseUnits('10'), parseUnits('105'), 'usdt'];
    const place = (order: object) =>
      venue.answer(
        { kind: 'place', order: { quote, amount, stopPrice: null, price: null, ...order } as never },
        HOUR_MS,
      );
    expect(place({ clientOrderId: 'a', base: 'btc', side: 'sell', execution: 'limit', price }).outcome).toBe(
      'value',
    );
    expect(place({ clientOrderId: 'b', base: 'eth', side: 'buy', execution: 'market' }).outcome).toBe(
      'value',
    );
    venue.onCandle(0, bar(BTC, 1, ['100', '110', '100', '110']), 0);
    venue.onCandle(1, bar(ETH, 1, ['200', '200', '200', '200']), 0);
    expect(
      venue
        .take()
        .trades.map((trade) => `${trade.side} ${formatUnits(trade.amount)} at ${formatUnits(trade.price)}`),
    ).toEqual(['sell 10 at 105', 'buy 5 at 200']);
    expect(formatUnits(venue.balance('usdt').total)).toBe('1050');
  });
});

describe('recent receipts', () => {
  test('are not kept for one market alone', () => {
    const receipts = new RecentReceipts();
    const wallet = { id: 1 } as unknown as Wallet;
    receipts.add(wallet, HOUR_MS, 1n);
    expect(receipts.after(wallet, 0)).toBe(0n);
  });

  test('are those of a wallet after a time, and of old ones no more is known than can matter', () => {
    const receipts = new RecentReceipts();
    receipts.keepFor(HOUR_MS);
    receipts.keepFor(3 * DAY_MS);
    receipts.keepFor(DAY_MS);
    const [one, other] = [{ id: 1 }, { id: 2 }] as unknown as readonly [Wallet, Wallet];
    for (let hour = 0; hour < 1_000; hour += 1) {
      receipts.add(hour % 2 === 0 ? one : other, hour * HOUR_MS, 1n);
      const fromMs = Math.max(-1, hour * HOUR_MS - 3 * DAY_MS);
      expect(receipts.after(one, fromMs) + receipts.after(other, fromMs)).toBe(
        BigInt(Math.min(hour + 1, 72)),
      );
    }
    // Pruned now and then.
    expect(receipts.after(one, 0)).toBeLessThanOrEqual(72n);
    expect(receipts.after(other, 999 * HOUR_MS)).toBe(0n);
  });
});
