import { expect, test } from 'vitest';
import { parseUnits } from '../../../../src/domain/money.ts';
import { marginHandlers } from '../../../../src/simulator-server/wire/handlers/wallets.ts';
import { ALI, ask, createExchange } from '../users/fixture.ts';

const INPUT = { currency: 'rls', amount: '1000', src: 'spot', dst: 'margin' };

test('moves money to a margin wallet that comes to be with it', () => {
  const exchange = createExchange();
  const { status, body } = ask(exchange, marginHandlers.transfer, { input: INPUT });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    status: 'ok',
    srcWallet: { currency: 'rls', balance: '9999999000', activeBalance: '9999999000' },
    dstWallet: { currency: 'rls', balance: '1000', rialBalance: 1000 },
  });
  expect(body['srcWallet']).not.toHaveProperty('id', (body['dstWallet'] as { id: number }).id);
  expect(
    ask(exchange, marginHandlers.transfer, { input: { ...INPUT, src: 'margin', dst: 'spot', amount: 1000 } })
      .status,
  ).toBe(200);
  expect(exchange.accounts.find(7, 'rls')?.total).toBe(parseUnits('10000000000'));
  expect(exchange.accounts.imbalanceOf('rls')).toBe(0n);
});

test.each([
  ['ParseError', 400, { currency: undefined }],
  ['ParseError', 400, { amount: undefined }],
  ['ParseError', 400, { amount: 'x' }],
  ['InvalidAmount', 200, { amount: '0.00000000001' }],
  ['ParseError', 400, { src: 'cash' }],
  ['ParseError', 400, { dst: undefined }],
  ['InvalidAmount', 200, { amount: '0' }],
  ['InvalidAmount', 200, { amount: '-5' }],
  ['SameDestination', 200, { dst: 'spot' }],
  ['WalletNotFound', 200, { currency: 'btc', amount: '0.1' }],
  ['InsufficientBalance', 200, { amount: '10000000000.1' }],
  ['InsufficientBalance', 200, { src: 'margin', dst: 'spot' }],
])('refuses a transfer with %s (HTTP %i) and moves nothing: %o', (code, httpStatus, change) => {
  const exchange = createExchange();
  const { status, body } = ask(exchange, marginHandlers.transfer, { input: { ...INPUT, ...change } });
  expect(status).toBe(httpStatus);
  expect(body).toEqual({ status: 'failed', code, message: expect.any(String) as unknown });
  expect(exchange.accounts.find(7, 'rls')?.total).toBe(parseUnits('10000000000'));
  expect(exchange.accounts.walletsOf(7, 'margin')).toEqual([]);
});

test('does not transfer what open orders hold', () => {
  const exchange = createExchange();
  exchange.accounts.find(7, 'rls')?.hold(parseUnits('10000000000'));
  expect(ask(exchange, marginHandlers.transfer, { input: INPUT }).body['code']).toBe('InsufficientBalance');
});

test('lists margin markets, with the leverage of the level when a token comes', () => {
  const exchange = createExchange({ users: [{ ...ALI, level: 'level1' }] });
  const setting = {
    srcCurrency: 'btc',
    dstCurrency: 'rls',
    positionFeeRate: '0.0005',
    maxLeverage: '5',
    sellEnabled: true,
    buyEnabled: true,
  };
  const open = ask(exchange, marginHandlers.marginMarkets, { userId: null }).body;
  expect(open).toEqual({
    status: 'ok',
    markets: { BTCIRT: setting, USDTIRT: { ...setting, srcCurrency: 'usdt' } },
  });
  expect(ask(exchange, marginHandlers.marginMarkets).body).toMatchObject({
    markets: { BTCIRT: { maxLeverage: '2' } },
  });
});

test('offers only the configured margin markets', () => {
  const markets = { BTCIRT: { maxLeverage: '3', sellEnabled: false }, ETHIRT: {} };
  const { body } = ask(createExchange({ margin: { markets } }), marginHandlers.marginMarkets, {
    userId: null,
  });
  expect(body['markets']).toEqual({
    BTCIRT: expect.objectContaining({ maxLeverage: '3', sellEnabled: false, buyEnabled: true }) as unknown,
  });
});

test('lists pools; an inactive one has nothing available', () => {
  const pools = { btc: { capacity: '10', filledCapacity: '4' }, eth: { capacity: '5', active: false } };
  expect(ask(createExchange({ margin: { pools } }), marginHandlers.liquidityPools).body).toEqual({
    status: 'ok',
    pools: {
      btc: { capacity: '10', filledCapacity: '4', availableBalance: '6' },
      eth: { capacity: '5', filledCapacity: '0', availableBalance: '0' },
    },
  });
  const { body } = ask(createExchange(), marginHandlers.liquidityPools);
  expect(Object.keys(body['pools'] as object)).toEqual(['btc', 'usdt']);
});

test('gives the delegation limit of the level in the currency asked for', () => {
  const exchange = createExchange();
  const limit = (currency?: string) => ask(exchange, marginHandlers.delegationLimit, { input: { currency } });
  expect(limit('rls').body).toEqual({ status: 'ok', limit: '5000000000' });
  expect(limit('BTC').body).toEqual({ status: 'ok', limit: '0.1' });
  expect(limit('nope').body['code']).toBe('InvalidCurrency');
  expect(limit().status).toBe(400);
});
