/** A shop that takes payments through the gateway. Source: interface, "Payment gateway credentials". */
export interface MerchantSettings {
  readonly api: string;
  /** Never sent; part of the hash of a verification. */
  readonly apiSecret: string;
  /** Scheme and host that `callbackURL` must have, such as `https://shop.example`. */
  readonly callbackOrigin: string;
  readonly restricted?: boolean | undefined;
  /** User with the rial wallet that is credited when a payment is verified; without it none is. */
  readonly username?: string | undefined;
}

export interface GatewaySettings {
  readonly merchants: readonly MerchantSettings[];
  /** Site to which payers are sent: `{siteUrl}/app/paygate/{token}`. */
  readonly siteUrl: string;
  /** True if this gateway is the one of the test networks. */
  readonly testNetwork: boolean;
  readonly currencies: readonly string[];
  readonly defaultCurrencies: string;
  /** Rial for one of a currency, where no market says it. Decimal text. */
  readonly rialRates: Readonly<Record<string, string>>;
  /** A payment not made by then can no longer be. */
  readonly payWithinMs: number;
}

/** Currencies are the interface's; rates and the half hour are ours. */
export const DEFAULT_GATEWAY: GatewaySettings = {
  merchants: [],
  siteUrl: 'http://127.0.0.1:8900',
  testNetwork: false,
  currencies: ['btc', 'ltc'],
  defaultCurrencies: 'btc,ltc',
  rialRates: { btc: '60000000000', ltc: '60000000' },
  payWithinMs: 1_800_000,
};

/** The gateway's failures. Source: interface, "Payment gateway codes". */
export const GATEWAY_MESSAGES = {
  '-1': 'API parameter is required',
  '-2': 'API not found',
  '-3': 'API is restricted',
  '-4': 'API is invalid',
  '-5': 'Amount parameter is required',
  '-6': 'Amount must be integer',
  '-7': 'Amount min value is 10000 rls',
  '-8': 'callbackURL parameter is required',
  '-9': 'callbackURL CORPS error',
  '-10': 'callbackURL format is invalid',
  '-11': 'Description must be less than 255 character',
  '-21': 'Invalid token',
  '-22': 'Token not found',
  '-23': 'Token is required',
  '-31': 'Unverified',
  '-32': 'Verified before',
  '-41': 'Invalid currency',
} as const;

export type GatewayCode = keyof typeof GATEWAY_MESSAGES;
