type Column = Float64Array | Uint32Array | Uint8Array;

const FIRST_LENGTH = 1_024;

/** Numbers one after the other, in a typed array that doubles as it fills. */
export class GrowingColumn<Kind extends Column> {
  /** Number of values. */
  length = 0;
  private column: Kind;
  private readonly make: (length: number) => Kind;

  constructor(make: (length: number) => Kind) {
    this.make = make;
    this.column = make(FIRST_LENGTH);
  }

  push(value: number): void {
    if (this.length === this.column.length) {
      const longer = this.make(2 * this.length);
      longer.set(this.column);
      this.column = longer;
    }
    this.column[this.length] = value;
    this.length += 1;
  }

  /** All of them, in memory that no later one moves. */
  done(): Kind {
    return this.column.subarray(0, this.length) as Kind;
  }
}

export const doubles = (length: number): Float64Array => new Float64Array(length);
export const words = (length: number): Uint32Array => new Uint32Array(length);
export const bytes = (length: number): Uint8Array => new Uint8Array(length);
