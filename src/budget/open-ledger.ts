import { invalidOptions, listText } from '../domain/errors.ts';
import { admittanceOf } from './admittance.ts';
import { isInRedis, redisPlace } from './ledger-file.ts';
import { readLedger, type OpenLedger, type OpenLedgerOptions } from './ledger-report.ts';
import { monotonicMs } from './process-owner.ts';
import { LedgerStore } from './store.ts';

/** Opens the ledger of an exchange, a file or in Redis. Throws `DATA_UNUSABLE` if it cannot be used. */
export async function openLedger(options: OpenLedgerOptions): Promise<OpenLedger> {
  const { place } = options;
  if (isInRedis(place)) {
    const weighted = [...options.budgets].filter(({ isWeighted }) => isWeighted === true);
    if (weighted.length > 0)
      throw invalidOptions(
        `exchange.ledgerFolder: expected a folder, found ${place}: the venue counts ${listText(
          weighted.map(({ name }) => name),
          8,
        )} by weights, and a ledger in Redis counts requests alone`,
      );
    const { openRedisLedger } = await import('./open-redis-ledger.ts');
    return openRedisLedger({ ...options, ...redisPlace(place) });
  }
  const store = new LedgerStore({ ...options, path: place, whenMissing: 'full' });
  return {
    admittance: admittanceOf(store, store),
    rows: () => readLedger(place, monotonicMs()),
    close: async () => store.close(),
  };
}
