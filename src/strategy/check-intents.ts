import { Decimal } from 'decimal.js';
import { isDecimalFromZero, isPositiveDecimal, inputText, textOfNumber } from './decimal-input.ts';
import type { SarrafError } from '../domain/errors.ts';
import { otherSide } from '../records/margin.ts';
import {
  isSide,
  refusal,
  LIST_FIELDS,
  MOST_SLICES,
  OrdersOverTimeCheck,
  ENTRY_FIELDS,
  HOLDINGS,
  INTENT_FIELDS,
  QUOTE_FIELDS,
  SIZES,
  COUNT_FIELDS,
  NESTED_FIELDS,
} from './checks/intent-fields.ts';
import { isFields, type Fields } from './fields.ts';
import type { Intent } from './intents.ts';
import { ORDER_LABELS } from '../records/order.ts';

/** Maximum number of intents from one event, and quotes in one intent. More comes from an endless loop. */
export const MOST_INTENTS = 100;

/** Maximum number of orders of one portfolio at the same time. */
const MOST_AT_ONCE = 20;

/** Maximum number of characters of the reason for leaving a position. */
const LONGEST_REASON = 100;

const CURRENCY = /^[a-z0-9_]{1,20}$/;

/** Number of fields of a quote that has an `amount`, as most quotes do. */
const FIELDS_WITH_AMOUNT = 3;

/**
 * Checks one intent, and returns a frozen copy with every decimal as a text, since the strategy may change
 * its object later. Types of plugins are not trusted. Written by hand for speed: it runs at every event.
 * `place` is the author's name for the intent, such as `ctx.buy`.
 * @throws SarrafError `INVALID_STRATEGY` that says which field is wrong.
 */
const checkedIntent = (intent: unknown, place: string, knownMarkets?: ReadonlySet<string>): Intent =>
  new IntentCheck(place, knownMarkets).accepted(intent);

/** Checks an intent like `checkedIntent`, but freezes the given object, which nobody else may hold. */
export function frozenIntent(
  fields: Record<string, unknown>,
  place: string,
  knownMarkets?: ReadonlySet<string>,
): Intent {
  return new IntentCheck(place, knownMarkets).frozen(fields);
}

/** Checks the intents of one call, as a thread sent them. Throws like `checkedIntent`. */
export function checkedIntents(intents: unknown, knownMarkets?: ReadonlySet<string>): readonly Intent[] {
  if (!Array.isArray(intents))
    throw refusal('intents', `expected a list of intents, was ${inputText(intents)}`);
  if (intents.length > MOST_INTENTS) throw tooMany(intents.length);
  return Array.from(intents, (intent, index) => checkedIntent(intent, `intents.${index}`, knownMarkets));
}

/** Returns the error for too many intents in one call. */
export const tooMany = (count: number): SarrafError =>
  refusal('intents', `expected at most ${MOST_INTENTS} at once, were ${count}`);

/** Returns the error for a value that is given in place of an order. */
export const noOrder = (place: string, was: unknown): SarrafError =>
  refusal(place, `expected an order such as { amount: 0.01 }, was ${inputText(was)}`);

class IntentCheck extends OrdersOverTimeCheck {
  /** Returns the intent as the engine keeps it. Each field is read once: no getter changes it later. */
  accepted(intent: unknown): Intent {
    if (typeof intent !== 'object' || intent === null || Array.isArray(intent))
      throw noOrder(this.place, intent);
    return this.frozen({ ...intent });
  }

  frozen(fields: Record<string, unknown>): Intent {
    if (Array.isArray(fields['quotes'])) fields['quotes'] = this.quoteCopies(fields['quotes']);
    else
      for (const name of LIST_FIELDS.keys())
        if (name in fields) fields[name] = this.listCopy(name, fields[name]);
    this.check(fields);
    return frozenFields(fields, this.place);
  }

