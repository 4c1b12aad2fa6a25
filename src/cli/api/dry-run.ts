import { isAnonymous } from '../../exchange/authenticator.ts';
import type { EncodedRequest } from '../../exchange/request-encoder.ts';
import type { ApiTarget } from './api-target.ts';
import type { Call } from './call-catalogue.ts';

const SHOWN = '[secret]';

/** A request as it would be sent, with every secret taken out. Nothing is opened or sent for it. */
export function dryRun(
  of: { readonly call: Call; readonly target: ApiTarget; readonly encoded: EncodedRequest },
  { json }: { readonly json?: true },
): string {
  const { call, target, encoded } = of;
  const { method, path } = encoded;
  const url = `${target.baseUrl}${path}`;
  const headers = headersOf(call, target);
  const body = encoded.body === null ? null : withoutSecrets(call, JSON.parse(encoded.body) as Record<string, unknown>);
  const { name: budget } = call.endpoint.budget;
  if (json === true) return JSON.stringify({ dryRun: true, method, url, headers, body, budget, effect: call.effect });
  return [
    `${method} ${url}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === null ? [] : ['', JSON.stringify(body, null, 2)]),
    '',
    `Nothing was sent. It would take one request of ${budget}.`,
  ].join('\n');
}

function headersOf({ endpoint }: Call, { credentials, exchange }: ApiTarget): Readonly<Record<string, string>> {
  if (isAnonymous(endpoint.access) || credentials === null) return {};
  if (credentials.kind !== 'key') return { Authorization: `Token ${SHOWN}` };
  if (endpoint.access === 'optional-token') return {};
  const prefix = exchange.name.charAt(0).toUpperCase() + exchange.name.slice(1);
  return {
    [`${prefix}-Key`]: credentials.publicKey,
    [`${prefix}-Signature`]: SHOWN,
    [`${prefix}-Timestamp`]: '(the second in which it is sent)',
  };
}

function withoutSecrets(call: Call, body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const secrets = new Set(call.fields.filter(({ isSecret }) => isSecret).map(({ name }) => name));
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, secrets.has(name) ? SHOWN : value]));
}
