import { movesOf } from '../portfolio/balance-books.ts';
import { parseMarket } from '../exchange/market-names.ts';
import type { Market } from '../domain/market.ts';
import { countText, formatUnits, unitsOf } from '../domain/money.ts';
import type { FillRecord } from '../records/fill.ts';
import type { OrderRecord } from '../records/order.ts';
import { decimalText } from '../domain/decimal-text.ts';
import type { StoredRun } from './read-run-folder.ts';
import type { BacktestSummary, ResultHead } from './result-schema.ts';
import { figureGroups } from './summary-lines.ts';
import type { Candle, Timeframe } from '../domain/candle.ts';
import type { OrderBook } from '../domain/order-book.ts';
import type { KnownBars, SeenData, WantedThing, SessionPair } from './session.ts';
import { type TopicReading, type TopicKind, type ReceivedData, shownGrid } from './parity/received-data.ts';

/** Cause to which a difference between a session and its second run is attributed. */
type Cause = 'stop' | 'approval' | 'data age' | 'latency' | 'queue' | 'fee' | 'rounding' | 'code';

export const CAUSES: readonly Cause[] = [
  'stop',
  'approval',
  'data age',
  'latency',
  'queue',
  'fee',
  'rounding',
  'code',
];

/** Rules for people that give each difference its cause; one that no rule explains has the cause `code`. */
export const CAUSE_RULES: Readonly<Record<Cause, string>> = {
  stop: 'a strategy was paused or stopped in one run only, as by its time limit on a busy machine or by a person',
  approval: 'an entry waited for a person in the session; a second run begins it at once',
  'data age':
    'a book, bar, trade or statistic that was seen before was another one, or a fill met another price than the one that the books show',
  latency:
    'the same was seen, or an answer about the account came, earlier in one run, or an order that fills otherwise was sent at another moment',
  queue: 'an order filled by another amount or at another moment, at the same price',
  fee: 'the same fill cost another fee',
  rounding: 'a fill by less than a step of the market, a fee or money by at most a unit of 1e-10 a fill',
  code: 'on the same events, or on the same books, bars and fills before it, another decision was made',
};

/** Something that differs between two runs, or is in only one of them. Times in ms since 1970. */
export interface Difference {
  readonly what: 'signal' | 'intent' | 'order' | 'fill' | 'money';
  readonly cause: Cause;
  readonly atMs: number;
  /** Strategy concerned; null for the money of the account. */
  readonly strategy: string | null;
  /** Text of it in the session, and in the second run; null in a run that does not have it. */
  readonly session: string | null;
  readonly again: string | null;
  readonly why: string;
}

/** Point from which two runs saw or had something different, and its cause. */
export interface Divergence {
  readonly atMs: number;
  readonly cause: Cause;
  readonly why: string;
  /** Strategies that can know of it; null for all, as for any change of the account. */
  readonly strategies: ReadonlySet<string> | null;
}

/** Returns the first divergence that a strategy can know of at a moment; null if there is none. */
export function firstKnown(
  divergences: readonly Divergence[],
  of: { readonly strategy: string | null; readonly atMs: number },
): Divergence | null {
  let first: Divergence | null = null;
  for (const divergence of divergences) {
    if (divergence.atMs > of.atMs || divergence.atMs >= (first?.atMs ?? Number.POSITIVE_INFINITY)) continue;
    const { strategies } = divergence;
    if (strategies === null || of.strategy === null || strategies.has(of.strategy)) first = divergence;
  }
  return first;
}

/** One order of a run with its fills in order of time. */
export interface FilledOrder {
  readonly order: OrderRecord;
  readonly fills: readonly FillRecord[];
}

interface FillOptions {
  readonly market: Market | undefined;
  readonly toleranceMs: number;
}

/** Returns how the fills of an order differ between two runs, from `atMs` on; null if they do not. */
export function fillDifference(
  session: FilledOrder,
  again: FilledOrder,
  options: FillOptions,
): { readonly cause: Cause; readonly atMs: number; readonly why: string } | null {
  const longest = Math.max(session.fills.length, again.fills.length);
  let rounded: number | null = null;
  for (let index = 0; index < longest; index += 1) {
    const left = session.fills[index];
    const right = again.fills[index];
    const atMs = Math.min(left?.atMs ?? Number.POSITIVE_INFINITY, right?.atMs ?? Number.POSITIVE_INFINITY);
    if (left === undefined || right === undefined) return { ...moved(session, again, options), atMs };
    const cause = causeOf(left, right, options);
    if (cause === 'rounding') rounded ??= atMs;
    else if (cause === 'queue') return { ...moved(session, again, options), atMs };
    else if (cause !== null) return { cause, atMs, why: WHY[cause] };
  }
  return rounded === null ? null : { cause: 'rounding', atMs: rounded, why: WHY.rounding };
}

