import type { HandlerCall } from './handler-call.ts';

/** Getter of a field: the value is computed at each read. */
export interface FieldReader<Value> {
  readonly value: Value;
}

type Getter = (this: ReadOnlyFields) => unknown;

/**
 * Objects whose fields are computed when they are read. Fields at the same position share a getter, so that
 * later runs in a process have the same hidden class for V8 and are as fast as the first.
 */
class ReadOnlyFields {
  /** Getters by the index of the field. */
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
 * Returns an object whose fields are computed when they are read, and that can not be changed. Reading throws
 * outside of `call`; without `call`, only if a reader itself throws.
 */
export function readOnlyFields<Value>(
  readers: ReadonlyMap<string, FieldReader<Value>>,
  call: Pick<HandlerCall, 'view'> | null,
): Readonly<Record<string, Value>> {
  // Each name got a getter of a value above.
  return new ReadOnlyFields(readers, call) as unknown as Readonly<Record<string, Value>>;
}
