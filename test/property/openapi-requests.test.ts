import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openApiDocument } from '../../src/exchange/openapi.ts';
import type { Simulation } from '../../src/simulator-server/simulation.ts';
import { ask, createVenue, type Answer } from '../unit/simulator/wire/fixture.ts';

/**
 * The API page and the exchange are made from the same declarations by different code. A JSON Schema
 * validator that is not ours decides what the page allows in requests and in replies.
 */

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly schema: object;
  readonly example?: unknown;
}

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: {
      readonly 'application/json': {
        readonly schema: { readonly properties: Readonly<Record<string, object>> };
        readonly example?: Fields;
      };
    };
  };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { schema: object }>> }>
  >;
  readonly 'x-fails-in-body'?: true;
}

type Fields = Readonly<Record<string, unknown>>;

const page = openApiDocument() as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: object;
};

const ajv = new Ajv2020({ strict: false, formats: { password: true } });
const validator = (schema: object): ValidateFunction =>
  ajv.compile({ ...schema, components: page.components });

/** Values that people and programs write in the place of one another. */
const VALUES: readonly unknown[] = [
  '',
  ...' |0|1|2|-1|+1|01| 1|1.0|1.5|.5|5.|1e3|1E-3|5e-324|1e400|0.00000000000001|٣|100|101|500|501|1000|1001|9999'.split(
    '|',
  ),
  ...'10000|5000000.0|true|YES|no|maybe|btc|BTC|rls|usdt|b-t|btc,eth|btc, eth|btc,|ltc|BTCIRT|nope|all|ALL'.split(
    '|',
  ),
  ...'buy|SELL|limit|market|STOP_LIMIT|oco|default|spot|margin|open|id|-price|asc|canceled|1D|60|CW1|CW|a-1|a_1'.split(
    '|',
  ),
  ...'2025-01-31|2025-02-30|2025-13-01|0000-00-00|api|yes|https://shop.example/back|ftp://x|6219861000000002'.split(
    '|',
  ),
  'IR820540102680020817909002',
  ...[15, 16, 33, 41].map((length) => '9'.repeat(length)),
  ...['x', '😀'].flatMap((one) => [one.repeat(200), one.repeat(256), one.repeat(4001)]),
  0,
  1,
  2,
  -1,
  1.5,
  3,
  101,
  501,
  1001,
  10_000,
  1e15,
  1e16,
  1e20,
  1e-7,
  1e-18,
  1e-19,
  5e-324,
  0.1,
  6219861000000002,
  true,
  false,
  null,
  {},
  [],
  ['btc'],
  { id: 1 },
];

/** Values that can not be part of an address: it may not be empty, and `all` is the address of all books. */
const NO_PART: ReadonlySet<unknown> = new Set([undefined, '', 'all']);

/** Valid fields for operations whose samples are not complete. */
const SAMPLES: Readonly<Record<string, Fields>> = {
  login: { username: 'ali', password: 'secret', captcha: 'api' },
  gatewaySend: { api: 'shop-key', amount: 500_000, callbackURL: 'https://shop.example/back' },
  gatewayVerify: { api: 'shop-key', token: 'x' },
};

