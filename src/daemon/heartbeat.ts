import { readFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setInterval } from 'node:timers';
import { z } from 'zod';
import { writePrivateFile } from '../configuration/private-file.ts';

/** Interval at which the loop of a run shows that it turns. */
const BEAT_EVERY_MS = 1_000;

const LONGEST_FAILURE = 500;

const stored = z.object({
  pid: z.int().positive(),
  sinceMs: z.int().nonnegative(),
  endedAtMs: z.int().nonnegative().nullable(),
  failure: z.string().nullable(),
});

/** State of a run, as shown by its data folder. */
export interface Pulse {
  readonly pid: number;
  /** Start of the run, in ms since 1970. */
  readonly sinceMs: number;
  /** Time its loop last turned. */
  readonly beatMs: number;
  /** Time the run ended in order; null while it runs, and if it was killed. */
  readonly endedAtMs: number | null;
  /** Reason for an end that nobody requested. */
  readonly failure: string | null;
}

/** Process functions used by a heartbeat; the fuzzer supplies those of a process in virtual time. */
interface HeartbeatProcess {
  readonly pid: number;
  /** By the wall clock. */
  readonly wallMs: () => number;
  /** Has something done again and again, and answers what ends that. */
  readonly every: (ms: number, work: () => void) => () => void;
}

const THIS_PROCESS: HeartbeatProcess = {
  pid: process.pid,
  wallMs: Date.now,
  every(ms, work) {
    const timer = setInterval(work, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
};

const pathOf = (dataFolder: string): string => join(dataFolder, 'heartbeat.json');

/**
 * Shows others that the loop of this run turns: the time of a small file, renewed once a second, which needs
 * no room on the disk. What the file says is written twice in a life: when the run begins, and when it ends.
 */
export class Heartbeat {
  private readonly path: string;
  private readonly sinceMs: number;
  private readonly process: HeartbeatProcess;
  private readonly stop: () => void;

  constructor(dataFolder: string, process: HeartbeatProcess = THIS_PROCESS) {
    this.path = pathOf(dataFolder);
    this.process = process;
    this.sinceMs = process.wallMs();
    this.tryToWrite(null, null);
    this.stop = process.every(BEAT_EVERY_MS, () => this.beat());
  }

  /** The run ends in order; `failure` says why, where nobody wanted it to. */
  end(failure: string | null): void {
    this.stop();
    this.tryToWrite(this.process.wallMs(), failure?.slice(0, LONGEST_FAILURE) ?? null);
  }

  private beat(): void {
    const now = new Date(this.process.wallMs());
    try {
      utimesSync(this.path, now, now);
    } catch {
      // Somebody deleted the file.
      this.tryToWrite(null, null);
    }
  }

  private tryToWrite(endedAtMs: number | null, failure: string | null): void {
    const { sinceMs } = this;
    try {
      writePrivateFile(this.path, JSON.stringify({ pid: this.process.pid, sinceMs, endedAtMs, failure }));
      const now = new Date(this.process.wallMs());
      utimesSync(this.path, now, now);
    } catch {
      // A full disk is the mirror's to report. A watchdog finds silence, and reports that.
    }
  }
}

/** Returns the state shown by the last run of a data folder; null if none has shown anything readable. */
export function readPulse(dataFolder: string): Pulse | null {
  try {
    const path = pathOf(dataFolder);
    const read = stored.parse(JSON.parse(readFileSync(path, 'utf8')));
    return { ...read, beatMs: statSync(path).mtimeMs };
  } catch {
    return null;
  }
}
