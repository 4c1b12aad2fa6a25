import { type SarrafError, invalidOptions } from '../domain/errors.ts';
import { tlsFailure } from '../domain/tls-failure.ts';

/** Address of a Redis or Valkey, with its credentials. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly database: number;
  readonly user: string | null;
  readonly password: string | null;
  readonly isEncrypted: boolean;
  /** Address without the password, for messages. */
  readonly shown: string;
}

const USUAL_PORT = 6379;
const EXAMPLE = 'redis://:PASSWORD@HOST:6379, or rediss:// for TLS';

/**
 * Reads `redis://USER:PASSWORD@HOST:PORT/DATABASE`, or `rediss://` for TLS. The password of the environment
 * is used if the address has none. Throws `INVALID_OPTIONS`; the message does not show a password.
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
  invalidOptions(`expected a Redis as ${EXAMPLE}, found ${found}`);

/** Environment variable with the password of every Redis. */
export const REDIS_PASSWORD = 'SARRAF_REDIS_PASSWORD';

/**
 * Checks the address of a Redis that is stored in a file and shown. Throws `INVALID_OPTIONS` for an invalid
 * address, and for one with a password.
 */
export function checkShownAddress(text: string): void {
  const url = URL.parse(text);
  if (url !== null && url.password !== '')
    throw invalidOptions(`expected the address of a Redis without a password: put that in ${REDIS_PASSWORD}`);
  readRedisAddress(text, undefined);
  if (text.includes('#') || text.includes('?'))
    throw invalidOptions('expected redis://HOST:PORT/DATABASE and no more');
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

/** Reason that Redis cannot be used, in words, and whether waiting may help. */
interface RedisFailure {
  readonly reason: string;
  /** True if it needs another password or certificate, so that waiting does not help. */
  readonly isRefusal: boolean;
  /** True if the server answers, but refuses its work until someone repairs it. */
  readonly isOfServer?: true;
  /** True if the server does not answer, or closes: so does TLS at one end alone. */
  readonly isSilent?: true;
}

/** Replies of a Redis that accepts no more data. */
const OF_SERVER: readonly (readonly [RegExp, string])[] = [
  [/\bOOM\b/, 'that its memory is full: raise its maxmemory'],
  [/\bMISCONF\b/, 'that it can not write to its disk: make room there'],
  [/\bREADONLY\b/, 'a replica, which takes no writes: name the primary'],
];

const BY_CODE: Readonly<Partial<Record<string, string>>> = {
  ECONNREFUSED: 'nothing that listens there',
  ENOTFOUND: 'no host of that name',
  EAI_AGAIN: 'no host of that name',
  EHOSTUNREACH: 'no way to that host',
  ENETUNREACH: 'no way to that host',
  ETIMEDOUT: 'no answer',
  ECONNRESET: 'a connection that was closed',
  EPIPE: 'a connection that was closed',
};

/** Describes an error of a Redis client in words. It never shows a password. */
export function redisFailure(error: unknown): RedisFailure {
  const { message, code = '' } = failureOf(error);
  if (/\b(?:WRONGPASS|NOAUTH)\b|invalid password|without any password/i.test(message))
    return {
      reason: 'that it refuses the password: give it in the address or as SARRAF_REDIS_PASSWORD',
      isRefusal: true,
    };
  if (/^(?:NOPERM)\b/.test(message))
    return { reason: `a user without the right to do that (${message})`, isRefusal: true };
  const ofTls = tlsFailure(error);
  if (ofTls !== null) return { reason: ofTls, isRefusal: true };
  const [, ofServer] = OF_SERVER.find(([pattern]) => pattern.test(message)) ?? [];
  if (ofServer !== undefined) return { reason: ofServer, isRefusal: false, isOfServer: true };
  if (message.startsWith('Unknown RESP type'))
    return { reason: 'something that is no Redis', isRefusal: false };
  const isSilent = ['ETIMEDOUT', 'ECONNRESET', 'EPIPE'].includes(code);
  return { reason: BY_CODE[code] ?? message, isRefusal: false, ...(isSilent ? { isSilent } : {}) };
}

function failureOf(error: unknown): { readonly message: string; readonly code?: string } {
  // An error for each address of the host; the first one is used.
  if (error instanceof AggregateError && error.errors.length > 0) return failureOf(error.errors[0]);
  // The error of a transaction shows only that a command was refused; the cause is in `previousErrors`.
  const { previousErrors } = Object(error) as { readonly previousErrors?: readonly unknown[] };
  if (previousErrors?.[0] !== undefined) return failureOf(previousErrors[0]);
  if (!(error instanceof Error)) return { message: String(error) };
  const { code } = error as NodeJS.ErrnoException;
  return { message: error.message.split('\n')[0] ?? '', ...(code === undefined ? {} : { code }) };
}
