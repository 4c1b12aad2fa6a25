import { createBareExchange, fund } from './bare-exchange.ts';
import { decimalText } from '../../src/domain/decimal-text.ts';
import { formatAmount, formatPrice } from '../../src/domain/market.ts';
import type { MarketSymbol } from '../../src/domain/market-symbol.ts';
import type { Amount, Price } from '../../src/domain/money.ts';
import type { Side } from '../../src/domain/order.ts';
import type { SimulatedBar } from '../../src/simulator/candle-series.ts';
import type { PlaceOrder } from '../../src/simulator/requests.ts';
import { ReplayFlow, seedReplay, type ReplayRow } from '../../src/simulator/replay-flow.ts';

export const HOUR_MS = 3_600_000;
export const START_MS = 472_000 * HOUR_MS;
const BTCUSDT = 'BTCUSDT' as MarketSymbol;

/** An hourly bar: open, high, low, close. */
export const candle = (
  hour: number,
  [open, high, low, close]: readonly string[],
  volume = '40.5',
): ReplayRow => ({
  kind: 'candle',
  openTimeMs: START_MS + hour * HOUR_MS,
  lengthMs: HOUR_MS,
  open: decimalText(open!),
  high: decimalText(high!),
  low: decimalText(low!),
  close: decimalText(close!),
  volume: decimalText(volume),
});

export const trade = (second: number, side: Side, price: string, amount: string): ReplayRow => ({
  kind: 'trade',
  timeMs: START_MS + second * 1_000,
  side,
  price: decimalText(price),
  amount: decimalText(amount),
});

/** Creates a BTCUSDT market that replays `rows`, the first `past` of them as its past; user 1 is rich. */
export const replayOn = (
  rows: readonly ReplayRow[],
  options: { readonly past?: number; readonly newForMs?: number } = {},
) => {
  const { exchange } = createBareExchange({
    markets: [
      {
        market: 'BTCUSDT',
        priceStep: '0.01',
        amountStep: '0.000001',
        minOrderValue: '11',
        initialPrice: '4261.48',
      },
    ],
    trading: { newForMs: options.newForMs ?? 0 },
  });
  const past = options.past ?? 0;
  const seeded = seedReplay({ exchange, market: BTCUSDT, rows: rows.slice(0, past) });
  const flow = new ReplayFlow({ exchange, market: BTCUSDT, rows: rows.slice(past).values(), seed: 3 });
  const market = exchange.markets.get(BTCUSDT)!;
  fund(exchange, 1, 'usdt', '1000000');
  fund(exchange, 1, 'btc', '1000');
  const place = (order: Partial<PlaceOrder> & Pick<PlaceOrder, 'side' | 'amount'>, timeMs: number) => {
    const result = exchange.trading.place(
      1,
      {
        market: BTCUSDT,
        execution: 'limit',
        mode: 'default',
        price: null,
        stopPrice: null,
        stopLimitPrice: null,
        clientOrderId: null,
        pro: true,
        ...order,
      },
      timeMs,
    );
    if (!result.ok) throw new Error(`expected an accepted order, was ${result.code}: ${result.message}`);
    return result.value[0]!;
  };
  const show = ({ open, high, low, close, volume }: SimulatedBar): readonly string[] => [
    ...[open, high, low, close].map((price) => formatPrice(market.grid, price as Price)),
    formatAmount(market.grid, volume as Amount),
  ];
  const tape = (): readonly string[] =>
    market.tape
      .values()
      .map(
        ({ timeMs, side, price, amount }) =>
          `${timeMs - START_MS} ${side} ${formatPrice(market.grid, price as Price)} ${formatAmount(market.grid, amount as Amount)}`,
      );
  const balance = (): readonly bigint[] =>
    ['btc', 'usdt'].map((currency) => exchange.accounts.imbalanceOf(currency));
  return { exchange, flow, market, seeded, place, show, tape, balance };
};
