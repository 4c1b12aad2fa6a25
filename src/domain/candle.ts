import type { DecimalText } from './decimal-text.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './time-text.ts';
import { invalidOptions } from './errors.ts';
import { isZone, zoneInstant, zoneOffsetMs } from './zone-time.ts';

/** The prices and the volume of a bar, or columns of them. */
export interface BarValues<Value> {
  /** Price of its first trade, in the quote currency. */
  readonly open: Value;
  /** Highest price, in the quote currency. */
  readonly high: Value;
  /** Lowest price, in the quote currency. */
  readonly low: Value;
  /** Price of its last trade, in the quote currency. */
  readonly close: Value;
  /** Traded volume, in the base currency. */
  readonly volume: Value;
}

/** Returns bar values that are all the same value, such as a schema. */
export function eachBarValue<Value>(value: Value): BarValues<Value> {
  return { open: value, high: value, low: value, close: value, volume: value };
}

/** One bar. `openTimeMs` is the start of the bar in ms since 1970; low <= open, close <= high. */
export interface Candle extends BarValues<DecimalText> {
  readonly openTimeMs: number;
}

const LENGTHS_MS = {
  '1m': MINUTE_MS,
  '5m': 5 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '30m': 30 * MINUTE_MS,
  '1h': HOUR_MS,
  '3h': 3 * HOUR_MS,
  '4h': 4 * HOUR_MS,
  '6h': 6 * HOUR_MS,
  '12h': 12 * HOUR_MS,
  '1d': DAY_MS,
  '2d': 2 * DAY_MS,
  '3d': 3 * DAY_MS,
} as const;

/** Length of a candle as a name, such as `15m`. */
export type Timeframe = keyof typeof LENGTHS_MS;

/** Every timeframe, shortest first. */
export const TIMEFRAMES = Object.freeze(Object.keys(LENGTHS_MS)) as readonly [Timeframe, ...Timeframe[]];

/** Maximum number of candles in one answer of the exchange, without the one that is not closed yet. */
export const LONGEST_WARM_UP = 499;

/** Returns the usual length of a candle in ms. Its `BarGrid` has the real ones: a day can have 23 hours. */
export const timeframeMs = (timeframe: Timeframe): number => LENGTHS_MS[timeframe];

/**
 * Start and end of the bars of a timeframe. Nothing may assume that a bar begins at a multiple of its length
 * since 1970: the exchange's days begin at midnight in Tehran, which is 20:30 UTC, or 19:30 in the summers
 * until 2022, and a day in which the clock is set has 23 or 25 hours.
 *
 * Source: the exchange's public documentation has `t: [1562095800, 1562182200]` as the answer for
 * `resolution=D`. These are 2019-07-02T19:30Z and a day later, midnight in Tehran by its summer time. That 4
 * h bars begin at 20:30 and 00:30 UTC was seen from outside. Unknown `[?]`: the start of bars of 1 h, 3 h, 6
 * h, 12 h, 2 and 3 days, and that of 4 h bars in a summer until 2022.
 */

/** Start of bars: whole lengths after `offsetMs` past midnight of a zone, counted from 1970-01-01 there. */
export interface BarAnchor {
  /** Name in the tz database: `UTC`, `Asia/Tehran`. */
  readonly zone: string;
  /** Time past midnight in ms; less than the length of the bar. */
  readonly offsetMs: number;
}

/**
 * The known anchors of a market's timeframes. A timeframe without an anchor has that of the next shorter
 * timeframe with one, or UTC midnight if there is none: see `anchorIn`.
 */
export type BarAnchors = Readonly<Partial<Record<Timeframe, BarAnchor>>>;

/** Anchor at midnight in UTC, which most exchanges of the world use. */
export const UTC_MIDNIGHT: BarAnchor = Object.freeze({ zone: 'UTC', offsetMs: 0 });

/** Anchor at midnight in Tehran. */
export const TEHRAN_MIDNIGHT: BarAnchor = Object.freeze({ zone: 'Asia/Tehran', offsetMs: 0 });

