import type { Timeframe } from '../domain/candle.ts';
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

/** Location of a strategy's code, for error messages. */
export interface StrategySource {
  /** Its file, as it is to be said. */
  readonly file: string;
  /** The line of that file that an error speaks of first, from 1 on; null where it names none. */
  readonly lineOf: (error: unknown) => number | null;
}

/** Reason a strategy stopped. */
export interface StrategyFault {
  /** `on.bars` and its like; null where it was in none of them. */
  readonly handler: string | null;
  readonly message: string;
  /** Path of the strategy's file; null if it is unknown. */
  readonly file: string | null;
  /** Null where the error names no line of the file. */
  readonly line: number | null;
  /** Null where what was thrown has none. Cut. */
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
  // The stack of a refusal of ours shows our code alone.
  const isOurs = line === null && error instanceof SarrafError;
  return {
    handler,
    message: cut(messageOf(error), LONGEST_MESSAGE),
    file: source?.file ?? null,
    line,
    stack: isOurs ? null : stackOf(error),
  };
}

/** A fault in one line: `on.bars: no book (strategies/dip.ts:12)`. */
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

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** Matches the language's messages for a change of a frozen object. */
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
  /** Plain JSON; null where none were given. */
  readonly fields: Readonly<Record<string, unknown>> | null;
}

/** Lines of one call and of one hour of the run's time; what is more is counted and reported as one line. */
const MOST_A_CALL = 20;
const MOST_AN_HOUR = 1_000;

/** Characters of a line, and of its fields as JSON. */
const LONGEST_TEXT = 500;
const LONGEST_FIELDS = 1_000;

const NO_LINES: readonly StrategyLogLine[] = [];

/**
 * Gathers what a strategy logs until the engine takes it. By the run's own time only, so a backtest logs the
 * same each time.
 */
export class StrategyLog {
  private lines: StrategyLogLine[] | null = null;
  private inCall = 0;
  private inHour = 0;
  private hour = Number.NaN;
  private nowMs = 0;
  private dropped = 0;
  /** True if this hour's bound was reported. */
  private isFull = false;

  /** `log` of the context. Takes anything, and throws nothing. */
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

  /** A call begins, at a time of the run. */
  begin(nowMs: number): void {
    this.nowMs = nowMs;
    this.inCall = 0;
  }

  /** Returns the lines logged since its last call. */
  drain(): readonly StrategyLogLine[] {
    if (this.lines === null && this.dropped === 0) return NO_LINES;
    const lines = this.lines ?? [];
    this.lines = null;
    if (this.dropped > 0 && !this.isFull) {
      this.isFull = this.inHour >= MOST_AN_HOUR;
      const bound = this.isFull
        ? `${MOST_AN_HOUR} an hour: the rest of this hour is`
        : `${MOST_A_CALL} a call:`;
      const what = this.isFull ? 'dropped' : `${this.dropped} more were dropped`;
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

/** The universe in each member of which a strategy of one market runs; null for one that has a market. */
export function memberUniverseOf({
  subscriptions,
}: Pick<Placed, 'subscriptions'>): UniverseSubscription | null {
  for (const wanted of subscriptions)
    if (wanted.kind === 'universe' && wanted.isPerMember === true) return wanted;
  return null;
}

/** The market that a strategy has of its own; none where it runs in each member of a universe. */
export function ownMarketsOf(placed: Placed): readonly string[] {
  return memberUniverseOf(placed) === null ? [placed.market] : [];
}

/** Returns a strategy's markets as text for people: its market, or `10 rls markets by volume24h`. */
export function placeText(placed: Placed): string {
  const universe = memberUniverseOf(placed);
  return universe === null ? placed.market : universeText(universe.rules);
}

export function universeText({
  take,
  quote,
  rankBy,
}: Pick<UniverseRules, 'take' | 'quote' | 'rankBy'>): string {
  return `${take} ${quote} markets by ${rankBy}`;
}
