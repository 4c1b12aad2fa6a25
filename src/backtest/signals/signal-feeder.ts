import type { Timeline } from '../../virtual/virtual-time.ts';
import type { BotShell } from '../../daemon/bot-shell.ts';
import { DatedSignals, type DatedSignal } from '../dated-signal.ts';

export interface SignalFeederOptions {
  readonly time: Timeline;
  readonly shell: Pick<BotShell, 'control'>;
  /** Range of the signals: earlier and later ones are omitted. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** Gives a whole bot in virtual time its signals, each at its time. */
export class SignalFeeder {
  private readonly signals: DatedSignals;
  private readonly options: SignalFeederOptions;

  constructor(signals: readonly DatedSignal[], options: SignalFeederOptions) {
    this.signals = new DatedSignals(signals, options.fromMs);
    this.options = options;
  }

  start(): void {
    const { time, shell, toMs } = this.options;
    const { nextMs } = this.signals;
    if (nextMs >= toMs) return;
    time.at(nextMs, () => {
      for (const command of this.signals.takeUntil(time.now())) shell.control(command);
      this.start();
    });
  }
}
