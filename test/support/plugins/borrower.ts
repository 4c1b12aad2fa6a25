import { z } from 'zod';
import { defineStrategy } from '#sdk';

/** Logs every event about margin, and the state of margin that it can read then. */
export default defineStrategy({
  name: 'borrower',
  params: z.strictObject({}),
  data: ({ margin, market }) => ({
    pools: margin.pools({ everyMs: 10_000, maxAgeMs: 60_000 }),
    wallets: margin.wallets({ everyMs: 20_000, maxAgeMs: 120_000 }),
    limit: margin.delegationLimit(market.base, { everyMs: 30_000, maxAgeMs: 120_000 }),
  }),
  on: {
    pools: ({ log, base, nowMs }, { byCurrency, readAtMs }) =>
      log('pools', { available: byCurrency[base]?.availableBalance, ageMs: nowMs - readAtMs }),
    wallets: ({ log, data }, { byCurrency }) =>
      log('wallets', { rial: byCurrency['rls']?.exact.free, hasPools: data.pools !== null }),
    limit: ({ log, data }, { currency, exact }) =>
      log('limit', { currency, limit: exact.limit, looked: data.limit?.exact.limit }),
  },
});
