import { z } from 'zod';
import { defineStrategy } from '../../strategy/definition.ts';

/** Looks at bars of an hour and of four, and does nothing: what the bot keeps of them is checked. */
export const BAR_WATCHER = defineStrategy({
  name: 'bar-watcher',
  params: z.strictObject({}),
  state: z.strictObject({ bars: z.number().default(0) }),
  data: ({ market }) => ({
    hours: market.candles('1h', { history: 2 }),
    long: market.candles('4h', { history: 2 }),
  }),
  on: {
    hours(ctx) {
      ctx.setState({ bars: ctx.state.bars + 1 });
    },
  },
});
