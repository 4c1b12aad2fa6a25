import {
  english,
  joinSentences,
  sentence,
  sentenceFacts,
  type Sentence,
} from '../../../src/language/sentence.ts';
import { sentencesIn } from '../../../src/dashboard/readers/row-items.ts';
import { DASHBOARD_ENDPOINTS } from '../../../src/dashboard/schema/endpoints.ts';
import type { OverviewReply } from '../../../src/dashboard/schema/overview.ts';
import { factsOfEnglish, reasonOf } from '../../support/facts-of-english.ts';

/** Time of all replies of the made-up bot: a Tuesday afternoon in Tehran. */
export const NOW_MS = Date.UTC(2026, 3, 7, 11, 0, 0);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A wave that is the same in every run. */
const wave = (index: number): number =>
  Math.sin(index / 7) * 3 + Math.sin(index / 2.3) + Math.sin(index / 41) * 9;

const PRICE = 59_500_000_000;

const orderOf = (index: number, state: 'planned' | 'open' | 'filled' | 'cancelled') => ({
  key: `grid-${1_000 + index}`,
  clientOrderId: `c${index}`,
  venueId: `${88_000 + index}`,
  intentId: `i${index}`,
  strategy: index % 3 === 0 ? 'dip-buyer' : 'grid',
  tag: null,
  exit: index % 5 === 4 ? 'stop-loss' : null,
  market: 'BTCIRT',
  side: index % 2 === 0 ? ('buy' as const) : ('sell' as const),
  execution: 'limit' as const,
  price: String(PRICE + (index % 2 === 0 ? -1 : 1) * (index + 1) * 40_000_000),
  stopPrice: index % 5 === 4 ? String(PRICE - 900_000_000) : null,
  amount: '0.00125',
  filled: state === 'filled' ? '0.00125' : index % 4 === 0 ? '0.0005' : '0',
  filledTotal: state === 'filled' ? '74375000' : '0',
  fee: state === 'filled' ? '0.0000025' : '0',
  state,
  ...reasonOf(state === 'cancelled' ? 'the quote moved' : null),
  pairKey: null,
  arrivalBid: null,
  arrivalAsk: null,
  attempts: 1,
  plannedAtMs: NOW_MS - (index + 1) * 7 * MINUTE_MS,
  sentAtMs: NOW_MS - (index + 1) * 7 * MINUTE_MS + 420,
  closedAtMs: state === 'open' ? null : NOW_MS - index * 7 * MINUTE_MS,
});

const fillOf = (index: number) => ({
  tradeId: `t${90_000 - index}`,
  orderKey: `grid-${1_020 + index}`,
  venueOrderId: `${88_020 + index}`,
  strategy: index % 3 === 0 ? 'dip-buyer' : 'grid',
  market: 'BTCIRT',
  side: index % 2 === 0 ? ('buy' as const) : ('sell' as const),
  atMs: NOW_MS - (index + 1) * 37 * MINUTE_MS,
  price: String(PRICE - index * 7_000_000),
  amount: '0.00125',
  total: '74375000',
  fee: '0.0000025',
  feeCurrency: 'btc',
  feeValue: null,
});

/** A fill whose fee was taken from a third coin. */
const feeInCoin = { ...fillOf(1), fee: '0.00021874', feeCurrency: 'bnb', feeValue: '148750' };

const seriesOf = (name: string, base: number, points = 300, stepMs = HOUR_MS) => ({
  name,
  points: Array.from({ length: points }, (_, index): [number, number] => [
    NOW_MS - (points - index) * stepMs,
    base + (wave(index) * base) / 300 + (index * base) / 9_000,
  ]),
});

const lock = {
  name: 'cooldown',
  rule: 'grid/cooldown',
  strategy: 'grid',
  market: 'ETHIRT',
  reason: '3 stop-outs within 4 h, the rule is 3',
  reasonFacts: factsOfEnglish('3 stop-outs within 4 h, the rule is 3'),
  by: null,
  beganAtMs: NOW_MS - HOUR_MS,
  endsAtMs: NOW_MS + 3 * HOUR_MS,
  entries: 'cancel' as const,
  pauses: false,
};

