import { present } from '../domain/errors.ts';
import type { StrategyInstanceSettings } from '../engine/engine-settings.ts';
import type { SignalCommand } from '../engine/engine-event.ts';
import { inDigits } from '../language/fact.ts';
import { runWarning, type RunWarning } from './run-warning.ts';

/** A signal of a run, and when the bot takes it. */
export interface DatedSignal {
  readonly atMs: number;
  readonly command: SignalCommand;
}

/** Signals of a run in the order of their times, told one after the other. */
export class DatedSignals {
  private readonly signals: readonly DatedSignal[];
  /** Time of the next signal; infinity if there is none. Read with each bar. */
  nextMs = Number.POSITIVE_INFINITY;
  private next = -1;

  /** Omits signals before `fromMs`: the run begins then. */
  constructor(signals: readonly DatedSignal[], fromMs: number) {
    this.signals = signals
      .filter(({ atMs }) => atMs >= fromMs)
      .toSorted((left, right) => left.atMs - right.atMs);
    this.goOn();
  }

  /** Those whose time has come, as the engine takes them. */
  takeUntil(atMs: number): readonly SignalCommand[] {
    const taken: SignalCommand[] = [];
    while (this.nextMs <= atMs) {
      const { command, atMs: takenMs } = present(this.signals[this.next], 'the signal that is next');
      const { sentAtMs } = command;
      taken.push({ ...command, ageMs: sentAtMs === null ? 0 : takenMs - sentAtMs });
      this.goOn();
    }
    return taken;
  }

  private goOn(): void {
    this.next += 1;
    this.nextMs = this.signals[this.next]?.atMs ?? Number.POSITIVE_INFINITY;
  }
}

/** Returns what a reader should know of the signals of a run, as sentences. */
export function signalWarnings(
  signals: readonly DatedSignal[],
  of: {
    readonly instances: readonly Pick<StrategyInstanceSettings, 'runner'>[];
    readonly fromMs: number;
    readonly toMs: number;
  },
): readonly RunWarning[] {
  const outside = signals.filter(({ atMs }) => atMs < of.fromMs || atMs > of.toMs).length;
  const deaf = of.instances.flatMap(({ runner: { name, subscriptions } }) =>
    subscriptions.some(({ kind }) => kind === 'signal') &&
    !signals.some(({ command }) => command.strategy === name)
      ? [runWarning('warning.noSignals', { strategy: name, option: '--signals' })]
      : [],
  );
  return [
    ...(outside === 0
      ? []
      : [
          runWarning('warning.signalsOutside', {
            outside: inDigits(outside),
            all: inDigits(signals.length),
          }),
        ]),
    ...deaf,
  ];
}
