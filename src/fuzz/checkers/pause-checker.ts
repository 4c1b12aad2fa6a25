import { z } from 'zod';
import type { EngineOutput } from '../../engine/engine-command.ts';
import type { MirrorChange } from '../../engine/mirror-change.ts';
import { violationsOf, type Violation } from './violation.ts';

const writtenPauses = z.object({
  locks: z.array(
    z.object({ strategy: z.string().nullable(), endsAtMs: z.number(), pauses: z.boolean().optional() }),
  ),
});
const endedEarly = z.object({ strategy: z.string().nullable(), pauses: z.boolean().optional() });
const row = z.object({ state: z.unknown() });
const wished = z.object({ tag: z.string().optional() });
const sells = z.object({ intentId: z.string().nullable() });

/** As many faults are named. */
const MOST_NAMED = 20;

/**
 * A strategy that a person has paused is told nothing: its state stays as it is, and it wants nothing. The
 * strategies here change their state with each book. What a person closes or places for it is not its own.
 */
export class PauseChecker {
  private readonly found: string[] = [];
  /** Until when strategies are paused, as was written before the step at hand. */
  private readonly paused = new Map<string, number>();
  /** The last state of each that was written in this life. */
  private readonly states = new Map<string, string>();
  private unsure: string | null = null;

  /** True if a strategy is paused. */
  get isPausing(): boolean {
    return this.paused.size > 0;
  }

  /** The process died: what it wrote last may be lost. */
  died(): void {
    this.unsure = null;
    this.states.clear();
  }

  /** An older mirror took the place of the one at hand. */
  forget(): void {
    this.died();
    this.paused.clear();
  }

  /** One step, at a time of the bot's clock. */
  watch({ changes }: Pick<EngineOutput, 'changes'>, atMs: number): void {
    if (this.unsure !== null) this.keep(this.unsure);
    this.unsure = null;
    for (const [strategy, untilMs] of this.paused) if (untilMs <= atMs) this.paused.delete(strategy);
    const byHand = new Set<string | null>();
    for (const change of changes) {
      if (change.kind === 'kept' && change.name === 'locks') this.unsure = change.json;
      if (change.kind !== 'journal' || change.entry.kind !== 'control') continue;
      const { subject, json } = change.entry;
      if (subject === 'close sells') byHand.add(sells.parse(JSON.parse(json)).intentId);
      if (subject !== 'lock ended early') continue;
      const lock = endedEarly.parse(JSON.parse(json));
      if (lock.pauses === true && lock.strategy !== null) this.paused.delete(lock.strategy);
    }
    for (const change of changes) this.judge(change, byHand, atMs);
  }

  violations(): readonly Violation[] {
    return violationsOf('paused strategies', this.found);
  }

  private judge(change: MirrorChange, byHand: ReadonlySet<string | null>, atMs: number): void {
    if (change.kind === 'intent' && change.intent.status === 'working') {
      const { id, strategy, json } = change.intent;
      const { tag } = wished.parse(JSON.parse(json));
      if (this.paused.has(strategy) && !byHand.has(id) && tag !== 'by-hand')
        this.find(`expected ${strategy}, which is paused, to want nothing at ${atMs}, was ${json}`);
    }
    if (change.kind !== 'strategy') return;
    const { name, json } = change.strategy;
    const state = JSON.stringify(row.parse(JSON.parse(json)).state);
    const before = this.states.get(name);
    this.states.set(name, state);
    if (this.paused.has(name) && before !== undefined && before !== state)
      this.find(`expected ${name}, which is paused, to be told nothing at ${atMs}, its state has changed`);
  }

  private keep(json: string): void {
    this.paused.clear();
    for (const { strategy, endsAtMs, pauses } of writtenPauses.parse(JSON.parse(json)).locks)
      if (pauses === true && strategy !== null) this.paused.set(strategy, endsAtMs);
  }

  private find(message: string): void {
    if (this.found.length < MOST_NAMED) this.found.push(message);
  }
}
