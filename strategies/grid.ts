import { z } from 'zod';
import { defineStrategy } from '#sdk';

/**
 * The room between two prices: it buys at the lower one, sells what it got at the upper one, and begins
 * again.
 */
const cell = z.strictObject({
  side: z.enum(['buy', 'sell']),
  left: z.number(),
  got: z.number(),
  pauseEndMs: z.number(),
});

/**
 * Buys a little at each price below the market, and sells it again one level higher. It tells its orders
 * apart by their tags.
 */
export default defineStrategy({
  name: 'grid',
  params: z.strictObject({
    /**
     * The lowest price to buy at, and the highest to sell at. Without them: `rangeBps` on both sides of the
     * first price.
     */
    low: z.number().positive().optional(),
    high: z.number().positive().optional(),
    rangeBps: z.number().positive().max(9_000).default(200),
    /** Prices of the grid, at equal distances. */
    levels: z.int().min(2).max(50).default(10),
    /** Coins that each level buys. Without it: `share` of the quote currency that is free at the start. */
    amount: z.number().positive().optional(),
    share: z.number().min(0).max(1).default(0.02),
  }),
  state: z.strictObject({
    /** The parameters that the cells were made for; other ones begin a new grid. */
    shape: z.string().default(''),
    low: z.number().default(0),
    step: z.number().default(0),
    amount: z.number().default(0),
    cells: z.array(cell).default([]),
  }),
  data: ({ market }) => ({ book: market.book({ everyMs: 3_000, maxAgeMs: 60_000 }) }),
  on: {
    book(ctx, { bestBid, bestAsk }) {
      if (bestBid === null || bestAsk === null) return;
      const { params, orders, freeQuote } = ctx;
      const shape = JSON.stringify(params);
      if (ctx.state.shape !== shape) {
        // Orders of another grid would be taken for this one's.
        if (orders.length > 0) return ctx.cancelAll(ctx.market);
        const middle = (bestBid.price + bestAsk.price) / 2;
        const {
          low = middle * (1 - params.rangeBps / 10_000),
          high = middle * (1 + params.rangeBps / 10_000),
        } = params;
        if (low >= high) throw new Error(`expected low below high, was ${low} and ${high}`);
        const amount = params.amount ?? (freeQuote * params.share) / middle;
        if (amount === 0) return;
        const cells = Array.from({ length: params.levels - 1 }, () => ({
          side: 'buy' as const,
          left: amount,
          got: 0,
          pauseEndMs: 0,
        }));
        ctx.setState({ shape, low, amount, step: (high - low) / (params.levels - 1), cells });
      }
      const { low, step, amount, cells: before } = ctx.state;
      const working = new Map(orders.map(({ tag, side }) => [tag, side]));
      const highestBuy = before.findLastIndex((_, index) => working.get(`cell-${index}`) === 'buy');
      const cells = before.map((one, index) => {
        const isOver = !working.has(`cell-${index}`) && !ctx.isTradable(one.left, low + step * index);
        if (!isOver || (one.side === 'buy' && one.got === 0)) return one;
        return one.side === 'buy'
          ? { ...one, side: 'sell' as const, left: one.got }
          : { ...one, side: 'buy' as const, left: amount, got: 0 };
      });
      ctx.setState({ cells });
      for (const [index, { side, left, pauseEndMs }] of cells.entries()) {
        const tag = `cell-${index}`;
        if (working.has(tag) || ctx.nowMs < pauseEndMs) continue;
        // Neighbours share a price: it never buys where it sells, nor sells where it buys.
        if (side === 'sell' && highestBuy < index)
          ctx.sell({ amount: left, price: low + step * (index + 1), tag });
        const isSoldBelow = cells.slice(0, index).every((below) => below.side === 'buy');
        if (side === 'buy' && isSoldBelow && low + step * index < bestAsk.price)
          ctx.buy({ amount: left, price: low + step * index, tag });
      }
    },
    fill(ctx, { tag, side, amount, fee }) {
      const got = side === 'buy' ? amount - fee : 0;
      ctx.setState({
        cells: ctx.state.cells.map((one, index) =>
          `cell-${index}` === tag ? { ...one, left: one.left - amount, got: one.got + got } : one,
        ),
      });
    },
    reject(ctx, { tag }) {
      ctx.setState({
        cells: ctx.state.cells.map((one, index) =>
          `cell-${index}` === tag ? { ...one, pauseEndMs: ctx.nowMs + 60_000 } : one,
        ),
      });
    },
  },
});