  private check(fields: Fields): void {
    const kind = fields['kind'] as Intent['kind'];
    if (typeof kind !== 'string' || !Object.hasOwn(INTENT_FIELDS, kind))
      this.fail('.kind', `expected one of ${Object.keys(INTENT_FIELDS).join(', ')}, was ${inputText(kind)}`);
    this.onlyFields(fields, INTENT_FIELDS[kind], '');
    this.checkKind(kind, fields);
  }

  private quoteCopies(quotes: readonly unknown[]): readonly unknown[] {
    if (quotes.length > MOST_INTENTS)
      this.fail('.quotes', `expected at most ${MOST_INTENTS}, were ${quotes.length}`);
    const copies: unknown[] = [];
    for (const quote of quotes)
      copies.push(typeof quote === 'object' && quote !== null ? { ...quote } : quote);
    return copies;
  }

  private checkKind(kind: Intent['kind'], fields: Fields): void {
    const known = INTENT_FIELDS[kind];
    if (kind !== 'cancel-all' && known.has('market')) this.market(fields['market']);
    if (known.has('side')) {
      this.side(fields['side'], '.side');
      this.size(fields, '');
    }
    switch (kind) {
      case 'place':
        this.optional(fields, 'price');
        this.optional(fields, 'stopPrice');
        for (const label of ORDER_LABELS) this.label(fields, label);
        this.allowance(fields, 'allowIdentical');
        this.allowance(fields, 'postOnly');
        this.time(fields['expireAfterMs'], '.expireAfterMs');
        return;
      case 'oco':
        this.positive(fields['price'], '.price');
        this.positive(fields['stopPrice'], '.stopPrice');
        this.positive(fields['stopLimitPrice'], '.stopLimitPrice');
        for (const label of ORDER_LABELS) this.label(fields, label);
        this.allowance(fields, 'allowIdentical');
        return;
      case 'cancel':
        this.id(fields['clientOrderId']);
        return;
      case 'cancel-all':
        if (fields['market'] !== undefined) this.market(fields['market']);
        return;
      case 'replace':
        this.replacement(fields);
        return;
      case 'target':
        this.target(fields);
        return;
      case 'targets':
        this.shares(fields['shares']);
        this.fromZero(fields['band'], '.band');
        this.fromZero(fields['fee'], '.fee');
        if (fields['atOnce'] !== undefined) this.whole(fields['atOnce'], '.atOnce', MOST_AT_ONCE);
        return;
      case 'quotes':
        this.quotes(fields['quotes']);
        return;
      case 'twap':
        this.slices(fields);
        this.whole(fields['slices'], '.slices', MOST_SLICES);
        return;
      case 'vwap':
        this.slices(fields);
        this.profile(fields['profile']);
        return;
      case 'ladder':
        this.ladder(fields);
        return;
      case 'peg':
        this.peg(fields);
        return;
      case 'dca':
        this.dca(fields);
        return;
      case 'iceberg':
        this.positive(fields['price'], '.price');
        this.visible(fields);
        return;
      case 'transfer':
        this.transfer(fields);
        return;
      case 'bracket':
        this.entry(fields['entry']);
        this.exit(fields);
        this.label(fields, 'tag');
        return;
      case 'protect':
        this.optional(fields, 'amount');
        this.optional(fields, 'averagePrice');
        this.exit(fields);
        this.label(fields, 'tag');
        return;
      case 'exit':
        this.optional(fields, 'price');
        this.reason(fields['reason']);
        return;
    }
  }

  private transfer({ currency, amount, from, to }: Fields): void {
    if (typeof currency !== 'string' || !CURRENCY.test(currency))
      this.fail('.currency', `expected a currency in lower case, such as btc, was ${inputText(currency)}`);
    this.positive(amount, '.amount');
    if (from !== 'spot' && from !== 'margin')
      this.fail('.from', `expected spot or margin, was ${inputText(from)}`);
    const other = otherSide(from);
    if (to !== other) this.fail('.to', `expected ${other}, was ${inputText(to)}`);
  }

  private reason(input: unknown): void {
    if (input === undefined) return;
    if (typeof input !== 'string' || input.length === 0 || input.length > LONGEST_REASON)
      this.fail('.reason', `expected a text of 1 to ${LONGEST_REASON} characters, was ${inputText(input)}`);
  }

