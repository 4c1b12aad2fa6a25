import { inspect } from 'node:util';

const SHOWN = '[secret]';

/**
 * A text that nobody may see by accident: printed, logged, or written as JSON it is `[secret]`. Only `reveal`
 * gives it away.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The text itself, for the one place that needs it. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return SHOWN;
  }

  toJSON(): string {
    return SHOWN;
  }

  [Symbol.toPrimitive](): string {
    return SHOWN;
  }

  [inspect.custom](): string {
    return SHOWN;
  }
}
