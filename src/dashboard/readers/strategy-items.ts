import { formatUnits, parseUnits, type Units, addUnits, NO_UNITS } from '../../domain/money.ts';
import type { MomentAnswer, RuleAnswer } from '../../daemon/answers-apart.ts';
import type { RunNote } from '../../daemon/run-record.ts';
import type { StrategyRecord } from '../../records/rows.ts';
import { readFigures } from '../../engine/strategy-instance-record.ts';
import { MARKET_NAMES } from '../../exchange/market-names.ts';
import { unprotectedOf } from '../../engine/exits.ts';
import type { OrderRecord } from '../../records/order.ts';
import { LastPrices, strategyStatus, locksNow, pauseOf } from '../../mirror/strategy-status.ts';
import type { MirrorReader } from '../../mirror/mirror-reader.ts';
import { hasWriter } from '../../mirror/unusable.ts';
import { profitOf, type AssetProfit } from '../../portfolio/profit.ts';
import {
  changedDecision,
  decisionItem,
  strategyItem,
  type PositionItem,
  type StrategyItem,
  type MomentReply,
  type RulesItem,
  type RulesReply,
  type StrategyReply,
  type EquityItem,
} from '../schema/overview.ts';
import { sentence, type Sentence } from '../../language/sentence.ts';
import type { ReadRules } from '../../strategy/explain-rules.ts';
import { MOST_ROWS_OF_PAGE } from '../schema/fields.ts';
import { ApiError } from '../api-error.ts';
import {
  pickItem,
  reasonItem,
  logItemOf,
  signalItemOf,
  intentItemOf,
  lockItemOf,
  orderItemOf,
  storedIntentItem,
  storedOrderItem,
} from './row-items.ts';
import { profitFigure } from '../../domain/figure-name.ts';
import { equityCurrencies, equityNow } from '../../mirror/read-series.ts';
import type { SeriesItem } from '../schema/market.ts';

/** Returns the strategies of a mirror, with the profit of each and the reason for its last action. */
export function strategyItems(
  reader: MirrorReader,
  of: { readonly note: RunNote | null; readonly nowMs: number },
): readonly StrategyItem[] {
  const records = reader.strategies();
  const isRunning = hasWriter(reader.path);
  const locks = locksNow(reader.stored(), of.nowMs);
  const decisions = reader.lastIntents(records.map(({ name }) => name));
  const prices = new LastPrices(reader.markets);
  return records.map((record) => {
    const pause = pauseOf(locks, record.name);
    const { name, status, reason, figures } = strategyStatus(record, isRunning, { pause, prices });
    const noted = of.note?.strategies.find((one) => one.name === name);
    const last = decisions.get(name);
    return pickItem(strategyItem, {
      ...figures,
      name,
      plugin: noted?.plugin ?? null,
      markets: [
        ...new Set([...(typeof noted?.market === 'string' ? [noted.market] : []), ...marketsOf(record)]),
      ],
      status,
      ...reasonItem(reason),
      lastDecision:
        last === undefined ? null : pickItem(decisionItem, { ...last, ...reasonItem(last.reason) }),
    });
  });
}

function marketsOf(record: StrategyRecord): readonly string[] {
  return [...readFigures(record, MARKET_NAMES).ledger.state.flows.keys()];
}

/** Returns strategies' holdings of each asset, and whether stop orders cover them. */
export function positionItems(
  reader: MirrorReader,
  openOrders: readonly OrderRecord[],
): readonly PositionItem[] {
  const amountSteps = new Map(
    reader.markets.versions().map(({ symbol, amountStep }) => [symbol, parseUnits(amountStep)]),
  );
  const prices = new LastPrices(reader.markets);
  return reader.strategies().flatMap((record) => {
    const { ledger } = readFigures(record, MARKET_NAMES);
    const { currency, assets } = profitOf(ledger, prices.beyond(ledger));
    const ordersOf = openOrders.filter(({ strategy }) => strategy === record.name);
    return assets
      .filter(({ asset, held }) => asset !== currency && held !== 0n)
      .map((held) => positionItem(held, { strategy: record.name, currency, ordersOf, amountSteps }));
  });
}

function positionItem(
  { asset, held, value, open }: AssetProfit,
  of: {
    readonly strategy: string;
    readonly currency: string;
    readonly ordersOf: readonly OrderRecord[];
    readonly amountSteps: ReadonlyMap<string, Units>;
  },
): PositionItem {
  const { strategy, currency, ordersOf, amountSteps } = of;
  const market = MARKET_NAMES.symbolIn(asset, currency);
  const rest = unprotectedOf(ordersOf, { strategy, asset, held, marketNames: MARKET_NAMES });
  return {
    strategy,
    asset,
    market: amountSteps.has(market) ? market : null,
    currency,
    amount: formatUnits(held),
    value: value === null ? null : formatUnits(value),
    profit: open === null ? null : formatUnits(open),
    stop: nearestStop(ordersOf, { market, isLong: held > 0n }),
    // A rest below one step, mostly from the purchase's fee, cannot be in any order.
    isProtected: rest === 0n || rest < (amountSteps.get(market) ?? 0n),
  };
}

