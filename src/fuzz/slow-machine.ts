import { HOUR_MS } from '../domain/time-text.ts';
import { CommitTimes } from '../budget/commit-times.ts';
import type { ProcessTime } from '../virtual/process-time.ts';
import { Dice } from './dice.ts';

/** A machine with a slow disk that at times has no processor time for the bot. Times are in ms of the run. */
export interface SlowMachine {
  /** Range of the duration of a commit, in ms; drawn for each. */
  readonly commitMs: readonly [least: number, most: number];
  /** Times in which an admitted request needs up to seconds until it is sent. */
  readonly starved: readonly { readonly fromMs: number; readonly toMs: number }[];
}

const SLOW_SHARE = 0.2;
/** Range of commit times in ms: from a good disk to a cloud volume on a bad day. */
const COMMIT_MS = [2, 200] as const;
const SPELL_MS = [5_000, 300_000] as const;
/** Range of the time from an admission to the send while starved, in ms: most requests are admitted again. */
const STARVED_START_MS = [20, 20_000] as const;
const MOST_START_MS = 4;

/** Draws the slow machine of a seed with its own dice; null if no commit waits for the disk. */
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

/** The disk of one process: during a commit the process does nothing else. */
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
  /** Returns the time from an admission to the send in ms, drawn for each. */
  readonly startMs: () => number;
}

/** Returns the effects on a process; `runMs` is the time since the run began. */
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
  /** Folder of the heartbeat, which shows that a bot's loop runs; null if nobody reads it. */
  readonly heartbeatFolder: string | null;
  /** Error of the system clock against the true time in ms; the swarm steps it. */
  wallOffsetMs: number;
  /** Owners of ledger slots whose process has died. */
  readonly deadOwners: Set<string>;
  /** Number of lives of the bot so far, including the present one. */
  lives: number;
}
