import { countText } from '../domain/money.ts';
import type { Timeframe } from '../domain/candle.ts';
import type { BarRows } from './column-candle.ts';
import type { Intent } from './intents.ts';
import type { PlotSink } from './plots.ts';
import type { ClosedCandle, EngineView, FeedingEvent, StrategyEvent } from './strategy-event.ts';
import type { SignalObjection } from './signal.ts';
import type { CandleSubscription, Subscription, UniverseSubscription } from './subscriptions.ts';
import type { TrailPace } from './definition.ts';
import { SarrafError } from '../domain/errors.ts';
import { HOUR_MS } from '../domain/time-text.ts';
import { isFields } from './fields.ts';
import type { UniverseRules } from './universe-rules.ts';

/**
 * One running strategy in one market, as the engine uses it. There are two implementations: the runner, which
 * calls handlers directly, and a runner in a thread of its own. Both are called synchronously; the same
 * events give the same state and intents in both.
 */
export interface StrategyPort {
  readonly name: string;
  readonly market: string;
  readonly subscriptions: readonly Subscription[];
  /** Parameters of the strategy, with defaults filled in. */
  readonly params: unknown;
  /** Number of its stops that follow the price, and their pace; null if the strategy does not set it. */
  readonly trailing: TrailPace | null;
  /**
   * Reason that it stopped, in one line; null while it runs. A stopped strategy gets no more events, but its
   * indicators are still fed.
   */
  readonly failure: string | null;
  /** The `failure` as separate fields; null while it runs. */
  readonly fault: StrategyFault | null;
  /** True if it can not be resumed, whatever its policy says. */
  readonly isBeyondRepair: boolean;
  /** True if `wants('candle')` is true, which does not change. */
  readonly wantsCandles: boolean;
  /**
   * Returns the number of bars that a subscription needs before its first live bar: its own `warmUp`, or what
   * its indicators need to settle.
   */
  warmUpLength(subscription: CandleSubscription): number;
  /** Feeds the indicators with a past candle, without calling the strategy. */
  warmUp(candle: ClosedCandle): void;
  /** True if the strategy needs events of this kind: it has a handler or indicators for them. */
  wants(kind: StrategyEvent['kind']): boolean;
  /**
   * Delivers an event to the strategy and returns its intents. Candles feed the indicators first, also after
   * the strategy has failed. Throws only if an invariant of the engine is broken, not for a fault of the
   * strategy.
   */
  handle(event: StrategyEvent, view: EngineView): readonly Intent[];
  /**
   * Returns why a declared signal is not delivered: its payload does not fit the schema, or an indicator has
   * no value yet. Null if it is to be delivered, as an event of the kind `signal`.
   */
  objectionTo(signal: { readonly name: string; readonly payload: unknown }): SignalObjection | null;
  /** Returns the index of a market's candles among all that the strategy uses; -1 if it uses none of them. */
  candlePlace(market: string, timeframe: Timeframe): number;
  /** True if candles of this index change nothing now: they belong to a candidate that is not followed. */
  isUnfollowed(place: number): boolean;
  /** Does what `handle` does, for a candle and its index (`candlePlace`): backtests have millions of them. */
  handleCandle(candle: ClosedCandle, view: EngineView, place: number): readonly Intent[];
  /** True if `sleepsUntil` may return a later bar than the first. */
  readonly maySleep: boolean;
  /**
   * Returns the first of these bars at which handlers must be called, given that nothing else happens before
   * it; `to` if there is none. Indicators read the bars ahead, and show nothing of them.
   */
  sleepsUntil(bars: BarRows, view: EngineView, place: number): number;
  /** Feeds bars through which it sleeps. */
  sleepThrough(bars: BarRows, view: EngineView, place: number): void;
  /** Applies an event without calling the strategy, because it has stopped or is paused. */
  feed(event: FeedingEvent): void;
  /** Sink for its plots; null, the initial value, if plots are not drawn. */
  plots: PlotSink | null;
  /** Returns the lines logged since the last call, and forgets them. */
  drainLog(): readonly StrategyLogLine[];
  /** Returns the state as the JSON that is stored. */
  stateJson(): string;
  /** Returns the state as JSON if it changed since the last call (or since the start), else null. */
  drainChangedState(): string | null;
  /** Restores a stored state. Throws `INVALID_STRATEGY` if it is no JSON or does not fit the schema. */
  restore(json: string): void;
  /** Resumes a strategy that failed, with the state that it had before. */
  clearFailure(): void;
}

