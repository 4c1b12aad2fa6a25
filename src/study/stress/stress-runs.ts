import type { Params } from '../../search/params-of-point.ts';
import {
  type Cost,
  type StressTask,
  type TradesAgain,
  COSTS,
  heldSchema,
  type StressReport,
  type PastPosition,
  type MarketPositions,
} from './stress-task.ts';
import { createHash } from 'node:crypto';
import type { FillRules } from '../../backtest/run-setup.ts';
import type { BotConfig } from '../../daemon/create-bot-config.ts';
import { formatRatePercent, ratesOf, type FeeRates } from '../../domain/market.ts';
import type { Currency } from '../../domain/market-symbol.ts';
import type { BarRules, PollRules } from '../../venues/fill-rules.ts';
import { inDigits } from '../../language/fact.ts';
import { finding, type StudyFinding, storedFinding } from '../english-study.ts';
import { z } from 'zod';
import { present, dataUnusable } from '../../domain/errors.ts';
import type { StudyStore } from '../study-store.ts';
import { failedReport } from '../objectives.ts';
import { firstBarFrom, gridOfColumns, type CandleColumns } from '../../domain/candle-columns.ts';
import type { RandomSource } from '../../domain/random.ts';
import { known, unknown, type Estimate, lack } from '../../statistics/estimate.ts';
import { randomEntries } from '../../statistics/trade-order-risk.ts';

/** Run of a trial, and the name under which it is stored. */
export interface NamedRun {
  readonly name: string;
  readonly task: StressTask;
}

/** Name of the run that changes nothing. */
export const AGAIN = 'again';

export const costName = (cost: Cost | 'all'): string => `costs ${cost}`;

/** Name of the run with every cost doubled. */
export const ALL_COSTS = costName('all');

/** Returns the runs with every cost doubled and, if there are several costs, with each one alone. */
export function costRuns(params: Params, paid: readonly PaidCost[]): readonly NamedRun[] {
  if (paid.length === 0) return [];
  const costs = paid.map(({ cost }) => cost);
  const run = (name: string, doubled: readonly Cost[]): NamedRun => ({
    name,
    task: { what: 'costs', params, doubled },
  });
  const each = costs.length === 1 ? [] : costs.map((cost) => run(costName(cost), [cost]));
  return [run(ALL_COSTS, costs), ...each];
}

/** Returns the name of one draw, counted from 1: of redrawn bars, or of random entries. */
export const drawName = (what: 'bars' | 'entries', draw: number): string => `${what} ${draw}`;

/** Returns the runs of all draws. Each has its own seed, so more draws change none of the others. */
export function drawnRuns(
  params: Params,
  of: {
    readonly id: string;
    readonly trial: number;
    readonly basis: Pick<StressBasis, 'draws' | 'meanBlock' | 'positions'>;
    readonly held: TradesAgain['held'];
  },
): readonly NamedRun[] {
  const { id, trial, held } = of;
  const { draws, meanBlock, positions } = of.basis;
  const drawn = (what: 'bars' | 'entries', task: (seed: number) => StressTask): readonly NamedRun[] =>
    Array.from({ length: draws }, (_, index) => {
      const name = drawName(what, index + 1);
      return { name, task: task(stressSeed({ id, trial, run: name })) };
    });
  return [
    ...(typeof meanBlock === 'number'
      ? drawn('bars', (seed) => ({ what: 'bars', params, meanBlock, seed }))
      : []),
    ...(typeof positions === 'number' && held !== null
      ? drawn('entries', (seed) => ({ what: 'entries', held, seed }))
      : []),
  ];
}

const HEX = 16;
const SEED_DIGITS = 8;

/** Returns the seed of a draw, which differs for each run of each trial of each study. */
export function stressSeed(of: {
  readonly id: string;
  readonly trial: number;
  readonly run: string;
}): number {
  const digest = createHash('sha256').update(`${of.id}\n${of.trial}\n${of.run}`).digest('hex');
  return Number.parseInt(digest.slice(0, SEED_DIGITS), HEX);
}

/** Costs of a run: fees of the exchange, and those of how its orders fill. */
export interface RunCosts {
  readonly fees: BotConfig['paper']['fees'];
  readonly fill: FillRules;
}

/** Cost of a study, with its text and the text of the doubled one. */
export interface PaidCost {
  readonly cost: Cost;
  readonly from: StudyFinding;
  readonly to: StudyFinding;
}

/** Returns the costs with some of them doubled. */
export function doubledCosts({ fees, fill }: RunCosts, doubled: readonly Cost[]): RunCosts {
  return {
    fees: doubledFees(fees, doubled),
    fill:
      fill.fidelity === 'candles'
        ? { fidelity: 'candles', rules: doubledBarRules(fill.rules, doubled) }
        : { fidelity: 'poll', rules: doubledPollRules(fill.rules, doubled) },
  };
}

