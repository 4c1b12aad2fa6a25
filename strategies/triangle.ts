import { z } from 'zod';
import {
  book,
  buy,
  candles,
  currenciesOf,
  Decimal,
  decimal,
  defineStrategy,
  sell,
  type BookLevel,
  type Intent,
} from '#sdk';

/** What one of a coin is bought and sold for in a market. */
interface Prices {
  readonly bid: number;
  readonly ask: number;
}

/**
 * Buys a coin where it is cheap and sells it where it is dear, when its rial market, its tether market and the market of tether in rial do not agree: BTCIRT,
 * BTCUSDT and USDTIRT. All three legs go out at once, so the account has to have some of each: rial, tether and the coin. In the end it holds as much of the
 * coin as before, and more money. Between the legs prices move, and each pays a fee: `edge` has to be well above the three fees.
 *
 * Its own market is the coin's in rial. It goes by books, and in a backtest on candles by their closes.
 */
export default defineStrategy({
  name: 'triangle',
  params: z.strictObject({
    /** Tether of one round. */
    size: decimal().prefault('100'),
    /** The least gain of a round as a share of it, before fees: 0.01 is one percent. */
    edge: z.number().positive().max(1).default(0.01),
    /** The least time between two rounds. */
    pauseMs: z.int().positive().default(60_000),
    /** Candle length; the run's own without it. */
    timeframe: z.enum(['1m', '5m', '15m', '30m', '1h']).optional(),
  }),
  subscribe: ({ market, params, timeframe, hasBooks }) =>
    marketsOf(market).map((one) => (hasBooks ? book(one) : candles(one, params.timeframe ?? timeframe))),
  init: (): State => ({ closes: {}, lastMs: 0 }),
  onBook(context) {
    return round(context, { closes: context.state.closes, pricesOf: (market) => bestOf(context.bookOf(market)) });
  },
  onCandle(context, { market, close, openTimeMs }) {
    const closes = { ...context.state.closes, [market]: { close, openTimeMs } };
    // Only candles of one time can be compared: where one is missing, nothing is done.
    const pricesOf = (of: string): Prices | null => {
      const last = closes[of];
      return last?.openTimeMs === openTimeMs ? { bid: Number(last.close), ask: Number(last.close) } : null;
    };
    return round(context, { closes, pricesOf });
  },
});

type Closes = Readonly<Record<string, { readonly close: string; readonly openTimeMs: number }>>;

interface State {
  readonly closes: Closes;
  /** When the last round went out. */
  readonly lastMs: number;
}

function bestOf(
  book: { readonly bids: readonly BookLevel[]; readonly asks: readonly BookLevel[] } | null,
): Prices | null {
  const [bid] = book?.bids ?? [];
  const [ask] = book?.asks ?? [];
  return bid === undefined || ask === undefined ? null : { bid: Number(bid[0]), ask: Number(ask[0]) };
}

/** The coin in rial, the coin in tether, and tether in rial. */
function marketsOf(market: string): readonly [string, string, string] {
  const coin = currenciesOf(market).base.toUpperCase();
  return [`${coin}IRT`, `${coin}USDT`, 'USDTIRT'];
}

/** What a round looks at. */
interface Seen {
  readonly market: string;
  readonly nowMs: number;
  readonly params: { readonly size: string; readonly edge: number; readonly pauseMs: number };
  readonly state: { readonly lastMs: number };
  readonly orders: readonly unknown[];
  readonly free: Readonly<Record<string, string>>;
}

function round(
  { market, nowMs, params, state, orders, free }: Seen,
  { closes, pricesOf }: { readonly closes: Closes; readonly pricesOf: (market: string) => Prices | null },
): { readonly state: State; readonly intents?: readonly Intent[] } {
  const unchanged = { state: { closes, lastMs: state.lastMs } };
  const [inRial, inTether, tether] = marketsOf(market);
  const [rial, dollar, bridge] = [pricesOf(inRial), pricesOf(inTether), pricesOf(tether)];
  if (rial === null || dollar === null || bridge === null) return unchanged;
  if (orders.length > 0 || nowMs < state.lastMs + params.pauseMs) return unchanged;
  const { base } = currenciesOf(market);
  const amount = new Decimal(params.size).div(dollar.ask);
  const money = new Decimal(params.size);
  const has = (currency: string, least: Decimal): boolean => least.times(1.01).lessThan(free[currency] ?? '0');
  const next = { state: { closes, lastMs: nowMs } };
  // Rial buys the coin, the coin brings tether, and that brings rial back.
  if ((dollar.bid * bridge.bid) / rial.ask - 1 >= params.edge) {
    if (!has('rls', amount.times(rial.ask)) || !has(base, amount) || !has('usdt', money)) return unchanged;
    return { ...next, intents: [buy(inRial, { amount }), sell(inTether, { amount }), sell(tether, { amount: money })] };
  }
  // The other way round.
  if (rial.bid / (bridge.ask * dollar.ask) - 1 >= params.edge) {
    if (!has('rls', money.times(bridge.ask)) || !has(base, amount) || !has('usdt', money)) return unchanged;
    return { ...next, intents: [sell(inRial, { amount }), buy(inTether, { amount }), buy(tether, { amount: money })] };
  }
  return unchanged;
}
