import type { Fields } from '../fields.ts';
import { SarrafError } from '../../domain/errors.ts';
import { isPositiveDecimal, sayInput } from '../decimal-input.ts';
import { expectedMarket } from '../handlers/expected-market.ts';
import { ORDER_LABELS } from '../../records/order.ts';

const LONGEST_TAG = 32;
const LONGEST_ID = 64;

const FILLED_IN: ReadonlySet<string> = new Set(['kind', 'market', 'side']);

/** Names of an order's fields in other tools, in lower case. */
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
 * Checks of the fields that intents share, which know the place of their intent for what they say. Each
 * throws `INVALID_STRATEGY`.
 */
export class FieldCheck {
  protected readonly place: string;
  private readonly knownMarkets: ReadonlySet<string> | undefined;

  /** `place`: what an author would call it, such as `ctx.buy`. */
  constructor(place: string, knownMarkets: ReadonlySet<string> | undefined) {
    this.place = place;
    this.knownMarkets = knownMarkets;
  }

  protected market(market: unknown): void {
    if (typeof market !== 'string' || market === '') {
      this.fail('.market', `expected a market such as "BTCIRT", was ${sayInput(market)}`);
    }
    if (this.knownMarkets?.has(market) === false)
      this.fail('.market', expectedMarket(market, this.knownMarkets));
  }

  protected side(side: unknown, place: string): void {
    if (!isSide(side)) this.fail(place, `expected "buy" or "sell", was ${sayInput(side)}`);
  }

  protected positive(input: unknown, place: string): void {
    if (!isPositiveDecimal(input))
      this.fail(place, `expected a positive number, decimal text or Decimal, was ${sayInput(input)}`);
  }

  protected optional(fields: Fields, name: string): void {
    const input = fields[name];
    if (input !== undefined && !isPositiveDecimal(input)) this.positive(input, `.${name}`);
  }

  protected whole(input: unknown, place: string, most: number): void {
    if (typeof input === 'number' && Number.isInteger(input) && input >= 1 && input <= most) return;
    this.fail(place, `expected a whole number from 1 to ${most}, was ${sayInput(input)}`);
  }

  protected id(id: unknown): void {
    if (typeof id === 'string' && id !== '' && id.length <= LONGEST_ID) return;
    this.fail('.clientOrderId', `expected the id of an own order, was ${sayInput(id)}`);
  }

  protected label(fields: Fields, name: (typeof ORDER_LABELS)[number]): void {
    const text = fields[name];
    if (text === undefined || (typeof text === 'string' && text !== '' && text.length <= LONGEST_TAG)) return;
    this.fail(`.${name}`, `expected a text of 1 to ${LONGEST_TAG} characters, was ${sayInput(text)}`);
  }

  protected onlyFields(fields: Fields, known: ReadonlySet<string>, place: string): void {
    for (const name in fields) {
      if (known.has(name)) continue;
      // What `ctx` fills in is no field of the author's.
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

export function isSide(side: unknown): boolean {
  return side === 'buy' || side === 'sell';
}

/** Returns the error for a problem at a place. */
export function refusal(place: string, message: string): SarrafError {
  return new SarrafError('INVALID_STRATEGY', `${place}: ${message}`);
}