export function doubledFees(fees: RunCosts['fees'], doubled: readonly Cost[]): RunCosts['fees'] {
  const { rls, usdt } = fees;
  return doubled.includes('fees') ? { rls: doubledRates(rls), usdt: doubledRates(usdt) } : fees;
}

export function doubledBarRules(rules: BarRules, doubled: readonly Cost[]): BarRules {
  const { spreadBps, slippage } = rules;
  return {
    ...rules,
    spreadBps: doubled.includes('spread') ? 2 * spreadBps : spreadBps,
    slippage: doubled.includes('slippage')
      ? slippage.kind === 'bps'
        ? { kind: 'bps', bps: 2 * slippage.bps }
        : { kind: 'range', millionths: 2 * slippage.millionths }
      : slippage,
  };
}

export function doubledPollRules(rules: PollRules, doubled: readonly Cost[]): PollRules {
  const { latency } = rules;
  if (!doubled.includes('latency') || latency.kind !== 'constant') return rules;
  return { ...rules, latency: { ...latency, outMs: 2 * latency.outMs, backMs: 2 * latency.backMs } };
}

/** Returns the costs that are not 0. `quotes`: quote currencies of the traded markets. */
export function paidCosts(costs: RunCosts, quotes: readonly Currency[]): readonly PaidCost[] {
  const doubled = doubledCosts(costs, COSTS);
  return COSTS.flatMap((cost) => {
    const from = costOf(cost, costs, quotes);
    return from === null ? [] : [{ cost, from, to: costOf(cost, doubled, quotes) ?? from }];
  });
}

/** Describes a cost; null if it is 0, or does not exist in such a run. */
function costOf(cost: Cost, { fees, fill }: RunCosts, quotes: readonly Currency[]): StudyFinding | null {
  if (cost === 'fees') return feesOf(quotes.map((quote) => ratesOf(fees, quote)));
  return fill.fidelity === 'candles' ? barCostOf(cost, fill.rules) : pollCostOf(cost, fill.rules);
}

function barCostOf(cost: Cost, { spreadBps, slippage }: BarRules): StudyFinding | null {
  if (cost === 'spread') return spreadBps === 0 ? null : bpsOf(spreadBps);
  if (cost !== 'slippage') return null;
  if (slippage.kind === 'bps') return slippage.bps === 0 ? null : bpsOf(slippage.bps);
  return slippage.millionths === 0
    ? null
    : finding('paid.range', { percent: inDigits(slippage.millionths / 10_000) });
}

function pollCostOf(cost: Cost, { latency }: PollRules): StudyFinding | null {
  if (cost !== 'latency' || latency.kind !== 'constant') return null;
  const { outMs, backMs } = latency;
  return outMs + backMs === 0
    ? null
    : finding('paid.latency', { out: inDigits(outMs), back: inDigits(backMs) });
}

function feesOf(rates: readonly FeeRates[]): StudyFinding | null {
  if (rates.every(({ maker, taker }) => maker === 0 && taker === 0)) return null;
  const paid = rates.map(({ maker, taker }) =>
    maker === taker ? rateOf(taker) : finding('paid.rates', { maker: rateOf(maker), taker: rateOf(taker) }),
  );
  const different = new Map(paid.map((one) => [JSON.stringify(one), one]));
  return finding('paid.list', { costs: [...different.values()] });
}

const doubledRates = ({ maker, taker }: FeeRates): FeeRates => ({ maker: 2 * maker, taker: 2 * taker });

const bpsOf = (bps: number): StudyFinding => finding('paid.bps', { bps: inDigits(bps) });

const rateOf = (rate: number): StudyFinding =>
  finding('paid.percent', { percent: { digits: formatRatePercent(rate) } });

const REPORT = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('ran'),
    metrics: z.record(z.string(), z.number().nullable()),
    trades: z.strictObject({ changes: z.array(z.number()), held: heldSchema.nullable() }).nullable(),
  }),
  failedReport,
]) satisfies z.ZodType<StressReport>;

const BASIS = z.strictObject({
  /** Number of histories of redrawn bars, and of random entries. */
  draws: z.int().positive(),
  /** Mean block length of redrawn bars, in bars; or the reason there are none. */
  meanBlock: z.union([z.number(), z.strictObject({ missing: storedFinding })]),
  /** Number of positions that are put at random places; or the reason they are not. */
  positions: z.union([z.int().positive(), z.strictObject({ missing: storedFinding })]),
  /** Costs that the trial paid, which are doubled. */
  paid: z.array(z.strictObject({ cost: z.enum(COSTS), from: storedFinding, to: storedFinding })).readonly(),
});

/** Common inputs of all runs of a trial. */
export type StressBasis = z.output<typeof BASIS>;

/** All runs of one trial under stress, which have all ended. */
export interface StoredStress {
  readonly trial: number;
  readonly basis: StressBasis;
  readonly reports: ReadonlyMap<string, StressReport>;
}

