import { ORDER_LABELS } from '../../records/order.ts';
import type { Intent } from '../intents.ts';
import { isDecimalFromZero, inputText, isPositiveDecimal, expectedMarket } from '../decimal-input.ts';
import { isFields, type Fields } from '../fields.ts';
import { type SarrafError, invalidStrategy } from '../../domain/errors.ts';

const LONGEST_TAG = 32;
const LONGEST_ID = 64;

const FILLED_IN: ReadonlySet<string> = new Set(['kind', 'market', 'side']);

/** Names that other tools use for an order's fields (in lower case), with our names. */
const OTHER_WORDS: ReadonlyMap<string, string> = new Map([
  ['qty', 'amount'],
  ['quantity', 'amount'],
  ['size', 'amount'],
  ['volume', 'amount'],
  ['cost', 'value'],
  ['notional', 'value'],
  ['stake', 'value'],
  ['percent', 'equityShare'],
  ['share', 'equityShare'],
  ['limit', 'price'],
  ['limitprice', 'price'],
  ['stop', 'stopPrice'],
  ['sl', 'stopPrice'],
  ['label', 'tag'],
]);

/**
 * Checks of fields that several kinds of intent share. Error messages begin with the place of the intent.
 * Each check throws `INVALID_STRATEGY`.
 */
class FieldCheck {
  protected readonly place: string;
  private readonly knownMarkets: ReadonlySet<string> | undefined;

  /** `place` is the author's name for the intent, such as `ctx.buy`. */
  constructor(place: string, knownMarkets: ReadonlySet<string> | undefined) {
    this.place = place;
    this.knownMarkets = knownMarkets;
  }

  protected market(market: unknown): void {
    if (typeof market !== 'string' || market === '')
      this.fail('.market', `expected a market such as "BTCIRT", was ${inputText(market)}`);
    if (this.knownMarkets?.has(market) === false)
      this.fail('.market', expectedMarket(market, this.knownMarkets));
  }

  protected side(side: unknown, place: string): void {
    if (!isSide(side)) this.fail(place, `expected "buy" or "sell", was ${inputText(side)}`);
  }

  protected positive(input: unknown, place: string): void {
    if (!isPositiveDecimal(input))
      this.fail(place, `expected a positive number, decimal text or Decimal, was ${inputText(input)}`);
  }

  protected optional(fields: Fields, name: string): void {
    const input = fields[name];
    if (input !== undefined && !isPositiveDecimal(input)) this.positive(input, `.${name}`);
  }

  protected whole(input: unknown, place: string, most: number): void {
    if (typeof input === 'number' && Number.isInteger(input) && input >= 1 && input <= most) return;
    this.fail(place, `expected a whole number from 1 to ${most}, was ${inputText(input)}`);
  }

  protected id(id: unknown): void {
    if (typeof id === 'string' && id !== '' && id.length <= LONGEST_ID) return;
    this.fail('.clientOrderId', `expected the id of an own order, was ${inputText(id)}`);
  }

  protected label(fields: Fields, name: (typeof ORDER_LABELS)[number]): void {
    const text = fields[name];
    if (text === undefined || (typeof text === 'string' && text !== '' && text.length <= LONGEST_TAG)) return;
    this.fail(`.${name}`, `expected a text of 1 to ${LONGEST_TAG} characters, was ${inputText(text)}`);
  }

  protected onlyFields(fields: Fields, known: ReadonlySet<string>, place: string): void {
    for (const name in fields) {
      if (known.has(name)) continue;
      // Fields that `ctx` fills in are not the author's.
      const isAuthors = this.place.startsWith('ctx.') && place === '';
      const names = [...known].filter((one) => !isAuthors || !FILLED_IN.has(one));
      const meant = OTHER_WORDS.get(name.toLowerCase());
      const hint = meant !== undefined && names.includes(meant) ? `: it is called ${meant} here` : '';
      this.fail(`${place}.${name}`, `expected one of ${names.join(', ')}, was "${name}"${hint}`);
    }
  }

  protected fail(place: string, message: string): never {
    throw refusal(`${this.place}${place}`, message);
  }
}

export const isSide = (side: unknown): boolean => side === 'buy' || side === 'sell';

/** Returns the error for a problem at a place. */
export const refusal = (place: string, message: string): SarrafError =>
  invalidStrategy(`${place}: ${message}`);

