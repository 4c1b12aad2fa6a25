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
  const [, database] = /^\/(\d{1,4})?$/.exec(pathname === '' ? '/' : pathname) ?? [];
  if (!/^\/?\d{0,4}$/.test(pathname)) throw refused(`${pathname} in place of the number of a database`);
  const given = password === '' ? environmentPassword : decodeURIComponent(password);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const shownPort = port === '' ? USUAL_PORT : Number(port);
  return {
    host,
    port: shownPort,
    database: Number(database ?? 0),
    user: username === '' ? null : decodeURIComponent(username),
    password: given === undefined || given === '' ? null : given,
    isEncrypted: protocol === 'rediss:',
    shown: `${protocol}//${hostname}:${shownPort}`,
  };
}

const refused = (found: string): SarrafError =>
  new SarrafError('INVALID_OPTIONS', `expected a Redis as ${EXAMPLE}, found ${found}`);
