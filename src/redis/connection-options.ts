import type { RedisAddress } from './redis-address.ts';

/** Returns the options shared by all connections to an address. They do not connect by themselves. */
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
