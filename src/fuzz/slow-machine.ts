import { HOUR_MS } from '../domain/time-text.ts';
import { CommitTimes } from '../budget/commit-times.ts';
import type { ProcessTime } from '../virtual/process-time.ts';
import { Dice } from './dice.ts';

/** A machine whose disk is slow, and that has no time for the bot now and then. Times are of the run. */
export interface SlowMachine {
  /** Range of the duration of a commit, drawn for each. */
  readonly commitMs: readonly [least: number, most: number];
  /** From an admission to the send takes up to seconds. */
  readonly starved: readonly { readonly fromMs: number; readonly toMs: number }[];
}

const SLOW_SHARE = 0.2;
/** From a good disk to a cloud volume on a bad day. */
const COMMIT_MS = [2, 200] as const;
const SPELL_MS = [5_000, 300_000] as const;
/** From an admission to the send, of a starved process: a cancel still leaves, most others ask again. */
const STARVED_START_MS = [20, 20_000] as const;
const MOST_START_MS = 4;

/** Of its own dice: what else a seed draws stays as it is. Null: nothing waits for the disk. */
export function drawSlowMachine(seed: number, runMs: number): SlowMachine | null {
  const dice = Dice.of(seed, 'slow machine');
  if (!dice.happens(SLOW_SHARE)) return null;
  const mostMs = Math.round(dice.logUniform(...COMMIT_MS));
  const starved: { fromMs: number; toMs: number }[] = [];
  const meanMs = dice.logUniform(0.3, 3) * HOUR_MS;
  for (let fromMs = dice.exponential(meanMs); fromMs < runMs;) {
    const toMs = Math.min(runMs, fromMs + dice.logUniform(...SPELL_MS));
    starved.push({ fromMs: Math.round(fromMs), toMs: Math.round(toMs) });
    fromMs = toMs + dice.exponential(meanMs);
  }
  return { commitMs: [Math.ceil(mostMs / 10), mostMs], starved };
}

/** The disk of one process: while it commits nothing else of it happens. */
class SlowDisk extends CommitTimes {
  private readonly draw: () => number;
  private readonly process: ProcessTime;

  constructor(process: ProcessTime, draw: () => number) {
    super(() => process.clockMs());
    this.process = process;
    this.draw = draw;
  }

  override time<T>(commit: () => T): T {
    try {
      return commit();
    } finally {
      const ms = this.draw();
      this.process.spend(ms);
      this.add(ms);
    }
  }
}

/** Effects of a slow machine on one process. */
export interface SlowProcess {
  readonly commits: SlowDisk;
  /** From an admission to the send, drawn for each. */
  readonly startMs: () => number;
}

/** `runMs`: how far the run is now. */
export function slowProcess(
  { commitMs, starved }: SlowMachine,
  of: { readonly process: ProcessTime; readonly dice: Dice; readonly runMs: () => number },
): SlowProcess {
  const { process, dice, runMs } = of;
  const isStarved = (): boolean => {
    const nowMs = runMs();
    return starved.some(({ fromMs, toMs }) => fromMs <= nowMs && nowMs < toMs);
  };
  return {
    commits: new SlowDisk(process, () => dice.integer(...commitMs)),
    startMs: () =>
      isStarved() ? Math.round(dice.logUniform(...STARVED_START_MS)) : dice.integer(1, MOST_START_MS),
  };
}

/** State that outlives a process: the files, and the machine's clock. */
export interface BotMachine {
  readonly mirrorPath: string;
  readonly ledgerPath: string;
  /** Folder in which a bot shows that its loop runs; null if nobody reads it. */
  readonly heartbeatFolder: string | null;
  /** Of the system clock against the true time; stepped by the swarm. */
  wallOffsetMs: number;
  /** Owners of ledger slots whose process is gone. */
  readonly deadOwners: Set<string>;
  /** Lives of the bot so far, this one included. */
  lives: number;
}
