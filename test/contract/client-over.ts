import { ExchangeClient } from '../../src/exchange/client.ts';
import type { Transport } from '../../src/exchange/transport.ts';

/** Time of all events in these tests: 2024-03-11T09:22:35Z. */
export const NOW_MS = 1710148955000;

/** Creates a real client that uses `transport`, with a token. */
export const clientOver = (transport: Transport, token = 'token-of-the-tests'): ExchangeClient =>
  new ExchangeClient({ transport, credentials: { kind: 'token', token }, nowMs: () => NOW_MS });

type AnyMethods = Readonly<Record<string, (request: Readonly<Record<string, unknown>>) => Promise<unknown>>>;

/** Calls a method of the client by its name, as tables of cases need it. */
export async function call(
  client: ExchangeClient,
  endpoint: string,
  request: Readonly<Record<string, unknown>> = {},
): Promise<unknown> {
  const methods = client as unknown as AnyMethods;
  const method = methods[endpoint];
  if (method === undefined) throw new Error(`expected a method of the client, was "${endpoint}"`);
  return method.call(client, request);
}
