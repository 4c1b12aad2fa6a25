import type { BacktestRun } from './backtest-run.ts';
import type { RunMarket } from './candle-runner.ts';
import { cutAfter, repeatRun, wantedOf, type ExpectedOrder } from './run-backtest.ts';
import type { CreatedBacktest } from './candle-backtest.ts';
import { apartRunOf, type ApartRun } from './setup/run-apart.ts';
import { isoText } from '../domain/time-text.ts';
import { barsBetween, firstBarFrom, gridOfColumns } from '../domain/candle-columns.ts';
import type { Market } from '../domain/market.ts';
import { UNITS_PER_ONE } from '../domain/money.ts';
import { gridOf } from '../domain/candle.ts';
import type { StrategyInstanceSettings } from '../engine/engine-settings.ts';
import { baseMoved, type FillRecord } from '../records/fill.ts';
import type { OrderRecord } from '../records/order.ts';

/** Thrown if a check found a difference; the message says which. */
export class CheckFailed extends Error {}

/** Number of moments at which a run is cut, or started anew, for a check. */
const CHECKS = 5;

export interface BacktestChecks {
  readonly lookahead: boolean;
  readonly warmUp: boolean;
  /** Called before each run with a text of what is done next. */
  readonly onStep: (what: string) => void;
}

/**
 * Repeats a backtest: unchanged, on fewer bars, and from later starts. None may change the orders where all
 * runs have the data they need. Returns sentences about what was compared; throws `CheckFailed` with the
 * difference. `runOn` runs it where the strategy can reach no other bars; default: in this process.
 */
export async function checkBacktest(
  { backtest: whole, newInstances }: Pick<CreatedBacktest, 'backtest' | 'newInstances'>,
  reported: BacktestRun,
  {
    lookahead,
    warmUp,
    onStep,
    runOn = async (markets) =>
      apartRunOf(repeatRun({ ...whole, instances: await newInstances() }, { markets, fromMs: whole.fromMs })),
  }: BacktestChecks & { readonly runOn?: (markets: readonly RunMarket[]) => Promise<ApartRun> },
): Promise<readonly string[]> {
  if (!lookahead && !warmUp) return [];
  const { markets } = whole;
  const total = 1 + CHECKS * (Number(lookahead) + Number(warmUp));
  let step = 0;
  const begin = (): void => {
    step += 1;
    onStep(`check ${step} of ${total}, bars`);
  };
  begin();
  const second = await runOn(markets);
  refuseUnlike(reported, second);
  const all = second.wanted;
  const { fromMs: firstMs, toMs } = reported;
  let uncompared = 0;
  for (const atMs of momentsWithin(firstMs, toMs, CHECKS)) {
    if (lookahead) {
      const { cutMs, comparedUntilMs } = cutMoment(second, atMs);
      begin();
      const part = await runOn(cutAfter(markets, cutMs));
      refuseLookahead(all, part.wanted, firstMs, cutMs, comparedUntilMs);
    }
    if (warmUp) {
      begin();
      const instances = await newInstances();
      const later = repeatRun(
        { ...whole, instances },
        { markets: warmedOnly(markets, whole.instances, atMs), fromMs: atMs },
      );
      const times = later.curve.timeMs.subarray(0, later.curve.length);
      const flatMs = firstFlatMs(
        [reported, later],
        times,
        markets.map(({ market }) => market),
      );
      if (flatMs === null) uncompared += 1;
      else compareWarmUp(all, wantedOf(later.orders), atMs, flatMs);
    }
  }
  return [...(lookahead ? [LOOKAHEAD] : []), ...(warmUp ? [warmUpSentence(uncompared)] : [])];
}

/**
 * Checks a run of the whole bot on a recording as `checkBacktest` does: once unchanged, and on recordings
 * that end earlier. `runUntil` runs it on the data before a time; null: on all data.
 */
export async function checkPollBacktest(
  reported: BacktestRun,
  {
    lookahead,
    onStep,
    runUntil,
  }: BacktestChecks & { readonly runUntil: (toMs: number | null) => Promise<ApartRun> },
): Promise<readonly string[]> {
  if (!lookahead) return [];
  const begin = (step: number): void => onStep(`check ${step} of ${1 + CHECKS}, books and trades`);
  begin(1);
  const { wanted: all } = await runUntil(null);
  refuseUnlike(reported, { wanted: all });
  const { fromMs, toMs } = reported;
  let step = 1;
  for (const cutMs of momentsWithin(fromMs, toMs, CHECKS)) {
    step += 1;
    begin(step);
    const { wanted: part } = await runUntil(cutMs);
    refuseLookahead(all, part, fromMs, cutMs, cutMs - 1);
  }
  return [LOOKAHEAD];
}

