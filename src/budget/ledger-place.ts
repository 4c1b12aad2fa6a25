import { readRedisAddress, type RedisAddress } from '../redis/redis-address.ts';
import { REDIS_PASSWORD } from '../redis/shown-address.ts';
import { addressName, ledgerFolder, ledgerPath } from './ledger-file.ts';

/** Name of the ledger in a configuration. */
interface LedgerNaming {
  /** `redis://…` or `rediss://…` of a ledger that machines share; null for a file of this machine. */
  readonly ledger: string | null;
  readonly ledgerFolder: string | null;
}

/**
 * Returns the place of the ledger of an exchange, as one text that can be shown: the path of a file, or the
 * address of a Redis with the key of the ledger after `#`.
 */
export function ledgerPlace(baseAddress: string, { ledger, ledgerFolder: folder }: LedgerNaming): string {
  if (ledger === null) return ledgerPath(baseAddress, folder ?? ledgerFolder());
  return `${ledger.replace(/\/$/, '')}#sarraf:ledger:${addressName(baseAddress)}`;
}

export function isInRedis(place: string): boolean {
  return /^rediss?:\/\//.test(place);
}

/** The address and the key of a place in Redis. The password is that of the environment. */
export function redisPlace(place: string): { readonly address: RedisAddress; readonly key: string } {
  const [text = '', key = ''] = place.split('#', 2);
  return { address: readRedisAddress(text, process.env[REDIS_PASSWORD]), key };
}