/** Writes an order in a few words. */
export function orderText({ side, amount, market, price, stopPrice }: OrderRecord): string {
  const at = price === null ? '' : ` at ${formatUnits(price)}`;
  const stop = stopPrice === null ? '' : ` from ${formatUnits(stopPrice)}`;
  return `${side} ${formatUnits(amount)} ${market}${at}${stop}`;
}

/** Writes the fills of an order in a few words. */
export function fillText({ order, fills }: FilledOrder): string {
  const { side, market, price } = order;
  const sum = (of: (fill: FillRecord) => bigint): string =>
    formatUnits(fills.reduce((all, fill) => all + of(fill), 0n));
  const at = price === null ? '' : ` at ${formatUnits(price)}`;
  return `${side} ${sum(({ amount }) => amount)} ${market}${at} in ${countText(fills.length, 'fill')}, fee ${sum(({ fee }) => fee)}`;
}

const WHY = {
  'data age': 'a fill met another price',
  fee: 'the same fill cost another fee',
  rounding: 'less than a step or a unit',
} as const;

/** Returns why an order filled otherwise: it was sent at another moment, or its place in the queue was. */
function moved(
  { order: left }: FilledOrder,
  { order: right }: FilledOrder,
  { toleranceMs }: FillOptions,
): { readonly cause: 'queue' | 'latency'; readonly why: string } {
  const apartMs = Math.abs((left.sentAtMs ?? left.plannedAtMs) - (right.sentAtMs ?? right.plannedAtMs));
  return apartMs > toleranceMs
    ? { cause: 'latency', why: `sent ${apartMs} ms apart` }
    : { cause: 'queue', why: 'filled by another amount or at another moment, at the same price' };
}

function causeOf(
  left: FillRecord,
  right: FillRecord,
  { market, toleranceMs }: FillOptions,
): 'data age' | 'queue' | 'fee' | 'rounding' | null {
  const price = apart(left.price, right.price);
  const amount = apart(left.amount, right.amount);
  const fee = apart(left.fee, right.fee);
  if (price >= (market?.priceStep ?? 1n)) return 'data age';
  if (amount >= (market?.amountStep ?? 1n) || Math.abs(left.atMs - right.atMs) > toleranceMs) return 'queue';
  if (price > 0n || amount > 0n) return 'rounding';
  if (fee > 1n || left.feeCurrency !== right.feeCurrency) return 'fee';
  return fee === 1n ? 'rounding' : null;
}

function apart(left: bigint, right: bigint): bigint {
  return left > right ? left - right : right - left;
}

/** Returns the net effect of fills by currency, in units. */
export function netMoney(fills: readonly FillRecord[]): ReadonlyMap<string, bigint> {
  const net = new Map<string, bigint>();
  for (const fill of fills)
    for (const [currency, units] of movesOf({ ...fill, ...parseMarket(fill.market) }))
      net.set(currency, (net.get(currency) ?? 0n) + units);
  return net;
}

/** One figure of two runs; `difference` is the second minus the first, null where it has no meaning. */
interface FigureDifference {
  readonly name: keyof BacktestSummary;
  readonly first: string | number | null;
  readonly second: string | number | null;
  readonly difference: string | number | null;
}

/** Compares every figure of two runs. Differences of money are exact texts; null for different currencies. */
export function figureDifferences(first: BacktestSummary, second: BacktestSummary): FigureDifference[] {
  const isSameMoney = first.quote === second.quote;
  return (Object.keys(first) as (keyof BacktestSummary)[]).map((name) => ({
    name,
    first: first[name],
    second: second[name],
    difference: differenceOf(first[name], second[name], isSameMoney),
  }));
}

function differenceOf(
  first: string | number | null,
  second: string | number | null,
  isSameMoney: boolean,
): string | number | null {
  if (typeof first === 'number' && typeof second === 'number') return second - first;
  if (typeof first !== 'string' || typeof second !== 'string' || !isSameMoney || !/\d$/.test(first))
    return null;
  return formatUnits(unitsOf(decimalText(second)) - unitsOf(decimalText(first)));
}