const alert = {
  id: 'a7',
  rule: 'unprotected',
  severity: 'warning' as const,
  subject: 'dip-buyer',
  text: 'dip-buyer holds 0.02 BTC that no stop covers',
  texts: {
    en: 'dip-buyer holds 0.02 BTC that no stop covers',
    fa: '۰٫۰۲ \u2066BTC\u2069 از \u2066dip-buyer\u2069 حد ضرر ندارد',
  },
  openedAtMs: NOW_MS - 12 * MINUTE_MS,
  endedAtMs: null,
  acknowledgedAtMs: null,
  acknowledgedBy: null,
  deliveries: [{ channel: 'telegram', state: 'delivered' as const, atMs: NOW_MS - 12 * MINUTE_MS }],
};

const bot = {
  instance: 'home',
  venue: 'live',
  isEmbedded: false,
  state: 'running' as const,
  sinceMs: NOW_MS - 9 * DAY_MS,
  reason: null,
  reasonFacts: null,
  silentSinceMs: null,
  lastOrderAtMs: NOW_MS - 7 * MINUTE_MS,
};

const equity = [
  {
    currency: 'rls',
    now: '48250175300',
    day: '128500000',
    total: '-1204400000',
    drawdown: '0.0312',
    asOfMs: NOW_MS - 40_000,
  },
  { currency: 'usdt', now: '1250.75', day: '0', total: '50.75', drawdown: '0', asOfMs: NOW_MS - 40_000 },
];

const strategies = [
  {
    name: 'grid',
    plugin: 'grid-trader',
    markets: ['BTCIRT', 'ETHIRT'],
    status: 'running' as const,
    reason: null,
    reasonFacts: null,
    currency: 'rls',
    profit: '310250000',
    realised: '290000000',
    open: '20250000',
    orders: 1_204,
    fills: 388,
    requests: 2_460,
    lastDecision: {
      atMs: NOW_MS - 7 * MINUTE_MS,
      kind: 'quotes',
      market: 'BTCIRT',
      status: 'working' as const,
      reason: null,
      reasonFacts: null,
    },
  },
  {
    name: 'dip-buyer',
    plugin: 'dip-buyer',
    markets: ['BTCIRT'],
    status: 'paused by hand' as const,
    ...reasonOf('a fork'),
    currency: 'rls',
    profit: '-14500000',
    realised: '0',
    open: '-14500000',
    orders: 12,
    fills: 5,
    requests: 31,
    lastDecision: {
      atMs: NOW_MS - 3 * HOUR_MS,
      kind: 'order',
      market: 'BTCIRT',
      status: 'refused' as const,
      ...reasonOf('the order of 0.06 BTC is above the limit of 0.05 BTC for one order'),
    },
  },
];

const position = {
  strategy: 'dip-buyer',
  asset: 'btc',
  market: 'BTCIRT',
  currency: 'rls',
  amount: '0.02',
  value: '1190000000',
  profit: '-14500000',
  stop: '58600000000',
  isProtected: false,
};

export const OVERVIEW: OverviewReply = {
  nowMs: NOW_MS,
  botNowMs: NOW_MS,
  bot,
  equity,
  exposure: [{ asset: 'btc', amount: '0.02', currency: 'rls', value: '1190000000' }],
  positions: [position],
  strategies,
  openOrders: 6,
  unresolved: [
    { key: 'grid-1044', strategy: 'grid', market: 'ETHIRT', side: 'buy', sentAtMs: NOW_MS - 11 * MINUTE_MS },
  ],
  waits: null,
  haltWait: null,
  lockouts: [{ budget: 'orders/list', endsAtMs: NOW_MS + 17 * MINUTE_MS, isOnTrial: false }],
  dataAges: [
    { feed: 'book BTCIRT', readAtMs: NOW_MS - 2_000 },
    { feed: 'wallets', readAtMs: NOW_MS - 31_000 },
    { feed: 'trades', readAtMs: NOW_MS - 9_000 },
  ],
  books: 'agreed',
  credential: null,
  approvals: [],
  lossLimits: [],
  locks: [lock],
  alerts: [alert],
  alertsOff: null,
  requestsBecauseOfPage: 0,
};