/** Fields of an exit, which a bracket and a protection share. */
const EXIT_FIELDS = [
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

/** Fields that are objects of fields. */
export const NESTED_FIELDS: ReadonlySet<string> = new Set([
  'entry',
  'takeProfit',
  'stopLoss',
  'trail',
  'breakEvenAt',
]);

/** Ways to leave a position; an exit needs at least one. */
const EXITS = ['takeProfit', 'laterTargets', 'stopLoss', 'trail', 'timeStopMs'];

const DISTANCES = ['percent', 'price', 'distance', 'money'] as const;
const DISTANCE_FIELDS: ReadonlySet<string> = new Set(DISTANCES);
const LATER_FIELDS: ReadonlySet<string> = new Set([...DISTANCES, 'afterMs']);
const TRAIL_FIELDS: ReadonlySet<string> = new Set(['by', 'after', 'minStep', 'on']);

/** Maximum number of `laterTargets` of one exit. */
const MOST_LATER_TARGETS = 20;

/** Longest time, a year: a longer one is a wrong unit. */
const LONGEST_MS = 31_536_000_000;

/** Checks of the fields of an exit. Each throws `INVALID_STRATEGY`. */
class ExitCheck extends FieldCheck {
  /** Checks an exit: distances, times and reactions. */
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

  /** Checks an optional time in ms. */
  time(input: unknown, place: string): void {
    if (input !== undefined) this.whole(input, place, LONGEST_MS);
  }

  /** Checks that a value is an object of fields, and returns it. */
  fields(input: unknown, place: string, example: string): Fields {
    if (isFields(input)) return input;
    return this.fail(place, `expected ${example}, was ${inputText(input)}`);
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

  /** Checks targets with rising times. Their percent may be 0, which is the purchase price. */
  private laterTargets(input: unknown): void {
    if (input === undefined) return;
    if (!Array.isArray(input) || input.length === 0 || input.length > MOST_LATER_TARGETS)
      this.fail(
        '.laterTargets',
        `expected 1 to ${MOST_LATER_TARGETS} targets such as { afterMs: 3_600_000, percent: 1 }, was ${inputText(input)}`,
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
          `expected more than the ${beforeMs} of the one before, was ${inputText(afterMs)}`,
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
    this.fail(place, `expected percent from 0 on, was ${inputText(input)}`);
  }

  protected oneWord(input: unknown, place: string, words: readonly string[]): void {
    if (input === undefined || (typeof input === 'string' && words.includes(input))) return;
    this.fail(place, `expected one of ${words.join(', ')}, was ${inputText(input)}`);
  }
}

/** Ways to give the size of an order. */
export const SIZES = ['amount', 'value', 'equityShare'] as const;
/** Ways to give the holding to reach. */
export const HOLDINGS = ['position', 'value', 'equityShare'] as const;

/** Returns all fields of a kind of order: those of every order and its own. */
const orderFields = (...own: readonly string[]): ReadonlySet<string> =>
  new Set(['kind', 'market', 'side', ...SIZES, ...own]);
const PLACED = [...ORDER_LABELS, 'allowIdentical'];

/** Permitted fields of each kind. */
export const INTENT_FIELDS: Readonly<Record<Intent['kind'], ReadonlySet<string>>> = {
  place: orderFields('price', 'stopPrice', ...PLACED, 'expireAfterMs', 'postOnly'),
  oco: orderFields('price', 'stopPrice', 'stopLimitPrice', ...PLACED),
  cancel: new Set(['kind', 'clientOrderId']),
  'cancel-all': new Set(['kind', 'market']),
  replace: new Set(['kind', 'clientOrderId', 'price', 'amount']),
  target: new Set(['kind', 'market', ...HOLDINGS, 'price']),
  targets: new Set(['kind', 'market', 'shares', 'band', 'fee', 'atOnce']),
  quotes: new Set(['kind', 'market', 'quotes']),
  twap: orderFields('overMs', 'slices', 'price'),
  vwap: orderFields('overMs', 'profile', 'price'),
  iceberg: orderFields('visible', 'price'),
  ladder: orderFields('from', 'to', 'orders', 'scale', 'expireAfterMs'),
  peg: orderFields('bound', 'offset', 'minStep', 'everyMs', 'share', 'expireAfterMs'),
  dca: new Set(['kind', 'market', 'value', 'everyMs', 'times', 'steps']),
  transfer: new Set(['kind', 'currency', 'amount', 'from', 'to']),
  bracket: new Set(['kind', 'market', 'entry', ...EXIT_FIELDS]),
  protect: new Set(['kind', 'market', 'amount', 'averagePrice', ...EXIT_FIELDS]),
  exit: new Set(['kind', 'market', 'reason', 'price']),
};

/** Permitted fields of a bracket's entry. */
export const ENTRY_FIELDS: ReadonlySet<string> = new Set([...SIZES, 'price', 'expireAfterMs']);

export const QUOTE_FIELDS: ReadonlySet<string> = new Set(['side', 'price', ...SIZES]);

/** Fields that are counts, not amounts of money. */
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

/** Maximum number of slices of a TWAP or a VWAP, and their longest time: thirty days. */
export const MOST_SLICES = 1_000;
const LONGEST_SLICES_MS = 2_592_000_000;

const MOST_RUNGS = 50;
const MOST_OFFSET = 1_000;
const MOST_TIMES = 100_000;
const MOST_STEPS = 10;
const STEP_FIELDS: ReadonlySet<string> = new Set(['belowPercent', 'factor']);

/** Fields that are lists, with the most items of each. */
export const LIST_FIELDS: ReadonlyMap<string, number> = new Map([
  ['profile', MOST_SLICES],
  ['steps', MOST_STEPS],
  ['laterTargets', MOST_LATER_TARGETS],
]);

/** Checks of intents that are served over time, by one order or several. Each throws `INVALID_STRATEGY`. */
export class OrdersOverTimeCheck extends ExitCheck {
  /** Returns a copy of a list of fields or decimals; any other value as it is, for its own check. */
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
      this.fail('.profile', `expected a list of volumes, one a slice, was ${inputText(input)}`);
    for (const [index, volume] of input.entries()) {
      if (!isDecimalFromZero(volume))
        this.fail(`.profile.${index}`, `expected a volume from 0 on, was ${inputText(volume)}`);
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
    if (!Array.isArray(steps)) this.fail('.steps', `expected a list of steps, was ${inputText(steps)}`);
    for (const [index, step] of steps.entries()) {
      const place = `.steps.${index}`;
      const of = this.fields(step, place, 'a step such as { belowPercent: 5, factor: 2 }');
      this.onlyFields(of, STEP_FIELDS, place);
      this.positive(of['belowPercent'], `${place}.belowPercent`);
      this.positive(of['factor'], `${place}.factor`);
    }
  }
}
