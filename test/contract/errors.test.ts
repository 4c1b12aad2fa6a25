import { describe, expect, test } from 'vitest';
import { SarrafError } from '../../src/domain/errors.ts';
import { call, clientOver } from './client-over.ts';
import { OneReply } from './one-reply.ts';
import { BUY } from './world.ts';

/**
 * Codes of the interface ("Errors") and those that deployments add, typed by hand, with what a caller may
 * conclude: whether the same call may be repeated unchanged, and what became of it.
 */
interface CodeRow {
  readonly endpoint: string;
  readonly request: Readonly<Record<string, unknown>>;
  readonly codes: readonly string[];
}

const CODE_TABLES: readonly CodeRow[] = [
  {
    endpoint: 'addOrder',
    request: BUY,
    codes: [
      'InvalidOrderPrice',
      'BadPrice',
      'PriceConditionFailed',
      'OverValueOrder',
      'SmallOrder',
      'DuplicateOrder',
      'InvalidMarketPair',
      'MarketClosed',
      'TradingUnavailable',
      'FeatureUnavailable',
      'DuplicateClientOrderId',
      'ParseError',
      'UnexpectedMarketPrice',
      'TradeLimitation',
    ],
  },
  { endpoint: 'orderStatus', request: { id: 5 }, codes: ['NullIdAndClientOrderId', 'FeatureUnavailable'] },
  {
    endpoint: 'updateOrderStatus',
    request: { order: 5, status: 'canceled' },
    codes: ['NullIdAndClientOrderId', 'FeatureUnavailable'],
  },
  {
    endpoint: 'transfer',
    request: { currency: 'usdt', amount: '7.5', src: 'spot', dst: 'margin' },
    codes: ['ParseError', 'InvalidAmount', 'SameDestination', 'WalletNotFound', 'InsufficientBalance'],
  },
  {
    endpoint: 'createWithdrawal',
    request: { destinationBankAccountId: 4710, amount: '5000000' },
    codes: [
      'FeatureUnavailable',
      'ParseError',
      'BankAccountNotFound',
      'WithdrawUnavailable',
      'WithdrawAmountLimitation',
      'InsufficientBalance',
      'AmountTooLow',
      'AmountTooHigh',
      'WithdrawLimitReached',
    ],
  },
  {
    endpoint: 'cancelWithdrawal',
    request: { id: 'CW430542' },
    codes: ['WithdrawRequestNotFound', 'CancellationFailed', 'NotCancellable'],
  },
  {
    endpoint: 'gatewaySend',
    request: { api: 'merchant-1', amount: 250000, callbackURL: 'https://shop.example.test/back' },
    codes: ['-1', '-2', '-3', '-4', '-5', '-6', '-7', '-8', '-9', '-10', '-11', '-41'],
  },
  {
    endpoint: 'gatewayVerify',
    request: { api: 'merchant-1', token: 'tok-4711' },
    codes: ['-21', '-22', '-23', '-31', '-32'],
  },
];

/** Codes after which the same call may be repeated a little later. All others need another call. */
const MAY_BE_REPEATED: ReadonlySet<string> = new Set([
  'MarketClosed',
  'UnexpectedMarketPrice',
  'WithdrawUnavailable',
]);

/** The only code that says that an earlier call has done it. */
const DONE_BEFORE = '-32';

const READ = ['ordersList', {}] as const;
const PLACE = ['addOrder', BUY] as const;
const CANCEL = ['updateOrderStatus', { order: 7, status: 'canceled' }] as const;

