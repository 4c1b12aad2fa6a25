import { z } from 'zod';
import { defineStrategy } from '#sdk';

/** Buys for the same amount of money at each time of its schedule, at any price. */
export default defineStrategy({
  name: 'dca',
  params: z.strictObject({
    /**
     * Money for each purchase, in the quote currency; by default 20 million rial, or 20 of another currency.
     */
    spend: z.number().positive().optional(),
    /** When it buys, in UTC. A purchase that falls due while the bot does not run is not made later. */
    cron: z.string().default('0 9 * * *'),
  }),
  /** True while a purchase is due: it waits until there is a price. */
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
