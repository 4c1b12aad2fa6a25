import { createHash, createPublicKey, verify } from 'node:crypto';
import { createMarket } from '../../src/domain/market.ts';
import { createRandom } from '../../src/domain/random.ts';
import { SimulatedExchange } from '../../src/simulator/exchange.ts';
import type { WithdrawalSettings } from '../../src/simulator/rial-withdrawal.ts';
import type { LimitSettings } from '../../src/simulator/rate-limits.ts';
import { Services } from '../../src/simulator/services.ts';
import type { TradingSettings } from '../../src/simulator/requests.ts';
import type { UserSettings } from '../../src/simulator/user.ts';
import { NOW_MS } from './client-over.ts';
import { parseMarket } from '../../src/exchange/market-names.ts';

/** The exchange of these tests: four markets with different steps, and users with amounts of rial size. */
export interface WorldOptions {
  readonly limits?: Partial<LimitSettings>;
  readonly trading?: Partial<TradingSettings>;
  readonly withdrawals?: Partial<WithdrawalSettings>;
  readonly serviceName?: string;
}

/** An Ed25519 key pair: URL-safe Base64 of the raw public key and of the seed. */
export interface TestKey {
  readonly publicKey: string;
  readonly privateKey: string;
}

const fromHex = (hex: string): string => `${Buffer.from(hex, 'hex').toString('base64url')}=`;

/** Keys from the first test vector of RFC 8032, section 7.1, and two more seeds of the same section. */
export const FULL_KEY: TestKey = {
  privateKey: fromHex('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60'),
  publicKey: fromHex('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'),
};
export const READ_KEY: TestKey = {
  privateKey: fromHex('4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb'),
  publicKey: fromHex('3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c'),
};

/** An order with which tests begin: it rests below the last price of BTC-RLS. */
export const BUY = {
  type: 'buy',
  srcCurrency: 'btc',
  dstCurrency: 'rls',
  amount: '0.001',
  price: '12500000000',
} as const;
/** A pair around the last price. */
export const OCO = { ...BUY, mode: 'oco', stopPrice: '12700000000', stopLimitPrice: '12750000000' } as const;

export const ALICE_TOKEN = 'token-of-alice';
export const BOB_TOKEN = 'token-of-bob';
/** Token of a user who has only rial. */
export const CAROL_TOKEN = 'token-of-carol';
export const MERCHANT = { api: 'merchant-1', apiSecret: 'between-us' } as const;
const SHOP = 'https://shop.example.test';
export const BANK_ACCOUNT_ID = 4710;

const PURSE = { rls: '1000000000000', usdt: '1000000', btc: '10', shib: '1000000000' };

const USERS: readonly UserSettings[] = [
  {
    id: 1,
    username: 'alice',
    password: 'alice-password',
    firstName: 'Alice',
    lastName: 'Moradi',
    nationalCode: '0012345679',
    email: 'alice@example.test',
    phone: '02100000000',
    mobile: '09120000000',
    city: 'Tehran',
    tokens: [ALICE_TOKEN],
    keys: [{ publicKey: FULL_KEY.publicKey, permissions: ['READ', 'TRADE', 'WITHDRAW'] }],
    balances: PURSE,
    bankCards: [{ number: '6037-9900-0000-0006', bank: 'Melli' }],
    bankAccounts: [
      { id: BANK_ACCOUNT_ID, number: '0123456789', shaba: 'IR060170000000000123456789', bank: 'Melli' },
    ],
    favoriteMarkets: ['BTCIRT'],
    referral: { code: 'ALICE-1', referredUsersCount: 2, feeTotalCount: 17, feeTotal: 1_218_753 },
  },
  {
    id: 2,
    username: 'bob',
    password: 'bob-password',
    tokens: [BOB_TOKEN],
    keys: [{ publicKey: READ_KEY.publicKey, permissions: ['READ'] }],
    balances: PURSE,
    totp: { fixedCode: '271828' },
  },
  { id: 3, username: 'carol', tokens: [CAROL_TOKEN], balances: { rls: '100000000' } },
];

/** Markets, their price and amount steps, their least values and first prices. */
const MARKETS = [
  ['BTCIRT', '10', '0.000001', '3000000', '12600000000'],
  ['BTCUSDT', '0.01', '0.000001', '11', '70000'],
  ['USDTIRT', '10', '0.01', '3000000', '180000'],
  ['SHIBUSDT', '0.00000001', '1', '11', '0.00002731'],
] as const;

const NAMES: Readonly<Record<string, string>> = {
  btc: 'Bitcoin',
  usdt: 'Tether',
  shib: 'Shiba Inu',
  rls: '﷼',
};

/** Prefix of the SubjectPublicKeyInfo of an Ed25519 key, before its 32 bytes. */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

function verifySignature(check: {
  readonly publicKey: string;
  readonly message: string;
  readonly signature: string;
}): boolean {
  const key = createPublicKey({
    key: Buffer.concat([SPKI_PREFIX, Buffer.from(check.publicKey, 'base64url')]),
    format: 'der',
    type: 'spki',
  });
  return verify(null, Buffer.from(check.message, 'utf8'), key, Buffer.from(check.signature, 'base64url'));
}

export function createWorld(options: WorldOptions = {}): SimulatedExchange {
  return new SimulatedExchange(
    {
      markets: MARKETS.map(([symbol, priceStep, amountStep, minOrderValue, initialPrice]) => {
        const market = createMarket({ market: parseMarket(symbol), priceStep, amountStep, minOrderValue });
        const [baseName = '', quoteName = ''] = [NAMES[market.base], NAMES[market.quote]];
        return { market, initialPrice, baseName, quoteName };
      }),
      fees: { rls: { maker: 2000, taker: 2500 }, usdt: { maker: 1000, taker: 1300 } },
      firstOrderId: 5_684_123_001,
      firstTradeId: 90_001,
      ...(options.trading === undefined ? {} : { trading: options.trading }),
    },
    (exchange) =>
      new Services({
        accounts: exchange.accounts,
        random: createRandom(7),
        startMs: NOW_MS,
        verifySignature,
        md5: (text) => createHash('md5').update(text, 'utf8').digest('hex'),
        serviceName: options.serviceName ?? 'service',
        users: USERS,
        currencies: { xrp: {} },
        limits: options.limits ?? { enabled: false },
        ...(options.withdrawals === undefined ? {} : { withdrawals: options.withdrawals }),
        gateway: {
          merchants: [
            { ...MERCHANT, callbackOrigin: SHOP, username: 'bob' },
            { api: 'restricted-1', apiSecret: 'x', callbackOrigin: SHOP, restricted: true },
          ],
        },
      }),
  );
}
