import { describe, expect, test } from 'vitest';
import type { Endpoint } from '../../../src/exchange/endpoint.ts';
import { ENDPOINTS, type EndpointName } from '../../../src/exchange/endpoints.ts';
import { checkRequest } from '../../../src/exchange/request-encoder.ts';
import { isSecretText } from '../../../src/exchange/request-types.ts';

const NAMES = Object.keys(ENDPOINTS) as EndpointName[];

describe.each(NAMES)('the example of %s', (name) => {
  test('is a request that may be sent', () => {
    expect(checkRequest(name, ENDPOINTS[name].example)).toMatchObject({ ok: true });
  });

  test('holds a place to read from, not a value, where a field is secret', () => {
    const { request, example }: Endpoint = ENDPOINTS[name];
    const secrets = Object.entries(request.shape).filter(([, field]) => isSecretText(field as never));
    for (const [field] of secrets) expect(example[field]).toMatch(/^env:[A-Z_]+$/);
  });
});

test('the secret fields of the interface are the password and the merchant key', () => {
  const found = NAMES.flatMap((name) => {
    const { request }: Endpoint = ENDPOINTS[name];
    return Object.entries(request.shape)
      .filter(([, field]) => isSecretText(field as never))
      .map(([field]) => `${name}.${field}`);
  });
  expect(found).toEqual(['login.password', 'gatewaySend.api', 'gatewayVerify.api']);
});
