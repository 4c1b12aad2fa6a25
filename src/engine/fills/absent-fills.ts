import { z } from 'zod';
import { EXIT_KINDS } from '../../domain/order.ts';
import { formatUnits } from '../../domain/money.ts';
import { readStored } from '../../domain/stored-json.ts';
import { storedFillRecord, type FillRecord } from '../../records/fill.ts';
import type { Outbox } from '../outbox.ts';

/** Stored fills of orders whose strategies do not run, each with its order's tag and kind of exit. */
export const storedAbsentFills = z.array(
  z.object({ fill: storedFillRecord, tag: z.string().nullable(), exit: z.enum(EXIT_KINDS).nullable() }),
);

export type AbsentFill = z.output<typeof storedAbsentFills>[number];

export const STORED_ABSENT_FILLS = 'absent-fills';

/**
 * Maximum number of fills that wait here; they are few. If there are more, the oldest is dropped, with an
 * alarm.
 */
const MOST_ABSENT = 2_000;

/**
 * Fills of orders whose strategies do not run, for example during an offline halt, or after a strategy was
 * removed from the configuration. They wait here, also over restarts, until the strategy runs again; then its
 * position counts them.
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

  /** Removes and returns the fills whose strategy can receive them now. */
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