/** Anchors of a market whose bars all begin as in UTC. */
export const UTC_BARS: BarAnchors = Object.freeze({});

/** Anchors of a market whose bars of 4 h and more begin as in Tehran, and shorter ones as in UTC. */
export const TEHRAN_BARS: BarAnchors = Object.freeze({ '4h': TEHRAN_MIDNIGHT });

/** Returns the anchor of a timeframe: its own, else that of the next shorter one that has one, else UTC. */
export function anchorIn(anchors: BarAnchors, timeframe: Timeframe): BarAnchor {
  for (let place = TIMEFRAMES.indexOf(timeframe); place >= 0; place -= 1) {
    const known = TIMEFRAMES[place];
    const anchor = known === undefined ? undefined : anchors[known];
    if (anchor !== undefined) return anchor;
  }
  return UTC_MIDNIGHT;
}

/**
 * Bars up to this length are of equal length in every zone: clocks are changed by whole hours, which leaves
 * bars of an hour as they are.
 */
const ALWAYS_EVEN_MS = 3_600_000;

/** A time after the last change of clocks in Tehran. The offset of a zone at this time is its usual one. */
const USUAL_MS = 1_704_067_200_000;

/** Change in the length of a bar during which the clock of its zone is changed. */
const CLOCK_CHANGE_MS = 3_600_000;

/** Returns the longest time that a bar of a timeframe can last, in any zone, in ms. */
export function longestBarMs(timeframe: Timeframe): number {
  const lengthMs = timeframeMs(timeframe);
  return lengthMs <= ALWAYS_EVEN_MS ? lengthMs : lengthMs + CLOCK_CHANGE_MS;
}

/** The bars of one timeframe, on the clock of their anchor. Times are in ms since 1970. */
export class BarGrid {
  readonly timeframe: Timeframe;
  readonly anchor: BarAnchor;
  /** Usual length of a bar in ms; some are an hour longer or shorter if `isEven` is false. */
  readonly lengthMs: number;
  /** True if all bars have one length, so that their starts follow from it without a time zone. */
  readonly isEven: boolean;
  /** Distance of the start of even bars from a multiple of their length, in ms. */
  private readonly phaseMs: number;

  constructor(timeframe: Timeframe, anchor: BarAnchor) {
    const { zone, offsetMs } = anchor;
    this.timeframe = timeframe;
    this.anchor = anchor;
    this.lengthMs = timeframeMs(timeframe);
    this.isEven = zone === 'UTC' || this.lengthMs <= ALWAYS_EVEN_MS;
    this.phaseMs = remainder(offsetMs - zoneOffsetMs(zone, USUAL_MS), this.lengthMs);
  }

  /** Returns the start of the bar that contains a time. */
  startOf(timeMs: number): number {
    const { lengthMs, phaseMs } = this;
    if (this.isEven) return Math.floor((timeMs - phaseMs) / lengthMs) * lengthMs + phaseMs;
    return this.instantOf(this.numberOf(timeMs));
  }

  /** Returns the end of the bar that begins at a time, which is the start of the next bar. */
  endOf(openTimeMs: number): number {
    return this.isEven ? openTimeMs + this.lengthMs : this.instantOf(this.numberOf(openTimeMs) + 1);
  }

  /** Returns the start of the bar before the one that begins at a time. */
  before(openTimeMs: number): number {
    return this.startOf(openTimeMs - 1);
  }

  /** Returns the start of a bar that is nearest to a time. */
  nearestStart(timeMs: number): number {
    return this.startOf(timeMs + this.lengthMs / 2);
  }

  /** Returns the first start of a bar at a time or later. */
  startFrom(timeMs: number): number {
    const startMs = this.startOf(timeMs);
    return startMs === timeMs ? timeMs : this.endOf(startMs);
  }

  /** True if a bar begins at a time. */
  isStart(timeMs: number): boolean {
    return this.startOf(timeMs) === timeMs;
  }

