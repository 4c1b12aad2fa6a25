import { separatedName } from '../../domain/separated-name.ts';
import { Decimal } from 'decimal.js';
import { InvalidArgumentError } from 'commander';
import { otherFidelity, RULES_OF_FIDELITY, type Fidelity } from '../../backtest/fidelity-rules.ts';
import { tryDecimalText } from '../../domain/decimal-text.ts';
import type { CsvSource } from '../../backtest/candle-backtest.ts';
import { isFields } from '../../strategy/fields.ts';
import { marketOption } from '../option-readers.ts';

/** Reads `name=value` behind those before it; the value is JSON where it reads as such, else text. */
export function parameterOption(
  text: string,
  before: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('expected name=value, such as fast=10.');
  return { ...before, [text.slice(0, at)]: jsonOrText(text.slice(at + 1)) };
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Reads the rules of a universe as JSON; the configuration checks what they say. */
export function universeOption(text: string): Readonly<Record<string, unknown>> {
  const rules = jsonOrText(text);
  if (isFields(rules) && !Array.isArray(rules)) return rules;
  throw new InvalidArgumentError(
    'expected rules as JSON, such as {"quote":"rls","rankBy":"volume24h","take":10}.',
  );
}

/** Reads `BTCUSDT=hours.csv`, or a file alone, behind those before it. */
export function csvOption(text: string, before: readonly CsvSource[] = []): readonly CsvSource[] {
  const named = /^([A-Za-z0-9_]{2,24}(?:IRT|USDT))=(.+)$/i.exec(text);
  if (named?.[1] === undefined || named[2] === undefined) return [...before, { market: null, path: text }];
  return [...before, { market: marketOption(named[1]), path: named[2] }];
}

/** Reads `usdt=10000` behind those before it. */
export function balanceOption(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const [, currency, amount] = /^([A-Za-z0-9_]{1,20})=(.+)$/.exec(text) ?? [];
  if (
    currency === undefined ||
    amount === undefined ||
    tryDecimalText(amount) === null ||
    amount.startsWith('-')
  ) {
    throw new InvalidArgumentError('expected currency=amount, such as usdt=10000.');
  }
  return { ...before, [currency.toLowerCase()]: amount };
}

/** Reads percent with or without its sign as the decimal text that fees are configured by. */
export function percentOption(text: string): string {
  const [, percent] = /^(\d{1,2}(?:\.\d{1,4})?)\s*%$/.exec(text.trim()) ?? [];
  if (percent !== undefined) return percent;
  // A wrong guess would be a hundred times too much or too little.
  if (/^\d{1,2}(?:\.\d{1,4})?$/.test(text.trim())) {
    const share = `${new Decimal(text.trim()).times(100).toFixed()}%`;
    throw new InvalidArgumentError(
      `expected a percentage with its sign, such as ${text.trim()}% or ${share}: say which you mean.`,
    );
  }
  throw new InvalidArgumentError('expected a percentage such as 0.1%, with at most four decimals.');
}

/** Options that say something in one fidelity alone. */
const OF_ONE_FIDELITY: Readonly<Record<Fidelity, readonly string[]>> = {
  candles: [...RULES_OF_FIDELITY.candles, 'detail', 'checkWarmup'],
  poll: [...RULES_OF_FIDELITY.poll, 'latencyFrom'],
};

/** An option as it is written: `slippageBps` is `--slippage-bps`. */
export function flagText(name: string): string {
  return `--${separatedName(name, '-')}`;
}

/**
 * Returns the problem with a combination of options; null if none. Options without effect are refused:
 * whoever gives one relies on it.
 */
export function optionsProblem(
  fidelity: Fidelity,
  given: Readonly<Partial<Record<string, unknown>>>,
): string | null {
  const other = otherFidelity(fidelity);
  const useless = OF_ONE_FIDELITY[other].filter((name) => given[name] !== undefined).map(flagText);
  if (useless.length > 0) {
    return `expected ${useless.join(', ')} with --fidelity ${other}, was ${fidelity}, which does not use it`;
  }
  return given['slippageBps'] === undefined || given['slippageRange'] === undefined
    ? null
    : 'expected --slippage-bps or --slippage-range, were both';
}

/** Reads a number within bounds, both included. */
export function numberOption(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,9}(?:\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`expected a number from ${least} to ${most}.`);
  };
}

/** Reads `10` or `all`. */
export function volumeShareOption(text: string): number | 'all' {
  return text === 'all' ? 'all' : numberOption(0.0001, 100)(text);
}
