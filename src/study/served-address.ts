import { SarrafError } from '../domain/errors.ts';

/** Address at which the coordinator serves files. */
export interface ServedAddress {
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
}

/** Workers of this machine alone. */
export const LOOPBACK: ServedAddress = { host: '127.0.0.1', port: 0 };

const EVERYWHERE: ReadonlySet<string> = new Set(['0.0.0.0', '::', '*']);

/**
 * Reads `HOST:PORT`. Throws `INVALID_OPTIONS`, also for the address of all networks: workers are told where
 * to ask.
 */
export function readServedAddress(text: string): ServedAddress {
  const [, bracketed, plain, portText = ''] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = Number(portText);
  if (host === undefined || port > 65_535)
    throw refused('the host and port by which workers reach this machine, such as 10.0.0.5:7300', text);
  if (EVERYWHERE.has(host))
    throw refused('the host by which workers reach this machine, such as 10.0.0.5:7300', host);
  return { host, port };
}

const refused = (expected: string, found: string): SarrafError =>
  new SarrafError('INVALID_OPTIONS', `expected for --serve ${expected}, found ${found}`);