  /** Returns the number of bars that begin from `fromMs` on and before `toMs`; it may be negative. */
  count(fromMs: number, toMs: number): number {
    if (this.isEven)
      return (
        Math.ceil((toMs - this.phaseMs) / this.lengthMs) - Math.ceil((fromMs - this.phaseMs) / this.lengthMs)
      );
    return this.numberOf(this.startFrom(toMs)) - this.numberOf(this.startFrom(fromMs));
  }

  /** Returns the start of the bar that is `bars` bars after the bar at a time; before it if negative. */
  shifted(timeMs: number, bars: number): number {
    if (this.isEven) return this.startOf(timeMs) + bars * this.lengthMs;
    return this.instantOf(this.numberOf(timeMs) + bars);
  }

  /**
   * Returns the number of the bar that contains a time, counted from 1970. A clock that is set back may have
   * shown the time of a later bar before.
   */
  private numberOf(timeMs: number): number {
    if (this.isEven) return Math.floor((timeMs - this.phaseMs) / this.lengthMs);
    const { zone, offsetMs } = this.anchor;
    let number = Math.floor((timeMs + zoneOffsetMs(zone, timeMs) - offsetMs) / this.lengthMs);
    while (this.instantOf(number + 1) <= timeMs) number += 1;
    return number;
  }

  private instantOf(number: number): number {
    const { zone, offsetMs } = this.anchor;
    return zoneInstant(zone, number * this.lengthMs + offsetMs);
  }
}

const grids = new Map<string, BarGrid>();
/** Maximum number of grids in the cache; it is emptied when full. */
const MOST_GRIDS = 256;

/** Returns the grid of a timeframe: always the same object for the same anchor. */
export const gridOf = (timeframe: Timeframe, anchors: BarAnchors | undefined): BarGrid =>
  gridAt(timeframe, anchorIn(anchors ?? UTC_BARS, timeframe));

/** Returns the grid of a timeframe as `gridOf` does, for an anchor that is known. */
export function gridAt(timeframe: Timeframe, anchor: BarAnchor): BarGrid {
  const key = `${timeframe} ${anchor.zone} ${anchor.offsetMs}`;
  let grid = grids.get(key);
  if (grid !== undefined) return grid;
  grid = new BarGrid(timeframe, anchor);
  if (grids.size >= MOST_GRIDS) grids.clear();
  grids.set(key, grid);
  return grid;
}

/** Midsummer and midwinter of years whose clock changes differ from today's, in ms since 1970. */
const OFFSETS_AT_MS = [2010, 2018, 2022, 2026].flatMap((year) =>
  [0, 6].map((month) => (year - 1970) * 31_556_952_000 + month * 2_629_746_000),
);

/** True if each bar of one grid lies inside one bar of the other, of which it can then be a part. */
export function liesInside(parts: BarGrid, whole: BarGrid): boolean {
  if (whole.lengthMs % parts.lengthMs !== 0) return false;
  const { zone, offsetMs } = whole.anchor;
  if (!parts.isEven)
    return parts.anchor.zone === zone && remainder(offsetMs - parts.anchor.offsetMs, parts.lengthMs) === 0;
  if (whole.isEven) return parts.isStart(whole.startOf(0));
  return OFFSETS_AT_MS.every((atMs) => parts.isStart(offsetMs - zoneOffsetMs(zone, atMs)));
}

/**
 * Returns the anchor that fits the start times of some bars: `stated` if they fit it, else midnight in UTC or
 * in Tehran, another first day of these for bars of several days, or another time of day in UTC. Null if none
 * fits. One or two bars may fit several anchors; more bars may then show another one.
 */
export function anchorShown(
  timeframe: Timeframe,
  openTimesMs: readonly number[],
  stated: BarAnchor = UTC_MIDNIGHT,
): BarAnchor | null {
  const { anchor, bars } = anchorOfMost(timeframe, openTimesMs, stated);
  return bars === openTimesMs.length ? anchor : null;
}

