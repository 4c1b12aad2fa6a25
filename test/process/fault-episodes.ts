import type { Dice } from '../../src/fuzz/dice.ts';
import type { FaultRule } from '../../src/simulator/faults/fault-rule.ts';

/** Faults that take replies or requests away, of some requests each; a draw has about half of the kinds. */
const KINDS: readonly FaultRule[] = [
  { kind: 'lost', probability: 0.03 },
  { kind: 'reply-lost', probability: 0.06 },
  { kind: 'reset', probability: 0.05, isHandled: true },
  { kind: 'reset', probability: 0.05 },
  { kind: 'server-error', probability: 0.05, isHandled: true },
  { kind: 'server-error', probability: 0.05 },
  { kind: 'bad-gateway', probability: 0.05, isHandled: true },
  { kind: 'truncated', probability: 0.05 },
  { kind: 'late', probability: 0.05, delayMs: 500 },
  { kind: 'lagging-lists', probability: 0.3, lagMs: 2_000 },
  { kind: 'shuffled-trades', probability: 0.3 },
];

/**
 * What goes wrong during one life of a bot. Every fourth reply or so is slow, so that a kill finds requests
 * on their way.
 */
export function drawFaults(dice: Dice): readonly FaultRule[] {
  return [...dice.some(KINDS, 0.5), { kind: 'delay', probability: 0.25, delayMs: dice.integer(100, 800) }];
}
