import { z } from 'zod';
import { defineStrategy } from '#sdk';

const EVERY_MS = 2_000;

/** Moves tether to the margin wallet every two seconds, never the same amount twice. */
export default defineStrategy({
  name: 'transferring',
  params: z.strictObject({}),
  state: z.strictObject({ count: z.int().default(0), lastMs: z.number().default(0) }),
  data: ({ market }) => ({ book: market.book({ everyMs: 500, maxAgeMs: 60_000 }) }),
  on: {
    book({ quote, state, nowMs, setState, transfer }) {
      if (quote !== 'usdt' || nowMs < state.lastMs + EVERY_MS) return;
      setState({ count: state.count + 1, lastMs: nowMs });
      transfer({ currency: quote, amount: 100 + state.count, from: 'spot', to: 'margin' });
    },
  },
});
