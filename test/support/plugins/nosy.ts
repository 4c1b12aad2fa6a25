import { z } from 'zod';
import { defineStrategy, sma, type MarketContext } from '#sdk';

/** Reads everything that a market shows. */
function everything(market: MarketContext): Readonly<Record<string, unknown>> {
  const { position, freeBase, freeQuote, equity, exact, ages } = market;
  const texts = [exact.position, exact.freeBase, exact.freeQuote, exact.equity];
  const read = [ages.book, ages.trades, ages.stats, ages.candles, ages.orders, ages.fills, ages.balances];
  return { market: market.market, position, freeBase, freeQuote, equity, texts, read };
}

/** Returns a short hash of all that was read. */
function fingerprint(seen: unknown): string {
  let hash = 0;
  const text = JSON.stringify(seen);
  for (let at = 0; at < text.length; at += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return `${text.length} ${hash}`;
}

/** Reads everything with each event, logs its hash, and trades a little. */
export default defineStrategy({
  name: 'nosy',
  params: z.strictObject({ amount: z.number().default(0.002) }),
  state: z.strictObject({ calls: z.int().default(0) }),
  data: ({ market, timer }) => ({
    bars: market.candles('1m', { history: 5 }),
    slow: market.candles('5m', { history: 2 }),
    book: market.book(),
    price: market.ticker(),
    tape: market.trades(),
    day: market.stats(),
    minute: timer('* * * * *'),
  }),
  indicators: ({ bars, slow }) => ({ average: sma(bars, 3), slow: sma(slow, 2) }),
  beforeWarm: 'call',
  on: {
    start: poll('start'),
    stop: poll('stop'),
    bars: poll('bars'),
    slow: poll('slow'),
    tape: poll('tape'),
    day: poll('day'),
    minute: poll('minute'),
    fill: poll('fill'),
    order: poll('order'),
    reject: poll('reject'),
    book(ctx, book) {
      poll('book')(ctx, book);
      const { calls } = ctx.state;
      ctx.plot('book', calls);
      const { bestBid, bestAsk } = book;
      const oldest = ctx.orders.find((order) => order.state === 'open');
      if (calls % 7 === 0 && oldest !== undefined) return ctx.cancel(oldest.clientOrderId);
      if (calls % 3 !== 0 || bestBid === null || bestAsk === null || ctx.orders.length > 4) return;
      const { amount } = ctx.params;
      if (calls % 2 === 0) ctx.buy({ amount, price: bestAsk.price });
      else ctx.sell({ amount, price: bestBid.price, tag: `t${calls}` });
    },
  },
});

interface Watched extends MarketContext {
  readonly state: { readonly calls: number };
  readonly setState: (change: { readonly calls: number }) => void;
  readonly nowMs: number;
  readonly data: object;
  readonly history: object;
  readonly indicators: object;
  readonly orders: readonly unknown[];
  readonly markets: { readonly of: (symbol: string) => MarketContext };
  readonly log: (text: string, fields: Readonly<Record<string, unknown>>) => void;
}

function poll(kind: string): (ctx: Watched, what: unknown) => void {
  return (ctx, what) => {
    const calls = ctx.state.calls + 1;
    const { nowMs, orders, rules } = ctx;
    const lasting = [{ ...ctx.data }, { ...ctx.history }, { ...ctx.indicators }];
    const saw = [everything(ctx), everything(ctx.markets.of('ETHIRT')), nowMs, orders, rules, lasting];
    ctx.log(kind, { calls, saw: fingerprint(saw), received: fingerprint(what) });
    ctx.setState({ calls });
  };
}