/** Returns the anchor that most of the bars fit (the first of several), and the number of those bars. */
export function anchorOfMost(
  timeframe: Timeframe,
  openTimesMs: readonly number[],
  stated: BarAnchor = UTC_MIDNIGHT,
): { readonly anchor: BarAnchor; readonly bars: number } {
  let most = { anchor: stated, bars: -1 };
  for (const anchor of candidates(timeframe, { stated, openTimesMs })) {
    const grid = gridAt(timeframe, anchor);
    let bars = 0;
    for (const timeMs of openTimesMs) if (grid.isStart(timeMs)) bars += 1;
    if (bars > most.bars) most = { anchor, bars };
    if (bars === openTimesMs.length) break;
  }
  return most;
}

/** Returns the anchors of a market as some of its bars show them; stated ones stay unless contradicted. */
export function shownAnchors(
  timeframe: Timeframe,
  bars: readonly { readonly openTimeMs: number }[],
  stated: BarAnchors,
): BarAnchors {
  const before = anchorIn(stated, timeframe);
  const times = bars.map(({ openTimeMs }) => openTimeMs);
  const shown = anchorShown(timeframe, times, before);
  return shown === null || shown === before ? stated : { ...stated, [timeframe]: shown };
}

/** Every zone's clock differs from UTC by a multiple of this, in ms: no day begins at a time between. */
const FINEST_OFFSET_MS = 900_000;

function candidates(
  timeframe: Timeframe,
  of: { readonly stated: BarAnchor; readonly openTimesMs: readonly number[] },
): readonly BarAnchor[] {
  const { stated, openTimesMs } = of;
  const lengthMs = timeframeMs(timeframe);
  const daysMs = Array.from({ length: Math.max(1, lengthMs / DAY_MS) }, (_, day) => day * DAY_MS);
  const phases = new Map<number, number>();
  for (const timeMs of openTimesMs) {
    const phaseMs = remainder(timeMs, lengthMs);
    if (phaseMs % FINEST_OFFSET_MS === 0) phases.set(phaseMs, (phases.get(phaseMs) ?? 0) + 1);
  }
  const [usual] = [...phases].toSorted(([, left], [, right]) => right - left);
  return [
    stated,
    ...daysMs.flatMap((offsetMs) => [UTC_MIDNIGHT, TEHRAN_MIDNIGHT].map(({ zone }) => ({ zone, offsetMs }))),
    ...(usual === undefined ? [] : [{ zone: 'UTC', offsetMs: usual[0] }]),
  ];
}

/** True if two grids of one timeframe have the same bars, as those up to 30 minutes in UTC and Tehran. */
export const isSameGrid = (left: BarGrid, right: BarGrid): boolean =>
  liesInside(left, right) && left.isEven === right.isEven;

const two = (value: number): string => String(value).padStart(2, '0');

/** Returns an anchor as text for people: `Asia/Tehran`, or `UTC 08:00` if bars do not begin at midnight. */
export function anchorText({ zone, offsetMs }: BarAnchor): string {
  if (offsetMs === 0) return zone;
  const minutes = Math.floor(offsetMs / 60_000);
  return `${zone} ${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** Returns bars as text for people: `4h, which begin at Asia/Tehran`. */
export const gridText = ({ timeframe, anchor }: BarGrid): string =>
  `${timeframe}, which begin at ${anchorText(anchor)}`;

/**
 * Reads the text that `anchorText` writes. Throws `INVALID_OPTIONS` for a zone that the tz database does not
 * have, and for an invalid time.
 */
export function readAnchor(text: string): BarAnchor {
  const [zone = '', clock = '00:00', more] = text.trim().split(/\s+/);
  const parts = /^(\d{2}):(\d{2})$/.exec(clock);
  const minutes = parts === null ? Number.NaN : Number(parts[1]) * 60 + Number(parts[2]);
  if (more === undefined && minutes < 3 * 1_440 && zone !== '' && isZone(zone))
    return { zone, offsetMs: minutes * 60_000 };
  throw invalidOptions(`expected where bars begin, such as UTC, Asia/Tehran or "UTC 08:00", was "${text}"`);
}

const remainder = (value: number, by: number): number => ((value % by) + by) % by;