const operations = Object.entries(page.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

const createShop = (): Simulation =>
  createVenue({
    limits: { enabled: false },
    gateway: {
      merchants: [
        { api: 'shop-key', apiSecret: 's', callbackOrigin: 'https://shop.example', username: 'ali' },
      ],
    },
  });

function sampleOf({ operationId, parameters, requestBody }: Operation): Fields {
  const base = operationId.replace(/By[A-Z]+$/, '');
  const inBody = requestBody?.content['application/json'].example;
  return {
    ...(inBody ?? Object.fromEntries(parameters.map(({ name, example }) => [name, example]))),
    ...SAMPLES[base],
  };
}

function addressOf(path: string, { parameters }: Operation, fields: Fields): string {
  const query = new URLSearchParams();
  let address = path;
  for (const { name, in: place } of parameters) {
    const value = fields[name];
    if (place === 'path') address = address.replace(`{${name}}`, encodeURIComponent(textOf(value)));
    else if (value !== undefined) query.append(name, textOf(value));
  }
  return query.size === 0 ? address : `${address}?${query.toString()}`;
}

/** True if a rule between parameters is broken that OpenAPI can not express. */
function breaksUnsaid(operationId: string, fields: Fields): boolean {
  const has = (name: string): boolean => fields[name] !== undefined && fields[name] !== '';
  if (operationId === 'ordersList') return has('fromId') && has('page');
  return operationId === 'tradesList' && has('srcCurrency') !== has('dstCurrency');
}

/** Text of a value in an address: a list or an object as JSON. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const isFailed = ({ body }: Answer): boolean => body['status'] === 'failed' || body['s'] === 'error';

describe.each(operations)('$operation.operationId', ({ path, method, operation }) => {
  const body = operation.requestBody?.content['application/json'].schema;
  const inPath = operation.parameters.filter((one) => one.in === 'path');
  const inQuery = operation.parameters.filter((one) => one.in === 'query');
  const takesBody = body === undefined ? null : validator(body);
  const takes = new Map(operation.parameters.map(({ name, schema }) => [name, validator(schema)]));
  const answers = new Map(
    Object.entries(operation.responses).map(([status, { content }]) => [
      Number(status),
      content === undefined ? null : validator(content['application/json']?.schema ?? {}),
    ]),
  );
  const names = [...operation.parameters.map(({ name }) => name), ...Object.keys(body?.properties ?? {})];
  const sample = sampleOf(operation);

  const changes =
    names.length === 0
      ? fc.constant([])
      : fc.array(fc.tuple(fc.constantFrom(...names), fc.constantFrom(undefined, ...VALUES)), {
          maxLength: 3,
        });

  function isTaken(fields: Fields): boolean {
    const parameters = [...inPath, ...inQuery];
    const areTaken = parameters.every(({ name, required }) => {
      const value = fields[name];
      return value === undefined ? !required : takes.get(name)?.(textOf(value)) === true;
    });
    return areTaken && takesBody?.(fields) !== false && !breaksUnsaid(operation.operationId, fields);
  }

  test('refuses what the page refuses, reads what it takes, and answers as it says', () => {
    const venue = createShop();
    fc.assert(
      fc.property(changes, (changed) => {
        const mixed: Record<string, unknown> = { ...sample };
        for (const [name, value] of changed) mixed[name] = value;
        for (const { name } of inPath) {
          if (NO_PART.has(mixed[name])) mixed[name] = 'nope';
        }
        const sent = Object.entries(mixed).filter(([, value]) => value !== undefined);
        const fields = Object.fromEntries(
          sent.map(([name, value]) => [name, takesBody === null ? textOf(value) : value]),
        );
        const answer = ask(venue, addressOf(path, operation, fields), {
          method,
          ...(body === undefined ? {} : { body: JSON.stringify(fields) }),
        });
        const exchanged = JSON.stringify({ fields, status: answer.status, body: answer.body });
        if (isTaken(fields)) {
          const isRead =
            answer.status !== 400 || (path === '/auth/login/' && answer.body['code'] !== 'ParseError');
          expect(isRead, `taken by the page, but refused: ${exchanged}`).toBe(true);
        } else {
          const isRefused =
            answer.status === 400 ||
            (answer.status === 404 && inPath.length > 0) ||
            (operation['x-fails-in-body'] === true && answer.status === 200 && isFailed(answer));
          expect(isRefused, `refused by the page, but taken: ${exchanged}`).toBe(true);
        }
        const reply = answers.get(answer.status);
        expect(reply, `a status that the page does not name: ${exchanged}`).toBeDefined();
        expect(
          reply?.(answer.body) ?? true,
          `not as the page says: ${exchanged} ${ajv.errorsText(reply?.errors)}`,
        ).toBe(true);
      }),
      { numRuns: Math.min(names.length, 6) * 25 + 1 },
    );
  });
});
