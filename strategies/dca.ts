import { z } from 'zod';
import { defineStrategy } from '#sdk';

/** Buys for the same money again and again, whatever the price is. */
export default defineStrategy({
  name: 'dca',
  params: z.strictObject({
    /**
     * What each purchase costs, in the quote currency. Without it: 20 million rial, or 20 of another
     * currency.
     */
    spend: z.number().positive().optional(),
    /** When it buys; UTC. What falls due while nothing runs is not made up for. */
    cron: z.string().default('0 9 * * *'),
  }),
  /** A purchase stays due until there is a price. */
  state: z.strictObject({ isDue: z.boolean().default(false) }),
  data: ({ market, params, timer }) => ({
    due: timer(params.cron),
    price: market.ticker({ everyMs: 10_000, maxAgeMs: 60_000 }),
  }),
  on: {
    due(ctx) {
      if (ctx.data.price === null) ctx.setState({ isDue: true });
      else ctx.buy({ value: ctx.params.spend ?? usualSpend(ctx.quote) });
    },
    price(ctx) {
      if (!ctx.state.isDue) return;
      ctx.setState({ isDue: false });
      ctx.buy({ value: ctx.params.spend ?? usualSpend(ctx.quote) });
    },
  },
});

function usualSpend(quote: string): number {
  return quote === 'rls' ? 20_000_000 : 20;
}