/** Location of a strategy's code, for error messages. */
export interface StrategySource {
  /** Path of its file, as shown to people. */
  readonly file: string;
  /** Returns the line of that file (from 1) that an error names first; null if it names none. */
  readonly lineOf: (error: unknown) => number | null;
}

/** Reason that a strategy stopped. */
export interface StrategyFault {
  /** Handler with the fault, such as `on.bars`; null if it was in none. */
  readonly handler: string | null;
  readonly message: string;
  /** Path of the strategy's file; null if it is unknown. */
  readonly file: string | null;
  /** Line in the file, from 1; null if the error names none. */
  readonly line: number | null;
  /** Shortened stack; null if what was thrown has none. */
  readonly stack: string | null;
}

const LONGEST_MESSAGE = 500;
const LONGEST_STACK = 4_000;

/** Describes an error that a handler threw. Never throws, whatever was thrown. */
export function faultOf(
  handler: string | null,
  error: unknown,
  source: StrategySource | null,
): StrategyFault {
  const line = lineOf(error, source);
  // The stack of an error that we throw to refuse something shows our code alone.
  const isOurs = line === null && error instanceof SarrafError;
  return {
    handler,
    message: cut(messageOf(error), LONGEST_MESSAGE),
    file: source?.file ?? null,
    line,
    stack: isOurs ? null : stackOf(error),
  };
}

/** Formats a fault as one line: `on.bars: no book (strategies/dip.ts:12)`. */
export function faultText({ handler, message, file, line }: StrategyFault): string {
  const where = file === null ? '' : ` (${file}${line === null ? '' : `:${line}`})`;
  return `${handler === null ? '' : `${handler}: `}${message}${where}`;
}

function lineOf(error: unknown, source: StrategySource | null): number | null {
  try {
    return source?.lineOf(error) ?? null;
  } catch {
    return null;
  }
}

function stackOf(error: unknown): string | null {
  try {
    return error instanceof Error && typeof error.stack === 'string' ? cut(error.stack, LONGEST_STACK) : null;
  } catch {
    return null;
  }
}

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);

/** Matches the messages of JavaScript for a change of a frozen object. */
const FROZEN = /read only property|object is not extensible|Cannot delete property|which has only a getter/;
const FROZEN_HINT = 'what a handler gets can not be changed, and ctx.setState changes the state';

/** Returns the message of whatever a handler threw. */
function messageOf(error: unknown): string {
  try {
    if (!(error instanceof Error)) return String(error);
    return FROZEN.test(error.message) ? `${error.message}; ${FROZEN_HINT}` : error.message;
  } catch {
    return 'threw something that can not be said';
  }
}

/** One line of a strategy's own log. */
export interface StrategyLogLine {
  readonly text: string;
  /** Plain JSON that was logged with the text; null if none was given. */
  readonly fields: Readonly<Record<string, unknown>> | null;
}

/** Maximum number of lines of one call, and of an hour of the run. More are counted in one line. */
const MOST_A_CALL = 20;
const MOST_AN_HOUR = 1_000;

/** Maximum number of characters of a line, and of its fields as JSON. */
const LONGEST_TEXT = 500;
const LONGEST_FIELDS = 1_000;

const NO_LINES: readonly StrategyLogLine[] = [];

