import { z } from 'zod';
import { SarrafError } from '../domain/errors.ts';
import { checkState } from './check-state.ts';
import type { StrategyDefinition } from './definition.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The state of one strategy: plain JSON that fits its schema, frozen. What a handler changes is kept once the
 * handler has ended well.
 */
export class StrategyState {
  /** As the handler at work sees it. */
  value: unknown;
  private kept: unknown;
  private readonly strategy: string;
  private readonly definition: Pick<StrategyDefinition, 'state' | 'migrate'>;
  /** Stored state as JSON, once it was requested. */
  private json: string | null = null;
  /** The JSON that was taken last, or that it began with. */
  private takenJson: string;

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
    this.kept = this.value;
    this.takenJson = this.toJson();
  }

  /** Throws `INVALID_STRATEGY` that names the field where the changed state does not fit the schema. */
  change(change: unknown): void {
    const fields = checkedChange(change, this.definition.state !== undefined);
    const read = this.read({ ...Object(this.value), ...fields });
    if (typeof read === 'string') throw refusal(`ctx.setState: ${read}`);
    this.value = read.state;
  }

  /** The handler ended well. */
  keep(): void {
    if (this.value === this.kept) return;
    this.kept = this.value;
    this.json = null;
  }

  /** The handler threw. */
  drop(): void {
    this.value = this.kept;
  }

  toJson(): string {
    this.json ??= JSON.stringify(this.kept);
    return this.json;
  }

  /** The JSON when it is another than at the last call (or the beginning), else null. */
  takeChanged(): string | null {
    if (this.json === this.takenJson) return null;
    const json = this.toJson();
    if (json === this.takenJson) return null;
    this.takenJson = json;
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
    this.kept = this.value;
    this.json = null;
    this.takenJson = json;
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
   * A state that fits the schema, or which field does not. A field that the schema does not know would be
   * lost, so it does not fit.
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
