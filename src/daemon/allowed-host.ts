import { isIP } from 'node:net';

/** Returns the name in a `Host` header, without the port and the brackets of an IPv6 address. */
function nameOf(header: string): string {
  const name = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(header)?.[1] ?? /^([^:]*)(?::\d{1,5})?$/.exec(header)?.[1];
  return (name ?? '').toLowerCase();
}

export function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

/**
 * Returns the `Host` of a request from its raw headers; null if there is none, or more than one: a proxy may
 * have read another of them than Node does.
 */
export function oneHost(rawHeaders: readonly string[]): string | null {
  const hosts = rawHeaders.filter(
    (_, index) => rawHeaders[index - 1]?.toLowerCase() === 'host' && index % 2 === 1,
  );
  return hosts.length === 1 ? (hosts[0] ?? null) : null;
}

/**
 * True if a request was meant for this server. A web page in a browser of this machine can reach the server
 * by a name of its own that resolves here; the header then has that name, so names with a dot are refused. A
 * server that listens to this machine alone accepts only this machine's names. One that others can reach also
 * accepts addresses and names without a dot, as containers have. Names in `listed` are always accepted.
 */
export function isAllowedHost(header: string | null, listensTo: string, listed: readonly string[]): boolean {
  const name = nameOf(header ?? '');
  if (isLoopbackName(name) || listed.includes(name)) return true;
  if (isLoopbackName(listensTo)) return false;
  return isIP(name) !== 0 || /^[a-z0-9_-]{1,63}$/.test(name);
}
