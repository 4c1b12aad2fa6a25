import { SarrafError } from '../domain/errors.ts';

/** Address of a Redis or Valkey, with its credentials. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly database: number;
  readonly user: string | null;
  readonly password: string | null;
  readonly isEncrypted: boolean;
  /** To be shown: without the password. */
  readonly shown: string;
}

const USUAL_PORT = 6379;
const EXAMPLE = 'redis://:PASSWORD@HOST:6379, or rediss:// for TLS';

/**
 * Reads `redis://USER:PASSWORD@HOST:PORT/DATABASE`, or `rediss://` for TLS. The password of the environment
 * holds where the address has none. Throws `INVALID_OPTIONS`; the message does not show a password.
 */
export function readRedisAddress(text: string, environmentPassword: string | undefined): RedisAddress {
  const url = URL.parse(text);
  if (url === null || !['redis:', 'rediss:'].includes(url.protocol) || url.hostname === '')
    throw refused(url === null ? 'something else' : `${url.protocol}//…`);
  const { hostname, protocol, port, username, password, pathname } = url;
  const [, database] = /^\/?(\d{0,4})$/.exec(pathname) ?? [];
  if (database === undefined) throw refused(`${pathname} in place of the number of a database`);
  const given = password === '' ? environmentPassword : decodeURIComponent(password);
  const shownPort = port === '' ? USUAL_PORT : Number(port);
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: shownPort,
    database: Number(database),
    user: username === '' ? null : decodeURIComponent(username),
    password: given === undefined || given === '' ? null : given,
    isEncrypted: protocol === 'rediss:',
    shown: `${protocol}//${hostname}:${shownPort}`,
  };
}

const refused = (found: string): SarrafError =>
  new SarrafError('INVALID_OPTIONS', `expected a Redis as ${EXAMPLE}, found ${found}`);

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
