import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { z } from 'zod';
import type { SignalReply } from '../../engine/signal-intake.ts';
import { LISTENER, LISTENER_STATE, MOST_TOLD } from '../workload/listener.ts';
import { violationsOf, type Violation } from './violation.ts';

const row = z.object({ state: LISTENER_STATE });

/**
 * A signal is told once: whatever its sender was answered, the state of the strategy has its id as often as
 * it was told, by the mirror's file, over all lives. And each has an answer in the end.
 */
export class SignalChecker {
  /** The first answer to each id. */
  private readonly replies = new Map<string, SignalReply['outcome']>();
  private readonly unlike: string[] = [];

  /** The sender has an answer. */
  replied(id: string, { outcome }: SignalReply): void {
    const before = this.replies.get(id) ?? 'refused';
    // One that was one too many is not remembered, and may be told later.
    if (before === 'refused') this.replies.set(id, outcome);
    else if (before !== outcome)
      this.unlike.push(`expected the signal ${id} to stay ${before}, was ${outcome}`);
  }

  /** An older mirror took the place of the one at hand: what it has not heard of may be told again. */
  forget(): void {
    this.replies.clear();
    this.unlike.length = 0;
  }

  /** `unanswered`: ids that were sent, and never answered; `again`: those that were sent more than once. */
  violations(path: string, unanswered: readonly string[], again: ReadonlySet<string>): readonly Violation[] {
    const told = readTold(path);
    if (told === null) return [];
    const counts = new Map<string, number>();
    for (const id of told) counts.set(id, (counts.get(id) ?? 0) + 1);
    const twice = [...counts].flatMap(([id, count]) =>
      count > 1 ? [`expected the signal ${id} to be told once, was told ${count} times`] : [],
    );
    // The state has the last ones, and so do the answers.
    const answered = [...this.replies].filter(([, outcome]) => outcome === 'told').slice(-MOST_TOLD / 2);
    const lost = answered.flatMap(([id]) =>
      counts.has(id) ? [] : [`expected the signal ${id}, which was answered as told, in the state`],
    );
    const wrong = [...this.replies].flatMap(([id, outcome]) =>
      outcome !== 'told' && counts.has(id) && !(outcome === 'refused' && again.has(id))
        ? [`expected the signal ${id} not to be told: it was ${outcome}`]
        : [],
    );
    const silent = unanswered.map((id) => `expected an answer to the signal ${id}, was none`);
    return violationsOf('signals', [...twice, ...lost, ...wrong, ...this.unlike, ...silent]);
  }
}

/** Ids in the state of the strategy, by the file; null where it has none. */
function readTold(path: string): readonly string[] | null {
  if (!existsSync(path)) return null;
  const database = new Database(path, { readonly: true });
  try {
    const json = database
      .prepare<[string], string>('SELECT json FROM strategies WHERE name = ?')
      .pluck()
      .get(LISTENER.name);
    return json === undefined ? null : row.parse(JSON.parse(json)).state.told;
  } finally {
    database.close();
  }
}
