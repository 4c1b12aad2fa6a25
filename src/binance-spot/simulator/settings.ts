import { z } from 'zod';
import { fractionDigits } from '../../domain/decimal-text.ts';
import { unitsOf } from '../../domain/money.ts';
import { decimalAmount, durationMs, positiveDecimal } from '../../simulator/setting-fields.ts';

/** Asset such as `BTC`. */
const asset = () =>
  z.string().regex(/^[\p{Lu}\p{Lo}\p{N}]{1,20}$/u, 'expected an asset in capitals, such as BTC');
const symbol = () =>
  z.string().regex(/^[\p{Lu}\p{Lo}\p{N}_.-]{1,20}$/u, 'expected a symbol in capitals, such as BTCUSDT');
const count = () => z.int().min(0).max(1_000_000);

/** Decimals of prices, amounts and commissions in replies, and the most that a parameter may have. */
export const PRECISION = 8;

export const STP_MODES = ['NONE', 'EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH', 'DECREMENT'] as const;
const SYMBOL_STATUSES = ['TRADING', 'HALT', 'BREAK', 'CANCEL_ONLY', 'END_OF_DAY'] as const;

const rate = () =>
  decimalAmount().refine((text) => unitsOf(text) <= unitsOf('1' as typeof text), 'expected at most 1');

/** Rates of one kind of commission, as shares of a trade. */
const rates = (maker: string, taker: string) =>
  z
    .strictObject({
      maker: rate().prefault(maker),
      taker: rate().prefault(taker),
      buyer: rate().prefault('0'),
      seller: rate().prefault('0'),
    })
    .prefault({});

/** Schema of one market. A limit of 0 switches its rule off. */
const spotMarketSettings = z
  .strictObject({
    symbol: symbol(),
    base: asset(),
    quote: asset(),
    status: z.enum(SYMBOL_STATUSES).default('TRADING'),
    /** Price before the first trade. */
    startPrice: positiveDecimal(),
    tickSize: positiveDecimal().prefault('0.01'),
    minPrice: decimalAmount().prefault('0.01'),
    maxPrice: decimalAmount().prefault('1000000'),
    stepSize: positiveDecimal().prefault('0.00001'),
    minQty: decimalAmount().prefault('0.00001'),
    maxQty: positiveDecimal().prefault('9000'),
    marketMinQty: decimalAmount().prefault('0'),
    marketMaxQty: decimalAmount().prefault('120'),
    marketStepSize: decimalAmount().prefault('0'),
    minNotional: decimalAmount().prefault('5'),
    applyMinToMarket: z.boolean().default(true),
    maxNotional: decimalAmount().prefault('9000000'),
    applyMaxToMarket: z.boolean().default(false),
    bidMultiplierUp: decimalAmount().prefault('5'),
    bidMultiplierDown: decimalAmount().prefault('0.2'),
    askMultiplierUp: decimalAmount().prefault('5'),
    askMultiplierDown: decimalAmount().prefault('0.2'),
    /** Minutes of the average price; 0 means the last price. */
    avgPriceMins: z.int().min(0).max(1_440).default(5),
    icebergParts: count().default(100),
    maxNumOrders: count().default(200),
    maxNumAlgoOrders: count().default(5),
    maxNumIcebergOrders: count().default(10),
    maxNumOrderLists: count().default(20),
    maxNumOrderAmends: count().default(10),
    /** Most of the base asset that an account may own by buying; 0 for any amount. */
    maxPosition: decimalAmount().prefault('0'),
    minTrailingDelta: count().default(10),
    maxTrailingDelta: count().default(2_000),
    defaultStpMode: z.enum(STP_MODES).default('EXPIRE_MAKER'),
    allowedStpModes: z
      .array(z.enum(STP_MODES))
      .min(1)
      .default([...STP_MODES]),
    /** Number of the first order and of the first trade. Two markets may have the same. */
    firstOrderId: z.int().min(1).max(1_000_000_000_000).default(1),
    firstTradeId: z.int().min(1).max(1_000_000_000_000).default(1),
  })
  .superRefine((market, context) => {
    const { tickSize, stepSize } = market;
    const refuse = (field: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [field], message });
    if (fractionDigits(tickSize) + fractionDigits(stepSize) > PRECISION)
      refuse(
        'stepSize',
        `expected at most ${PRECISION} decimals of tickSize and stepSize together, so that values are exact`,
      );
    const isWhole = (value: typeof tickSize, step: typeof tickSize): boolean =>
      unitsOf(value) % unitsOf(step) === 0n;
    if (!isWhole(market.startPrice, tickSize))
      refuse('startPrice', `expected a multiple of tickSize ${tickSize}`);
    for (const [field, most, step] of [
      ['maxQty', market.maxQty, stepSize],
      ['maxPrice', market.maxPrice, tickSize],
    ] as const)
      if (unitsOf(most) / unitsOf(step) > BigInt(2 ** 50))
        refuse(field, `expected at most 2^50 steps of ${step}, was ${most}`);
  });

