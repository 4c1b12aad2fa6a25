import { defaultHorzScaleBehavior, type TimeScalePoint } from 'lightweight-charts';
import { tehranParts } from '../../../language/format-time.ts';
import type { CalendarSystem } from '../../../language/locale.ts';

type Parts = ReturnType<typeof tehranParts>;

/** Weights of ticks: the chart library omits ticks of lower weight if they would be too close. */
const WEIGHTS = {
  year: 70,
  month: 60,
  day: 50,
  halfDay: 33,
  quarterDay: 32,
  threeHours: 31,
  hour: 30,
  half: 22,
  five: 21,
  minute: 20,
  none: 0,
} as const;

/** Returns the weight of a tick by the period (day, month, …) that begins between two consecutive times. */
function tickWeight(before: Parts, now: Parts): number {
  if (now.year !== before.year) return WEIGHTS.year;
  if (now.month !== before.month) return WEIGHTS.month;
  if (now.day !== before.day) return WEIGHTS.day;
  const isShown = (minutes: number): boolean =>
    Math.floor(now.minuteOfDay / minutes) !== Math.floor(before.minuteOfDay / minutes);
  if (isShown(720)) return WEIGHTS.halfDay;
  if (isShown(360)) return WEIGHTS.quarterDay;
  if (isShown(180)) return WEIGHTS.threeHours;
  if (isShown(60)) return WEIGHTS.hour;
  if (isShown(30)) return WEIGHTS.half;
  if (isShown(5)) return WEIGHTS.five;
  return isShown(1) ? WEIGHTS.minute : WEIGHTS.none;
}

/** Returns a time axis whose days and months begin as in Tehran, in the reader's calendar. */
export function tehranScale(calendar: CalendarSystem) {
  const Usual = defaultHorzScaleBehavior();
  return new (class extends Usual {
    override fillWeightsForPoints(points: readonly TimeScalePoint[], start: number): void {
      for (let index = Math.max(1, start); index < points.length; index += 1) {
        const point = points[index];
        if (point !== undefined) setWeight(point, tickWeight(partsOf(points[index - 1]), partsOf(point)));
      }
      const first = points[0];
      if (start === 0 && first !== undefined) setWeight(first, WEIGHTS.hour);
    }
  })();

  function partsOf(point: TimeScalePoint | undefined): Parts {
    return tehranParts(secondsOf(point?.originalTime) * 1_000, calendar);
  }
}

/** Sets the weight of a point in place, as the chart library expects. */
function setWeight(point: TimeScalePoint, weight: number): void {
  (point as { timeWeight: number }).timeWeight = weight;
}

function secondsOf(time: unknown): number {
  return typeof time === 'number' ? time : 0;
}
