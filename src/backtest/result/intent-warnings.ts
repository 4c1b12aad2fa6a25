import type { RefusalCount } from '../../engine/intent-tally.ts';
import type { BacktestRun, StrategyIntents } from '../backtest-run.ts';
import { present } from '../../domain/invariant.ts';
import { inDigits } from '../../language/fact.ts';
import { joinedBy, runWarning, type RunWarning } from '../run-warning.ts';

/**
 * From this share of refused orders on the reader is warned: what a strategy wanted is then not what it did.
 */
const MUCH = 0.1;

/** Reasons that a warning names. */
const NAMED = 3;

/** Returns how many intents were refused; signals from outside do not count. */
export function refusedIn(refusals: readonly RefusalCount[]): number {
  return refusals.reduce((sum, { what, count }) => (what === 'signal' ? sum : sum + count), 0);
}

/** Says where a strategy placed nothing, and where much of what it wanted was refused. */
export function intentWarnings({
  intents,
  orders,
}: Pick<BacktestRun, 'intents' | 'orders'>): readonly RunWarning[] {
  return intents.flatMap((of) => {
    const placed = orders.reduce((sum, { strategy }) => (strategy === of.strategy ? sum + 1 : sum), 0);
    return [warningOf(of, placed), signalsOf(of)].filter((warning) => warning !== null);
  });
}

function warningOf({ strategy, count, refusals }: StrategyIntents, placed: number): RunWarning | null {
  const ofOrders = refusals.filter(
    ({ what }) => what !== 'cancel' && what !== 'cancel-all' && what !== 'signal',
  );
  const refused = refusedIn(ofOrders);
  if (placed === 0) {
    if (count === 0) return runWarning('warning.noIntent', { strategy });
    const key = count === 1 ? 'warning.oneIntent' : 'warning.intents';
    const intents = runWarning(key, { number: inDigits(count) });
    return refused === 0
      ? runWarning('warning.noOrder', { strategy, intents })
      : runWarning('warning.allRefused', { strategy, intents, reasons: reasonsOf(ofOrders) });
  }
  // An order that was placed and rejected is among the placed ones.
  const rejected = refusedIn(ofOrders.filter(({ what }) => what === 'order'));
  const attempts = placed + refused - rejected;
  if (refused <= attempts * MUCH) return null;
  return runWarning('warning.refused', {
    strategy,
    refused: inDigits(refused),
    attempts: inDigits(attempts),
    percent: inDigits(Math.round((refused / attempts) * 100)),
    reasons: reasonsOf(ofOrders),
  });
}

/** Signals that it was not told. */
function signalsOf({ strategy, refusals }: StrategyIntents): RunWarning | null {
  const ofSignals = refusals.filter(({ what }) => what === 'signal');
  return ofSignals.length === 0
    ? null
    : runWarning('warning.notTold', { strategy, reasons: reasonsOf(ofSignals) });
}

/** The first of some reasons, of which there is at least one. */
function reasonsOf(refusals: readonly RefusalCount[]): RunWarning {
  const [first, ...others] = refusals.slice(0, NAMED).map(({ what, code, count, example, firstAtMs }) =>
    runWarning('warning.reason', {
      number: inDigits(count),
      what: { said: what },
      check: code,
      time: { atMs: firstAtMs },
      example: { said: example },
    }),
  );
  const more = refusals.length - NAMED;
  const rest = more > 0 ? [runWarning('warning.moreReasons', { number: inDigits(more) })] : [];
  return joinedBy('warning.then', [present(first, 'a reason'), ...others, ...rest]);
}
