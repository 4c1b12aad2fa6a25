import type { FillRecord } from '../../records/fill.ts';
import type { Outbox } from '../outbox.ts';
import { restored, type StoredTexts, type StoredValue } from '../stored-records.ts';

export type AbsentFill = StoredValue<'absent-fills'>[number];

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

  restore(stored: StoredTexts): void {
    this.fills = restored(stored, 'absent-fills') ?? [];
  }

  private persist(): void {
    this.outbox.persist('absent-fills', this.fills);
  }
}
