import { isFields } from './fields.ts';
import { LIFE, type StrategyDefinition } from './definition.ts';
import { wrongTrailing } from './trailing.ts';

/**
 * Parts of a strategy. The types of a plugin are not checked, so a part of a wrong name would never be read.
 */
const PARTS: ReadonlySet<string> = new Set([
  'name',
  'params',
  'state',
  'migrate',
  'data',
  'indicators',
  'beforeWarm',
  'trailing',
  'on',
] satisfies (keyof StrategyDefinition)[]);

/**
 * Returns the reason that a value is not a strategy, or null. Its declarations are checked once it is set up.
 */
export function whatIsWrong(exported: unknown): string | null {
  if (!isFields(exported)) {
    return `expected a strategy made by defineStrategy as the default export, was ${exported === null ? 'null' : typeof exported}`;
  }
  const parts = exported;
  const unknown = Object.keys(parts).find((part) => !PARTS.has(part));
  if (unknown !== undefined) {
    return `expected the parts of a strategy (${[...PARTS].join(', ')}), was ${JSON.stringify(unknown)}`;
  }
  if (typeof parts['name'] !== 'string') return `expected name to be a text, was ${typeof parts['name']}`;
  for (const part of ['params', 'state']) {
    if (parts[part] === undefined || isSchema(parts[part])) continue;
    return `expected ${part} to be a zod schema, such as z.strictObject({})`;
  }
  for (const part of ['data', 'indicators', 'migrate']) {
    const value = parts[part];
    if (typeof value === 'function' || (part !== 'data' && value === undefined)) continue;
    return `expected ${part} to be a function, was ${typeof value}`;
  }
  const { beforeWarm, on } = parts;
  if (beforeWarm !== undefined && beforeWarm !== 'wait' && beforeWarm !== 'call') {
    return `expected beforeWarm to be "wait" or "call", was ${JSON.stringify(beforeWarm)}`;
  }
  const trailing = wrongTrailing(parts['trailing']);
  if (trailing !== null) return trailing;
  if (typeof on !== 'object' || on === null) return `expected on to be handlers by name, was ${typeof on}`;
  for (const [name, handler] of Object.entries(on)) {
    if (handler !== undefined && typeof handler !== 'function') {
      return `expected on.${name} to be a function, was ${typeof handler}`;
    }
  }
  return null;
}

/** The name of a handler that would never be called, as a sentence, or null. */
export function strayHandler(on: StrategyDefinition['on'], data: readonly string[]): string | null {
  const stray = Object.keys(on).find((name) => !data.includes(name) && !LIFE.some((life) => life === name));
  if (stray === undefined) return null;
  const names = [...data, ...LIFE].join(', ');
  return `on.${stray}: expected a handler of declared data or of the strategy's life (${names}), was "${stray}": declare it in data`;
}

/** True if a value is a zod schema, as far as can be seen. */
export function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'safeParse' in value;
}
