import { z } from 'zod';
import { SarrafError } from '../domain/errors.ts';
import type { StrategyDefinition } from './definition.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The state of one strategy: plain JSON that fits its schema, frozen. What a handler changes is kept once the
 * handler has ended well.
 */
export class StrategyState {
  /** As the handler at work sees it. */
  value: unknown;
  private current: unknown;
  private readonly strategy: string;
  private readonly definition: Pick<StrategyDefinition, 'state' | 'migrate'>;
  /** Stored state as JSON, once it was requested. */
  private json: string | null = null;
  /** The JSON that was taken last, or that it began with. */
  private drainedJson: string;

  /** Begins with the defaults of the schema. Throws `INVALID_STRATEGY` that names each field without one. */
  constructor(strategy: string, definition: Pick<StrategyDefinition, 'state' | 'migrate'>) {
    this.strategy = strategy;
    this.definition = definition;
    const read = this.read({});
    if (typeof read === 'string') {
      throw new SarrafError(
        'INVALID_STRATEGY',
        `state of ${strategy}: expected a default for each field; ${read}`,
      );
    }
    this.value = read.state;
    this.current = this.value;
    this.drainedJson = this.toJson();
  }

  /** Throws `INVALID_STRATEGY` that names the field where the changed state does not fit the schema. */
  change(change: unknown): void {
    const fields = checkedChange(change, this.definition.state !== undefined);
    const read = this.read({ ...Object(this.value), ...fields });
    if (typeof read === 'string') throw refusal(`ctx.setState: ${read}`);
    this.value = read.state;
  }

  /** The handler ended well. */
  persist(): void {
    if (this.value === this.current) return;
    this.current = this.value;
    this.json = null;
  }

  /** The handler threw. */
  drop(): void {
    this.value = this.current;
  }

  toJson(): string {
    this.json ??= JSON.stringify(this.current);
    return this.json;
  }

  /** The JSON when it is another than at the last call (or the beginning), else null. */
  drainChanged(): string | null {
    if (this.json === this.drainedJson) return null;
    const json = this.toJson();
    if (json === this.drainedJson) return null;
    this.drainedJson = json;
    return json;
  }

  /**
   * Goes on from a stored state. Throws `INVALID_STRATEGY` where it does not fit and the strategy has no
   * `migrate` that makes it fit.
   */
  restore(json: string): void {
    const stored = this.parse(json);
    let read = this.read(stored);
    if (typeof read === 'string') {
      if (this.definition.migrate === undefined) throw this.unfit(read);
      read = this.read(this.definition.migrate(stored));
      if (typeof read === 'string') throw refusal(`state of ${this.strategy} after migrate: ${read}`);
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
      throw new SarrafError('INVALID_STRATEGY', message, { cause: error });
    }
  }

  /**
   * Returns the state if it fits the schema, else a text that names the field that does not fit. A field that
   * the schema does not know does not fit either: it would be lost.
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
    return refusal(`the stored state of ${this.strategy} does not fit its schema: ${why}. ${how}`);
  }
}

const NO_STATE = z.strictObject({});

/** Checks the argument of `ctx.setState`. Throws `INVALID_STRATEGY` if it is not fields of a state. */
export function checkedChange(change: unknown, hasSchema: boolean): Fields {
  if (!hasSchema) throw refusal('ctx.setState: expected a strategy with a schema as state, was one without');
  if (typeof change !== 'object' || change === null || Array.isArray(change)) {
    throw refusal('ctx.setState: expected fields of the state, such as { count: 1 }');
  }
  const fields: Fields = { ...change };
  const missing = Object.keys(fields).find((name) => fields[name] === undefined);
  if (missing !== undefined) throw refusal(`ctx.setState: state.${missing}: expected a value, was undefined`);
  return fields;
}

/** The first field that was given and is not in what was read. */
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

function refusal(message: string): SarrafError {
  return new SarrafError('INVALID_STRATEGY', message);
}

/** Longest state as JSON, about; more is a mistake of the strategy's. */
const MOST_CHARACTERS = 1_000_000;

/** Greatest depth of a state: one that holds itself has no end. */
const DEEPEST = 50;

/**
 * Holds a state to plain JSON, so that what can not be stored is found now and not at a restart, and freezes
 * it: a change in place would be lost, and so it is an error where it is made.
 * @throws SarrafError `INVALID_STRATEGY` when anything in it would come back as something else: a Decimal, a
 * Date, a Map, undefined, NaN.
 */
export function checkState(state: unknown): void {
  const characters = sizeOf(state, '', 0, 0);
  if (characters > MOST_CHARACTERS) throw tooLong();
}

/**
 * The characters of what was counted so far and of this value: at least what they are as JSON without
 * escapes.
 */
function sizeOf(value: unknown, key: string, depth: number, before: number): number {
  if (value === null || typeof value === 'boolean') return before + 4;
  if (typeof value === 'string') return before + value.length + 2;
  if (typeof value === 'number' && Number.isFinite(value)) return before + 1;
  if (typeof value !== 'object') throw notJson(value, key);
  if (depth > DEEPEST)
    throw new SarrafError('INVALID_STRATEGY', `expected a state at most ${DEEPEST} levels deep`);
  let characters = before + 2;
  // What is frozen already is looked into all the same: an author may freeze what is no JSON.
  if (Array.isArray(value)) {
    const entries: readonly unknown[] = value;
    for (const entry of entries) characters = next(entry, key, depth, characters);
  } else {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) throw notJson(value, key);
    const fields = value as Readonly<Record<string, unknown>>;
    for (const name of Object.keys(fields)) {
      characters = next(fields[name], name, depth, characters + name.length + 3);
    }
  }
  Object.freeze(value);
  return characters;
}

function next(value: unknown, key: string, depth: number, before: number): number {
  if (before > MOST_CHARACTERS) throw tooLong();
  return sizeOf(value, key, depth + 1, before + 1);
}

function tooLong(): SarrafError {
  return new SarrafError(
    'INVALID_STRATEGY',
    `expected a state of at most ${MOST_CHARACTERS} characters of JSON`,
  );
}

function notJson(value: unknown, key: string): SarrafError {
  const place = key === '' ? 'the state itself' : JSON.stringify(key);
  return new SarrafError(
    'INVALID_STRATEGY',
    `expected a state of plain JSON, was ${kindOf(value)} at ${place}`,
  );
}

function kindOf(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null) return typeof value;
  return value.constructor?.name ?? 'object';
}
