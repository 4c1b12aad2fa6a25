import { ORDER_LABELS } from '../../records/order.ts';
import { EXIT_FIELDS, ExitCheck, MOST_LATER_TARGETS } from './check-bracket.ts';
import type { Intent } from '../intents.ts';
import { isDecimalFromZero, sayInput } from '../decimal-input.ts';
import { isFields, type Fields } from '../fields.ts';

/** Ways to give the size of an order. */
export const SIZES = ['amount', 'value', 'equityShare'] as const;
/** Ways to give the holding to reach. */
export const HOLDINGS = ['position', 'value', 'equityShare'] as const;

/** Permitted fields of each kind. */
export const INTENT_FIELDS: Readonly<Record<Intent['kind'], ReadonlySet<string>>> = {
  place: new Set([
    'kind',
    'market',
    'side',
    ...SIZES,
    'price',
    'stopPrice',
    ...ORDER_LABELS,
    'allowIdentical',
    'expireAfterMs',
    'postOnly',
  ]),
  oco: new Set([
    'kind',
    'market',
    'side',
    ...SIZES,
    'price',
    'stopPrice',
    'stopLimitPrice',
    ...ORDER_LABELS,
    'allowIdentical',
  ]),
  cancel: new Set(['kind', 'clientOrderId']),
  'cancel-all': new Set(['kind', 'market']),
  replace: new Set(['kind', 'clientOrderId', 'price', 'amount']),
  target: new Set(['kind', 'market', ...HOLDINGS, 'price']),
  targets: new Set(['kind', 'market', 'shares', 'band', 'fee', 'atOnce']),
  quotes: new Set(['kind', 'market', 'quotes']),
  twap: new Set(['kind', 'market', 'side', ...SIZES, 'overMs', 'slices', 'price']),
  vwap: new Set(['kind', 'market', 'side', ...SIZES, 'overMs', 'profile', 'price']),
  iceberg: new Set(['kind', 'market', 'side', ...SIZES, 'visible', 'price']),
  ladder: new Set(['kind', 'market', 'side', ...SIZES, 'from', 'to', 'orders', 'scale', 'expireAfterMs']),
  peg: new Set([
    'kind',
    'market',
    'side',
    ...SIZES,
    'bound',
    'offset',
    'minStep',
    'everyMs',
    'share',
    'expireAfterMs',
  ]),
  dca: new Set(['kind', 'market', 'value', 'everyMs', 'times', 'steps']),
  transfer: new Set(['kind', 'currency', 'amount', 'from', 'to']),
  bracket: new Set(['kind', 'market', 'entry', ...EXIT_FIELDS]),
  protect: new Set(['kind', 'market', 'amount', 'averagePrice', ...EXIT_FIELDS]),
  exit: new Set(['kind', 'market', 'reason', 'price']),
};

/** Permitted fields of a bracket's entry. */
export const ENTRY_FIELDS: ReadonlySet<string> = new Set([...SIZES, 'price', 'expireAfterMs']);

/** Permitted fields of a quote. */
export const QUOTE_FIELDS: ReadonlySet<string> = new Set(['side', 'price', ...SIZES]);

/** Fields that are counts, not money. */
export const COUNT_FIELDS: ReadonlySet<string> = new Set([
  'overMs',
  'slices',
  'timeStopMs',
  'expireAfterMs',
  'afterMs',
  'everyMs',
  'times',
  'offset',
  'orders',
  'atOnce',
]);

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
