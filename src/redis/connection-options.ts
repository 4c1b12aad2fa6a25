import type { RedisAddress } from './redis-address.ts';

/** What every connection to an address has in common. It does not connect by itself. */
export function connectionOptions({ host, port, database, user, password, isEncrypted }: RedisAddress) {
  return {
    host,
    port,
    db: database,
    ...(user === null ? {} : { username: user }),
    ...(password === null ? {} : { password }),
    ...(isEncrypted ? { tls: {} } : {}),
    lazyConnect: true,
  };
}
