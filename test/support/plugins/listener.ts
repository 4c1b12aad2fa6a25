import { z } from 'zod';
import { defineStrategy } from '#sdk';

/** Buys what signals ask for, and remembers the ids of the signals it has got. */
export default defineStrategy({
  name: 'listener',
  state: z.strictObject({ told: z.array(z.string()).default([]) }),
  data: ({ market, signal }) => ({
    book: market.book(),
    alert: signal(z.strictObject({ side: z.enum(['buy', 'sell']), amount: z.string() })),
  }),
  on: {
    alert(ctx, { id, payload, source }) {
      ctx.setState({ told: [...ctx.state.told, id] });
      ctx.log('told', { id, source });
      if (payload.side === 'buy') ctx.buy({ amount: payload.amount });
      else ctx.sell({ amount: payload.amount });
    },
  },
});
