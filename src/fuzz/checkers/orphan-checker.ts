import type { EngineOutput } from '../../engine/engine-command.ts';
import type { OrderRecord } from '../../records/order.ts';
import type { ExchangeTruth } from './exchange-truth.ts';
import { violationsOf, type Violation } from './violation.ts';

/** A cancel that fails is asked for again within seconds, and leaves no order just open for so long. */
const LONGEST_MS = 300_000;

/**
 * No order that the bot has taken over just stays open, but for those that protect: no intent steers it, and
 * a strategy that goes on from an older state places its like again.
 */
export class OrphanChecker {
  private life: object | null = null;
  /** Orders that were taken over and are open, and since when, by the bot's own clock. */
  private readonly open = new Map<string, { readonly order: OrderRecord; sinceMs: number }>();
  private readonly left = new Map<string, OrderRecord>();

  /** A step of the life that `engine` is of. */
  watch(engine: object, { changes }: EngineOutput, nowMs: number): void {
    if (engine !== this.life) {
      this.life = engine;
      for (const known of this.open.values()) known.sinceMs = nowMs;
    }
    for (const change of changes) {
      if (change.kind !== 'order' || change.order.intentId !== 'adopted') continue;
      const { order } = change;
      if (order.state === 'open') this.open.set(order.key, { order, sinceMs: nowMs });
      else this.open.delete(order.key);
    }
    for (const [key, { order, sinceMs }] of this.open)
      if (nowMs - sinceMs > LONGEST_MS) this.left.set(key, order);
  }

  violations({ orders }: ExchangeTruth): readonly Violation[] {
    const protective = new Set(
      orders.filter(({ isStop, pairId }) => isStop || pairId !== null).map(({ id }) => String(id)),
    );
    return violationsOf(
      'orphans',
      [...this.left.values()]
        .filter(({ venueId }) => venueId !== null && !protective.has(venueId))
        .map(({ key }) => `expected ${key}, which was taken over, to be canceled, it stayed open`),
    );
  }
}
