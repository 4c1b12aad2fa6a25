import { createHash } from 'node:crypto';
import { createMarket } from '../../../../src/domain/market.ts';
import { parseUnits } from '../../../../src/domain/money.ts';
import { createRandom } from '../../../../src/domain/random.ts';
import { SimulatedExchange } from '../../../../src/simulator/exchange.ts';
import { Services, DEFAULT_FEES, type ServicesOptions } from '../../../../src/simulator/services.ts';
import type { UserSettings } from '../../../../src/simulator/user.ts';
import {
  DEFAULT_FORMS,
  type WireForms,
  type WireAnswer,
  type WireCall,
  type WireHandler,
} from '../../../../src/simulator-server/wire/handler.ts';
import { parseMarket } from '../../../../src/exchange/market-names.ts';

/** Noon UTC of 10 April 2025. */
export const START_MS = Date.UTC(2025, 3, 10, 12);

export const ALI: UserSettings = {
  username: 'ali',
  id: 7,
  password: 'secret',
  firstName: 'Ali',
  lastName: 'Rezaei',
  email: 'ali@example.org',
  tokens: ['ali-token'],
  keys: [{ publicKey: 'ali-key', permissions: ['READ', 'TRADE'] }],
  balances: { rls: '10000000000', usdt: '500', btc: '0.5' },
  bankAccounts: [{ id: 11, number: '0100', shaba: 'IR120000000000000000000001', bank: 'Mellat' }],
};

/** Makes an exchange with two markets and one user. A valid signature is `signed:` and the message. */
export function createExchange(options: Partial<ServicesOptions> = {}): SimulatedExchange {
  const btc = { baseName: 'Bitcoin', quoteName: 'rial' };
  return new SimulatedExchange(
    {
      markets: [
        {
          market: createMarket({ market: parseMarket('BTCIRT'), priceStep: '10', amountStep: '0.000001' }),
          initialPrice: '50000000000',
          ...btc,
        },
        {
          market: createMarket({ market: parseMarket('USDTIRT'), priceStep: '10', amountStep: '0.01' }),
          initialPrice: '800000',
          baseName: 'Tether',
          quoteName: 'rial',
        },
      ],
      fees: DEFAULT_FEES,
    },
    (exchange) =>
      new Services({
        accounts: exchange.accounts,
        random: createRandom(1),
        startMs: START_MS,
        verifySignature: ({ publicKey, message, signature }) =>
          signature === `signed:${publicKey}:${message}`,
        md5: (text) => createHash('md5').update(text).digest('hex'),
        verifyTotp: ({ secret, code }) => code === `code-of-${secret}`,
        users: [ALI],
        ...options,
      }),
  );
}

/** Deposits an amount of the first user. */
export function deposit(
  { services }: SimulatedExchange,
  currency: string,
  amount: string,
  timeMs = START_MS,
): ReturnType<Services['deposits']['create']> {
  const units = parseUnits(amount);
  return services.deposits.create({ userId: 7, currency: services.currency(currency), units, timeMs });
}

export interface CallOptions {
  readonly input?: Readonly<Record<string, unknown>>;
  readonly path?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeMs?: number;
  readonly forms?: Partial<WireForms>;
  readonly userAgent?: string;
  readonly userId?: number | null;
}

/** Calls a handler as the first user, and reads the body through JSON as a client does. */
export function ask(
  exchange: SimulatedExchange,
  handler: WireHandler,
  options: CallOptions = {},
): {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly raw: string;
  readonly answer: WireAnswer;
} {
  const userId = options.userId === undefined ? 7 : options.userId;
  const call: WireCall = {
    exchange,
    caller: userId === null ? null : { userId, credentialId: 'panel:ali:1', scheme: 'token' },
    ip: '10.0.0.1',
    userAgent: options.userAgent ?? 'TraderBot/test-1',
    headers: options.headers ?? {},
    path: options.path ?? {},
    input: options.input ?? {},
    timeMs: options.timeMs ?? START_MS,
    forms: { ...DEFAULT_FORMS, ...options.forms },
  };
  const answer = handler(call);
  const raw = JSON.stringify(answer.body);
  return { status: answer.status, body: JSON.parse(raw) as Record<string, unknown>, raw, answer };
}
