import { ExitCheck, MOST_LATER_TARGETS } from './check-bracket.ts';
import { isDecimalFromZero, sayInput } from './decimal-input.ts';
import { isFields, type Fields } from './fields.ts';

/** Slices of a TWAP or a VWAP, and the longest time they may take: thirty days. */
export const MOST_SLICES = 1_000;
const LONGEST_SLICES_MS = 2_592_000_000;

const MOST_RUNGS = 50;
const MOST_OFFSET = 1_000;
const MOST_TIMES = 100_000;
const MOST_STEPS = 10;
const STEP_FIELDS: ReadonlySet<string> = new Set(['belowPercent', 'factor']);

/** Fields that are lists, by the most that each may have. */
export const LIST_FIELDS: ReadonlyMap<string, number> = new Map([
  ['profile', MOST_SLICES],
  ['steps', MOST_STEPS],
  ['laterTargets', MOST_LATER_TARGETS],
]);

/** Checks of intents that one order or several serve over time. Each throws `INVALID_STRATEGY`. */
export class OrdersOverTimeCheck extends ExitCheck {
  /** A list whose copy is taken, of fields or of decimals; what is none is left for its own check. */
  protected listCopy(name: string, input: unknown): unknown {
    if (!Array.isArray(input)) return input;
    const most = LIST_FIELDS.get(name) ?? 0;
    if (input.length > most) this.fail(`.${name}`, `expected at most ${most}, were ${input.length}`);
    return Array.from(input, (one: unknown) => (isFields(one) ? { ...one } : one));
  }

  protected slices(fields: Fields): void {
    this.optional(fields, 'price');
    this.whole(fields['overMs'], '.overMs', LONGEST_SLICES_MS);
  }

  protected profile(input: unknown): void {
    if (!Array.isArray(input) || input.length === 0)
      this.fail('.profile', `expected a list of volumes, one a slice, was ${sayInput(input)}`);
    for (const [index, volume] of input.entries()) {
      if (!isDecimalFromZero(volume))
        this.fail(`.profile.${index}`, `expected a volume from 0 on, was ${sayInput(volume)}`);
    }
  }

  protected ladder(fields: Fields): void {
    this.positive(fields['from'], '.from');
    this.positive(fields['to'], '.to');
    this.whole(fields['orders'], '.orders', MOST_RUNGS);
    this.oneWord(fields['scale'], '.scale', ['equal', 'linear']);
    this.time(fields['expireAfterMs'], '.expireAfterMs');
  }

  protected peg(fields: Fields): void {
    const { offset } = fields;
    this.positive(fields['bound'], '.bound');
    if (offset !== undefined && offset !== 0) this.whole(offset, '.offset', MOST_OFFSET);
    this.percent(fields['minStep'], '.minStep');
    this.time(fields['everyMs'], '.everyMs');
    this.optional(fields, 'share');
    this.time(fields['expireAfterMs'], '.expireAfterMs');
  }

  protected dca(fields: Fields): void {
    const { times, steps } = fields;
    this.positive(fields['value'], '.value');
    this.time(fields['everyMs'] ?? null, '.everyMs');
    if (times !== undefined) this.whole(times, '.times', MOST_TIMES);
    if (steps === undefined) return;
    if (!Array.isArray(steps)) this.fail('.steps', `expected a list of steps, was ${sayInput(steps)}`);
    for (const [index, step] of steps.entries()) {
      const place = `.steps.${index}`;
      const of = this.fields(step, place, 'a step such as { belowPercent: 5, factor: 2 }');
      this.onlyFields(of, STEP_FIELDS, place);
      this.positive(of['belowPercent'], `${place}.belowPercent`);
      this.positive(of['factor'], `${place}.factor`);
    }
  }
}