const marketOf = (symbol: string, base: string) => ({
  symbol,
  base,
  quote: 'rls',
  last: String(PRICE),
  bestBuy: String(PRICE - 15_000_000),
  bestSell: String(PRICE + 15_000_000),
  dayChange: '-1.27',
  isClosed: false,
  priceStep: '10',
  amountStep: '0.000001',
  statsSeenAtMs: NOW_MS - 4_000,
  bookSeenAtMs: NOW_MS - 2_000,
  timeframes: ['1m', '1h', '1d'],
  strategies: base === 'btc' ? ['grid', 'dip-buyer'] : ['grid'],
});

const priceAt = (step: number): string =>
  String(Math.round(PRICE + wave(step) * 70_000_000 + Math.sin(step * 1.7) * 45_000_000));

const candle = (index: number) => {
  const [open, close] = [priceAt(index), priceAt(index + 1)];
  const high = String(Math.max(Number(open), Number(close)) + 25_000_000);
  const low = String(Math.min(Number(open), Number(close)) - 25_000_000);
  return {
    openTimeMs: NOW_MS - (500 - index) * HOUR_MS,
    open,
    high,
    low,
    close,
    volume: String(3 + (index % 7)),
  };
};

const level = (side: 1 | -1, index: number): [string, string] => [
  String(PRICE + side * (15_000_000 + index * 25_000_000)),
  (((index * 37) % 11) / 100 + 0.01).toFixed(2),
];

const tripSums = {
  currency: 'rls',
  trips: 12,
  wins: 7,
  profit: '734500000',
  fees: '31000000',
  unvaluedFees: 1,
  payoff: 1.41,
  lengthMs: 5_400_000,
};

const tripOf = (changed: object) => ({
  strategy: 'grid',
  market: 'BTCIRT',
  currency: 'rls',
  entryOrder: 'grid-1001',
  exitOrder: 'grid-1003',
  openedAtMs: NOW_MS - 3 * HOUR_MS,
  closedAtMs: NOW_MS - HOUR_MS,
  amount: '0.0833',
  entryPrice: '59800000000',
  exitPrice: '59440000000',
  fees: '17400000',
  hasUnvaluedFee: false,
  profit: '1',
  change: 0,
  risk: null,
  entryTag: 'strength crosses below 30',
  exitTag: null,
  exit: null,
  entry: 'grid-1001',
  note: '',
  tags: [] as string[],
  ...changed,
});

const openOrders = Array.from({ length: 6 }, (_, index) => orderOf(index, 'open'));
const fills = Array.from({ length: 40 }, (_, index) => fillOf(index));
const step = (seq: number, kind: string, data: unknown) => ({
  seq,
  atMs: NOW_MS - (10 - seq) * 1_300,
  kind,
  subject: 'grid-1000',
  data,
  said: sentencesIn(kind, data),
});

const rawReply = (of: 'place' | 'cancel', body: string) => ({
  orderKey: 'grid-1000',
  step: of,
  atMs: NOW_MS - 7_800,
  endpoint: of === 'place' ? 'addOrder' : 'updateOrderStatus',
  httpStatus: 200,
  body,
  bodyLength: body.length,
  problem: null as string | null,
});

export const INTENT = {
  id: 'i0',
  strategy: 'grid',
  atMs: NOW_MS - 7 * MINUTE_MS,
  kind: 'quotes',
  market: 'BTCIRT',
  status: 'working' as const,
  reason: null,
  reasonFacts: null,
  approval: null,
  expiresAtMs: null,
  bound: null,
  best: null,
  value: null,
  decidedBy: null,
  data: { buy: '59480000000', sell: '59520000000' },
};

const logLine = (seq: number, level: 'info' | 'warning' | 'error', text: string) => ({
  seq,
  atMs: NOW_MS - (10 - seq) * 40_000,
  level,
  kind: 'log',
  subject: 'grid',
  text,
  data: { seq },
  said: {},
});
const log = [
  logLine(9, 'warning', 'the spread is 1.4 %, quotes wait'),
  logLine(8, 'info', 'moved both quotes by 3 steps'),
  logLine(7, 'error', 'expected a price above 0, was "-1"'),
];

