import type { HandlerCall } from './handler-call.ts';

/** Getter of a field: the value is looked up at each read. */
export interface FieldReader<Value> {
  readonly value: Value;
}

type Getter = (this: ReadOnlyFields) => unknown;

/**
 * Objects whose fields are looked up when they are read. Those of the same names have the same getters, so
 * that they are of one kind to the compiler: a run after another in one process is as fast as the first.
 */
class ReadOnlyFields {
  /** By the place of the field. */
  static readonly #getters: Getter[] = [];
  readonly #readers: readonly FieldReader<unknown>[];
  readonly #call: Pick<HandlerCall, 'view'> | null;

  constructor(readers: ReadonlyMap<string, FieldReader<unknown>>, call: Pick<HandlerCall, 'view'> | null) {
    this.#call = call;
    this.#readers = [...readers.values()];
    for (const [place, name] of [...readers.keys()].entries())
      Object.defineProperty(this, name, { get: ReadOnlyFields.#getter(place), enumerable: true });
    Object.freeze(this);
  }

  static #getter(place: number): Getter {
    return (ReadOnlyFields.#getters[place] ??= function read() {
      void this.#call?.view;
      return this.#readers[place]?.value;
    });
  }
}

Object.freeze(ReadOnlyFields.prototype);
Object.freeze(ReadOnlyFields);

/**
 * An object whose fields are looked up when they are read, and that can not be changed. Reading one throws
 * outside of the call; null where the looks themselves do.
 */
export function readOnlyFields<Value>(
  readers: ReadonlyMap<string, FieldReader<Value>>,
  call: Pick<HandlerCall, 'view'> | null,
): Readonly<Record<string, Value>> {
  // Each name got a getter of a value above.
  return new ReadOnlyFields(readers, call) as unknown as Readonly<Record<string, Value>>;
}
