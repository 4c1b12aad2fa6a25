import { z } from 'zod';
import { EXIT_KINDS } from '../../domain/order.ts';
import { formatUnits } from '../../domain/money.ts';
import { readStored } from '../../domain/stored-json.ts';
import { storedFillRecord, type FillRecord } from '../../records/fill.ts';
import type { Outbox } from '../outbox.ts';

/** Trades of orders whose strategies are not at work, with what the order is called and which exit it is. */
export const storedAbsentFills = z.array(
  z.object({ fill: storedFillRecord, tag: z.string().nullable(), exit: z.enum(EXIT_KINDS).nullable() }),
);

export type AbsentFill = z.output<typeof storedAbsentFills>[number];

export const STORED_ABSENT_FILLS = 'absent-fills';

/** Orders of strategies that are not at work are few; beyond this the oldest is given up, with an alarm. */
const MOST_ABSENT = 2_000;

/**
 * Trades of orders whose strategies are not at work, as while an offline halt cancels, or after a strategy
 * was taken out of the configuration. They wait here, over restarts, until the strategy is back: its position
 * counts them then.
 */
export class AbsentFills {
  private readonly outbox: Outbox;
  private fills: readonly AbsentFill[] = [];

  constructor(outbox: Outbox) {
    this.outbox = outbox;
  }

  add(absent: AbsentFill): void {
    this.fills = [...this.fills, absent];
    const [oldest] = this.fills;
    if (this.fills.length > MOST_ABSENT && oldest !== undefined) {
      this.fills = this.fills.slice(1);
      const { strategy, tradeId } = oldest.fill;
      this.outbox.alarm(
        `the trade ${tradeId} of ${strategy}, which does not run, is left out of its position`,
      );
    }
    this.persist();
  }

  /** Takes out those whose strategy can receive them now. */
  release(hasReceiver: (fill: FillRecord) => boolean): readonly AbsentFill[] {
    const released = this.fills.filter(({ fill }) => hasReceiver(fill));
    if (released.length === 0) return released;
    this.fills = this.fills.filter((absent) => !released.includes(absent));
    this.persist();
    return released;
  }

  restore(json: string | undefined): void {
    if (json !== undefined)
      this.fills = readStored(storedAbsentFills, json, 'what is kept of trades of absent strategies');
  }

  private persist(): void {
    const stored: z.input<typeof storedAbsentFills> = this.fills.map(({ fill, tag, exit }) => {
      const { price, amount, total, fee } = fill;
      const money = { price: formatUnits(price), amount: formatUnits(amount), total: formatUnits(total) };
      return { tag, exit, fill: { ...fill, ...money, fee: formatUnits(fee) } };
    });
    this.outbox.persist(STORED_ABSENT_FILLS, stored);
  }
}
