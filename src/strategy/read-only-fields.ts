/** Where a field is looked up each time that it is read. */
export interface FieldLook<Value> {
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
  readonly #looks: readonly FieldLook<unknown>[];

  constructor(looks: ReadonlyMap<string, FieldLook<unknown>>) {
    this.#looks = [...looks.values()];
    for (const [place, name] of [...looks.keys()].entries())
      Object.defineProperty(this, name, { get: ReadOnlyFields.#getter(place), enumerable: true });
    Object.freeze(this);
  }

  static #getter(place: number): Getter {
    return (ReadOnlyFields.#getters[place] ??= function look() {
      return this.#looks[place]?.value;
    });
  }
}

Object.freeze(ReadOnlyFields.prototype);
Object.freeze(ReadOnlyFields);

/** An object whose fields are looked up when they are read, and that can not be changed. */
export function readOnlyFields<Value>(
  looks: ReadonlyMap<string, FieldLook<Value>>,
): Readonly<Record<string, Value>> {
  // Each name got a getter of a value above.
  return new ReadOnlyFields(looks) as unknown as Readonly<Record<string, Value>>;
}