/** Reason that a part of a basis is missing. */
export type Missing = Extract<StressBasis['meanBlock'], object>;

/** Reads the runs under stress; null if some have not ended. Throws `DATA_UNUSABLE` for damaged data. */
export function readStress({ stress, path }: StudyStore, trial: number): StoredStress | null {
  const basis = stress.basis(trial);
  if (basis === null) return null;
  return {
    trial,
    basis: checked(BASIS, basis, path),
    reports: readReports({ stress, path }, trial),
  };
}

/** Reads the reports of the ended runs, by name. Throws `DATA_UNUSABLE`. */
export function readReports(
  { stress, path }: Pick<StudyStore, 'stress' | 'path'>,
  trial: number,
): ReadonlyMap<string, StressReport> {
  const reports = new Map<string, StressReport>();
  for (const [run, report] of stress.reports(trial)) reports.set(run, checked(REPORT, report, path));
  return reports;
}

function checked<Value>(schema: z.ZodType<Value>, stored: unknown, path: string): Value {
  const read = schema.safeParse(stored);
  if (read.success) return read.data;
  throw dataUnusable(
    `expected runs under stress in ${path}, found some that can not be read: restore a copy, or run the study under another name`,
    { cause: read.error },
  );
}

/** Minimum number of positions to place at random: the places of fewer show nothing. */
const LEAST_POSITIONS = 10;

/** Purchase at the close of a bar and sale of all of it at the close of a later one; in ms since 1970. */
export interface PlannedEntry {
  readonly buyAtMs: number;
  /** Time of the sale; null if it is held to the end of the range. */
  readonly sellAtMs: number | null;
  /** Share of the equity to invest, above 0 to 1. */
  readonly share: number;
}

/** Purchases and sales in one market, in the order of time. */
export interface MarketPlan {
  readonly market: string;
  readonly entries: readonly PlannedEntry[];
}

/**
 * Places the same positions at random: `randomEntries`, with at least one bar between two of them, since an
 * order arrives when the next bar opens. Shares stay with their holding times. The first bar can only be
 * decided on, as for any strategy. Unknown below ten positions, and if they do not fit.
 */
export function randomEntryPlan(
  held: readonly MarketPositions[],
  of: {
    readonly bars: readonly CandleColumns[];
    readonly fromMs: number | null;
    readonly random: RandomSource;
  },
): Estimate<readonly MarketPlan[]> {
  const { bars, fromMs, random } = of;
  const count = held.reduce((sum, { positions }) => sum + positions.length, 0);
  if (count < LEAST_POSITIONS)
    return unknown(
      'no-trades',
      lack('lack.positions', { least: inDigits(LEAST_POSITIONS), found: inDigits(count) }),
    );
  const plans: MarketPlan[] = [];
  for (const { market, positions } of held) {
    const columns = present(
      bars.find((one) => one.market === market),
      () => `bars of ${market}`,
    );
    const first = fromMs === null ? 0 : firstBarFrom(columns, fromMs);
    // One bar more for each position, as a gap, and one for the range: the last position needs no gap.
    const heldBars = positions.map((position) => position.heldBars + 1);
    const length = columns.length - first;
    const drawn = randomEntries({ bars: length, heldBars, random });
    if (drawn.kind === 'unknown') {
      const exposed = positions.reduce((sum, position) => sum + position.heldBars, 0);
      const room = { positions: inDigits(positions.length), held: inDigits(exposed), bars: inDigits(length) };
      return unknown('no-room', lack('lack.room', { ...room, market }));
    }
    const shares = sharesByLength(positions, random);
    const entries = drawn.value.map(({ entryBar, exitBar }): PlannedEntry => {
      const [enters, exits] = [first + 1 + entryBar, first + exitBar];
      const share = present(shares.get(exits - enters)?.pop(), 'a share of each holding time');
      return {
        buyAtMs: closeBefore(columns, enters),
        sellAtMs: exits === columns.length ? null : closeBefore(columns, exits),
        share,
      };
    });
    plans.push({ market, entries });
  }
  return known(plans);
}

/** Returns the shares of the positions with each holding time, in random order. */
function sharesByLength(
  positions: readonly PastPosition[],
  random: RandomSource,
): ReadonlyMap<number, number[]> {
  const keyed = positions.map(({ heldBars, share }) => ({ heldBars, share, key: random.next() }));
  const byLength = Map.groupBy(
    keyed.toSorted((left, right) => left.key - right.key),
    ({ heldBars }) => heldBars,
  );
  return new Map([...byLength].map(([length, some]) => [length, some.map(({ share }) => share)]));
}

/** Returns the close time of the bar before one: a decision made then is executed when that one opens. */
const closeBefore = (columns: CandleColumns, bar: number): number =>
  gridOfColumns(columns).endOf(present(columns.openTimeMs[bar - 1], 'a bar before each entry'));
