import type { CandleColumns } from '../domain/candle-columns.ts';
import type { Currency } from '../domain/market-symbol.ts';
import type { Market } from '../domain/market.ts';
import type { Units } from '../domain/money.ts';
import type { LockRecord } from '../engine/lock-records.ts';
import type { RefusalCount } from '../engine/intent-tally.ts';
import type { MemberHistory } from '../engine/member-records.ts';
import type { StrategyInstance, LoggedLine } from '../engine/strategy-instance.ts';
import type { FillRecord } from '../records/fill.ts';
import type { OrderRecord } from '../records/order.ts';
import type { PlottedSeries } from './plot-recorder.ts';
import { factsOf, type Fact } from '../language/fact.ts';
import type { ENGLISH_FIDELITY, ENGLISH_WARNINGS } from './report/texts/fidelity-texts.ts';

/** A rule of filling, what it was set to, or what it can not know, in no language. */
export type FidelityFact = Fact<keyof typeof ENGLISH_FIDELITY>;

/** Makes one. */
export const fidelityFact = factsOf<typeof ENGLISH_FIDELITY>();

/**
 * Statement of how a backtest made its fills. Every result contains it, so that nobody overrates its numbers.
 */
export interface FidelityStatement {
  /**
   * `candles`: bars only. `poll`: the whole live bot against recorded books and trades. `live`: fills of an
   * exchange, from the mirror of the bot that made them.
   */
  readonly kind: 'candles' | 'poll' | 'live';
  /**
   * Each rule that decided a fill, as a name and what it was set to: `market orders`, `the open, as taker`.
   */
  readonly rules: readonly { readonly rule: FidelityFact; readonly setting: FidelityFact }[];
  /** Facts that these rules cannot know, one sentence each. */
  readonly caveats: readonly FidelityFact[];
}

/** A statement with what else a run can not know. */
export function withCaveats(
  statement: FidelityStatement,
  more: readonly FidelityFact[] = [],
): FidelityStatement {
  return more.length === 0 ? statement : { ...statement, caveats: [...statement.caveats, ...more] };
}

/**
 * Money over time: what the account was worth at the end of each bar, or each `barMs` where there are no
 * bars.
 */
export interface EquityCurve {
  readonly length: number;
  readonly timeMs: Float64Array;
  /**
   * In the quote currency, as a number: for statistics and pictures only. The exact last one is
   * `BacktestRun.finalEquity`.
   */
  readonly equity: Float64Array;
  /** 1 where a position was held at that moment, else 0. */
  readonly isExposed: Uint8Array;
}

/** One market of a run: its terms, and what it cost at the ends. */
export interface TradedMarket {
  readonly market: Market;
  /** The first price that a strategy could have bought at, and the last that positions are valued at. */
  readonly firstPrice: Units;
  readonly lastPrice: Units;
  /** The bars that the report draws: those of the run, or bars made of its trades or books. */
  readonly candles: CandleColumns;
}

/** Record of how the bars of a run were loaded. */
export interface Loading {
  readonly loadMs: number;
  /** True if all bars came from the cache of columns that were read before. */
  readonly fromCache: boolean;
}

/** Time spent in each part of a run. */
interface RunTiming extends Loading {
  readonly runMs: number;
  /** Bars, or polls, trades and books, that went through. */
  readonly events: number;
}

/** Number of intents of a strategy, and of those refused, the most frequent reason first. */
export interface StrategyIntents {
  readonly strategy: string;
  readonly count: number;
  readonly refusals: readonly RefusalCount[];
}

/** The locks that there were, and how many more than are listed. */
export interface LocksOfRun {
  readonly records: readonly LockRecord[];
  readonly more: number;
}

export function intentsOf(
  instances: readonly Pick<StrategyInstance, 'name' | 'tally'>[],
): readonly StrategyIntents[] {
  return instances.map(({ name, tally }) => ({
    strategy: name,
    count: tally.intents,
    refusals: tally.refusals(),
  }));
}

/**
 * Raw record of a backtest, before any number is made of it. Times in ms since 1970, money in units of 1e-10.
 */
export interface BacktestRun {
  readonly fidelity: FidelityStatement;
  /** All money of the result is in it. */
  readonly quote: Currency;
  /** From the first moment at which a strategy could act to the last bar's close. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Time between two points of the curve if none is missing. */
  readonly barMs: number;
  readonly initialEquity: Units;
  readonly finalEquity: Units;
  readonly curve: EquityCurve;
  readonly markets: readonly TradedMarket[];
  readonly strategies: readonly {
    readonly name: string;
    readonly market: string;
    readonly params: unknown;
    /** Reason it stopped; null if it ran to the end. */
    readonly failure: string | null;
    /** The last lines that it logged, oldest first. */
    readonly log: readonly LoggedLine[];
  }[];
  /** Series that strategies plotted; empty if nobody draws them. */
  readonly plots: readonly PlottedSeries[];
  /** Number of intents of each strategy, and of those refused. */
  readonly intents: readonly StrategyIntents[];
  /** In the order in which they began. */
  readonly locks: LocksOfRun;
  /** Markets that entered and left universes. */
  readonly members: MemberHistory;
  /** In the order in which they were planned. */
  readonly orders: readonly OrderRecord[];
  /**
   * In the order in which the engine got them: by time, but one market after the other where their
   * bars close together.
   */
  readonly fills: readonly FillRecord[];
  /** Requests that the bot sent to the exchange; null on bars, where nothing is requested. */
  readonly requests: number | null;
  /** Warnings for the reader of the numbers. */
  readonly warnings: readonly RunWarning[];
  /** The configuration as it was read, without secrets. JSON. */
  readonly config: unknown;
  readonly timing: RunTiming;
}

/** Warning for the reader of the figures of a run, independent of language. */
export type RunWarning = Fact<keyof typeof ENGLISH_WARNINGS>;

/** Makes one. */
export const runWarning = factsOf<typeof ENGLISH_WARNINGS>();

/** Several one after the other in one sentence, such as `A and B`; there is at least one. */
export function joinedBy(
  key: 'warning.and' | 'warning.then',
  [first, ...others]: readonly [RunWarning, ...RunWarning[]],
): RunWarning {
  return others.reduce((one, other) => runWarning(key, { one, other }), first);
}