const COMMON_MARKETS: readonly z.input<typeof spotMarketSettings>[] = [
  { symbol: 'BTCUSDT', base: 'BTC', quote: 'USDT', startPrice: '63000' },
  {
    symbol: 'ETHUSDT',
    base: 'ETH',
    quote: 'USDT',
    startPrice: '2500',
    stepSize: '0.0001',
    minQty: '0.0001',
    marketMaxQty: '2000',
  },
  {
    symbol: 'BNBUSDT',
    base: 'BNB',
    quote: 'USDT',
    startPrice: '600',
    stepSize: '0.001',
    minQty: '0.001',
    marketMaxQty: '3000',
  },
  {
    symbol: 'ETHBTC',
    base: 'ETH',
    quote: 'BTC',
    startPrice: '0.03968',
    tickSize: '0.00001',
    minPrice: '0.00001',
    maxPrice: '922327',
    stepSize: '0.001',
    minQty: '0.001',
    minNotional: '0.0001',
    marketMaxQty: '2000',
  },
  {
    symbol: 'USDTTRY',
    base: 'USDT',
    quote: 'TRY',
    startPrice: '41.5',
    stepSize: '1',
    minQty: '1',
    maxQty: '9000000',
    marketMaxQty: '500000',
    minNotional: '10',
  },
];

const apiKey = z
  .strictObject({
    key: z.string().regex(/^[A-Za-z0-9]{1,128}$/, 'expected letters and digits'),
    /** Secret of an HMAC key. */
    secret: z.string().min(1).optional(),
    /** Public Ed25519 key: Base64 of its DER form, as in a PEM file. */
    publicKey: z.string().min(1).optional(),
    /** False for a key that may only read. */
    mayTrade: z.boolean().default(true),
    /** Addresses that may use it; empty for any. */
    ips: z.array(z.string()).default([]),
  })
  .refine(
    ({ secret, publicKey }) => (secret === undefined) !== (publicKey === undefined),
    'expected secret or publicKey, one of them',
  );

const spotUser = z.strictObject({
  uid: z.int().min(1).default(1),
  keys: z.array(apiKey).min(1),
  balances: z.record(asset(), decimalAmount()).default({}),
  mayTrade: z.boolean().default(true),
  standardCommission: rates('0.001', '0.001'),
  specialCommission: rates('0', '0'),
  taxCommission: rates('0', '0'),
  /** True if commission is paid in the discount asset while there is enough of it. */
  discount: z.boolean().default(true),
  /** Accounts with one number are one for self-trade prevention; -1 for none. */
  tradeGroupId: z.int().min(-1).default(-1),
});

/** Key and secret of the built-in user; they are public and protect nothing. */
export const BUILT_IN_KEY = { key: 'sarrafSimulatorKey', secret: 'sarrafSimulatorSecret' } as const;

const BUILT_IN_USERS: readonly z.input<typeof spotUser>[] = [
  {
    uid: 354_000_001,
    keys: [BUILT_IN_KEY],
    balances: { USDT: '20000', BTC: '0.5', ETH: '5', BNB: '2', TRY: '100000' },
  },
];

/** Fault rule: the requests that it may strike, how often, and what happens. */
const spotFault = z.strictObject({
  kind: z.enum([
    /** 504 with -1007: the effect, if any, has happened. */
    'timeout-after',
    /** 504 with -1007: nothing has happened. */
    'timeout-before',
    /** 500 with -1006 after the effect. */
    'unexpected-after',
    /** 503 with -1008 before it. */
    'busy',
    /** 502 with a page of HTML after the effect. */
    'gateway-after',
    /** 502 with a page of HTML before it. */
    'gateway-before',
    /** 403 with a page of HTML, before it. */
    'firewall',
    /** Reads show orders and own trades as they were `ms` ago. */
    'stale',
    /** The reply leaves `ms` late; the effect is in time. */
    'late-reply',
    /** The request reaches the exchange `ms` late. */
    'late-request',
  ]),
  /** Methods; empty for any. */
  methods: z.array(z.enum(['GET', 'POST', 'PUT', 'DELETE'])).default([]),
  /** Beginning of the path after `/api/v3/`, such as `order`. */
  path: z.string().default(''),
  /** Share of these requests that are struck. */
  share: z.number().min(0).max(1).default(1),
  /** Most requests that are struck; without it, any number. */
  times: z.int().min(1).optional(),
  ms: durationMs().default(0),
});

export type SpotFaultRule = z.output<typeof spotFault>;

const INTERVALS = ['SECOND', 'MINUTE', 'HOUR', 'DAY'] as const;

const rateLimit = (interval: (typeof INTERVALS)[number], intervalNum: number, limit: number) =>
  z
    .strictObject({
      interval: z.enum(INTERVALS).default(interval),
      intervalNum: z.int().min(1).max(1_000).default(intervalNum),
      limit: z.int().min(1).max(1_000_000_000).default(limit),
    })
    .prefault({});

