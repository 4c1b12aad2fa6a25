import { invariant } from '../domain/invariant.ts';
import type { VenueProfile } from '../venues/port.ts';

/** Data contained in one of our clientOrderIds, without the mirror. */
export interface OrderName {
  readonly instance: string;
  readonly strategy: string;
  readonly epoch: string;
  readonly row: number;
}

/** A name begins with letters and digits only, so that the strategy between may have hyphens. */
const INSTANCE = /^[a-z0-9]{1,6}$/;
const NAME = /^([a-z0-9]{1,6})-([a-z0-9]+(?:-[a-z0-9]+)*)-([a-z0-9]{4})-([a-z0-9]{1,7})$/;

/** Rows have so many digits to base 36 at most. */
const ROWS = 36 ** 7;

/**
 * Makes the clientOrderIds of orders: instance, strategy, epoch of the mirror and row of the journal.
 * Lower-case letters, digits and hyphens. An exchange may free an id once its order closes, so epoch and row,
 * not the exchange, keep it unique for ever.
 */
export class OrderNames {
  private readonly of: Pick<OrderName, 'instance' | 'epoch'>;
  private readonly rule: VenueProfile['clientOrderId'];
  /** By strategy, of which there are as many as are configured: all but the row. */
  private readonly beginnings = new Map<string, string>();

  constructor(of: Pick<OrderName, 'instance' | 'epoch'>, rule: VenueProfile['clientOrderId']) {
    this.of = of;
    this.rule = rule;
  }

  /** Throws `INVARIANT` for one that the exchange does not take. */
  next(strategy: string, row: number): string {
    let beginning = this.beginnings.get(strategy);
    if (beginning === undefined) {
      const { instance, epoch } = this.of;
      beginning = `${instance}-${strategy}-${epoch}-`;
      const first = `${beginning}0`;
      this.expect(this.rule.pattern.test(first) && NAME.test(first), first);
      this.beginnings.set(strategy, beginning);
    }
    const id = beginning + row.toString(36);
    this.expect(id.length <= this.rule.longest && row < ROWS, id);
    return id;
  }

  private expect(isFit: boolean, id: string): void {
    if (isFit) return;
    const { longest } = this.rule;
    invariant(false, `expected a clientOrderId of at most ${longest} characters, was "${id}"`);
  }
}

/** Reads a clientOrderId; null where it is none of sarraf's. */
export function readOrderName(id: string | null): OrderName | null {
  const parts = id === null ? null : NAME.exec(id);
  if (parts === null) return null;
  const [, instance = '', strategy = '', epoch = '', row = ''] = parts;
  return { instance, strategy, epoch, row: Number.parseInt(row, 36) };
}

const MANUAL = /^manual-[0-9a-z]{12}$/;
const MANUAL_DIGITS = 12;

/**
 * The clientOrderId of an order that is placed by hand. It is of two parts, where those of bots have four and
 * more, so no bot takes it for its own, not even one whose instance is called manual. `digit` gives whole
 * numbers from 0 to 35.
 */
export function manualOrderId(digit: () => number): string {
  const id = `manual-${Array.from({ length: MANUAL_DIGITS }, () => digit().toString(36)).join('')}`;
  invariant(MANUAL.test(id), () => `expected a name for an order by hand, was "${id}"`);
  return id;
}

export function isManualOrderId(id: string | null): boolean {
  return id !== null && MANUAL.test(id);
}

export function isInstanceName(text: string): boolean {
  return INSTANCE.test(text);
}

/** The key of the stop leg of an OCO, which has no id of its own on the wire. */
export function stopLegKey(clientOrderId: string): string {
  return `${clientOrderId}/2`;
}
