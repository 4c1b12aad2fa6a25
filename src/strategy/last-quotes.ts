import { textOfNumber } from './decimal-input.ts';
import { isFields } from './fields.ts';
import type { Intent } from './intents.ts';

type QuotesIntent = Extract<Intent, { kind: 'quotes' }>;

/** A quote as its author said it: with numbers, which can not change later. */
interface SaidQuote {
  readonly names: readonly string[];
  readonly side: unknown;
  readonly price: number;
  readonly amount: number;
}

/**
 * The quotes that a strategy wanted last in a market. Most handlers say the same ones again at every book,
 * and what was checked once need not be checked, copied and written as text again.
 */
export class LastQuotes {
  private intent: QuotesIntent | null = null;
  private said: readonly SaidQuote[] = [];

  /** The intent of the same quotes; null where these are others. */
  again(quotes: unknown): Intent | null {
    const { intent, said } = this;
    if (intent === null || !Array.isArray(quotes) || quotes.length !== said.length) return null;
    for (let index = 0; index < said.length; index += 1) {
      const quote: unknown = quotes[index];
      const before = said[index];
      if (before === undefined || !isFields(quote) || !isSaidAgain(quote, before)) return null;
    }
    return intent;
  }

  /** Remembers what came of a list of quotes, where all of it was said in numbers. */
  keep(quotes: unknown, intent: Intent): void {
    this.intent = null;
    if (intent.kind !== 'quotes' || !Array.isArray(quotes)) return;
    const said: SaidQuote[] = [];
    for (const [index, checked] of intent.quotes.entries()) {
      const quote: unknown = quotes[index];
      if (!isFields(quote)) return;
      const { side, price, amount } = quote;
      if (side !== checked.side || typeof price !== 'number' || typeof amount !== 'number') return;
      // What was checked was read before, and its author may answer otherwise each time.
      if (textOfNumber(price) !== checked.price || textOfNumber(amount) !== checked.amount) return;
      said.push({ names: Object.keys(quote), side, price, amount });
    }
    this.intent = intent;
    this.said = said;
  }
}

function isSaidAgain(quote: Readonly<Record<string, unknown>>, before: SaidQuote): boolean {
  if (quote['price'] !== before.price || quote['amount'] !== before.amount || quote['side'] !== before.side)
    return false;
  const names = Object.keys(quote);
  if (names.length !== before.names.length) return false;
  for (let index = 0; index < names.length; index += 1)
    if (names[index] !== before.names[index]) return false;
  return true;
}
