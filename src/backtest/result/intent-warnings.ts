import type { RefusalCount } from '../../engine/intent-tally.ts';
import type { BacktestRun, StrategyIntents } from '../backtest-run.ts';
import { minuteText } from '../../domain/time-text.ts';

/**
 * From this share of refused orders on the reader is warned: what a strategy wanted is then not what it did.
 */
const MUCH = 0.1;

/** Reasons that a warning names. */
const NAMED = 3;

/** How many intents were refused; signals from outside are none. */
export function refusedIn(refusals: readonly RefusalCount[]): number {
  return refusals.reduce((sum, { what, count }) => (what === 'signal' ? sum : sum + count), 0);
}

/** Says where a strategy placed nothing, and where much of what it wanted was refused. */
export function intentWarnings({
  intents,
  orders,
}: Pick<BacktestRun, 'intents' | 'orders'>): readonly string[] {
  return intents.flatMap((of) => {
    const placed = orders.reduce((sum, { strategy }) => (strategy === of.strategy ? sum + 1 : sum), 0);
    return [warningOf(of, placed), signalsOf(of)].filter((warning) => warning !== null);
  });
}

function warningOf({ strategy, count, refusals }: StrategyIntents, placed: number): string | null {
  const ofOrders = refusals.filter(
    ({ what }) => what !== 'cancel' && what !== 'cancel-all' && what !== 'signal',
  );
  const refused = refusedIn(ofOrders);
  if (placed === 0) {
    if (count === 0) return `${strategy} placed no order: it had no intent`;
    const made = `${strategy} placed no order: it made ${count} intent${count === 1 ? '' : 's'}`;
    return refused === 0
      ? `${made}, none of which became an order`
      : `${made}, and was refused: ${reasonsOf(ofOrders)}`;
  }
  // An order that was placed and rejected is among the placed ones.
  const rejected = refusedIn(ofOrders.filter(({ what }) => what === 'order'));
  const attempts = placed + refused - rejected;
  if (refused <= attempts * MUCH) return null;
  const share = Math.round((refused / attempts) * 100);
  return `${strategy}: ${refused} of ${attempts} orders that it wanted were refused (${share} %): ${reasonsOf(ofOrders)}`;
}

/** Signals that it was not told. */
function signalsOf({ strategy, refusals }: StrategyIntents): string | null {
  const ofSignals = refusals.filter(({ what }) => what === 'signal');
  return ofSignals.length === 0 ? null : `${strategy} was not told: ${reasonsOf(ofSignals)}`;
}

function reasonsOf(refusals: readonly RefusalCount[]): string {
  const named = refusals
    .slice(0, NAMED)
    .map(
      ({ what, code, count, example, firstAtMs }) =>
        `${count} ${what} by ${code} (${minuteText(firstAtMs)}: ${example})`,
    );
  const more = refusals.length - named.length;
  return `${named.join('; ')}${more > 0 ? `; and ${more} more reasons` : ''}`;
}
