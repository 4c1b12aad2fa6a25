import { FieldCheck } from './check-fields.ts';
import { isDecimalFromZero, sayInput } from '../decimal-input.ts';
import { isFields, type Fields } from '../fields.ts';

/** Fields of an exit, of a bracket and of a protection. */
export const EXIT_FIELDS = [
  'takeProfit',
  'laterTargets',
  'stopLoss',
  'trail',
  'breakEvenAt',
  'timeStopMs',
  'stopSlip',
  'whenCanceled',
  'tag',
] as const;

/** Fields that hold fields themselves. */
export const NESTED_FIELDS: ReadonlySet<string> = new Set([
  'entry',
  'takeProfit',
  'stopLoss',
  'trail',
  'breakEvenAt',
]);

/** At least one of these is how a position is left. */
const EXITS = ['takeProfit', 'laterTargets', 'stopLoss', 'trail', 'timeStopMs'];

const DISTANCES = ['percent', 'price', 'distance', 'money'] as const;
const DISTANCE_FIELDS: ReadonlySet<string> = new Set(DISTANCES);
const LATER_FIELDS: ReadonlySet<string> = new Set([...DISTANCES, 'afterMs']);
const TRAIL_FIELDS: ReadonlySet<string> = new Set(['by', 'after', 'minStep', 'on']);

/** Steps by which a target falls. */
export const MOST_LATER_TARGETS = 20;

/** A year: longer is a mistake of the unit. */
const LONGEST_MS = 31_536_000_000;

/** Checks of the fields of an exit. Each throws `INVALID_STRATEGY`. */
export class ExitCheck extends FieldCheck {
  /** An exit: distances, times, and what is to become of it. */
  exit(fields: Fields): void {
    this.distance(fields['takeProfit'], '.takeProfit');
    this.laterTargets(fields['laterTargets']);
    this.distance(fields['stopLoss'], '.stopLoss');
    this.distance(fields['breakEvenAt'], '.breakEvenAt');
    this.trail(fields['trail']);
    this.time(fields['timeStopMs'], '.timeStopMs');
    this.percent(fields['stopSlip'], '.stopSlip');
    this.oneWord(fields['whenCanceled'], '.whenCanceled', ['ask', 'replace', 'leave']);
    if (EXITS.some((name) => fields[name] !== undefined)) return;
    this.fail('', `expected one of ${EXITS.join(', ')}, was none`);
  }

  /** A time in ms, which may be left out. */
  time(input: unknown, place: string): void {
    if (input !== undefined) this.whole(input, place, LONGEST_MS);
  }

  /** An object of fields, whose copy is taken. */
  fields(input: unknown, place: string, example: string): Fields {
    if (isFields(input)) return input;
    return this.fail(place, `expected ${example}, was ${sayInput(input)}`);
  }

  private distance(input: unknown, place: string): void {
    if (input === undefined) return;
    const fields = this.fields(input, place, 'a distance such as { percent: 2 }');
    this.onlyFields(fields, DISTANCE_FIELDS, place);
    const given = DISTANCES.filter((name) => fields[name] !== undefined);
    const [name] = given;
    if (name === undefined || given.length > 1) {
      const was = given.length === 0 ? 'none' : given.join(' and ');
      this.fail(place, `expected one of ${DISTANCES.join(', ')}, was ${was}`);
    }
    this.positive(fields[name], `${place}.${name}`);
  }

  /** Targets with rising times. Their percent may be 0: what was paid. */
  private laterTargets(input: unknown): void {
    if (input === undefined) return;
    if (!Array.isArray(input) || input.length === 0 || input.length > MOST_LATER_TARGETS)
      this.fail(
        '.laterTargets',
        `expected 1 to ${MOST_LATER_TARGETS} targets such as { afterMs: 3_600_000, percent: 1 }, was ${sayInput(input)}`,
      );
    let beforeMs = 0;
    for (const [index, given] of (input as readonly unknown[]).entries()) {
      const place = `.laterTargets.${index}`;
      const { afterMs, ...distance } = this.fields(
        given,
        place,
        'a target such as { afterMs: 3_600_000, percent: 1 }',
      );
      this.onlyFields({ afterMs, ...distance }, LATER_FIELDS, place);
      this.time(afterMs ?? null, `${place}.afterMs`);
      if (Number(afterMs) <= beforeMs)
        this.fail(
          `${place}.afterMs`,
          `expected more than the ${beforeMs} of the one before, was ${sayInput(afterMs)}`,
        );
      beforeMs = Number(afterMs);
      if (distance['percent'] === undefined) this.distance(distance, place);
      else {
        const others = Object.keys(distance).filter(
          (name) => name !== 'percent' && distance[name] !== undefined,
        );
        if (others.length > 0)
          this.fail(
            place,
            `expected one of ${DISTANCES.join(', ')}, was percent and ${others.join(' and ')}`,
          );
        this.percent(distance['percent'], `${place}.percent`);
      }
    }
  }

  private trail(input: unknown): void {
    if (input === undefined) return;
    const fields = this.fields(input, '.trail', 'a trail such as { by: { percent: 2 } }');
    this.onlyFields(fields, TRAIL_FIELDS, '.trail');
    if (fields['by'] === undefined)
      this.fail('.trail.by', 'expected a distance such as { percent: 2 }, was none');
    this.distance(fields['by'], '.trail.by');
    this.distance(fields['after'], '.trail.after');
    this.percent(fields['minStep'], '.trail.minStep');
    this.oneWord(fields['on'], '.trail.on', ['close', 'high', 'poll']);
  }

  protected percent(input: unknown, place: string): void {
    if (input === undefined || isDecimalFromZero(input)) return;
    this.fail(place, `expected percent from 0 on, was ${sayInput(input)}`);
  }

  protected oneWord(input: unknown, place: string, words: readonly string[]): void {
    if (input === undefined || (typeof input === 'string' && words.includes(input))) return;
    this.fail(place, `expected one of ${words.join(', ')}, was ${sayInput(input)}`);
  }
}
