import fc from 'fast-check';
import { createMarket, type Market } from '../../src/domain/market.ts';
import { parseUnits } from '../../src/domain/money.ts';
import {
  wishKey,
  type OracleBar,
  type OracleMarket,
  type OracleRules,
  type OracleWorld,
  type Wish,
} from './candle-oracle.ts';
import { parseMarket } from '../../src/exchange/market-names.ts';

/** Time between two moments of the timer, in ms. */
const TIMER_MS = 600_000;

/** Start of the worlds: midnight of a Monday, UTC. */
const FROM_MS = 1_704_067_200_000;

/** Terms of a made-up market; its bars are recorded in coarser or finer decimals than its steps. */
export interface Terms {
  readonly market: Market;
  readonly priceDecimals: number;
  /** Usual price and size of one move, in units of 1e-10. */
  readonly price: bigint;
  readonly move: bigint;
  /** Unit of amounts, in units of 1e-10. */
  readonly lot: bigint;
  readonly cash: string;
}

const terms = (
  of: {
    readonly market: string;
    readonly priceStep: string;
    readonly amountStep: string;
    readonly minOrderValue?: string;
  },
  priceDecimals: number,
  at: { readonly price: string; readonly move: string; readonly lot: string; readonly cash: string },
): Terms => ({
  market: createMarket({ ...of, market: parseMarket(of.market) }),
  priceDecimals,
  price: parseUnits(at.price),
  move: parseUnits(at.move),
  lot: parseUnits(at.lot),
  cash: at.cash,
});

/** Pairs of markets of one account: prices as in tether, as in rial, and values of no whole units. */
export const SCALES: readonly (readonly [Terms, Terms])[] = [
  [
    terms({ market: 'BTCUSDT', priceStep: '0.01', amountStep: '0.000001', minOrderValue: '5' }, 2, {
      price: '63000',
      move: '150',
      lot: '0.0071',
      cash: '3000',
    }),
    terms({ market: 'ETHUSDT', priceStep: '0.1', amountStep: '0.0001' }, 3, {
      price: '2500',
      move: '10',
      lot: '0.17',
      cash: '3000',
    }),
  ],
  [
    terms({ market: 'BTCIRT', priceStep: '10', amountStep: '0.000001', minOrderValue: '3000000' }, 0, {
      price: '126000000000',
      move: '400000000',
      lot: '0.0071',
      cash: '6000000000',
    }),
    terms({ market: 'USDTIRT', priceStep: '10', amountStep: '0.01' }, 0, {
      price: '1000000',
      move: '3000',
      lot: '430',
      cash: '6000000000',
    }),
  ],
  [
    terms({ market: 'SHIBUSDT', priceStep: '0.0000000001', amountStep: '1' }, 10, {
      price: '0.0000251237',
      move: '0.0000001',
      lot: '70001',
      cash: '12',
    }),
    terms({ market: 'ETHUSDT', priceStep: '0.000001', amountStep: '0.0000001' }, 4, {
      price: '2500',
      move: '8',
      lot: '0.00031',
      cash: '12',
    }),
  ],
];

/** Shape of a bar, in moves from the last close; `off` adds recorded ticks, beside steps. */
const shape = fc.record({
  isThere: fc.oneof(
    { weight: 6, arbitrary: fc.constant(true) },
    { weight: 1, arbitrary: fc.constant(false) },
  ),
  gap: fc.oneof(
    { weight: 2, arbitrary: fc.constant(0) },
    { weight: 2, arbitrary: fc.integer({ min: -5, max: 5 }) },
  ),
  body: fc.integer({ min: -4, max: 4 }),
  wickUp: fc.nat(4),
  wickDown: fc.nat(4),
  off: fc.oneof(
    { weight: 3, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: -2, max: 2 }) },
  ),
  /** Volume in lots; by default a tenth of it can fill. */
  volume: fc.constantFrom(0, 7, 35, 1_000, 1_000),
});

const KINDS = ['market', 'limit', 'stop-market', 'stop-limit', 'oco', 'cancel'] as const;

const PLACED = ['market', 'limit', 'stop-market', 'stop-limit', 'oco'] as const;

const actionFields = {
  kind: fc.constantFrom(...KINDS),
  /** The market and the bar after which it is decided; `goes` is the market of the order. */
  seen: fc.nat(1),
  bar: fc.nat(11),
  goes: fc.nat(1),
  side: fc.constantFrom('buy' as const, 'sell' as const),
  /** Amount in lots; 0 stands for all that the money of the account buys at the last close. */
  lots: fc.constantFrom(0, 1, 2, 3, 4, 5, 6, 7, 8),
  /** Prices in moves from the last close: a better limit, a worse stop, and the stop's limit from there. */
  limit: fc.integer({ min: -2, max: 5 }),
  stop: fc.constantFrom(0, 1, 1, 2, 2, 3, 4),
  stopLimit: fc.integer({ min: 0, max: 3 }),
  /** Price steps added to the price. */
  off: fc.oneof(
    { weight: 3, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: -1, max: 1 }) },
  ),
  /** Which order is canceled, counted from the last one. */
  pick: fc.nat(5),
};
const action = fc.record(actionFields);