/** Settings that decide whether the figures of two runs can be compared: their words, and what they are. */
const GROUNDS = {
  span: ['the span of time', ({ fromMs, toMs }) => [fromMs, toMs]],
  bars: ['the length of a bar', ({ barMs }) => barMs],
  fidelity: ['the fidelity or its rules', ({ fidelity: { kind, rules } }) => [kind, rules]],
  markets: ['the markets', ({ markets }) => markets],
  strategies: ['the strategies or their parameters', ({ strategies }) => strategies],
  config: ['the configuration', ({ config }) => config],
  currency: ['the currency', ({ summary }) => summary.quote],
} as const satisfies Readonly<Record<string, readonly [string, (result: ResultHead) => unknown]>>;

type Ground = keyof typeof GROUNDS;

/** Returns the settings that differ between two runs. */
export function groundsApart(first: ResultHead, second: ResultHead): Ground[] {
  return (Object.keys(GROUNDS) as Ground[]).filter((ground) => {
    const of: (result: ResultHead) => unknown = GROUNDS[ground][1];
    return JSON.stringify(of(first)) !== JSON.stringify(of(second));
  });
}

/** Returns the settings that differ between two runs, one sentence each. */
export function differentGrounds(first: ResultHead, second: ResultHead): string[] {
  return groundsApart(first, second).map((ground) => `The runs differ in ${GROUNDS[ground][0]}.`);
}

/** Returns the rows of a table of two runs: the title of a figure, both texts, and the difference. */
export function comparisonRows(first: StoredRun, second: StoredRun): string[][] {
  const differences = new Map(
    figureDifferences(first.result.summary, second.result.summary).map((one) => [one.name, one.difference]),
  );
  const isSameMoney = first.result.summary.quote === second.result.summary.quote;
  const others = figureGroups(second.result.summary).flatMap(({ figures }) => figures);
  const ofDifference = figureGroups({
    ...first.result.summary,
    ...(Object.fromEntries(
      [...differences].filter(([, value]) => value !== null),
    ) as Partial<BacktestSummary>),
  }).flatMap(({ figures }) => figures);
  return figureGroups(first.result.summary)
    .flatMap(({ figures }) => figures)
    .map(({ name, title, text }, index) => {
      const difference = differences.get(name) ?? null;
      const isShown =
        difference !== null && (isSameMoney || typeof difference === 'number') && Number(difference) !== 0;
      return [
        title,
        text,
        others[index]?.text ?? '',
        isShown ? signed(ofDifference[index]?.text ?? '', difference) : '',
      ];
    });
}

function signed(text: string, difference: string | number): string {
  return Number(difference) > 0 ? `+${text}` : text;
}

/** Records what the bot of the second run receives and intends. */
export class Watch {
  readonly books: SeenData[] = [];
  readonly intents: WantedThing[] = [];
  private readonly known = new Set<string>();
  private readonly candlesBySeries = new Map<string, Map<number, Candle>>();
  private readonly series: readonly KnownBars[];

  constructor(series: readonly KnownBars[]) {
    this.series = series;
  }

  /** Records a book if it differs from the one before: the recording also holds only books that changed. */
  book(market: string, book: OrderBook, atMs: number): void {
    const text = bookText(book);
    if (this.books.findLast((seen) => seen.market === market)?.text !== text)
      this.books.push({ market, atMs, text });
  }

  candles(
    of: { readonly market: string; readonly timeframe: Timeframe },
    page: readonly Candle[],
    atMs: number,
  ): void {
    const key = `${of.market} ${of.timeframe}`;
    const bars = this.candlesBySeries.get(key) ?? new Map<number, Candle>();
    this.candlesBySeries.set(key, bars);
    const grid = shownGrid(of.timeframe, page);
    for (const candle of page) {
      if (grid.endOf(candle.openTimeMs) <= atMs) bars.set(candle.openTimeMs, candle);
    }
  }

  /** Records an intent, from its first line in the journal; later lines say how it ended. */
  intent(id: string, json: string, atMs: number): void {
    const { strategy, kind } = JSON.parse(json) as { readonly strategy?: string; readonly kind?: string };
    if (strategy === undefined || kind === undefined || this.known.has(id)) return;
    this.known.add(id);
    this.intents.push({ id, strategy, kind, atMs });
  }

  /** Returns the bars of the session's series, as they were last seen. */
  bars(): readonly SeenData[] {
    return this.series.flatMap(({ market, timeframe }) => {
      const bars = this.candlesBySeries.get(`${market} ${timeframe}`)?.values() ?? [];
      return closedBars({ market, timeframe, candles: [...bars] });
    });
  }
}