  private entry(input: unknown): void {
    const fields = this.fields(input, '.entry', 'an entry such as { amount: 0.01 }');
    this.onlyFields(fields, ENTRY_FIELDS, '.entry');
    this.size(fields, '.entry');
    if (fields['price'] !== undefined) this.positive(fields['price'], '.entry.price');
    this.time(fields['expireAfterMs'], '.entry.expireAfterMs');
  }

  private size(fields: Fields, place: string): void {
    this.oneOf(SIZES, fields, place);
    const { amount, value, equityShare } = fields;
    if (amount !== undefined) this.positive(amount, `${place}.amount`);
    else if (value !== undefined) this.positive(value, `${place}.value`);
    else this.share(equityShare, 'above', place);
  }

  private oneOf(names: readonly string[], fields: Fields, place: string): void {
    let count = 0;
    for (const name of names) if (fields[name] !== undefined) count += 1;
    if (count === 1) return;
    const given = names.filter((name) => fields[name] !== undefined);
    const was = given.length === 0 ? 'none' : given.join(' and ');
    this.fail(place, `expected one of ${names.join(', ')}, was ${was}`);
  }

  private share(equityShare: unknown, least: 'from' | 'above', place: string): void {
    const isFit = least === 'from' ? isDecimalFromZero(equityShare) : isPositiveDecimal(equityShare);
    if (isFit && new Decimal(String(equityShare)).lessThanOrEqualTo(1)) return;
    this.fail(`${place}.equityShare`, `expected a share ${least} 0, up to 1, was ${inputText(equityShare)}`);
  }

  private allowance(fields: Fields, name: 'allowIdentical' | 'postOnly'): void {
    const input = fields[name];
    if (input === undefined || typeof input === 'boolean') return;
    this.fail(`.${name}`, `expected true or false, was ${inputText(input)}`);
  }

  private quotes(quotes: unknown): void {
    if (!Array.isArray(quotes)) this.fail('.quotes', `expected a list of quotes, was ${inputText(quotes)}`);
    for (let index = 0; index < quotes.length; index += 1) {
      const quote: unknown = quotes[index];
      if (!isFields(quote))
        this.fail(`.quotes.${index}`, `expected { side, price, amount }, was ${inputText(quote)}`);
      const fields = quote;
      // The text of the place is made only if something is wrong: this loop runs most often.
      if (
        isSide(fields['side']) &&
        isPositiveDecimal(fields['price']) &&
        isPositiveDecimal(fields['amount'])
      ) {
        if (Object.keys(fields).length === FIELDS_WITH_AMOUNT) continue;
      }
      this.onlyFields(fields, QUOTE_FIELDS, `.quotes.${index}`);
      this.side(fields['side'], `.quotes.${index}.side`);
      this.positive(fields['price'], `.quotes.${index}.price`);
      this.size(fields, `.quotes.${index}`);
    }
  }

  private replacement(fields: Fields): void {
    this.id(fields['clientOrderId']);
    this.optional(fields, 'price');
    this.optional(fields, 'amount');
    if (fields['price'] === undefined && fields['amount'] === undefined)
      this.fail('', 'expected a new price or a new amount, was neither');
  }

  private target(fields: Fields): void {
    this.optional(fields, 'price');
    this.oneOf(HOLDINGS, fields, '');
    for (const name of HOLDINGS) {
      const wanted = fields[name];
      if (wanted === undefined) continue;
      if (name === 'equityShare') this.share(wanted, 'from', '');
      else if (!isDecimalFromZero(wanted))
        this.fail(`.${name}`, `expected a number from 0 on, was ${inputText(wanted)}`);
    }
  }

  private shares(input: unknown): void {
    const shares = this.fields(input, '.shares', 'shares such as { BTCIRT: 0.4 }');
    for (const name in shares) {
      this.market(name);
      const share = shares[name];
      if (!isDecimalFromZero(share) || new Decimal(String(share)).greaterThan(1))
        this.fail(`.shares.${name}`, `expected a share from 0 to 1, was ${inputText(share)}`);
    }
  }