/** Returns the stop that would be reached first: the highest for a holding, the lowest for a debt. */
function nearestStop(
  orders: readonly OrderRecord[],
  { market, isLong }: { readonly market: string; readonly isLong: boolean },
): string | null {
  let nearest: Units | null = null;
  for (const { stopPrice, side, market: other } of orders) {
    if (stopPrice === null || other !== market || side !== (isLong ? 'sell' : 'buy')) continue;
    if (nearest === null || (isLong ? stopPrice > nearest : stopPrice < nearest)) nearest = stopPrice;
  }
  return nearest === null ? null : formatUnits(nearest);
}

const MOST_ORDERS = 100;
const MOST_LINES = 50;

/** Returns one strategy. Throws `ApiError` if there is none of that name. */
export function strategyReplyOf(
  reader: MirrorReader,
  of: { readonly name: string; readonly note: RunNote | null; readonly nowMs: number },
): StrategyReply {
  const { name, note, nowMs } = of;
  const strategy = strategyItems(reader, { note, nowMs }).find((item) => item.name === name);
  const record = reader.strategies().find((row) => row.name === name);
  if (strategy === undefined || record === undefined)
    throw new ApiError('not-found', sentence('not-our-strategy', { found: JSON.stringify(name) }));
  const open = reader.orders({ state: 'open', strategy: name, market: null, last: MOST_ORDERS });
  const first = { strategy: name, before: null, limit: MOST_LINES } as const;
  return {
    strategy,
    state: strategyStatus(record, null).state,
    positions: positionItems(reader, open).filter((position) => position.strategy === name),
    openOrders: open.map((order) => orderItemOf(order)),
    intents: reader.pages
      .intents({ ...first, market: null, status: 'all' })
      .rows.map((intent) => intentItemOf(intent)),
    signals: reader.pages.signals(first).rows.map((line) => signalItemOf(line)),
    log: reader.pages.log({ ...first, level: 0 }).rows.map((line) => logItemOf(line)),
    locks: locksNow(reader.stored(), nowMs)
      .locks.filter((lock) => lock.strategy === null || lock.strategy === name)
      .map((lock) => lockItemOf(lock)),
    profit: [...allSeriesOf(reader, `profit/${name}/`, {})],
  };
}

/** Returns an answer about rules as an API item. */
export function rulesReplyOf(answer: RuleAnswer): RulesReply {
  if (answer.kind === 'handlers') return { markets: [], problem: null, rules: null };
  if (answer.kind === 'problem')
    return { markets: [...(answer.markets ?? [])], problem: reasonItem(answer.reason), rules: null };
  const { markets, before } = answer.rules;
  return { markets: [...markets], problem: null, rules: rulesItemOf(answer.rules, before) };
}

/** Returns the rules of a strategy at a bar; `before`: reasons for which it places no order. */
function rulesItemOf(
  { market, closeTimeMs, isHeld, outcome, enter, exit }: ReadRules,
  before: readonly Sentence[],
): RulesItem {
  const items = (lines: typeof enter) => lines.map(({ text, ...line }) => ({ ...line, ...reasonItem(text) }));
  const said = { before: before.map((one) => reasonItem(one)), outcome: reasonItem(outcome) };
  return { market, closeTimeMs, isHeld, ...said, enter: items(enter), exit: items(exit) };
}

/** Maximum number of differences that are shown. */
const MOST_SHOWN = 10;

const first = <Row>(rows: readonly Row[]): Row[] => rows.slice(0, MOST_ROWS_OF_PAGE);

/** Returns what the bot knew at a decision; `working`: its replay goes on, `off`: no run was recorded. */
export function momentReplyOf(answer: MomentAnswer | 'working' | 'off'): MomentReply {
  const none = { problem: null, fromMs: null, toMs: null, differing: 0, differences: [], moment: null };
  if (typeof answer === 'string') return { ...none, state: answer };
  if (answer.kind === 'problem') return { ...none, state: 'unusable', problem: reasonItem(answer.reason) };
  const { beganMs, endMs, differences, moment, missing } = answer;
  const replay = {
    problem: null,
    fromMs: Math.floor(beganMs),
    toMs: Math.floor(endMs),
    differing: differences.length,
    differences: differences
      .slice(0, MOST_SHOWN)
      .map(({ atMs, ...of }) => pickItem(changedDecision, { atMs: Math.floor(atMs), ...of })),
  };
  if (moment === null) return { ...replay, state: missing ?? 'unknown', moment };
  const { books, bars, held, open, locks, rules, intents, orders, log, ...step } = moment;
  return {
    ...replay,
    state: 'shown',
    moment: {
      ...step,
      atMs: Math.floor(step.atMs),
      books: first(books),
      bars: first(bars),
      held: first(held),
      open: first(open).map(storedOrderItem),
      locks: first(locks).map((lock) => reasonItem(lock)),
      rules: first(rules).map((each) => rulesItemOf(each, [])),
      intents: first(intents).map(storedIntentItem),
      orders: first(orders).map(storedOrderItem),
      log: first(log),
    },
  };
}