/** Converts bars into data that is seen when they close. */
export function closedBars({ market, timeframe, candles }: KnownBars): readonly SeenData[] {
  const grid = shownGrid(timeframe, candles);
  return candles
    .map(({ openTimeMs, open, high, low, close, volume }) => ({
      market,
      atMs: grid.endOf(openTimeMs),
      text: `${timeframe} ${open} ${high} ${low} ${close} ${volume}`,
    }))
    .toSorted((left, right) => left.atMs - right.atMs);
}

/** Writes the whole book as text for comparison. */
export function bookText({ bids, asks }: Pick<OrderBook, 'bids' | 'asks'>): string {
  return JSON.stringify([bids, asks]);
}

export interface SeenOptions {
  /** Two readings within this time, in ms, count as one moment. */
  readonly toleranceMs: number;
  /** Kinds of market data that each strategy reads besides the book, on which every order depends. */
  readonly reads: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Returns, for each market, where the two runs first saw different data. */
export function seenDivergences(
  { session, again }: SessionPair,
  options: SeenOptions,
): readonly Divergence[] {
  const markets = new Set([...session.books, ...session.bars].map(({ market }) => market));
  const found: Divergence[] = [];
  for (const market of markets) {
    const of = (seen: readonly SeenData[]): readonly SeenData[] =>
      seen.filter((one) => one.market === market);
    const book = firstOther(of(session.books), of(again.books), options.toleranceMs);
    if (book !== null) found.push({ ...book, why: `${market}: ${book.why} book`, strategies: null });
    const bar = firstOther(of(session.bars), of(again.bars), 0);
    if (bar !== null)
      found.push({ ...bar, why: `${market}: ${bar.why} bar`, strategies: readersOf('candles', options) });
  }
  for (const [name, { kind, readings }] of session.received?.topics ?? []) {
    if (kind !== 'trades' && kind !== 'stats') continue;
    const other = firstOther(readings, again.received?.topics.get(name)?.readings ?? [], options.toleranceMs);
    if (other !== null)
      found.push({ ...other, why: `${other.why} ${name}`, strategies: readersOf(kind, options) });
  }
  return found;
}

function readersOf(kind: TopicKind, { reads }: SeenOptions): ReadonlySet<string> {
  return new Set([...reads].flatMap(([strategy, kinds]) => (kinds.has(kind) ? [strategy] : [])));
}

function firstOther(
  session: readonly TopicReading[],
  again: readonly TopicReading[],
  toleranceMs: number,
): Pick<Divergence, 'atMs' | 'cause' | 'why'> | null {
  const shorter = Math.min(session.length, again.length);
  for (let index = 0; index < shorter; index += 1) {
    const left = session[index];
    const right = again[index];
    if (left === undefined || right === undefined) break;
    const atMs = Math.min(left.atMs, right.atMs);
    if (left.text !== right.text) return { atMs, cause: 'data age', why: 'another' };
    if (Math.abs(left.atMs - right.atMs) > toleranceMs)
      return { atMs, cause: 'latency', why: 'at another moment the same' };
  }
  const next = session[shorter] ?? again[shorter];
  return next === undefined ? null : { atMs: next.atMs, cause: 'data age', why: 'in only one run a' };
}

/** Data that two runs have received at a moment, and which kinds of it count. */
interface Inputs {
  readonly session: ReceivedData;
  readonly again: ReceivedData;
  /** Number of answers that each run had received at that moment. */
  readonly sessionAnswers: number;
  readonly againAnswers: number;
  readonly counts: (kind: TopicKind) => boolean;
}

/** Returns the first difference in the data that two runs had when they decided; null if there is none. */
export function inputDifference(of: Inputs): Pick<Divergence, 'cause' | 'why'> | null {
  const { session, again, sessionAnswers, againAnswers, counts } = of;
  for (const name of new Set([...session.topics.keys(), ...again.topics.keys()])) {
    const kind = session.topics.get(name)?.kind ?? again.topics.get(name)?.kind;
    if (kind === undefined || !counts(kind)) continue;
    const left = session.after(name, sessionAnswers);
    const right = again.after(name, againAnswers);
    if (left === right) {
      const isAsOften = session.readsAfter(name, sessionAnswers) === again.readsAfter(name, againAnswers);
      if (kind === 'account' || isAsOften) continue;
      return { cause: 'latency', why: `${name}: one run had looked at it more often` };
    }
    // If both runs learn the same data, one only learns it earlier; outcomes of orders differ by that too.
    const isOfBoth =
      kind === 'account' ||
      left === null ||
      right === null ||
      session.wasEver(name, right) ||
      again.wasEver(name, left);
    return isOfBoth
      ? { cause: 'latency', why: `${name}: one run got it earlier than the other` }
      : { cause: 'data age', why: `${name}: the two runs got different data` };
  }
  return null;
}
