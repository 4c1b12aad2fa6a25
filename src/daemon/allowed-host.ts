import { isIP } from 'node:net';

/** The name in a `Host` header, without the port and the brackets of an IPv6 address. */
function nameOf(header: string): string {
  const name = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(header)?.[1] ?? /^([^:]*)(?::\d{1,5})?$/.exec(header)?.[1];
  return (name ?? '').toLowerCase();
}

export function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

/**
 * The one `Host` of a request, as its raw headers have it; null where there is none, or more than one: who
 * stands before this server may have looked at another of them than Node takes.
 */
export function oneHost(rawHeaders: readonly string[]): string | null {
  const hosts = rawHeaders.filter(
    (_, index) => rawHeaders[index - 1]?.toLowerCase() === 'host' && index % 2 === 1,
  );
  return hosts.length === 1 ? (hosts[0] ?? null) : null;
}

/**
 * True if a request was meant for this server. A web page in a browser of this machine can reach the server
 * under its own name that resolves here, and the header then has that name: names with a dot are refused. A
 * server for this machine alone answers to this machine's names. One that others reach also answers to
 * addresses and to names without a dot, as containers have. Names listed by a person are answered everywhere.
 */
export function isAllowedHost(header: string | null, listensTo: string, listed: readonly string[]): boolean {
  const name = nameOf(header ?? '');
  if (isLoopbackName(name) || listed.includes(name)) return true;
  if (isLoopbackName(listensTo)) return false;
  return isIP(name) !== 0 || /^[a-z0-9_-]{1,63}$/.test(name);
}
