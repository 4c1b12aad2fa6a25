import { readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setInterval } from 'node:timers';
import { z } from 'zod';
import { writePrivateFile } from '../configuration/secret-file.ts';
import { TIMEFRAMES } from '../domain/candle.ts';
import { messageOf } from '../domain/errors.ts';
import { BOT_MODES } from '../mirror/mirror-path.ts';
import type { BotConfig, ConfiguredStrategy } from './create-bot-config.ts';

/**
 * Parts of the record that a run leaves in its data folder, for those who read only the folder: the watchdog,
 * the page, alerts and the terminal. It contains no secret, and stays when the run has ended. Its parts are
 * checked one by one: one that cannot be read does not affect the others.
 */
const PARTS = {
  /** Facts of the run's start. */
  note: z.object({
    mode: z.enum(BOT_MODES),
    instance: z.string().max(40),
    /** State of the alerts: on, or the reason they are off. Absent from the note of an older sarraf. */
    alerts: z.enum(['on', 'not set', 'other speed']).optional(),
    strategies: z
      .array(
        z.object({
          name: z.string().max(100),
          plugin: z.string().max(4_096),
          market: z.string().max(40).nullable(),
          /** Its file, and what it was started with. Absent from the note of an older sarraf. */
          start: z
            .object({ file: z.string(), timeframe: z.enum(TIMEFRAMES), params: z.looseObject({}) })
            .optional(),
        }),
      )
      .max(1_000),
  }),
  ledger: z.object({
    /** Path of the ledger that counts the bot's requests. */
    ledger: z.string().max(4_096),
    /** Names of its address and account there. */
    subjects: z.array(z.string().max(64)).max(8),
    /** Limits that its first order waits for. Absent from the note of an older sarraf. */
    needed: z.array(z.string().max(64)).max(20).optional(),
  }),
  clock: z.object({ aheadMs: z.number() }),
  life: z.object({
    pid: z.int().positive(),
    /** Start of the run, in ms since 1970. */
    sinceMs: z.int().nonnegative(),
    /** Time the run ended in order, in ms since 1970; null while it runs, and if it was killed. */
    endedAtMs: z.int().nonnegative().nullable(),
    /** Reason for an end that nobody requested. */
    failure: z.string().nullable(),
  }),
};

export type RunNote = z.output<typeof PARTS.note>;
type LedgerNote = z.output<typeof PARTS.ledger>;

/** Age of the loop's last turn from which the loop counts as dead, in ms. */
export const OLDEST_HEARTBEAT_MS = 10_000;

/** State of a run, as shown by its data folder. */
export interface Pulse extends Readonly<z.output<typeof PARTS.life>> {
  /** Time its loop last turned, in ms since 1970: that of the file. */
  readonly beatMs: number;
}

/** State of the last run of a data folder; null for each part that is missing or cannot be read. */
interface ReadRun {
  readonly note: RunNote | null;
  /** Ledger of the run's requests; null if the exchange is in the bot itself. */
  readonly ledger: LedgerNote | null;
  /** Time by which the machine's clock is ahead of the exchange's, in ms; null: none is known. */
  readonly clockAheadMs: number | null;
  readonly pulse: Pulse | null;
}

const FILE = 'run.json';

/** Files of an older sarraf that stored the parts one by one; its `run.json` was the note alone. */
const OLD_FILES = { ledger: 'ledger.json', clock: 'clock.json', life: 'heartbeat.json' };

