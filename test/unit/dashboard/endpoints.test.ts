import { expect, test } from 'vitest';
import { z } from 'zod';
import { DASHBOARD_ENDPOINTS, type EndpointShape } from '../../../src/dashboard/schema/endpoints.ts';

const shapes: readonly EndpointShape[] = Object.values(DASHBOARD_ENDPOINTS);

test('every address stands once', () => {
  const addresses = shapes.map(({ method, path }) => `${method} ${path}`);
  expect(new Set(addresses).size).toBe(addresses.length);
});

test('whatever changes something needs the role operate, but for signing in and out, and signals', () => {
  const open = shapes.filter(({ method, role }) => method !== 'GET' && role !== 'operate');
  expect(open.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /session',
    'DELETE /session',
    'POST /signals/:strategy',
    'POST /signals/:strategy/:name',
  ]);
});

test('every body and reply can be written as a JSON schema', () => {
  for (const { body, reply } of shapes)
    for (const schema of [body, reply])
      if (schema !== undefined && schema !== null)
        expect(z.toJSONSchema(schema, { io: 'input' })).toHaveProperty('$schema');
});
