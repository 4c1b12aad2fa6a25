import { z } from 'zod';
import type { EngineOutput } from '../engine/engine-command.ts';
import type { EngineEvent } from '../engine/engine-event.ts';
import { KEPT_TRANSFERS } from '../engine/transfers/transfer-record.ts';

const kept = z.array(z.object({ state: z.enum(['sending', 'unknown']) }));
const told = z.object({ status: z.enum(['done', 'unknown', 'accepted']) });

/** Follows transfers between the wallets: how they ended, and which have not. */
export class TransferCoverage {
  private states: ReadonlySet<string> = new Set();

  /** True if the answer to a transfer may come any moment. */
  get isUnderWay(): boolean {
    return this.states.has('sending');
  }

  /** True if there is a transfer of which nobody knows if it arrived. */
  get isUnknown(): boolean {
    return this.states.has('unknown');
  }

  /** Answers what a step says, in words to be counted. */
  step(event: EngineEvent, { changes }: EngineOutput): readonly string[] {
    const words: string[] = [];
    for (const change of changes) {
      if (change.kind === 'kept' && change.name === KEPT_TRANSFERS)
        this.states = new Set(kept.parse(JSON.parse(change.json)).map(({ state }) => state));
      else if (change.kind === 'intent' && change.intent.kind === 'transfer')
        words.push(`intent transfer ${change.intent.status}`);
      else if (change.kind === 'journal' && change.entry.kind === 'transfer')
        words.push(wordOf(event, told.parse(JSON.parse(change.entry.json)).status));
    }
    return words;
  }
}

/** Without an answer it is a new life that has found it. */
function wordOf(event: EngineEvent, status: string): string {
  if (status !== 'unknown') return `transfer ${status}`;
  return event.kind === 'answer'
    ? 'transfer unknown without a clear answer'
    : 'transfer unknown after a death';
}
