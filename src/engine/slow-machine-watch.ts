import { z } from 'zod';
import { readStored, storedTimeMs } from '../domain/stored-json.ts';
import { durationText } from '../domain/time-text.ts';
import { english, sentence, type Sentence } from '../language/sentence.ts';
import type { VenueAnswer } from '../venues/port.ts';
import type { Outbox } from './outbox.ts';
import type { KeptTexts } from './mirror-change.ts';

/** Time since when nothing leaves because this machine is too slow; stored for readers of the mirror. */
export const storedSlowMachine = z.object({ sinceMs: storedTimeMs.nullable() });

type StoredSlowMachine = z.output<typeof storedSlowMachine>;

export const KEPT_SLOW_MACHINE = 'slow-machine';

/** Reason a request was not sent: this machine always got to it too late. */
const TOO_SLOW = english(sentence('machine-too-slow'));

/**
 * Tracks if requests are dropped because this machine gets to them too late. The ledger then seems fine and
 * everything ready, while no order leaves. The first request that is sent ends it.
 */
export class SlowMachineWatch {
  private readonly outbox: Outbox;
  private sinceMs: number | null = null;

  constructor(outbox: Outbox) {
    this.outbox = outbox;
  }

  take({ answer, sentAtMs }: { readonly answer: VenueAnswer; readonly sentAtMs: number | null }): void {
    const { outbox } = this;
    if (answer.outcome === 'unsent' && answer.reason === TOO_SLOW) {
      if (this.sinceMs !== null) return;
      this.sinceMs = outbox.nowMs;
      this.keep();
    } else if (this.sinceMs !== null && sentAtMs !== null && sentAtMs >= this.sinceMs) {
      outbox.warn(`requests leave again, after ${durationText(Math.max(0, outbox.nowMs - this.sinceMs))}`);
      this.sinceMs = null;
      this.keep();
    }
  }

  /** Returns why no order can leave; null while requests do. */
  fault(): Sentence | null {
    return this.sinceMs === null ? null : sentence('machine-slow');
  }

  /** A new start knows nothing yet. */
  restore({ [KEPT_SLOW_MACHINE]: json }: KeptTexts): void {
    if (json === undefined) return;
    if (readStored(storedSlowMachine, json, 'what is kept of a slow machine').sinceMs !== null) this.keep();
  }

  private keep(): void {
    this.outbox.keep(KEPT_SLOW_MACHINE, { sinceMs: this.sinceMs } satisfies StoredSlowMachine);
  }
}