const signalItem = (seq: number | null, more: object = {}) => ({
  seq,
  atMs: NOW_MS - (20 - (seq ?? 20)) * 95_000,
  strategy: 'grid',
  name: 'alert',
  id: `BTCIRT-2026-04-07T10:${39 + (seq ?? 20)}:00Z`,
  source: 'chart',
  sentAtMs: NOW_MS - (20 - (seq ?? 20)) * 95_000 - 1_400,
  payload: { side: 'buy', level: 'breakout of the daily range', price: 59_410_000_000 },
  outcome: 'told',
  code: 'told',
  reason: null,
  ...more,
});
const signals = [
  signalItem(null, { outcome: 'waiting', code: 'not-taken', reason: 'the bot has not looked yet' }),
  signalItem(19),
  signalItem(18, { outcome: 'dropped', code: 'paused', reason: 'the strategy is paused', source: 'command' }),
  signalItem(17, {
    outcome: 'refused',
    code: 'invalid',
    reason: 'payload.side: Invalid option: expected one of "buy"|"sell"',
    payload: { side: 'hold' },
    sentAtMs: null,
  }),
  signalItem(16, {
    strategy: 'dip-buyer',
    outcome: 'refused',
    code: 'too-old',
    reason: 'expected a signal of the last 60 s, was 14 min old',
  }),
];

const budget = {
  subject: 'account' as const,
  budget: 'orders/add',
  limit: 300,
  ownLimit: 300,
  isAssumed: false,
  windowMs: 600_000,
  inUse: 118,
  onTheWay: 1,
  reserve: 30,
  fullForMs: 0,
  lockedForMs: null,
  isOnTrial: false,
  stoppedForMs: null,
};

const said = (text: Sentence) => ({ reason: english(text), reasonFacts: sentenceFacts(text) });

const CROSSES = sentence('rule-crossesBelow', { left: 'strength', right: '30' });
const ABOVE = sentence('rule-isAbove', {
  left: sentence('rule-bar', { field: sentence('rule-close'), data: 'bars' }),
  right: 'trend',
});

const condition = (text: Sentence, of: object) => ({
  ...said(text),
  depth: 0,
  isTrue: null,
  left: null,
  right: null,
  sinceMs: NOW_MS - 5 * MINUTE_MS,
  ...of,
});

