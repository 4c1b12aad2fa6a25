import { z } from 'zod';
import { type SarrafError, invalidStrategy } from '../domain/errors.ts';
import type { StrategyDefinition } from './definition.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The state of one strategy: frozen plain JSON that fits its schema. Failed handlers change nothing. */
export class StrategyState {
  /** State that the running handler sees, with its changes so far. */
  value: unknown;
  private current: unknown;
  private readonly strategy: string;
  private readonly definition: Pick<StrategyDefinition, 'state' | 'migrate'>;
  /** Kept state as JSON; null until it is requested. */
  private json: string | null = null;
  /** JSON that was last drained, or the first state. */
  private drainedJson: string;

  /** Starts with the schema's defaults. Throws `INVALID_STRATEGY` that names each field without one. */
  constructor(strategy: string, definition: Pick<StrategyDefinition, 'state' | 'migrate'>) {
    this.strategy = strategy;
    this.definition = definition;
    const read = this.read({});
    if (typeof read === 'string')
      throw invalidStrategy(`state of ${strategy}: expected a default for each field; ${read}`);
    this.value = read.state;
    this.current = this.value;
    this.drainedJson = this.toJson();
  }

  /** Changes fields. Throws `INVALID_STRATEGY` that names the field if the result does not fit the schema. */
  change(change: unknown): void {
    const fields = checkedChange(change, this.definition.state !== undefined);
    const read = this.read({ ...Object(this.value), ...fields });
    if (typeof read === 'string') throw invalidStrategy(`ctx.setState: ${read}`);
    this.value = read.state;
  }

  /** Makes the changes of a handler permanent, once it has succeeded. */
  persist(): void {
    if (this.value === this.current) return;
    this.current = this.value;
    this.json = null;
  }

  /** Drops the changes of a handler that threw. */
  drop(): void {
    this.value = this.current;
  }

  toJson(): string {
    this.json ??= JSON.stringify(this.current);
    return this.json;
  }

  /** Returns the JSON if it changed since the last call (or the start), else null. */
  drainChanged(): string | null {
    if (this.json === this.drainedJson) return null;
    const json = this.toJson();
    if (json === this.drainedJson) return null;
    this.drainedJson = json;
    return json;
  }

  /** Restores a stored state. Throws `INVALID_STRATEGY` if it does not fit, even after `migrate`. */
  restore(json: string): void {
    const stored = this.parse(json);
    let read = this.read(stored);
    if (typeof read === 'string') {
      if (this.definition.migrate === undefined) throw this.unfit(read);
      read = this.read(this.definition.migrate(stored));
      if (typeof read === 'string') throw invalidStrategy(`state of ${this.strategy} after migrate: ${read}`);
    }
    this.value = read.state;
    this.current = this.value;
    this.json = null;
    this.drainedJson = json;
  }

  private parse(json: string): unknown {
    try {
      return JSON.parse(json);
    } catch (error) {
      const was = JSON.stringify(json.slice(0, 60));
      const message = `expected the stored state of ${this.strategy} as JSON, was ${was}`;
      throw invalidStrategy(message, { cause: error });
    }
  }

  /**
   * Returns the state if it fits the schema, else a text that names the field that does not fit. A field that
   * is not in the schema does not fit either, since it would be lost.
   */
  private read(state: unknown): { readonly state: unknown } | string {
    const read = (this.definition.state ?? NO_STATE).safeParse(state);
    if (!read.success) {
      return read.error.issues
        .map(({ path, message }) => `${['state', ...path].join('.')}: ${message}`)
        .join('; ');
    }
    checkState(read.data);
    const lost = lostField(state, read.data, 'state');
    if (lost !== null) return `${lost}: expected a field of the schema, was another`;
    return { state: read.data };
  }

  private unfit(why: string): SarrafError {
    const how =
      'Add migrate(stored) to the strategy: return the state made of the stored one, or {} to begin anew';
    return invalidStrategy(`the stored state of ${this.strategy} does not fit its schema: ${why}. ${how}`);
  }
}

