import { Decimal } from 'decimal.js';
import { NESTED_FIELDS } from './check-bracket.ts';
import { refusal } from './check-fields.ts';
import { LIST_FIELDS, COUNT_FIELDS } from './intent-fields.ts';
import { sayInput, textOfNumber } from '../decimal-input.ts';
import { isFields, type Fields } from '../fields.ts';
import type { Intent } from '../intents.ts';

/**
 * The fields of an intent that were checked, as the engine keeps them: frozen, with every decimal as a text.
 * They are changed in place: nobody else may have them, nor the lists in them. Throws `INVALID_STRATEGY` for
 * what is no decimal; `place` is what an author would call the intent.
 */
export function sealFields(fields: Record<string, unknown>, place: string): Intent {
  for (const name in fields) {
    const value = fields[name];
    if (value === undefined) delete fields[name];
    else if (NESTED_FIELDS.has(name) || name === 'shares')
      fields[name] = sealedPart(value, `${place}.${name}`);
    else if (LIST_FIELDS.has(name)) fields[name] = sealedList(value, `${place}.${name}`);
    else if (
      typeof value === 'object' ? !Array.isArray(value) : typeof value === 'number' && !COUNT_FIELDS.has(name)
    ) {
      fields[name] = textOf(value) ?? noDecimal(`${place}.${name}`, value);
    }
  }
  if (Array.isArray(fields['quotes'])) sealQuotes(fields['quotes'] as Record<string, unknown>[], place);
  return Object.freeze(fields) as unknown as Intent;
}

/** A frozen copy of fields within an intent. */
function sealedPart(value: unknown, place: string): Fields {
  if (!isFields(value)) throw refusal(place, `expected fields, was ${sayInput(value)}`);
  const copy: Record<string, unknown> = { ...value };
  for (const name in copy) {
    const field = copy[name];
    if (field === undefined) delete copy[name];
    else if (name === 'by' || name === 'after') copy[name] = sealedPart(field, `${place}.${name}`);
    else if (typeof field !== 'string' && !COUNT_FIELDS.has(name))
      copy[name] = textOf(field) ?? noDecimal(`${place}.${name}`, field);
  }
  return Object.freeze(copy);
}

/** A frozen list of fields or of decimals. */
function sealedList(value: unknown, place: string): unknown {
  if (!Array.isArray(value)) return value;
  const sealed = value.map((one: unknown, index) => {
    if (typeof one === 'string') return one;
    if (isFields(one) && !Decimal.isDecimal(one)) return sealedPart(one, `${place}.${index}`);
    return textOf(one) ?? noDecimal(`${place}.${index}`, one);
  });
  return Object.freeze(sealed);
}

/** Written for speed: quotes come at every book. */
function sealQuotes(quotes: readonly Record<string, unknown>[], place: string): void {
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

/** A number or a Decimal, which could be changed later, as its text; null for anything else. */
function textOf(value: unknown): string | null {
  const text: unknown =
    typeof value === 'number' ? textOfNumber(value) : Decimal.isDecimal(value) ? value.toFixed() : null;
  return typeof text === 'string' ? text : null;
}

function noDecimal(place: string, was: unknown): never {
  throw refusal(place, `expected a decimal, was ${sayInput(was)}`);
}