const rules: fc.Arbitrary<OracleRules> = fc.record({
  arrival: fc.constantFrom('next-open' as const, 'next-open' as const, 'this-close' as const),
  spreadBps: fc.constantFrom(0, 0, 3.5, 20),
  slippage: fc.constantFrom<OracleRules['slippage']>(
    { kind: 'bps', bps: 0 },
    { kind: 'bps', bps: 7.25 },
    { kind: 'range', millionths: 130_001 },
  ),
  limitFill: fc.constantFrom('through' as const, 'touch' as const),
  limitGap: fc.constantFrom('open' as const, 'open' as const, 'own-price' as const),
  path: fc.constantFrom(
    'worst-first' as const,
    'worst-first' as const,
    'open-high-low-close' as const,
    'open-low-high-close' as const,
    'nearest-first' as const,
  ),
  volumeShareMillionths: fc.constantFrom(100_000, 100_000, 333_333, null),
  marketBand: fc.constantFrom('none' as const, 'none' as const, 'exchange' as const),
});

/** Everything that a world is made of, as drawn. */
export const drawn = fc.record({
  scale: fc.nat(SCALES.length - 1),
  /** Bar length of the second market: an hour or half an hour. */
  secondBarMs: fc.constantFrom(3_600_000, 1_800_000),
  /** Hours at the beginning that only warm up; nobody trades in them. */
  pastHours: fc.constantFrom(0, 0, 2),
  shapes: fc.tuple(
    fc.array(shape, { minLength: 6, maxLength: 12, size: 'max' }),
    fc.array(shape, { minLength: 6, maxLength: 12, size: 'max' }),
  ),
  actions: fc.array(action, { minLength: 1, maxLength: 14, size: 'max' }),
  /** Requests of a timer, or at a signal: `moment` counts times of ten minutes from the beginning. */
  timed: fc.array(
    fc.record({
      ...actionFields,
      kind: fc.constantFrom(...KINDS, 'cancel'),
      moment: fc.nat(80),
      isSignal: fc.nat(3),
    }),
    { maxLength: 16 },
  ),
  /** Orders to place when the bot is notified of the first fill of an action's order. */
  onFill: fc.array(fc.record({ ...actionFields, kind: fc.constantFrom(...PLACED), after: fc.nat(13) }), {
    maxLength: 12,
  }),
  /** Coins at the beginning, in lots; `wealth` multiplies a small sum of money. */
  coins: fc.tuple(fc.nat(40), fc.nat(40)),
  wealth: fc.constantFrom(1n, 4n, 12n),
  fees: fc.constantFrom(
    { maker: 1_000n, taker: 1_300n },
    { maker: 0n, taker: 2_500n },
    { maker: 1_733n, taker: 977n },
  ),
  rules,
});
export type Drawn = typeof drawn extends fc.Arbitrary<infer Value> ? Value : never;

/** Start of the run. */
export const fromMsOf = ({ pastHours }: Drawn): number => FROM_MS + pastHours * 3_600_000;
/** Minimum distance of two recorded prices. */
export const tickOf = ({ priceDecimals }: Terms): bigint => 10n ** BigInt(10 - priceDecimals);

/** All bars of a market, with those of the past. */
export function barsOf(terms: Terms, shapes: Drawn['shapes'][number], barMs: number): OracleBar[] {
  const { move, price, lot } = terms;
  const tick = tickOf(terms);
  const bars: OracleBar[] = [];
  const floor = price / 4n;
  let last = (price / tick) * tick;
  const onTick = (value: bigint): bigint => ((value < floor ? floor : value) / tick) * tick;
  for (const [index, { isThere, gap, body, wickUp, wickDown, off, volume }] of shapes.entries()) {
    const open = onTick(last + BigInt(gap) * move + BigInt(off) * tick);
    const close = onTick(open + BigInt(body) * move);
    const [top, bottom] = open > close ? [open, close] : [close, open];
    last = close;
    if (!isThere && index > 1) continue;
    bars.push({
      openMs: FROM_MS + index * barMs,
      open,
      high: onTick(top + BigInt(wickUp) * move),
      low: onTick(bottom - BigInt(wickDown) * move),
      close,
      volume: BigInt(volume) * lot,
    });
  }
  return bars;
}

