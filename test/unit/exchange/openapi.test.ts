import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { ENDPOINTS, type EndpointName } from '../../../src/exchange/endpoints.ts';
import { type Endpoint, isSecretText } from '../../../src/exchange/request-types.ts';
import { openApiDocument } from '../../../src/exchange/openapi.ts';
import { checkRequest } from '../../../src/exchange/request-encoder.ts';
import { budgetTable } from '../../../src/exchange/client-options.ts';

interface Operation {
  readonly operationId: string;
  readonly 'x-fails-in-body'?: true;
  readonly security: readonly object[];
  readonly responses: Readonly<Record<string, object>>;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<
        string,
        {
          readonly schema: {
            readonly required: readonly string[];
            readonly properties: Readonly<Record<string, object>>;
          };
        }
      >
    >;
  };
}

const document = openApiDocument({ serviceName: 'house', servers: ['http://localhost:8900'] }) as {
  readonly openapi: string;
  readonly servers: readonly object[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly securitySchemes: Readonly<Record<string, { readonly name: string }>> };
};

describe('openApiDocument', () => {
  it('describes every endpoint once', () => {
    const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
    const declared = (Object.values(ENDPOINTS) as readonly Endpoint[]).flatMap(
      ({ name, alsoMethods = [] }) => [name, ...alsoMethods.map((method) => `${name}By${method}`)],
    );
    expect(operations.map((operation) => operation.operationId).sort()).toEqual(declared.sort());
    expect(document.openapi).toBe('3.1.0');
    expect(document.servers).toEqual([{ url: 'http://localhost:8900' }]);
  });

  it('puts path and query fields among the parameters and the others into the body', () => {
    expect(document.paths['/cobank/withdraw/{id}']?.['get']?.parameters).toMatchObject([
      { name: 'id', in: 'path', required: true },
    ]);
    expect(document.paths['/market/stats']?.['get']?.parameters.map((parameter) => parameter.in)).toEqual([
      'query',
      'query',
    ]);
    const body = document.paths['/market/orders/add']?.['post']?.requestBody;
    expect(body?.content['application/json']?.schema.required).toEqual([
      'type',
      'srcCurrency',
      'dstCurrency',
      'amount',
    ]);
  });

  it('names the key headers after the service', () => {
    expect(document.components.securitySchemes['serviceKey']?.name).toBe('House-Key');
    expect(document.paths['/market/orders/add']?.['post']?.security).toHaveLength(2);
    expect(document.paths['/v2/options']?.['get']?.security).toEqual([]);
  });

  it('declares 401 wherever credentials can be asked for, and nowhere else', () => {
    const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
    expect(operations.filter(({ security }) => security.length > 0).length).toBeGreaterThan(29);
    for (const { security, responses } of operations)
      expect(Object.keys(responses).includes('401')).toBe(security.length > 0);
  });

  it.each([
    [
      'an amount',
      '/market/orders/add',
      'amount',
      ['1', '0.000001', '1e5', 5],
      ['0', '-1', 'much', '', '1,5', 0, -1, true, {}],
    ],
    [
      'an id',
      '/market/orders/status',
      'id',
      ['1', 1, 5684123456],
      ['0', '-1', '1.5', 'x', ' 1', 1e15, 0, -1, 1.5, true],
    ],
    [
      'a client order id',
      '/market/orders/status',
      'clientOrderId',
      ['a-1', null],
      ['a_b', 'a'.repeat(33), 1],
    ],
    ['a flag', '/market/orders/add', 'pro', [true, 'yes', 'no', '1', 1, 0], ['maybe', 2, {}]],
    ['an age', '/market/orders/cancel-old', 'hours', ['1.5', 2], ['0', 'x', 0, -1]],
  ] as const)('says of %s what the request is held to', (_, path, field, good, bad) => {
    const body = document.paths[path]?.['post']?.requestBody?.content['application/json']?.schema;
    const schema = z.fromJSONSchema(body?.properties[field] as never);
    const name = document.paths[path]?.['post']?.operationId as keyof typeof ENDPOINTS;
    const declared = ENDPOINTS[name].request.shape as unknown as Readonly<Record<string, z.ZodType>>;
    for (const [values, isTaken] of [
      [good, true],
      [bad, false],
    ] as const) {
      for (const value of values) {
        expect([value, schema.safeParse(value).success]).toEqual([value, isTaken]);
        expect([value, declared[field]?.safeParse(value).success]).toEqual([value, isTaken]);
      }
    }
  });

  it('lets a field that may be left out be empty or null in a body, and empty in a query', () => {
    const body =
      document.paths['/market/orders/cancel-old']?.['post']?.requestBody?.content['application/json'];
    expect(body?.schema.properties['dstCurrency']).toMatchObject({
      anyOf: [{ type: 'string' }, { enum: ['', null] }],
    });
    const list = document.paths['/market/orders/list']?.['get']?.parameters;
    expect(list?.find(({ name }) => name === 'dstCurrency')).toMatchObject({
      schema: { anyOf: [{ type: 'string' }, { enum: [''] }] },
    });
  });

  it('says which of two fields is needed, and sends the fields of a read by POST in its body', () => {
    const { schema } =
      document.paths['/market/orders/status']?.['post']?.requestBody?.content['application/json'] ?? {};
    expect(schema).toMatchObject({ anyOf: [{ required: ['id'] }, { required: ['clientOrderId'] }] });
    const read = document.paths['/market/orders/list']?.['post'];
    expect(read?.parameters).toEqual([]);
    expect(Object.keys(read?.requestBody?.content['application/json']?.schema.properties ?? {})).toContain(
      'pageSize',
    );
  });

  it('names the calls that answer fields which are not as declared with HTTP 200', () => {
    const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
    const failing = operations.filter((one) => one['x-fails-in-body'] === true).map((one) => one.operationId);
    expect(failing.sort()).toEqual([
      'addOrder',
      'gatewaySend',
      'gatewayVerify',
      'history',
      'orderStatus',
      'transfer',
      'updateOrderStatus',
    ]);
  });

  it('is JSON', () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
  });
});

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

const limitsOf = (headroom?: number) => {
  const limits = {
    'orders/list': { limit: 50, windowMs: 60_000 },
    'v2/wallets': { limit: 1, windowMs: 60_000 },
  };
  const table = budgetTable(limits, headroom);
  return ['orders/list', 'v2/wallets', 'orders/add', 'users/markets/favorite'].map(
    (name) => table.get(name)?.limit,
  );
};

describe('the headroom of budgets', () => {
  test('leaves 98 % of each limit by default, rounded down and never below one', () => {
    expect(limitsOf()).toEqual([49, 1, 294, 5]);
  });

  test('can be another, or none', () => {
    expect(limitsOf(0)).toEqual([50, 1, 300, 6]);
    expect(limitsOf(0.5)).toEqual([25, 1, 150, 3]);
  });

  test.each([-0.01, 1, Number.NaN])('refuses %s', (headroom) => {
    expect(() => budgetTable({}, headroom)).toThrow(/expected a headroom from 0 to below 1/);
  });
});
