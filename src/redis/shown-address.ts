import { SarrafError } from '../domain/errors.ts';
import { readRedisAddress } from './redis-address.ts';

/** Variable with the password of every Redis, if it has one. */
export const REDIS_PASSWORD = 'SARRAF_REDIS_PASSWORD';

/**
 * Checks the address of a Redis that is written in a file and shown. Throws `INVALID_OPTIONS` for what is no
 * address, and for one with a password.
 */
export function checkShownAddress(text: string): void {
  const url = URL.parse(text);
  if (url !== null && url.password !== '')
    throw new SarrafError(
      'INVALID_OPTIONS',
      `expected the address of a Redis without a password: put that in ${REDIS_PASSWORD}`,
    );
  readRedisAddress(text, undefined);
  if (text.includes('#') || text.includes('?'))
    throw new SarrafError('INVALID_OPTIONS', 'expected redis://HOST:PORT/DATABASE and no more');
}