interface Thrown {
  readonly code: string;
  readonly retry: string;
  readonly outcome: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Returns the error of the client for a reply; fails if there is none, or it sends more requests. */
async function thrownFor(
  [endpoint, request]: readonly [string, Readonly<Record<string, unknown>>],
  reply: {
    readonly status: number;
    readonly body: string;
    readonly headers?: Readonly<Record<string, string>>;
  },
): Promise<Thrown> {
  const venue = new OneReply(reply);
  const outcome: unknown = await call(clientOver(venue), endpoint, request).catch((error: unknown) => error);
  expect(venue.requests).toHaveLength(1);
  expect(outcome).toBeInstanceOf(SarrafError);
  const { code, retry, outcome: effect, details } = outcome as SarrafError;
  return { code, retry, outcome: effect, details };
}

describe('codes of failed responses', () => {
  const rows = CODE_TABLES.flatMap(({ endpoint, request, codes }) =>
    codes.map((code) => [`${endpoint} ${code}`, { endpoint, request, code }] as const),
  );

  test.each(rows)('%s is a refusal that changed nothing', async (_, { endpoint, request, code }) => {
    const venue = new OneReply({ body: JSON.stringify({ status: 'failed', code, message: 'No.' }) });
    expect(await call(clientOver(venue), endpoint, request)).toMatchObject({
      ok: false,
      code,
      message: 'No.',
      httpStatus: 200,
      retry: MAY_BE_REPEATED.has(code) ? 'safe' : 'never',
      outcome: code === DONE_BEFORE ? 'applied' : 'none',
    });
    expect(venue.requests).toHaveLength(1);
  });

  test.each(rows)(
    '%s is the same at HTTP 400 and under the name error',
    async (_, { endpoint, request, code }) => {
      const venue = new OneReply({
        status: 400,
        body: JSON.stringify({ status: 'failed', error: code, message: 'No.' }),
      });
      expect(await call(clientOver(venue), endpoint, request)).toMatchObject({
        ok: false,
        code,
        httpStatus: 400,
      });
    },
  );

  test('a code that no table has proves nothing, neither where an order was placed nor where one was cancelled', async () => {
    const venue = new OneReply({ body: '{"status": "failed", "code": "Surprise", "message": "No."}' });
    expect(await call(clientOver(venue), ...PLACE)).toMatchObject({
      code: 'Surprise',
      outcome: 'unknown',
      retry: 'never',
    });
    expect(await call(clientOver(venue), ...CANCEL)).toMatchObject({ code: 'Surprise', outcome: 'unknown' });
  });

  test.each([
    ['a 400 without a body that says why', 400, '{}'],
    ['a 400 of something in between', 400, '{"message": "Bad Request"}'],
    ['a 404', 404, '{"error": "NotFound", "message": "No such page."}'],
    ['a failed body without a code', 200, '{"status": "failed", "message": "No."}'],
    ['a code of another call', 200, '{"status": "failed", "code": "WithdrawUnavailable", "message": "No."}'],
    [
      'a code that only a look-up has',
      200,
      '{"status": "failed", "code": "NullIdAndClientOrderId", "message": "No."}',
    ],
  ])('%s is no evidence that an order was not placed', async (_, status, body) => {
    const venue = new OneReply({ status, body });
    expect(await call(clientOver(venue), ...PLACE)).toMatchObject({
      ok: false,
      outcome: 'unknown',
      retry: 'never',
    });
  });

  test('a failure of cancel-old is read from code and from error', async () => {
    for (const field of ['code', 'error']) {
      const venue = new OneReply({
        body: JSON.stringify({ status: 'failed', [field]: 'ParseError', message: 'No.' }),
      });
      expect(await call(clientOver(venue), 'cancelOldOrders', {})).toMatchObject({
        ok: false,
        code: 'ParseError',
      });
    }
  });

  test('a refused log-in says why', async () => {
    const body = '{"non_field_errors": ["Unable to log in with provided credentials."]}';
    const client = clientOver(new OneReply({ status: 400, body }));
    expect(await call(client, 'login', { username: 'nasrin', password: 'x', captcha: 'api' })).toMatchObject({
      ok: false,
      code: 'LoginFailed',
      message: 'Unable to log in with provided credentials.',
      outcome: 'none',
    });
  });
});

describe('objects that are not there', () => {
  const body = '{"error": "NotFound", "message": "No Order matches the given query."}';

  test.each([
    ['orderStatus', { id: 7 }],
    ['updateOrderStatus', { order: 7, status: 'canceled' }],
  ])('a 404 of %s without a status is a refusal', async (endpoint, request) => {
    const venue = new OneReply({ status: 404, body });
    expect(await call(clientOver(venue), endpoint, request)).toMatchObject({
      ok: false,
      code: 'NotFound',
      httpStatus: 404,
      outcome: 'none',
    });
  });
});

const limited = (headers: Readonly<Record<string, string>>, body = '{}'): Promise<Thrown> =>
  thrownFor(PLACE, { status: 429, body, headers });

describe('limits', () => {
  const limitBodies = [
    [
      'a 403 with details about the limit',
      403,
      '{"detail": "Request was throttled. Expected available in 3600 seconds."}',
    ],
    ['a 403 that says nothing', 403, '{}'],
    ['a 403 without a body', 403, ''],
    ['a 429', 429, '{"status": "failed", "code": "TooManyRequests", "message": "Slow down"}'],
    ['a 429 without a body', 429, ''],
    [
      'a TooManyRequests that came with HTTP 200',
      200,
      '{"status": "failed", "code": "TooManyRequests", "message": "x"}',
    ],
  ] as const;

  test.each(limitBodies)('%s stops the caller and did nothing', async (_, status, body) => {
    for (const target of [READ, PLACE]) {
      expect(await thrownFor(target, { status, body })).toMatchObject({
        code: 'RATE_LIMITED',
        outcome: 'none',
      });
    }
  });

  test('a 403 of a proxy stops the caller, and what became of a placement is unknown: the proxy may have passed it on', async () => {
    const page = { status: 403, body: '<html><body>Forbidden</body></html>' };
    expect(await thrownFor(READ, page)).toMatchObject({ code: 'RATE_LIMITED', outcome: 'none' });
    expect(await thrownFor(PLACE, page)).toMatchObject({ code: 'RATE_LIMITED', outcome: 'unknown' });
  });

  test('a backOff in seconds is passed on in milliseconds, with the limit', async () => {
    const body =
      '{"status": "failed", "code": "TooManyRequests", "message": "x", "backOff": 12, "limit": 60}';
    expect((await thrownFor(READ, { status: 429, body })).details).toMatchObject({
      backOffMs: 12_000,
      limit: 60,
    });
    expect((await thrownFor(READ, { status: 403, body })).details).toMatchObject({ backOffMs: 12_000 });
  });

  test('Retry-After is obeyed in seconds and as a date, and the longer wait wins', async () => {
    expect((await limited({ 'retry-after': '7200' })).details).toMatchObject({ backOffMs: 7_200_000 });
    const dates = { date: 'Mon, 11 Mar 2024 09:22:35 GMT', 'retry-after': 'Mon, 11 Mar 2024 10:22:35 GMT' };
    expect((await limited(dates)).details).toMatchObject({ backOffMs: 3_600_000 });
    expect((await limited({ 'retry-after': '30' }, '{"backOff": 12}')).details).toMatchObject({
      backOffMs: 30_000,
    });
    expect((await limited({ 'retry-after': '5' }, '{"backOff": 12}')).details).toMatchObject({
      backOffMs: 12_000,
    });
  });

  test('without a wait the caller gets none', async () => {
    expect((await thrownFor(READ, { status: 429, body: '{}' })).details['backOffMs']).toBeNull();
  });
});

describe('credentials', () => {
  test('a 401 is no refusal and no limit', async () => {
    const reply = { status: 401, body: '{"detail": "Invalid token."}' };
    expect(await thrownFor(READ, reply)).toMatchObject({
      code: 'UNAUTHORIZED',
      retry: 'never',
      outcome: 'none',
    });
    expect(await thrownFor(PLACE, reply)).toMatchObject({ code: 'UNAUTHORIZED', outcome: 'none' });
    expect(await thrownFor(PLACE, { status: 401, body: '' })).toMatchObject({
      code: 'UNAUTHORIZED',
      outcome: 'none',
    });
  });

  test('a 403 that clearly names a permission is not taken for a limit', async () => {
    const body = '{"detail": "You do not have permission to perform this action."}';
    expect(await thrownFor(PLACE, { status: 403, body })).toMatchObject({
      code: 'FORBIDDEN',
      retry: 'never',
      outcome: 'none',
    });
  });

  test('a 403 that could be both is taken as a limit', async () => {
    const body = '{"detail": "No permission: request limit exceeded, wait one hour."}';
    expect(await thrownFor(READ, { status: 403, body })).toMatchObject({ code: 'RATE_LIMITED' });
    const withWait = { status: 403, body: '{"detail": "No permission."}', headers: { 'retry-after': '60' } };
    expect(await thrownFor(READ, withWait)).toMatchObject({ code: 'RATE_LIMITED' });
  });
});

describe('answers that say nothing', () => {
  const unclear = [
    ['HTTP 500', 500, '{"detail": "Temporary error"}', 'SERVER_ERROR'],
    [
      'HTTP 500 that claims a failure',
      500,
      '{"status": "failed", "code": "SmallOrder", "message": "x"}',
      'SERVER_ERROR',
    ],
    ['HTTP 502 with a web page', 502, '<html><body>Bad Gateway</body></html>', 'SERVER_ERROR'],
    ['HTTP 503 without a body', 503, '', 'SERVER_ERROR'],
    ['an empty body', 200, '', 'EMPTY_REPLY'],
    ['white space', 200, ' \n ', 'EMPTY_REPLY'],
    ['a web page at HTTP 200', 200, '<!doctype html><title>Maintenance</title>', 'HTML_REPLY'],
    ['truncated JSON', 200, '{"status": "ok", "order": {"id": 568', 'TRUNCATED_REPLY'],
    ['a list', 200, '[]', 'UNEXPECTED_REPLY'],
    ['an object without what was asked for', 200, '{"status": "ok"}', 'UNEXPECTED_REPLY'],
  ] as const;

  test.each(unclear)('%s leaves an order unknown', async (_, status, body, code) => {
    expect(await thrownFor(PLACE, { status, body })).toMatchObject({
      code,
      retry: 'never',
      outcome: 'unknown',
    });
  });

  test.each(unclear)(
    '%s changes nothing where it answers a read, which may be made again',
    async (_, status, body, code) => {
      expect(await thrownFor(READ, { status, body })).toMatchObject({ code, retry: 'safe', outcome: 'none' });
    },
  );

  test('a reply that says ok and has a code in place of what was asked for is unknown, and its words are kept', async () => {
    const body = '{"status": "ok", "code": "Queued", "message": "Your order is looked at"}';
    const venue = new OneReply({ body });
    const error: unknown = await call(clientOver(venue), ...PLACE).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'UNEXPECTED_REPLY', outcome: 'unknown' });
    expect(String(error)).toContain('code "Queued"');
    expect(String(error)).toContain('message "Your order is looked at"');
  });

  test('an order of which a part can not be read is unknown', async () => {
    const body =
      '{"status": "ok", "order": {"id": 5, "type": "buy", "price": "1", "amount": "much", "matchedAmount": "0"}}';
    expect(await thrownFor(PLACE, { status: 200, body })).toMatchObject({
      code: 'UNEXPECTED_REPLY',
      outcome: 'unknown',
    });
  });
});