/** Reads the record of a folder's last run, also where an older sarraf wrote it or still runs. */
export function readRun(dataFolder: string): ReadRun {
  const path = join(dataFolder, FILE);
  const run = readJson(path);
  const life = PARTS.life.safeParse(run).data;
  const part = <Part>(shape: z.ZodType<Part>, oldFile: string): Part | null =>
    shape.safeParse(life === undefined ? readJson(join(dataFolder, oldFile)) : run).data ?? null;
  return {
    note: PARTS.note.safeParse(run).data ?? null,
    ledger: part(PARTS.ledger, OLD_FILES.ledger),
    clockAheadMs: part(PARTS.clock, OLD_FILES.clock)?.aheadMs ?? null,
    pulse: pulseOf(
      part(PARTS.life, OLD_FILES.life),
      life === undefined ? join(dataFolder, OLD_FILES.life) : path,
    ),
  };
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

function pulseOf(life: z.output<typeof PARTS.life> | null, path: string): Pulse | null {
  const stat = life === null ? undefined : statSync(path, { throwIfNoEntry: false });
  return life === null || stat === undefined ? null : { ...life, beatMs: stat.mtimeMs };
}

/** Parts of the record that a run knows when it begins. */
export type RunBeginning = RunNote & Partial<LedgerNote>;

/** Returns the state of the alerts. They follow the clock: an embedded exchange has them only at speed 1. */
export function alertsState({
  alerts,
  mode,
  embedded,
}: Pick<BotConfig, 'alerts' | 'mode' | 'embedded'>): NonNullable<RunNote['alerts']> {
  if (alerts === null) return 'not set';
  return mode === 'embedded' && embedded.speed !== 1 ? 'other speed' : 'on';
}

/** Interval at which a run's loop renews its record's time, in ms. */
const BEAT_EVERY_MS = 1_000;

const LONGEST_FAILURE = 500;

/** Functions of the process for a record; the fuzzer supplies those of a process in virtual time. */
interface RecordProcess {
  readonly pid: number;
  /** Returns the wall clock, in ms. */
  readonly wallMs: () => number;
  /** Calls `work` each `ms`; returns a function that stops it. */
  readonly every: (ms: number, work: () => void) => () => void;
}

const THIS_PROCESS: RecordProcess = {
  pid: process.pid,
  wallMs: Date.now,
  every(ms, work) {
    const timer = setInterval(work, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
};

/**
 * Writes the whole record of this run at its start, when a clock turns out wrong or right, and at its end. In
 * between, the time of the file, renewed once a second without space on the disk, shows that the loop turns.
 * It never throws: a run trades without it, and a full disk is reported by the mirror.
 */
export class RunRecord implements Disposable {
  private readonly dataFolder: string;
  private beginning: RunBeginning;
  private readonly process: RecordProcess;
  private readonly sinceMs: number;
  private readonly stop: () => void;
  private aheadMs: number | null = null;
  private problem: string | null = null;
  /** Reason for an end that nobody requested; set before the end. */
  failure: string | null = null;

  constructor(dataFolder: string, beginning: RunBeginning, process: RecordProcess = THIS_PROCESS) {
    this.dataFolder = dataFolder;
    this.beginning = beginning;
    this.process = process;
    this.sinceMs = process.wallMs();
    this.write(null);
    this.stop = process.every(BEAT_EVERY_MS, () => this.beat());
  }

  /** Returns why the record could not be written; null if it is on the disk. */
  get fault(): string | null {
    return this.problem;
  }

  /** Stores by how many ms the machine's clock is ahead; null: the clocks agree. */
  setClockAhead(aheadMs: number | null): void {
    if (aheadMs === this.aheadMs) return;
    this.aheadMs = aheadMs;
    this.write(null);
  }

  /** Stores that a strategy goes on with this file and these parameters. */
  setStart(
    name: string,
    start: { readonly file: string; readonly params: ConfiguredStrategy['params'] },
  ): void {
    const strategies = this.beginning.strategies.map((one) =>
      one.name === name && one.start !== undefined ? { ...one, start: { ...one.start, ...start } } : one,
    );
    this.beginning = { ...this.beginning, strategies };
    this.write(null);
  }

  [Symbol.dispose](): void {
    this.stop();
    this.write(this.process.wallMs());
  }

  private beat(): void {
    try {
      // The file of an earlier run must not show this one.
      if (this.problem !== null) throw new Error(this.problem);
      this.touch();
    } catch {
      // The file may have been deleted.
      this.write(null);
    }
  }

  private write(endedAtMs: number | null): void {
    const { beginning, sinceMs, aheadMs } = this;
    const failure = this.failure?.slice(0, LONGEST_FAILURE) ?? null;
    const life = { pid: this.process.pid, sinceMs, endedAtMs, failure };
    try {
      const clock = aheadMs === null ? {} : { aheadMs };
      writePrivateFile(
        join(this.dataFolder, FILE),
        JSON.stringify({ ...beginning, ...clock, ...life } satisfies RunBeginning),
      );
      this.touch();
      for (const name of Object.values(OLD_FILES)) rmSync(join(this.dataFolder, name), { force: true });
      this.problem = null;
    } catch (error) {
      this.problem = messageOf(error);
    }
  }

  private touch(): void {
    const now = new Date(this.process.wallMs());
    utimesSync(join(this.dataFolder, FILE), now, now);
  }
}
