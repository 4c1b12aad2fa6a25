import { createHash } from 'node:crypto';
import { isSameHash } from './signal-token-table.ts';

interface OriginHeaders {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
}

/**
 * Returns why a request that changes something, admitted by a cookie, cannot come from the page itself; null
 * if it can. A browser states a page's origin; a form of another site, a sandboxed frame (`null`) and a
 * sibling host are refused. One without an `Origin` is refused too: every browser sends it with a POST.
 */
export function originProblem(headers: OriginHeaders, isSecure: boolean): string | null {
  const { host, origin, fetchSite } = headers;
  const own = `${isSecure ? 'https' : 'http'}://${host ?? ''}`;
  if (origin === undefined) return 'expected the header Origin of the page itself, was none';
  if (origin.toLowerCase() !== own.toLowerCase())
    return 'expected the header Origin of the page itself, was another';
  if (fetchSite !== undefined && fetchSite !== 'same-origin')
    return 'expected the header Sec-Fetch-Site: same-origin, was another';
  return null;
}

/** Returns the page's token for each command: known to whoever can read the session, and in no cookie. */
export function csrfOf(sessionSecret: string): string {
  return createHash('sha256').update('csrf ').update(sessionSecret).digest('base64url');
}

export function isCsrfOf(sessionSecret: string, sent: string | undefined): boolean {
  return isSameHash(Buffer.from(sent ?? ''), Buffer.from(csrfOf(sessionSecret)));
}

const cookieName = (port: number): string => `sarraf_session_${port}`;

/** The secret in a `Cookie` header; null where there is none. */
export function sessionInCookie(header: string | undefined, port: number): string | null {
  for (const part of (header ?? '').split(';')) {
    const [name, value = ''] = part.trim().split('=', 2);
    if (name === cookieName(port) && /^[\w-]{40,60}$/.test(value)) return value;
  }
  return null;
}

/** A `Set-Cookie` header; without a secret it takes the cookie away. */
export function sessionCookie(
  secret: string | null,
  of: { readonly isSecure: boolean; readonly port: number; readonly lastsMs: number },
): string {
  const { isSecure, port, lastsMs } = of;
  const age = secret === null ? 0 : Math.max(0, Math.floor(lastsMs / 1_000));
  return [
    `${cookieName(port)}=${secret ?? ''}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Strict',
    `Max-Age=${age}`,
    ...(isSecure ? ['Secure'] : []),
  ].join('; ');
}

/** The token in an `Authorization` header; null where there is none. */
export function tokenInHeader(header: string | undefined): string | null {
  return /^Bearer ([\w-]{1,200})$/i.exec(header ?? '')?.[1] ?? null;
}
