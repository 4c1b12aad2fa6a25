import { sentence } from '../language/sentences/sentence.ts';
import type { AlgorithmIntent } from '../execution/algorithms/algorithms.ts';
import type { TrailPace } from '../strategy/trailing.ts';

/**
 * Returns why a stop may not follow the price as well; null if it may, and for intents without such a stop.
 */
export function whyNoTrail(
  intent: AlgorithmIntent,
  of: { readonly pace: TrailPace | null; readonly atWork: number },
): string | null {
  if ((intent.kind !== 'bracket' && intent.kind !== 'protect') || intent.trail === undefined) return null;
  const { pace, atWork } = of;
  // Without a pace the bracket itself says what is missing.
  if (pace === null || atWork < pace.most) return null;
  return sentence('trails-full', { most: pace.most, atWork });
}
