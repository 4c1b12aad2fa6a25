import { z } from 'zod';
import { defineStrategy } from '#sdk';

/** Moves rial to the margin wallet in its first minute, and a part of it back once that is done. */
export default defineStrategy({
  name: 'collateral',
  params: z.strictObject({}),
  state: z.strictObject({ sent: z.int().default(0) }),
  data: ({ timer }) => ({ minute: timer('* * * * *') }),
  on: {
    minute({ transfer, state, setState }) {
      if (state.sent > 0) return;
      setState({ sent: 1 });
      transfer({ currency: 'rls', amount: '1000000.5', from: 'spot', to: 'margin' });
    },
    transfer({ transfer, log, state, setState }, { status, to, exact }) {
      log('transfer', { status, to, amount: exact.amount });
      if (status !== 'done' || state.sent > 1) return;
      setState({ sent: 2 });
      transfer({ currency: 'rls', amount: 400_000, from: 'margin', to: 'spot' });
    },
    reject: ({ log }, { code, reason }) => log('reject', { code, reason }),
  },
});