const NO_STATE = z.strictObject({});

/** Checks the argument of `ctx.setState`. Throws `INVALID_STRATEGY` if it is not an object of fields. */
export function checkedChange(change: unknown, hasSchema: boolean): Fields {
  if (!hasSchema)
    throw invalidStrategy('ctx.setState: expected a strategy with a schema as state, was one without');
  if (typeof change !== 'object' || change === null || Array.isArray(change))
    throw invalidStrategy('ctx.setState: expected fields of the state, such as { count: 1 }');
  const fields: Fields = { ...change };
  const missing = Object.keys(fields).find((name) => fields[name] === undefined);
  if (missing !== undefined)
    throw invalidStrategy(`ctx.setState: state.${missing}: expected a value, was undefined`);
  return fields;
}

/** Returns the path of the first field that was given and that the schema dropped; null if there is none. */
function lostField(given: unknown, read: unknown, place: string): string | null {
  if (
    given === read ||
    typeof given !== 'object' ||
    given === null ||
    typeof read !== 'object' ||
    read === null
  )
    return null;
  for (const [name, part] of Object.entries(given)) {
    const at = `${place}.${name}`;
    if (!Object.hasOwn(read, name)) return at;
    const lost = lostField(part, Reflect.get(read, name), at);
    if (lost !== null) return lost;
  }
  return null;
}

/** Maximum number of characters of a state as JSON, roughly; more is a fault of the strategy. */
const MOST_CHARACTERS = 1_000_000;

/** Greatest depth of a state: an object that contains itself has no end. */
const DEEPEST = 50;

/**
 * Checks that a state is plain JSON, so that a value that can not be stored is found now and not at a
 * restart, and freezes it: a change in place would be lost, so it throws at once.
 * @throws SarrafError `INVALID_STRATEGY` if a value would come back as another one: a Decimal, a Date, a Map,
 * undefined, NaN.
 */
export function checkState(state: unknown): void {
  const characters = sizeOf(state, '', 0, 0);
  if (characters > MOST_CHARACTERS) throw tooLong();
}

/** Returns the characters so far plus those of this value: at least its length as unescaped JSON. */
function sizeOf(value: unknown, key: string, depth: number, before: number): number {
  if (value === null || typeof value === 'boolean') return before + 4;
  if (typeof value === 'string') return before + value.length + 2;
  if (typeof value === 'number' && Number.isFinite(value)) return before + 1;
  if (typeof value !== 'object') throw notJson(value, key);
  if (depth > DEEPEST) throw invalidStrategy(`expected a state at most ${DEEPEST} levels deep`);
  let characters = before + 2;
  // Frozen objects are checked, too: an author may freeze what is no JSON.
  if (Array.isArray(value)) {
    const entries: readonly unknown[] = value;
    for (const entry of entries) characters = next(entry, key, depth, characters);
  } else {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) throw notJson(value, key);
    const fields = value as Readonly<Record<string, unknown>>;
    for (const name of Object.keys(fields))
      characters = next(fields[name], name, depth, characters + name.length + 3);
  }
  Object.freeze(value);
  return characters;
}

function next(value: unknown, key: string, depth: number, before: number): number {
  if (before > MOST_CHARACTERS) throw tooLong();
  return sizeOf(value, key, depth + 1, before + 1);
}

const tooLong = (): SarrafError =>
  invalidStrategy(`expected a state of at most ${MOST_CHARACTERS} characters of JSON`);

function notJson(value: unknown, key: string): SarrafError {
  const place = key === '' ? 'the state itself' : JSON.stringify(key);
  return invalidStrategy(`expected a state of plain JSON, was ${kindOf(value)} at ${place}`);
}

function kindOf(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null) return typeof value;
  return value.constructor?.name ?? 'object';
}
