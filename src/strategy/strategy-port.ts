import type { Timeframe } from '../domain/candle.ts';
import type { Intent } from './intents.ts';
import type { PlotSink } from './plots.ts';
import type { ClosedCandle, EngineView, FeedingEvent, StrategyEvent } from './strategy-event.ts';
import type { StrategyFault } from './strategy-fault.ts';
import type { SignalObjection } from './signal.ts';
import type { StrategyLogLine } from './strategy-log.ts';
import type { CandleSubscription, Subscription } from './subscriptions.ts';
import type { TrailPace } from './trailing.ts';

/**
 * One strategy at work in one market, as the engine uses it. Two stand behind it: the runner itself, which
 * calls handlers directly, and one in a thread of its own. Both are called synchronously, and the same events
 * bring the same state and intents.
 */
export interface StrategyPort {
  readonly name: string;
  readonly market: string;
  readonly subscriptions: readonly Subscription[];
  /** Its parameters, defaults put in. */
  readonly params: unknown;
  /**
   * Number of its stops that follow the price at once, and their pace; null if the strategy does not set it.
   */
  readonly trailing: TrailPace | null;
  /**
   * Reason it stopped, in one line; null while it works. A stopped strategy gets no more events, but its
   * indicators are fed.
   */
  readonly failure: string | null;
  /** The same in its parts. */
  readonly fault: StrategyFault | null;
  /** True if it cannot go on, whatever its policy is. */
  readonly isBeyondRepair: boolean;
  /** The same as `wants('candle')`. */
  readonly wantsCandles: boolean;
  /**
   * Bars that a candle subscription wants before its first live one: its own `warmUp`, or what its indicators
   * need to have settled.
   */
  warmUpLength(subscription: CandleSubscription): number;
  /** Feeds the indicators with a candle of the past, without asking the strategy. */
  warmUp(candle: ClosedCandle): void;
  /**
   * True if the strategy needs events of this kind: it has a handler for them, or indicators that use them.
   */
  wants(kind: StrategyEvent['kind']): boolean;
  /**
   * Tells the strategy what happened; answers what it wants. Candles feed the indicators first, also once the
   * strategy has failed. Throws only what is no fault of the strategy's: a broken invariant of the engine's
   * own.
   */
  handle(event: StrategyEvent, view: EngineView): readonly Intent[];
  /**
   * Reason not to deliver a signal that the strategy declares: its payload does not fit the schema, or an
   * indicator has no value yet. Null if it is to be delivered, as an event of the kind `signal`.
   */
  objectionTo(signal: { readonly name: string; readonly payload: unknown }): SignalObjection | null;
  /** Returns the index of a market's candles among all that the strategy uses; -1 if it uses none of them. */
  candlePlace(market: string, timeframe: Timeframe): number;
  /** True if candles of a place change nothing now: they are for members, and the market is not followed. */
  isUnfollowed(place: number): boolean;
  /** The same as `handle` for a candle, of which backtests have millions, by the place of such candles. */
  handleCandle(candle: ClosedCandle, view: EngineView, place: number): readonly Intent[];
  /** Takes in an event without asking the strategy: it has stopped, or is paused. */
  feed(event: FeedingEvent): void;
  /** Sink that draws its plots; null, the initial value, if nobody draws. */
  plots: PlotSink | null;
  /** Returns the lines logged since its last call. */
  drainLog(): readonly StrategyLogLine[];
  /** The state as JSON, as it is to be stored. */
  stateJson(): string;
  /** The state as JSON when it is another than at the last call (or the beginning), else null. */
  drainChangedState(): string | null;
  /**
   * Goes on from a stored state. Throws `INVALID_STRATEGY` when it is no JSON, or does not fit the schema of
   * the strategy.
   */
  restore(json: string): void;
  /** Lets a strategy that failed go on, with the state that it had before. */
  clearFailure(): void;
}
