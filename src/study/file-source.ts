import { SarrafError } from '../domain/errors.ts';

/** A host from which a worker fetches files of studies. */
export interface FileSource {
  /** As a URL has it: in lower case, one of IPv6 in brackets. */
  readonly host: string;
  /** Null: any. */
  readonly port: number | null;
}

const LARGEST_PORT = 65_535;
const OF_THIS_MACHINE: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** Reads `HOST` or `HOST:PORT`; one of IPv6 stands in brackets. Throws `INVALID_OPTIONS`. */
export function readFileSource(text: string): FileSource {
  const [, written, portText] = /^(\[[\da-f:.]+\]|[^:[\]/@?#\s]+)(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const host = written === undefined ? undefined : URL.parse(`http://${written}`)?.hostname;
  const port = portText === undefined ? null : Number(portText);
  if (host === undefined || host === '' || port === 0 || (port ?? 0) > LARGEST_PORT) {
    throw new SarrafError(
      'INVALID_OPTIONS',
      `expected for --data-from the host of a coordinator, such as 10.0.0.1 or 10.0.0.1:7300, found ${text}`,
    );
  }
  return { host, port };
}

/** Default source of files: the machine of Redis. */
export const sourceOfRedis = ({ host }: { readonly host: string }): FileSource =>
  readFileSource(host.includes(':') ? `[${host}]` : host);

/**
 * The origin of the address that an offer names. Whoever writes to Redis could name any: only what the
 * worker's own command line allows is asked. Throws `DATA_UNUSABLE`, with the option to write.
 */
export function allowedOrigin(address: string, sources: readonly FileSource[]): string {
  const url = URL.parse(address);
  // Nothing but a host and a port: no path, no name and password.
  if (url?.protocol !== 'http:' || url.href !== `${url.origin}/`)
    throw refused('an address such as http://10.0.0.1:7300', address, 'mend what writes to Redis');
  const port = url.port === '' ? 80 : Number(url.port);
  const isAllowed = sources.some(
    (source) => isSameHost(source.host, url.hostname) && (source.port ?? port) === port,
  );
  if (isAllowed) return url.origin;
  const allowed = sources.map((one) => (one.port === null ? one.host : `${one.host}:${one.port}`));
  throw refused(
    `data from ${allowed.join(' or ')} only`,
    address,
    `if that is your coordinator, start this worker with --data-from ${url.hostname}:${port}`,
  );
}

const isSameHost = (one: string, other: string): boolean =>
  one === other || (OF_THIS_MACHINE.has(one) && OF_THIS_MACHINE.has(other));

const refused = (expected: string, found: string, remedy: string): SarrafError =>
  new SarrafError(
    'DATA_UNUSABLE',
    `expected ${expected}, found an offer of ${JSON.stringify(found)}: ${remedy}`,
  );
