import { SarrafError } from '../domain/errors.ts';

/**
 * Before the first a number is seconds, before the second milliseconds, before the third microseconds, else
 * nanoseconds: 1e11 s are the year 5138.
 */
const FIRST_MS = 1e11;
const FIRST_MICROSECONDS = 1e14;
const FIRST_NANOSECONDS = 1e17;

const ISO = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?:\s?(Z|UTC|[+-]\d\d(?::?\d\d)?))?)?$/;

/**
 * Reads the times of one file: seconds, milliseconds, microseconds or nanoseconds since 1970, or ISO 8601,
 * where a time without a zone is UTC. All are of one form, one unit and one zone, since a file in which that
 * changes was put together of parts that do not fit.
 */
export class TimeReader {
  private form: string | null = null;
  private zone: string | null = null;
  private zoneLine = 0;

  /**
   * A time in ms, or what is wrong with it as a sentence. Throws `INVALID_FILE` where the zone changes: then
   * the whole file is in doubt.
   */
  read(text: string, at: { readonly path: string; readonly line: number }): number | string {
    if (/^\d+(?:\.\d+)?$/.test(text)) return this.number(text);
    const [, date, clock, zone = 'none'] = ISO.exec(text) ?? [];
    if (date === undefined)
      return `expected a time in s, ms, microseconds or nanoseconds, or as ISO 8601, found "${text}"`;
    const timeMs = Date.parse(`${date}T${clock ?? '00:00'}${offset(zone)}`);
    if (!Number.isSafeInteger(timeMs) || !isOfCalendar(date))
      return `expected a date of the calendar, found "${text}"`;
    const problem = this.formProblem('ISO 8601', text);
    if (problem !== null) return problem;
    this.checkZone(zone, at);
    return timeMs;
  }

  /** Returns the problem of a time of this unit or form; null if all before it had the same. */
  private formProblem(form: string, text: string): string | null {
    this.form ??= form;
    return this.form === form ? null : `expected a time in ${this.form} as in the first row, found "${text}"`;
  }

  private number(text: string): number | string {
    const number = Number(text);
    const unit =
      number < FIRST_MS
        ? 's'
        : number < FIRST_MICROSECONDS
          ? 'ms'
          : number < FIRST_NANOSECONDS
            ? 'microseconds'
            : 'nanoseconds';
    const problem = this.formProblem(unit, text);
    if (problem !== null) return problem;
    // What comes after a point is cut off below: a float of so many digits may have been rounded up.
    if (unit === 'ms' && !text.includes('.')) return number;
    const [whole = '0', part = ''] = text.split('.');
    if (unit === 's') return Number(whole) * 1_000 + Number(part.slice(0, 3).padEnd(3, '0'));
    const digits = unit === 'ms' ? 0 : unit === 'microseconds' ? 3 : 6;
    return digits === 0 ? Number(whole) : Number(whole.slice(0, -digits));
  }

  private checkZone(zone: string, { path, line }: { readonly path: string; readonly line: number }): void {
    const named = zone === 'UTC' || zone === '+00:00' ? 'Z' : zone;
    if (this.zone === null) {
      this.zone = named;
      this.zoneLine = line;
    }
    if (this.zone === named) return;
    throw new SarrafError(
      'INVALID_FILE',
      `${path}:${line}: expected times of one time zone, found ${zoneText(named)} here and ${zoneText(this.zone)} in line ${this.zoneLine}: write them all in UTC, and import again`,
    );
  }
}

/** Invalid dates, such as February 30, would be taken for days of the next month. */
function isOfCalendar(date: string): boolean {
  return new Date(`${date}T00:00Z`).toISOString().startsWith(date);
}

function zoneText(name: string): string {
  if (name === 'none') return 'no zone';
  return name === 'Z' ? 'UTC' : `the zone ${name}`;
}

function offset(zone: string): string {
  if (zone === 'none' || zone === 'UTC' || zone === 'Z') return 'Z';
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  return `${zone.slice(0, 1)}${digits.slice(0, 2)}:${digits.slice(2)}`;
}
