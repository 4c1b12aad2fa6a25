import type { SignalCommand } from '../engine/engine-event.ts';
import { Dice } from './dice.ts';
import { LISTENER } from './workload/roamer.ts';

/** Share of the seeds with a strategy that receives signals. */
const LISTENER_SHARE = 0.5;

const SHORTEST_MEAN_MS = 20_000;
const LONGEST_MEAN_MS = 300_000;

/** Share of the signals that are sent again, with their ids, and the range of the delay. */
const REPEATED = 0.5;
const REPEATED_AFTER_MS = [1, 20 * 60_000] as const;

/** Shares of the signals that are wrong, are only listened to, or come in a crowd. */
const WRONG = 0.1;
const SILENT = 0.5;
const CROWDED = 0.03;
const MOST_AT_ONCE = 40;

/** True if a seed has signals. */
export function hasListener(seed: number): boolean {
  return Dice.of(seed, 'listener').happens(LISTENER_SHARE);
}

/** A signal that is sent at a time of a run. */
interface SentSignal {
  readonly atMs: number;
  readonly command: SignalCommand;
}

/** Returns the signals sent in a run, some of them twice, in the order of their times or not. */
export function sentSignalsOf(seed: number, runMs: number): readonly SentSignal[] {
  if (!hasListener(seed)) return [];
  const dice = Dice.of(seed, 'signals');
  const meanMs = dice.logUniform(SHORTEST_MEAN_MS, LONGEST_MEAN_MS);
  const sent: SentSignal[] = [];
  for (let atMs = dice.exponential(meanMs); atMs < runMs; atMs += dice.exponential(meanMs)) {
    const count = dice.happens(CROWDED) ? dice.integer(2, MOST_AT_ONCE) : 1;
    for (let one = 0; one < count; one += 1) {
      const command = commandOf(dice, `s${sent.length}`);
      sent.push({ atMs: Math.round(atMs), command });
      if (dice.happens(REPEATED))
        sent.push({ atMs: Math.round(atMs + dice.logUniform(...REPEATED_AFTER_MS)), command });
    }
  }
  return sent;
}

function commandOf(dice: Dice, id: string): SignalCommand {
  const share = dice.happens(SILENT) ? null : dice.between(0, 1);
  const payload = dice.happens(WRONG) ? { share: 'all' } : { share };
  return {
    kind: 'signal',
    strategy: LISTENER.name,
    name: 'alert',
    id,
    payload,
    sentAtMs: null,
    source: 'fuzzer',
  };
}