function refuseUnlike(reported: BacktestRun, { wanted }: Pick<ApartRun, 'wanted'>): void {
  const everMs = { fromMs: Number.NEGATIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY };
  const unlike = firstDifference(wantedOf(reported.orders), wanted, everMs);
  if (unlike === null) return;
  throw new CheckFailed(
    `run twice: ${marketsText(unlike, { first: 'the reported run', second: 'the same run once more' })}: the strategy keeps something outside of its state, or draws lots`,
  );
}

function refuseLookahead(
  whole: readonly ExpectedOrder[],
  part: readonly ExpectedOrder[],
  fromMs: number,
  cutMs: number,
  untilMs: number,
): void {
  const found = firstDifference(whole, part, { fromMs, untilMs });
  if (found === null) return;
  const who = { first: 'the whole run', second: `the one whose data end at ${isoText(cutMs)}` };
  throw new CheckFailed(`look-ahead: ${marketsText(found, who)}`);
}

/** Throws `CheckFailed` if orders differ after the moment at which both runs were flat. */
function compareWarmUp(
  all: readonly ExpectedOrder[],
  later: readonly ExpectedOrder[],
  beganMs: number,
  flatMs: number,
): void {
  const range = { fromMs: flatMs + 1, untilMs: Number.POSITIVE_INFINITY };
  const found = firstDifference(sides(all), sides(later), range);
  if (found === null) return;
  const who = { first: 'the whole run', second: `the one that began at ${isoText(beganMs)}` };
  throw new CheckFailed(
    `warm-up: ${marketsText(found, who)}; both held nothing at ${isoText(flatMs)}. The strategy needs more of the past than it asks for, or its state remembers what was before`,
  );
}

const LOOKAHEAD = `Look-ahead: the run again, and ${CHECKS} runs on data that end earlier, had the same orders. The check can not see what a strategy reads elsewhere (a file, a server, numbers in its own code), since that is the same in all runs.`;

function warmUpSentence(uncompared: number): string {
  const compared = CHECKS - uncompared;
  const rest =
    uncompared === 0 ? '' : ` ${uncompared} could not be compared: they never held nothing at the same time.`;
  return `Warm-up: ${compared} of ${CHECKS} later beginnings, with the past that a live start has, wanted the same from the first bar at which both held nothing.${rest}`;
}

/** Reduces orders to market, side, kind and time, since amounts depend on the profits before. */
function sides(wanted: readonly ExpectedOrder[]): readonly ExpectedOrder[] {
  return wanted.map(({ atMs, text }) => ({ atMs, text: text.split(' ').slice(0, 4).join(' ') }));
}

function marketsText(
  { atMs, whole, part }: LookaheadDifference,
  { first, second }: { readonly first: string; readonly second: string },
): string {
  return `at ${isoText(atMs)} ${first} wanted "${whole ?? 'nothing'}", ${second} "${part ?? 'nothing'}"`;
}

/** First point where two runs differ: the order of the run on all bars, and that of the run on fewer bars. */
interface LookaheadDifference {
  readonly atMs: number;
  readonly whole: string | null;
  readonly part: string | null;
}

/**
 * Compares the orders of a run on all bars with those of a run on fewer bars, within a range of time. A
 * strategy that sees later data places other orders in the first run. Returns the first difference; null if
 * there is none.
 */
export function firstDifference(
  whole: readonly ExpectedOrder[],
  part: readonly ExpectedOrder[],
  range: { readonly fromMs: number; readonly untilMs: number },
): LookaheadDifference | null {
  const within = ({ atMs }: ExpectedOrder): boolean => atMs >= range.fromMs && atMs <= range.untilMs;
  const [all, some] = [whole.filter(within), part.filter(within)];
  for (let index = 0; index < Math.max(all.length, some.length); index += 1) {
    const [left, right] = [all[index], some[index]];
    if (left?.atMs === right?.atMs && left?.text === right?.text) continue;
    const atMs = Math.min(left?.atMs ?? Number.POSITIVE_INFINITY, right?.atMs ?? Number.POSITIVE_INFINITY);
    return { atMs, whole: left?.text ?? null, part: right?.text ?? null };
  }
  return null;
}

/** Returns the moments that split a range into `count + 1` equal parts. */
function momentsWithin(fromMs: number, toMs: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) =>
    Math.round(fromMs + ((toMs - fromMs) * (index + 1)) / (count + 1)),
  );
}

/** Maximum number of bars that are searched for a moment to cut at. */
const MOST_BACK = 1_000;

/**
 * Returns the moment to cut a run at, not later than `beforeMs`: a close after which nothing filled at the
 * very next open. There a run on all bars orders nothing more at the same moment than a run whose bars end.
 * If there is no such close, it is the last close, and the comparison ends 1 ms before it.
 */