/** Builds the markets, bars, money and requests that the oracle takes. */
export function worldOf(drawn: Drawn): OracleWorld {
  const pair = SCALES[drawn.scale] ?? [];
  const markets = pair.map((terms, index): OracleMarket => {
    const barMs = index === 0 ? 3_600_000 : drawn.secondBarMs;
    const { symbol, base, priceStep, amountStep, minOrderValue } = terms.market;
    const all = barsOf(terms, drawn.shapes[index] ?? [], barMs);
    const bars = all.filter(({ openMs }) => openMs >= fromMsOf(drawn));
    const past = all.findLast(({ openMs }) => openMs < fromMsOf(drawn)) ?? null;
    return { symbol, base, priceStep, amountStep, minOrderValue, barMs, tick: tickOf(terms), bars, past };
  });
  const coins = pair.map(
    ({ market, lot }, index) => [market.base, BigInt(drawn.coins[index] ?? 0) * lot] as const,
  );
  return {
    quote: pair[0]?.market.quote ?? '',
    markets,
    balances: {
      ...Object.fromEntries(coins),
      [pair[0]?.market.quote ?? '']: parseUnits(pair[0]?.cash ?? '0') * drawn.wealth,
    },
    fees: drawn.fees,
    rules: drawn.rules,
    ...wishesOf(drawn, pair, markets),
    maxLateMs: 30_000,
  };
}

function add<Key>(to: Map<Key, Wish[]>, key: Key, wish: Wish | null): void {
  if (wish !== null) to.set(key, [...(to.get(key) ?? []), wish]);
}

/** Requests by their moment. An order is named after its index in the list of all requests. */
function wishesOf(
  drawn: Drawn,
  pair: readonly Terms[],
  markets: readonly OracleMarket[],
): Pick<OracleWorld, 'wishes' | 'timed' | 'told' | 'onFill'> {
  const wishes = new Map<string, Wish[]>();
  const timed = new Map<number, Wish[]>();
  const told = new Map<number, Wish[]>();
  const onFill = new Map<string, Wish[]>();
  /** Makes a request; its prices are relative to the last close that is known at `atMs`. */
  const wishAt = (
    action: Omit<Drawn['actions'][number], 'seen' | 'bar'>,
    number: number,
    atMs: number,
  ): Wish | null => {
    const target = markets[action.goes];
    const terms = pair[action.goes];
    const last = target?.bars.findLast(({ openMs }) => openMs + target.barMs <= atMs);
    if (terms === undefined || last === undefined) return null;
    return wishOf(action, { number, terms, close: last.close, cash: parseUnits(terms.cash) * drawn.wealth });
  };
  const decidedAtMs = new Map<number, number>();
  for (const [number, action] of drawn.actions.entries()) {
    const seen = markets[action.seen];
    const bar = seen?.bars[2 + (action.bar % Math.max(1, (seen?.bars.length ?? 0) - 2))];
    if (seen === undefined || bar === undefined) continue;
    decidedAtMs.set(number, bar.openMs + seen.barMs);
    add(wishes, wishKey(seen.symbol, bar.openMs), wishAt(action, number, bar.openMs + seen.barMs));
  }
  for (const [index, action] of drawn.timed.entries()) {
    const atMs = fromMsOf(drawn) + (action.moment + 1) * TIMER_MS;
    add(action.isSignal === 0 ? told : timed, atMs, wishAt(action, drawn.actions.length + index, atMs));
  }
  const named = drawn.actions.length + drawn.timed.length;
  for (const [index, action] of drawn.onFill.entries()) {
    add(
      onFill,
      `o${action.after}`,
      wishAt(action, named + index, decidedAtMs.get(action.after) ?? Number.POSITIVE_INFINITY),
    );
  }
  return { wishes, timed, told, onFill };
}

function wishOf(
  { kind, side, lots, limit, stop, stopLimit, off, pick }: Omit<Drawn['actions'][number], 'seen' | 'bar'>,
  of: { readonly number: number; readonly terms: Terms; readonly close: bigint; readonly cash: bigint },
): Wish {
  const { number, terms, close, cash } = of;
  if (kind === 'cancel') return { kind, name: `o${Math.max(0, number - 1 - pick)}` };
  const { market, move, lot } = terms;
  const wanted = lots === 0 ? (cash * 10n ** 10n) / close : BigInt(lots) * lot;
  const worse = side === 'buy' ? 1n : -1n;
  const at = (moves: number): bigint => {
    const price = close + worse * BigInt(moves) * move + BigInt(off) * market.priceStep;
    return (price / market.priceStep) * market.priceStep;
  };
  const isStop = kind === 'stop-market' || kind === 'stop-limit' || kind === 'oco';
  return {
    kind: 'place',
    name: `o${number}`,
    market: market.symbol,
    side,
    // Each order has a few steps less: two identical orders within seconds look like one that was sent twice.
    amount: (wanted / market.amountStep - BigInt(number)) * market.amountStep,
    price:
      kind === 'limit' || kind === 'oco' ? at(-limit) : kind === 'stop-limit' ? at(stop + stopLimit) : null,
    stopPrice: isStop ? at(stop) : null,
    stopLimitPrice: kind === 'oco' ? at(stop + stopLimit) : null,
  };
}