const BASIS_POINTS = 10_000;
/** Interval at which the bot stores its figures, in ms. */
const FIGURES_EVERY_MS = 300_000;

/**
 * Returns equity and profit by currency: equity as the bot last stored it, updated to `nowMs`, the bot's
 * time, with the current profit of all strategies. If strategies use several currencies, it stays as it was
 * stored. A deposit is no profit, and a withdrawal no drawdown.
 *
 * The stored figures cover the whole bot, including strategies with another currency. So these have figures
 * of their own only before anything is stored.
 */
export function equityItems(
  reader: MirrorReader,
  strategies: readonly StrategyItem[],
  nowMs: number | null,
): readonly EquityItem[] {
  const written = equityCurrencies(reader);
  const own = strategies.map(({ currency }) => currency);
  return [...new Set(written.length === 0 ? own : written)].map((currency) =>
    equityItem(reader, { currency, strategies, nowMs }),
  );
}

function equityItem(
  reader: MirrorReader,
  of: {
    readonly currency: string;
    readonly strategies: readonly StrategyItem[];
    readonly nowMs: number | null;
  },
): EquityItem {
  const { currency, nowMs } = of;
  const strategies = countedBy(reader, of);
  const own = strategies.filter((strategy) => strategy.currency === currency);
  const sum = sumOf(own.map(({ profit }) => profit));
  const isAll = own.length === strategies.length;
  const madeNow = isAll && sum !== null && nowMs !== null ? { atMs: nowMs, value: parseUnits(sum) } : null;
  const { worth, made, day, drawdownBps } = equityNow(reader, currency, madeNow);
  // The profit of the whole bot, as for that of the day.
  const total = isAll || made === null ? sum : formatUnits(made.value);
  return {
    currency,
    now: worth === null ? null : formatUnits(worth.value),
    day: day === null ? null : formatUnits(day.profit),
    total,
    drawdown: drawdownBps === null ? null : String(drawdownBps / BASIS_POINTS),
    asOfMs: worth?.atMs ?? null,
  };
}

/**
 * Returns the strategies that the bot counted when it last stored its profit; all if nothing is stored. One
 * that left the configuration keeps its row, but its profit is in no figure any more.
 */
function countedBy(
  reader: MirrorReader,
  { currency, strategies }: { readonly currency: string; readonly strategies: readonly StrategyItem[] },
): readonly StrategyItem[] {
  const writtenMs = lastMs(reader, profitFigure(null, currency));
  if (writtenMs === null) return strategies;
  return strategies.filter(({ name, currency: own }) => {
    const atMs = lastMs(reader, profitFigure(name, own));
    return atMs !== null && atMs >= writtenMs - FIGURES_EVERY_MS;
  });
}

function lastMs(reader: MirrorReader, figure: string): number | null {
  const range = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, most: 1 };
  return reader.figures(figure, range).at(-1)?.atMs ?? null;
}

/** Sum of the values; null if one of them is missing, or there are none. */
function sumOf(texts: readonly (string | null)[]): string | null {
  let sum: Units = NO_UNITS;
  for (const text of texts) {
    if (text === null) return null;
    sum = addUnits(sum, parseUnits(text));
  }
  return texts.length === 0 ? null : formatUnits(sum);
}

/** Maximum number of points of one series: as many as a screen can show. */
const MOST_POINTS = 2_000;
/** Maximum number of series in one reply; the names of the others are listed. */
const MOST_SERIES = 64;

export interface ShownRange {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Returns the series whose names begin with a prefix. Values become floats here: they are only drawn. */
export function allSeriesOf(reader: MirrorReader, prefix: string, range: ShownRange): readonly SeriesItem[] {
  return reader
    .figureNames(prefix)
    .slice(0, MOST_SERIES)
    .map((name) => oneSeriesOf(reader, name, range));
}

export function oneSeriesOf(reader: MirrorReader, name: string, { from, to }: ShownRange): SeriesItem {
  const range = { fromMs: from ?? 0, toMs: to ?? Number.MAX_SAFE_INTEGER, most: MOST_POINTS };
  const points = reader.figures(name, range).flatMap(({ atMs, value }): SeriesItem['points'] => {
    // A budget is `used/limit`.
    const drawn = value === null ? Number.NaN : Number(value.split('/', 1)[0]);
    return Number.isFinite(drawn) ? [[Math.floor(atMs), drawn]] : [];
  });
  return { name, points };
}