function cutMoment(
  of: { readonly timeMs: Float64Array; readonly filledAtMs: readonly number[] },
  beforeMs: number,
): { readonly cutMs: number; readonly comparedUntilMs: number } {
  const filledMs = new Set(of.filledAtMs);
  const last = of.timeMs.findLastIndex((timeMs) => timeMs <= beforeMs);
  for (let index = last; index > Math.max(-1, last - MOST_BACK); index -= 1) {
    const closeMs = of.timeMs[index] ?? beforeMs;
    if (!filledMs.has(closeMs)) return { cutMs: closeMs, comparedUntilMs: closeMs };
  }
  const cutMs = of.timeMs[last] ?? beforeMs;
  return { cutMs, comparedUntilMs: cutMs - 1 };
}

interface RunTrace {
  readonly orders: readonly OrderRecord[];
  readonly fills: readonly FillRecord[];
}

/**
 * Returns the first close at which no run holds anything or has an open order; null if there is none. From
 * there on a warm strategy orders the same in both runs; before, a flat start must differ from a run with a
 * position.
 */
function firstFlatMs(
  runs: readonly RunTrace[],
  closesMs: Float64Array,
  markets: readonly Market[],
): number | null {
  const walks = runs.map((run) => new FlatWalk(run, markets));
  for (const closeMs of closesMs) {
    let isFlat = true;
    // Every walk must advance, even after one was not flat.
    for (const walk of walks) if (!walk.isFlatAt(closeMs)) isFlat = false;
    if (isFlat) return closeMs;
  }
  return null;
}

/** Walks through the orders and fills of a run: what it holds, and which orders are open. */
class FlatWalk {
  private readonly run: RunTrace;
  private readonly markets: ReadonlyMap<string, Market>;
  private readonly held = new Map<string, { amount: bigint; value: bigint; market: Market }>();
  private readonly open = new Set<OrderRecord>();
  private nextFill = 0;
  private nextOrder = 0;

  constructor(run: RunTrace, markets: readonly Market[]) {
    this.run = { orders: run.orders, fills: run.fills.toSorted((one, other) => one.atMs - other.atMs) };
    this.markets = new Map(markets.map((market) => [market.symbol, market]));
  }

  /** Returns true if the run is flat at a time. Must be called with rising times. */
  isFlatAt(timeMs: number): boolean {
    const { orders, fills } = this.run;
    for (
      let fill = fills[this.nextFill];
      fill !== undefined && fill.atMs <= timeMs;
      fill = fills[this.nextFill]
    ) {
      this.nextFill += 1;
      this.apply(fill);
    }
    for (let order = orders[this.nextOrder]; order !== undefined && order.plannedAtMs <= timeMs;) {
      this.open.add(order);
      this.nextOrder += 1;
      order = orders[this.nextOrder];
    }
    for (const order of this.open)
      if (order.closedAtMs !== null && order.closedAtMs <= timeMs) this.open.delete(order);
    return (
      this.open.size === 0 &&
      [...this.held.values()].every(
        ({ amount, value, market }) => amount < market.amountStep || value <= market.minOrderValue,
      )
    );
  }

  private apply(fill: FillRecord): void {
    const { strategy, market: symbol, price } = fill;
    const market = this.markets.get(symbol);
    if (market === undefined) return;
    const key = `${strategy} ${symbol}`;
    const before = this.held.get(key)?.amount ?? 0n;
    const now = before + baseMoved(fill, market.base);
    this.held.set(key, { amount: now, value: (now * price) / UNITS_PER_ONE, market });
  }
}

/** Returns the bars of a run that starts at a time, with as much of the past as a live start requests. */
function warmedOnly(
  markets: readonly RunMarket[],
  instances: readonly Pick<StrategyInstanceSettings, 'runner'>[],
  fromMs: number,
): readonly RunMarket[] {
  return markets.map(({ columns, ...of }) => {
    const { market } = of;
    const first = firstBarFrom(columns, fromMs);
    let from = first;
    for (const { runner } of instances) {
      for (const wanted of runner.subscriptions) {
        if (wanted.kind !== 'candles' || wanted.market !== market.symbol) continue;
        const { timeframe } = wanted;
        const grid = gridOf(timeframe, columns.anchors);
        const parts = grid.lengthMs / gridOfColumns(columns).lengthMs;
        const at = Math.max(0, first - Math.ceil(runner.warmUpLength(wanted) * parts));
        // A longer bar needs all of its parts.
        from = Math.min(from, firstBarFrom(columns, grid.startOf(columns.openTimeMs[at] ?? fromMs)));
      }
    }
    return { ...of, columns: barsBetween(columns, from) };
  });
}