export type SpotRateLimit = z.output<ReturnType<typeof rateLimit>>;

const limits = z
  .strictObject({
    weight: rateLimit('MINUTE', 1, 6_000),
    raw: rateLimit('MINUTE', 5, 300_000),
    orders: z
      .array(rateLimit('SECOND', 10, 100))
      .min(1)
      .prefault([{}, { interval: 'DAY', intervalNum: 1, limit: 200_000 }]),
    /** `sliding` if weight and raw requests are counted over the last interval; `fixed` by the clock. */
    windows: z.enum(['fixed', 'sliding']).default('fixed'),
    /** Requests over a limit that an address may send before it is banned. */
    refusalsBeforeBan: z.int().min(1).default(10),
    firstBanMs: durationMs().default(120_000),
    longestBanMs: durationMs().default(259_200_000),
    /** Time after a ban from which the next one is a first one again. */
    banForgottenAfterMs: durationMs().default(86_400_000),
    /** Change of the unfilled order count by the first fill of an order as maker. */
    makerCredit: z.int().min(1).default(5),
    /** Delay between a fill and that change. */
    creditDelayMs: durationMs().default(20),
  })
  .prefault({});

/** Choices where the interface is silent; either answer is possible, and a client must survive both. */
const choices = z
  .strictObject({
    commissionRounding: z.enum(['half-up', 'half-even']).default('half-up'),
    /** `reduced`: a discount of 0.25 leaves three quarters of the standard commission; else a quarter. */
    discountMeaning: z.enum(['reduced', 'multiplied']).default('reduced'),
    discount: rate().prefault('0.25'),
    discountAsset: asset().default('BNB'),
    /** Orders of an account among which an open one's client id is unique. */
    clientIdScope: z.enum(['symbol', 'account']).default('symbol'),
    /** Client id that a query shows of a canceled order: its own, or that of the cancel. */
    idAfterCancel: z.enum(['order', 'cancel']).default('order'),
    /** Reply to the cancel of an order that belongs to a list: the order's, or that of the whole list. */
    cancelOfListed: z.enum(['order', 'list']).default('order'),
    /** True if a cancel is refused whose own id belongs to an open order. */
    refusesUsedCancelId: z.boolean().default(true),
    /** Code of filters that count orders. */
    countFilterCode: z.union([z.literal(-2010), z.literal(-1013)]).default(-2010),
    /** Code of a market order on an empty book. */
    emptyBookCode: z.union([z.literal(-1112), z.literal(-2010)]).default(-1112),
    /** Code of a recvWindow above 60000. */
    recvWindowCode: z.union([z.literal(-1102), z.literal(-1131)]).default(-1102),
    /** Code of an order on a market that is not trading. */
    closedMarketCode: z.union([z.literal(-1013), z.literal(-2010)]).default(-1013),
    /** Code of a parameter that the order's type does not use. */
    unusedParameterCode: z.union([z.literal(-1106), z.literal(-1104)]).default(-1106),
    /** Time of an order by which `allOrders` filters. */
    allOrdersTime: z.enum(['created', 'updated']).default('created'),
    /** True if words of SQL in a request bring the page of the firewall. */
    firewallReadsWords: z.boolean().default(true),
  })
  .prefault({});

const isUnique = (values: readonly string[]): boolean => new Set(values).size === values.length;

/** Schema of a simulated exchange `binance-spot`. Everything has a default: an empty file is valid. */
export const spotExchangeSettings = z.strictObject({
  markets: z
    .array(spotMarketSettings)
    .min(1)
    .refine((markets) => isUnique(markets.map((market) => market.symbol)), 'expected each symbol once')
    .prefault([...COMMON_MARKETS]),
  users: z
    .array(spotUser)
    .refine(
      (users) => isUnique(users.flatMap(({ keys }) => keys.map(({ key }) => key))),
      'expected each key once',
    )
    .refine((users) => isUnique(users.map(({ uid }) => String(uid))), 'expected each uid once')
    .prefault([...BUILT_IN_USERS]),
  limits,
  choices,
  /** Most open orders of an account over all symbols; 0 for any number. */
  exchangeMaxNumOrders: count().default(0),
  exchangeMaxNumAlgoOrders: count().default(0),
  faults: z.array(spotFault).default([]),
  /** Orders and fills of a symbol, and lists, that an account remembers; the oldest are dropped. */
  rowsRetained: z.int().min(100).max(1_000_000).default(20_000),
  /** Time after the start at which everything but keys is forgotten, once; never without it. */
  wipeAfterMs: durationMs().optional(),
  flow: z
    .strictObject({
      kind: z.enum(['synthetic', 'none']).default('synthetic'),
      /** Minutes of trades before the start. */
      historyMinutes: z.int().min(0).max(20_160).default(1_500),
    })
    .prefault({}),
});

export type SpotSettings = z.output<typeof spotExchangeSettings>;
export type SpotUserSettings = SpotSettings['users'][number];
export type SpotMarketRulesInput = SpotSettings['markets'][number];