/** Collects what a strategy logs until the engine drains it, by the run's time alone. */
export class StrategyLog {
  private lines: StrategyLogLine[] | null = null;
  private inCall = 0;
  private inHour = 0;
  private hour = Number.NaN;
  private nowMs = 0;
  private dropped = 0;
  /** True once this hour's bound was reported. */
  private isFull = false;

  /** The `log` function of the context. Accepts anything, and never throws. */
  readonly add = Object.freeze((text: unknown, fields?: unknown): void => {
    const hour = Math.floor(this.nowMs / HOUR_MS);
    if (hour !== this.hour) {
      this.hour = hour;
      this.inHour = 0;
      this.isFull = false;
    }
    if (this.inCall >= MOST_A_CALL || this.inHour >= MOST_AN_HOUR) {
      this.dropped += 1;
      return;
    }
    this.inCall += 1;
    this.inHour += 1;
    (this.lines ??= []).push({ text: textOf(text), fields: loggedFields(fields) });
  });

  /** Begins a call, at a time of the run in ms since 1970. */
  begin(nowMs: number): void {
    this.nowMs = nowMs;
    this.inCall = 0;
  }

  /** Returns the lines logged since the last call, and forgets them. */
  drain(): readonly StrategyLogLine[] {
    if (this.lines === null && this.dropped === 0) return NO_LINES;
    const lines = this.lines ?? [];
    this.lines = null;
    if (this.dropped > 0 && !this.isFull) {
      this.isFull = this.inHour >= MOST_AN_HOUR;
      const bound = this.isFull
        ? `${MOST_AN_HOUR} an hour: the rest of this hour is`
        : `${MOST_A_CALL} a call:`;
      const what = this.isFull ? 'dropped' : `${countText(this.dropped, 'more was', 'more were')} dropped`;
      lines.push({ text: `… expected at most ${bound} ${what}`, fields: null });
    }
    this.dropped = 0;
    return lines;
  }
}

function textOf(text: unknown): string {
  try {
    const whole = typeof text === 'string' ? text : String(text);
    return whole.length > LONGEST_TEXT ? `${whole.slice(0, LONGEST_TEXT)}…` : whole;
  } catch {
    return 'something that can not be said';
  }
}

function loggedFields(fields: unknown): StrategyLogLine['fields'] {
  if (fields === undefined || fields === null) return null;
  try {
    const json = JSON.stringify(fields, (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    if (json === undefined) return null;
    if (json.length > LONGEST_FIELDS) return { cut: `${json.slice(0, LONGEST_FIELDS)}…` };
    const plain: unknown = JSON.parse(json);
    return isFields(plain) && !Array.isArray(plain) ? plain : { value: plain };
  } catch {
    return { cut: 'fields that are no JSON' };
  }
}

type Placed = Pick<StrategyPort, 'market' | 'subscriptions'>;

/** Returns the universe in whose members a strategy runs one by one; null if it has its own market. */
export function memberUniverseOf({
  subscriptions,
}: Pick<Placed, 'subscriptions'>): UniverseSubscription | null {
  for (const wanted of subscriptions)
    if (wanted.kind === 'universe' && wanted.isPerMember === true) return wanted;
  return null;
}

/** Returns the strategy's own market in a list; an empty list if it runs in each member of a universe. */
export const ownMarketsOf = (placed: Placed): readonly string[] =>
  memberUniverseOf(placed) === null ? [placed.market] : [];

/** Describes a strategy's markets for people: its market, or `10 rls markets by volume24h`. */
export function placeText(placed: Placed): string {
  const universe = memberUniverseOf(placed);
  return universe === null ? placed.market : universeText(universe.rules);
}

export function universeText({
  take,
  quote,
  rankBy,
}: Pick<UniverseRules, 'take' | 'quote' | 'rankBy'>): string {
  return `${countText(take, `${quote} market`)} by ${rankBy}`;
}
