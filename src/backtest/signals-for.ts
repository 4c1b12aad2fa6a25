import { SarrafError } from '../domain/errors.ts';
import type { StrategyInstanceSettings } from '../engine/engine-settings.ts';
import type { DatedSignal } from './dated-signal.ts';
import type { FileSignal } from './read-signals.ts';

type Instances = readonly Pick<StrategyInstanceSettings, 'runner'>[];

/**
 * Signals of a file for the strategies of a run. A line that names no strategy is for each that declares its
 * name; one that names no signal is for the one that its strategy declares. Throws `INVALID_FILE` for one
 * that is for nobody.
 */
export function signalsFor(signals: readonly FileSignal[], instances: Instances): readonly DatedSignal[] {
  const declared = instances.flatMap(({ runner }) =>
    runner.subscriptions.flatMap((wanted) =>
      wanted.kind === 'signal' ? [{ strategy: runner.name, name: wanted.name }] : [],
    ),
  );
  return signals.flatMap(({ atMs, strategy, name, id, payload, sentAtMs, source, place }) => {
    const fitting = declared.filter(
      (one) => (strategy === null || one.strategy === strategy) && (name === null || one.name === name),
    );
    if (fitting.length === 0 || (name === null && fitting.length > 1))
      throw new SarrafError('INVALID_FILE', `${place}: ${expectedText({ strategy, name }, declared)}`);
    return fitting.map((one) => ({
      atMs,
      command: { kind: 'signal', ...one, id, payload, sentAtMs, source },
    }));
  });
}

function expectedText(
  { strategy, name }: Pick<FileSignal, 'strategy' | 'name'>,
  declared: readonly { readonly strategy: string; readonly name: string }[],
): string {
  const found = `found ${strategy === null ? 'no strategy' : `the strategy ${strategy}`} and ${name === null ? 'no name' : `the name ${name}`}`;
  const names = declared.map((one) => `${one.strategy} ${one.name}`).join(', ');
  return names === ''
    ? `expected a run whose strategies declare signals, ${found}`
    : `expected one of the declared signals (${names}), ${found}`;
}
