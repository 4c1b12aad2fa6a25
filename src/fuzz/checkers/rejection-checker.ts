import type { EngineOutput } from '../../engine/engine-command.ts';
import { placedNameOf } from './own-key.ts';
import { violationsOf, type Violation } from './violation.ts';
import { english } from '../../language/sentence.ts';

/** Exchange's own data: its tables. */
interface AcceptedOrders {
  /** The id of an order by the clientOrderId that it was placed with; null where none was accepted. */
  readonly idOf: (clientOrderId: string) => number | null;
  /**
   * Names of orders that were refused to the bot with the interface's own code.
   */
  readonly refused: ReadonlySet<string>;
}

/**
 * Only positive evidence rejects an order: one that the bot gives up is not at the exchange at that moment,
 * whatever turns up later.
 */
export class RejectionChecker {
  private readonly found: string[] = [];

  watch({ changes }: Pick<EngineOutput, 'changes'>, { idOf, refused }: AcceptedOrders, atMs: number): void {
    for (const change of changes) {
      if (change.kind !== 'order' || change.order.state !== 'rejected') continue;
      const { key, reason } = change.order;
      const name = placedNameOf(key);
      const id = idOf(name);
      if (id === null || refused.has(name)) continue;
      this.found.push(
        `expected ${key} not to be given up (${english(reason)}) at ${atMs}, the exchange has it as ${id}`,
      );
    }
  }

  violations(): readonly Violation[] {
    return violationsOf('rejections', this.found);
  }
}