  private fromZero(input: unknown, place: string): void {
    if (input === undefined || isDecimalFromZero(input)) return;
    this.fail(place, `expected a number from 0 on, was ${inputText(input)}`);
  }

  private visible({ visible, amount }: Fields): void {
    this.positive(visible, '.visible');
    if (isPositiveDecimal(visible) && isPositiveDecimal(amount) && new Decimal(visible).greaterThan(amount))
      this.fail('.visible', `expected at most the amount, ${inputText(amount)}, was ${inputText(visible)}`);
  }
}

/**
 * Freezes the checked fields of an intent, with every decimal as a text. They are changed in place, so nobody
 * else may hold them or the lists in them. `place` is the author's name for the intent. Throws
 * `INVALID_STRATEGY` for a value that is no decimal.
 */
function frozenFields(fields: Record<string, unknown>, place: string): Intent {
  for (const name in fields) {
    const value = fields[name];
    if (value === undefined) delete fields[name];
    else if (NESTED_FIELDS.has(name) || name === 'shares')
      fields[name] = frozenPart(value, `${place}.${name}`);
    else if (LIST_FIELDS.has(name)) fields[name] = frozenList(value, `${place}.${name}`);
    else if (
      typeof value === 'object' ? !Array.isArray(value) : typeof value === 'number' && !COUNT_FIELDS.has(name)
    ) {
      fields[name] = textOf(value) ?? noDecimal(`${place}.${name}`, value);
    }
  }
  if (Array.isArray(fields['quotes'])) freezeQuotes(fields['quotes'] as Record<string, unknown>[], place);
  return Object.freeze(fields) as unknown as Intent;
}

/** Returns a frozen copy of an object of fields within an intent. */
function frozenPart(value: unknown, place: string): Fields {
  if (!isFields(value)) throw refusal(place, `expected fields, was ${inputText(value)}`);
  const copy: Record<string, unknown> = { ...value };
  for (const name in copy) {
    const field = copy[name];
    if (field === undefined) delete copy[name];
    else if (name === 'by' || name === 'after') copy[name] = frozenPart(field, `${place}.${name}`);
    else if (typeof field !== 'string' && !COUNT_FIELDS.has(name))
      copy[name] = textOf(field) ?? noDecimal(`${place}.${name}`, field);
  }
  return Object.freeze(copy);
}

/** Returns a frozen copy of a list of fields or of decimals. */
function frozenList(value: unknown, place: string): unknown {
  if (!Array.isArray(value)) return value;
  const frozen = value.map((one: unknown, index) => {
    if (typeof one === 'string') return one;
    if (isFields(one) && !Decimal.isDecimal(one)) return frozenPart(one, `${place}.${index}`);
    return textOf(one) ?? noDecimal(`${place}.${index}`, one);
  });
  return Object.freeze(frozen);
}

/** Freezes quotes in place. Written for speed: quotes come at every book. */
function freezeQuotes(quotes: readonly Record<string, unknown>[], place: string): void {
  let index = 0;
  for (const quote of quotes) {
    for (const name in quote) {
      const value = quote[name];
      if (value === undefined) delete quote[name];
      else if (typeof value !== 'string')
        quote[name] = textOf(value) ?? noDecimal(`${place}.quotes.${index}.${name}`, value);
    }
    Object.freeze(quote);
    index += 1;
  }
  Object.freeze(quotes);
}

/** Returns the text of a number or a Decimal, since a Decimal can be changed; null for anything else. */
function textOf(value: unknown): string | null {
  const text: unknown =
    typeof value === 'number' ? textOfNumber(value) : Decimal.isDecimal(value) ? value.toFixed() : null;
  return typeof text === 'string' ? text : null;
}

function noDecimal(place: string, was: unknown): never {
  throw refusal(place, `expected a decimal, was ${inputText(was)}`);
}
