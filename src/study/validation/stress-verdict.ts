import type { EntryFindings } from '../stress/entry-findings.ts';
import type { StressFindings } from '../stress-findings.ts';
import { finding, type StudyFinding } from '../study-fact.ts';
import { valueOf, type Tested } from './tested.ts';

/** Outcome of a best trial under other conditions. */
export interface StressVerdict {
  /**
   * - `breaks`: at least one of them takes the result away.
   * - `holds`: none of them does, and all were tested.
   * - `not tested`: none that was tested does, and some were not.
   */
  readonly kind: 'breaks' | 'holds' | 'not tested';
  readonly reasons: readonly StudyFinding[];
}

/** Trades that are drawn anew may lose so often: the usual chance of being wrong. */
const MOST_LOSSES = 0.05;

/** One condition: whether the result is still there. */
interface StressTest {
  readonly condition: Condition;
  /** Null where it was not tested, and then the reason says why. */
  readonly isHeld: boolean | null;
  readonly reason: StudyFinding;
}

export function stressVerdict(findings: StressFindings | null): StressVerdict {
  if (findings === null) return { kind: 'not tested', reasons: [] };
  const tests = testsOf(findings);
  const reasons = tests.flatMap(({ isHeld, reason }) => (isHeld === null ? [] : [reason]));
  if (tests.some(({ isHeld }) => isHeld === false)) return { kind: 'breaks', reasons };
  return { kind: tests.every(({ isHeld }) => isHeld === true) ? 'holds' : 'not tested', reasons };
}

/** Returns the untested conditions, with the reason for each. */
export function untestedStress(findings: StressFindings | null): readonly StudyFinding[] {
  if (findings === null)
    return CONDITIONS.map((condition) =>
      finding('untested.stress', { condition: finding(condition), command: 'sarraf study stress' }),
    );
  return testsOf(findings).flatMap(({ condition, isHeld, reason }) =>
    isHeld === null ? [finding('untested.condition', { condition: finding(condition), why: reason })] : [],
  );
}

const CONDITIONS = ['condition.costs', 'condition.trades', 'condition.candles', 'condition.entries'] as const;

type Condition = (typeof CONDITIONS)[number];

function testsOf(findings: StressFindings): readonly StressTest[] {
  return [costsTest(findings), tradesTest(findings), redrawnTest(findings), entriesTest(findings)];
}

function costsTest({ costs }: StressFindings): StressTest {
  const earned = valueOf(costs.all)?.['totalReturn'] ?? null;
  if (earned === null) return missing('condition.costs', costs.all);
  const isHeld = earned > 0;
  return {
    condition: 'condition.costs',
    isHeld,
    reason: finding(isHeld ? 'stress.earns' : 'stress.loses', { earned: { share: earned } }),
  };
}

function tradesTest({ tradeOrder: { reorder, resample } }: StressFindings): StressTest {
  const [order, draw] = [valueOf(reorder), valueOf(resample)];
  if (order === null) return missing('condition.trades', reorder);
  if (draw === null) return missing('condition.trades', resample);
  return {
    condition: 'condition.trades',
    isHeld: draw.lossShare <= MOST_LOSSES,
    reason: finding('stress.trades', {
      loss: { share: draw.lossShare },
      drawdown: { share: order.drawdown.p95 },
    }),
  };
}

/** Of histories of the same kind. */
const MOST_LOST_HISTORIES = 0.5;

function redrawnTest({ redrawn }: StressFindings): StressTest {
  const condition = 'condition.candles';
  const found = valueOf(redrawn);
  if (found === null) return missing(condition, redrawn);
  const { histories, lossShare, beatsHolding } = found;
  return {
    condition,
    isHeld: lossShare < MOST_LOST_HISTORIES,
    reason: finding('stress.candles', {
      histories: finding('count.redrawn', { count: histories }),
      loss: { share: lossShare },
      more: { share: beatsHolding },
    }),
  };
}

function entriesTest({ entries }: StressFindings): StressTest {
  const condition = 'condition.entries';
  const found = valueOf(entries);
  if (found === null) return missing(condition, entries);
  const isHeld = isBetterThanRandom(found);
  return {
    condition,
    isHeld,
    reason: finding(isHeld ? 'stress.better' : 'stress.noBetter', {
      share: { share: found.asGood },
      controls: finding('count.controls', { count: found.controls }),
    }),
  };
}

/** True if so few controls do as well that chance is unlikely, if the trial was the only one. */
export function isBetterThanRandom({ pValue }: EntryFindings): boolean {
  return pValue <= SIGNIFICANCE;
}

/** The usual chance of being wrong. */
const SIGNIFICANCE = 0.05;

function missing(condition: Condition, of: Tested<unknown>): StressTest {
  const reason = of.kind === 'not tested' ? of.message : finding('lack.figure');
  return { condition, isHeld: null, reason };
}
