import { invariant } from '../domain/errors.ts';

/**
 * Ids for our orders: instance, strategy, a mark of this run, and a count, in letters, digits and hyphens of the lower case, at most 32
 * characters. The exchange frees an id once its order closes, so the mark and the count, not the exchange, keep it unique for ever.
 */
export class ClientOrderIds {
  private readonly instance: string;
  private readonly run: string;
  private count = 0;

  constructor(options: { readonly instance: string; readonly run: string }) {
    this.instance = options.instance;
    this.run = options.run;
  }

  next(strategy: string): string {
    this.count += 1;
    const id = `${this.instance}-${strategy}-${this.run}-${this.count.toString(36)}`;
    invariant(
      /^[a-z0-9-]{1,32}$/.test(id),
      `expected at most 32 letters, digits and hyphens of the lower case, was "${id}"`,
    );
    return id;
  }
}