/** Replies of the made-up bot, by the name of the endpoint. */
export const REPLIES: Partial<Record<keyof typeof DASHBOARD_ENDPOINTS, unknown>> = {
  session: {
    name: 'first',
    role: 'operate',
    csrf: 'csrf-of-test',
    endsAtMs: null,
    language: 'en',
    version: '0.1.0',
    lab: null,
  },
  overview: OVERVIEW,
  equity: { series: [seriesOf('equity/rls', 48_000_000_000), seriesOf('equity/usdt', 1_250)] },
  strategy: {
    strategy: strategies[0],
    state: { lastClose: 59_500_000_000, rungs: [1, 2, 3] },
    positions: [],
    openOrders,
    intents: [
      INTENT,
      {
        ...INTENT,
        id: 'i1',
        status: 'refused',
        ...reasonOf('trading is halted: by hand'),
      },
    ],
    signals: signals.slice(1, 4),
    log,
    locks: [lock],
    profit: [seriesOf('profit/grid/rls', 300_000_000)],
  },
  shadows: {
    shadows: [
      {
        name: 'grid-2',
        isPromoted: false,
        sinceMs: NOW_MS - 6 * HOUR_MS,
        live: {
          strategy: 'grid',
          setup: { file: '/grid.ts', step: '5' },
          profit: '120000',
          currency: 'rls',
          orders: 4,
          fills: 4,
        },
        shadow: {
          strategy: 'grid-2',
          setup: { file: '/grid.ts', step: '7' },
          profit: '310000',
          currency: 'rls',
          orders: 9,
          fills: 9,
        },
        ahead: '190000',
        same: 3,
        onlyLive: 1,
        onlyShadow: 6,
      },
    ],
  },
  rules: {
    markets: ['BTCIRT', 'ETHIRT'],
    problem: null,
    rules: {
      market: 'BTCIRT',
      closeTimeMs: NOW_MS - 20_000,
      isHeld: false,
      before: [said(sentence('rules-orders-open', { count: 2 }))],
      outcome: said(sentence('rules-missing', { conditions: joinSentences('both', [CROSSES, ABOVE]) })),
      enter: [
        condition(sentence('rules-all-of'), { isTrue: false }),
        condition(CROSSES, { depth: 1, isTrue: false, left: 41.3, right: 30 }),
        condition(ABOVE, { depth: 1, left: 59_500_000_000 }),
      ],
      exit: [
        condition(sentence('rule-isAbove', { left: sentence('rule-profitPercent'), right: '5' }), {
          isTrue: true,
          left: 6.25,
          right: 5,
        }),
      ],
    },
  },
  markets: { markets: [marketOf('BTCIRT', 'btc'), marketOf('ETHIRT', 'eth')] },
  recordings: {
    recordings: ['1h', '1d'].map((timeframe) => ({
      market: 'ETHIRT',
      quote: 'rls',
      timeframe,
      fromMs: NOW_MS - 9_000 * 3_600_000,
      toMs: NOW_MS - 48 * 3_600_000,
    })),
  },
  recorded: {
    market: 'ETHIRT',
    timeframe: '1h',
    isBuilt: false,
    candles: Array.from({ length: 500 }, (_, index) => candle(index)),
  },
  quotes: {
    market: 'BTCIRT',
    quotes: Array.from({ length: 60 }, (_, index) => {
      const middle = 60_000_000_000 + 40_000_000 * Math.sin(index / 6);
      const at = (offset: number): string => String(Math.round(middle + offset * 1_000_000));
      return {
        atMs: NOW_MS - (60 - index) * 60_000,
        bid: at(-30),
        ask: at(30),
        buy: index % 20 < 15 ? at(-45) : null,
        sell: index % 30 < 20 ? at(45) : null,
      };
    }),
  },
  candles: {
    market: 'BTCIRT',
    timeframe: '1h',
    isBuilt: false,
    candles: Array.from({ length: 500 }, (_, index) => candle(index)),
  },
  marks: {
    market: 'BTCIRT',
    orders: openOrders,
    fills: fills.map(({ atMs, side, amount, total }) => ({
      openTimeMs: Math.floor(atMs / HOUR_MS) * HOUR_MS,
      side,
      count: 2,
      amount,
      total,
    })),
    olderFills: true,
    brackets: [
      {
        intentId: 'i9',
        strategy: 'dip-buyer',
        side: 'buy',
        stop: '58600000000',
        takeProfits: ['60400000000'],
        state: 'protected',
      },
    ],
  },
  book: {
    market: 'BTCIRT',
    bids: Array.from({ length: 20 }, (_, index) => level(-1, index)),
    asks: Array.from({ length: 20 }, (_, index) => level(1, index)),
    updatedAtMs: NOW_MS - 2_300,
    seenAtMs: NOW_MS - 2_000,
    own: [
      {
        key: 'grid-1000',
        strategy: 'grid',
        side: 'buy',
        price: String(PRICE - 40_000_000),
        left: '0.00075',
        place: 2,
        ahead: '0.01',
      },
      {
        key: 'grid-1005',
        strategy: 'grid',
        side: 'sell',
        price: String(PRICE + 900_000_000),
        left: '0.00125',
        place: null,
        ahead: null,
      },
    ],
  },
  terms: {
    market: 'BTCIRT',
    free: { base: '0.02', quote: '48250175300' },
    balancesSeenAtMs: NOW_MS - 31_000,
    bestBuy: String(PRICE - 15_000_000),
    bestSell: String(PRICE + 15_000_000),
    bookSeenAtMs: NOW_MS - 2_000,
    feeShare: '0.0025',
    budget,
  },
  plots: {
    market: 'BTCIRT',
    indicators: { ema: 20, rsi: 14, bop: 0 },
    series: [
      {
        name: 'plot/grid/middle',
        strategy: 'grid',
        plot: 'middle',
        pane: null,
        points: Array.from({ length: 480 }, (_, index) => [
          NOW_MS - (480 - index) * HOUR_MS,
          PRICE + wave(index + 16) * 70_000_000,
        ]),
      },
      {
        name: 'plot/grid/rsi',
        strategy: 'grid',
        plot: 'rsi',
        pane: 'RSI of 14',
        points: Array.from({ length: 480 }, (_, index) => [
          NOW_MS - (480 - index) * HOUR_MS,
          50 + wave(index) * 4,
        ]),
      },
    ],
  },
  conditions: {
    market: 'BTCIRT',
    strategies: [
      {
        strategy: 'dip',
        problem: null,
        knownSinceMs: NOW_MS - 400 * HOUR_MS,
        enter: [90, 61, 33, 12].map((back) => [NOW_MS - back * HOUR_MS, NOW_MS - (back - 6) * HOUR_MS]),
        exit: [80, 58, 20].map((back) => [NOW_MS - back * HOUR_MS, NOW_MS - (back - 4) * HOUR_MS]),
      },
      {
        strategy: 'old',
        problem: said('expected the file of old, was none in run.json'),
        knownSinceMs: null,
        enter: [],
        exit: [],
      },
    ],
  },
  orders: { items: [...openOrders, orderOf(7, 'filled'), orderOf(8, 'cancelled')], next: '42' },
  order: {
    orders: [{ ...orderOf(0, 'open'), otherFees: [{ currency: 'bnb', amount: '0.00021874' }] }],
    fills: [...fills.slice(0, 1), feeInCoin],
    steps: [
      step(1, 'order', { state: 'planned', matched: '0' }),
      step(2, 'order', { state: 'sending', matched: '0' }),
      step(4, 'order', { state: 'open', matched: '0' }),
      step(6, 'order', { state: 'open', matched: '0.0005' }),
      step(7, 'fill', { amount: '0.0005', price: '59460000000' }),
      step(8, 'unknown order', {}),
    ],
    replies: [
      rawReply('place', '{"status":"ok","order":{"id":88000,"price":"59460000000","matchedAmount":"0"}}'),
      {
        ...rawReply('cancel', '<html><title>502 Bad Gateway</title>'),
        httpStatus: 502,
        bodyLength: 5_120,
        problem: 'BAD_GATEWAY: updateOrderStatus: expected JSON, was <html> (HTTP 502)',
      },
    ],
    intent: {
      id: 'i0',
      kind: 'quotes',
      status: 'working',
      reason: null,
      reasonFacts: null,
      atMs: NOW_MS - 7 * MINUTE_MS,
    },
  },
  moment: {
    state: 'shown',
    problem: null,
    fromMs: NOW_MS - 6 * HOUR_MS,
    toMs: NOW_MS - 7 * MINUTE_MS,
    differing: 2,
    differences: [
      {
        atMs: NOW_MS - HOUR_MS,
        strategy: 'grid',
        session: 'buy 0.001 BTCIRT',
        again: null,
        why: 'on the same events, another decision was made',
      },
    ],
    moment: {
      atMs: NOW_MS - 7 * MINUTE_MS,
      event: 'answer',
      call: 'book BTCIRT',
      phase: 'trading',
      books: [{ market: 'BTCIRT', bid: String(PRICE - 15_000_000), ask: null }],
      bars: [{ series: 'BTCIRT 1h', ...candle(498) }],
      held: [
        { strategy: 'grid', asset: 'btc', amount: '0.0125' },
        { strategy: 'grid', asset: 'rls', amount: '-748250175' },
      ],
      open: openOrders.slice(0, 2),
      locks: [said(sentence('bot-halted', { reason: 'x' }))],
      rules: [
        {
          market: 'BTCIRT',
          closeTimeMs: NOW_MS - 8 * MINUTE_MS,
          isHeld: false,
          before: [],
          outcome: said(sentence('rules-made')),
          enter: [condition(CROSSES, { isTrue: true, left: 29.5, right: 30 })],
          exit: [],
        },
      ],
      intents: [INTENT],
      orders: [orderOf(0, 'planned')],
      log: [{ strategy: 'grid', text: 'moved both quotes by 3 steps' }],
    },
  },
  fills: { items: fills, next: null },
  trips: {
    items: [
      tripOf({
        hasUnvaluedFee: true,
        exit: 'stop-loss',
        profit: '-31500000',
        change: -0.0063,
        risk: -1.02,
        note: 'پیش از خبر خریده شد',
        tags: ['خبر', 'late'],
      }),
      tripOf({
        exitTag: 'fast is below slow',
        exitOrder: 'grid-1009',
        profit: '120000000',
        change: 0.024,
        risk: null,
      }),
      tripOf({ closedAtMs: null, exitOrder: null, exitPrice: null, profit: null, change: null, risk: null }),
    ],
    next: null,
    sums: [tripSums],
    choices: {
      strategies: ['dip-buyer', 'grid'],
      markets: ['BTCIRT'],
      reasons: ['fast is below slow', 'stop-loss'],
      tags: ['late', 'strength crosses below 30', 'خبر'],
    },
  },
  quality: {
    standing: 2,
    groups: [
      {
        key: 'BTCIRT',
        currency: 'rls',
        orders: 42,
        unvaluedFees: 2,
        priced: 42,
        valued: 40,
        filledShare: 0.82,
        traded: '126000000000',
        slippage: '18900000',
        fees: '126000000',
        unfilledCost: '4200000',
        shortfall: '149100000',
        slippageBps: 1.5,
        shortfallBps: 11.8,
        firstFillMs: 1_200,
        completionMs: 48_000,
        rested: 30,
        placed: 28,
        shared: 12,
        ahead: 2.4,
        queueShare: 0.16,
      },
    ],
  },
  profits: {
    groups: Array.from({ length: 40 }, (_, index) => ({
      ...tripSums,
      key: String(NOW_MS - (NOW_MS % DAY_MS) - index * DAY_MS),
      fromMs: NOW_MS - (NOW_MS % DAY_MS) - index * DAY_MS,
      profit: String(Math.round(wave(index) * 90_000_000)),
      requests: 21_400 + index,
      ...(index === 3
        ? { trips: 0, wins: 0, profit: '0', fees: '0', unvaluedFees: 0, payoff: null, lengthMs: 0 }
        : {}),
    })),
  },
  intents: { items: [INTENT], next: null },
  budgets: {
    asOfMs: NOW_MS,
    budgets: [
      budget,
      { ...budget, budget: 'orders/list', inUse: 60, limit: 60, lockedForMs: 1_020_000 },
      { ...budget, subject: 'address', budget: 'market data', isAssumed: true, inUse: 12 },
      ...['profile', 'wallets/transfer', 'withdrawals'].map((name) => ({
        ...budget,
        budget: name,
        inUse: 0,
        onTheWay: 0,
      })),
    ],
    overTime: [seriesOf('budget/orders/add', 110), seriesOf('budget/orders/list', 40)],
    lockouts: OVERVIEW.lockouts,
    strategies: [
      { strategy: 'grid', requests: 2_460, orders: 1_204, fills: 388, requestsPerFill: 6.34 },
      { strategy: 'dip-buyer', requests: 31, orders: 12, fills: 0, requestsPerFill: null },
    ],
  },
  books: {
    state: 'broken',
    comparedAtMs: NOW_MS - 50_000,
    comparisons: 9_120,
    sinceMs: NOW_MS - 9 * MINUTE_MS,
    brokenAtMs: NOW_MS - 4 * MINUTE_MS,
    isGone: false,
    why: 'expected 0.021 btc, the exchange has 0.022',
    whyFacts: factsOfEnglish('expected 0.021 btc, the exchange has 0.022'),
    blockedBy: null,
    blockedByFacts: null,
    differences: [{ currency: 'btc', expected: '0.021', found: '0.022', difference: '0.001' }],
    findings: [],
    transfers: [],
    balances: [
      {
        currency: 'rls',
        total: '47060175300',
        held: '371875000',
        expected: '47060175300',
        seenAtMs: NOW_MS - 31_000,
      },
      { currency: 'btc', total: '0.022', held: '0.00375', expected: '0.021', seenAtMs: NOW_MS - 31_000 },
    ],
  },
  locks: {
    locks: [lock],
    nextChangeAtMs: NOW_MS + 3 * HOUR_MS,
    waiting: [{ kind: 'lock', name: 'hand', strategy: null, market: 'BTCIRT' }],
  },
  log: { items: log, next: null },
  signals: { items: signals, next: null },
  alerts: {
    items: [
      alert,
      {
        ...alert,
        id: 'a6',
        severity: 'critical',
        text: 'the exchange refuses the key',
        texts: { en: 'the exchange refuses the key', fa: 'صرافی کلید را نمی‌پذیرد' },
        endedAtMs: NOW_MS - DAY_MS,
        acknowledgedAtMs: NOW_MS - DAY_MS,
        acknowledgedBy: 'first',
      },
    ],
    next: null,
  },
  reports: {
    reports: [
      {
        id: 'aa11',
        name: 'backtests/20260402T083015Z-mean-reversion-btcirt-a30e7d24/report.html',
        kind: 'backtest',
        atMs: NOW_MS - 5 * DAY_MS,
        bytes: 612_345,
      },
      {
        id: 'bb22',
        name: 'studies/grid/report.html',
        kind: 'study',
        atMs: NOW_MS - 6 * DAY_MS,
        bytes: 1_612_345,
      },
    ],
  },
  bots: {
    asOfMs: NOW_MS,
    bots: [
      {
        name: 'home',
        isThis: true,
        bot,
        equity,
        openOrders: 6,
        strategies: ['grid', 'dip-buyer'],
        dashboard: 'http://127.0.0.1:8420',
        problem: null,
        problemFacts: null,
      },
      {
        name: 'second',
        isThis: false,
        bot: {
          ...bot,
          instance: 'second',
          state: 'silent',
          silentSinceMs: NOW_MS - 8 * HOUR_MS,
          lastOrderAtMs: NOW_MS - 9 * HOUR_MS,
        },
        equity: [equity[1]],
        openOrders: 2,
        strategies: ['ma-cross'],
        dashboard: 'http://127.0.0.1:8421',
        problem: null,
        problemFacts: null,
      },
    ],
    totals: equity,
  },
  actionState: {
    id: 5,
    state: 'done',
    takenAtMs: NOW_MS,
    progress: null,
    result: {
      ok: true,
      message: '41 orders are canceled',
      messageFacts: factsOfEnglish('41 orders are canceled'),
      left: [],
      placed: [],
    },
  },
};

/** The cost of a halt that cancels many orders. */
export const COST = {
  dryRun: true,
  cancels: ['grid-1000'],
  cancelCount: 41,
  places: [],
  requests: 41,
  limit: 90,
  windowMs: 60_000,
  seconds: 28,
  text: 'This stops trading until it is resumed, and cancels the orders of the bot; 41 orders: 28 s at 90 a minute.',
  checks: null,
};

const verdict = sentence('place-refused', {
  code: 'risk order-value',
  reason: sentence('risk-order-value', {
    amount: '2 BTC',
    price: '59515000000 RLS',
    value: '119030000000 RLS',
    limit: '5000000000 RLS',
  }),
});

/** Cost of an order that the checks of the bot would refuse. */
export const ORDER_COST = {
  ...COST,
  cancels: [],
  cancelCount: 0,
  places: [
    {
      market: 'BTCIRT',
      side: 'buy',
      amount: '2',
      isReduceOnly: false,
      value: '119030000000',
      currency: 'rls',
      fee: '0.005',
    },
  ],
  requests: 1,
  limit: null,
  windowMs: null,
  seconds: 0,
  checks: { ok: false, message: english(verdict), messageFacts: sentenceFacts(verdict) },
};
