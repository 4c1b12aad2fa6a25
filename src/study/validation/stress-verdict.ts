import { percentText } from '../../backtest/report/value-text.ts';
import { countText } from '../../domain/money-text.ts';
import type { EntryFindings } from '../stress/entry-findings.ts';
import type { StressFindings } from '../stress/stress-findings.ts';
import { valueOf, type Tested } from './tested.ts';

/** What is left of a best trial under other conditions. */
export interface StressVerdict {
  /**
   * - `breaks`: at least one of them takes the result away.
   * - `holds`: none of them does, and all were tested.
   * - `not tested`: none that was tested does, and some were not.
   */
  readonly kind: 'breaks' | 'holds' | 'not tested';
  readonly reasons: readonly string[];
}

/** Trades that are drawn anew may lose so often: the usual chance of being wrong. */
const MOST_LOSSES = 0.05;

/** One condition: whether the result is still there. */
interface StressTest {
  readonly name: string;
  /** Null where it was not tested, and then the reason says why. */
  readonly isHeld: boolean | null;
  readonly reason: string;
}

export function stressVerdict(findings: StressFindings | null): StressVerdict {
  if (findings === null) return { kind: 'not tested', reasons: [] };
  const tests = testsOf(findings);
  const reasons = tests.flatMap(({ isHeld, reason }) => (isHeld === null ? [] : [reason]));
  if (tests.some(({ isHeld }) => isHeld === false)) return { kind: 'breaks', reasons };
  return { kind: tests.every(({ isHeld }) => isHeld === true) ? 'holds' : 'not tested', reasons };
}

/** What of it nobody has looked at, with a word on why. */
export function untestedStress(findings: StressFindings | null): readonly string[] {
  if (findings === null) return CONDITIONS.map((name) => `${name} ("sarraf study stress" runs it)`);
  return testsOf(findings).flatMap(({ name, isHeld, reason }) =>
    isHeld === null ? [`${name} (${reason})`] : [],
  );
}

const CONDITIONS = ['doubled costs', 'order of trades', 'redrawn candles', 'random entries'];

function testsOf(findings: StressFindings): readonly StressTest[] {
  return [costsTest(findings), tradesTest(findings), redrawnTest(findings), entriesTest(findings)];
}

function costsTest({ costs }: StressFindings): StressTest {
  const earned = valueOf(costs.all)?.['totalReturn'] ?? null;
  if (earned === null) return missing('doubled costs', costs.all);
  const isHeld = earned > 0;
  return {
    name: 'doubled costs',
    isHeld,
    reason: `With doubled costs it ${isHeld ? 'still earns' : 'loses'}: ${percentText(earned)}.`,
  };
}

function tradesTest({ tradeOrder: { reorder, resample } }: StressFindings): StressTest {
  const [order, draw] = [valueOf(reorder), valueOf(resample)];
  if (order === null) return missing('order of trades', reorder);
  if (draw === null) return missing('order of trades', resample);
  return {
    name: 'order of trades',
    isHeld: draw.lossShare <= MOST_LOSSES,
    reason: `Its trades drawn anew lose in ${percentText(draw.lossShare)} of runs. In another order they fall by more than ${percentText(order.drawdown.p95)} in one run of twenty.`,
  };
}

/** Of histories of the same kind. */
const MOST_LOST_HISTORIES = 0.5;

function redrawnTest({ redrawn }: StressFindings): StressTest {
  const name = 'redrawn candles';
  const found = valueOf(redrawn);
  if (found === null) return missing(name, redrawn);
  const { histories, lossShare, beatsHolding } = found;
  return {
    name,
    isHeld: lossShare < MOST_LOST_HISTORIES,
    reason: `In ${countText(histories, 'redrawn history', 'redrawn histories')} it loses in ${percentText(lossShare)}, and earns more than holding in ${percentText(beatsHolding)}.`,
  };
}

function entriesTest({ entries }: StressFindings): StressTest {
  const name = 'random entries';
  const found = valueOf(entries);
  if (found === null) return missing(name, entries);
  const isHeld = isBetterThanRandom(found);
  return {
    name,
    isHeld,
    reason: `It is ${isHeld ? 'better' : 'no better'} than random entries with the same exposure: ${percentText(found.asGood)} of ${countText(found.controls, 'control')} do as well.`,
  };
}

/** Whether so few controls do as well that chance is unlikely, if the trial was the only one. */
export function isBetterThanRandom({ pValue }: EntryFindings): boolean {
  return pValue <= SIGNIFICANCE;
}

/** The usual chance of being wrong. */
const SIGNIFICANCE = 0.05;

function missing(name: string, of: Tested<unknown>): StressTest {
  return { name, isHeld: null, reason: of.kind === 'not tested' ? of.message : 'no figure' };
}
