import { startNode, type Finished, type SarrafProcess } from '../support/sarraf-process.ts';
import type { BotHome } from './bot-home.ts';

/** A line in the log of the bot. */
export interface LogLine {
  readonly level: string;
  readonly time: string;
  readonly msg: string;
  readonly event?: string;
  readonly address?: string;
  /** Only in the first line of a bot that has begun to trade. */
  readonly markets?: readonly string[];
}

/** Longest time of an end, in ms: configured drain, last comparison and request time-out together. */
const LONGEST_END_MS = 100_000;

/** One life of a bot, as a process of its own. */
export class BotProcess {
  readonly spawnedAtMs = Date.now();
  private readonly process: SarrafProcess;

  /** `nodeArguments` come before the program; `environment` is added to that of the test. */
  constructor(
    home: BotHome,
    nodeArguments: readonly string[] = [],
    environment: Readonly<Record<string, string>> = {},
  ) {
    const args = [...nodeArguments, 'bin/sarraf.js', 'run', '--config', home.configPath];
    this.process = startNode(args, process.cwd(), environment);
  }

  get id(): number {
    return this.process.child.pid ?? 0;
  }

  get finished(): Promise<Finished> {
    return this.process.finished;
  }

  get isRunning(): boolean {
    const { exitCode, signalCode } = this.process.child;
    return exitCode === null && signalCode === null;
  }

  /** Returns the first line of the log that matches; rejects if the process ends without one. */
  async line(matches: (line: LogLine) => boolean): Promise<LogLine> {
    const text = await this.process.line((line) => {
      const read = readLine(line);
      return read !== null && matches(read);
    });
    return JSON.parse(text) as LogLine;
  }

  /** Address of the health page as soon as it is there: before the exchange has answered. */
  async firstHealthAddress(): Promise<string> {
    const { address = '' } = await this.line(({ event }) => event === 'health');
    return address;
  }

  /** Address of the health page once the exchange has answered and the bot trades. */
  async healthAddress(): Promise<string> {
    const address = await this.firstHealthAddress();
    await this.line(({ event, markets }) => event === 'begin' && markets !== undefined);
    return address;
  }

  /** Sends a signal to this process alone. */
  signal(name: NodeJS.Signals): void {
    this.process.child.kill(name);
  }

  /** Closes the reading end of its output, as a closed terminal does: its writes fail from then on. */
  closeOutput(): void {
    const { stdout, stderr } = this.process.child;
    stdout?.destroy();
    stderr?.destroy();
  }

  /** Kills it at once, whatever it is doing. */
  async kill(): Promise<Finished> {
    this.signal('SIGKILL');
    return this.finished;
  }

  /** Asks it to end in order, and waits. If that takes too long it is killed, as its exit code shows. */
  async end(): Promise<Finished> {
    this.signal('SIGTERM');
    const timer = setTimeout(() => this.signal('SIGKILL'), LONGEST_END_MS);
    return this.finished.finally(() => clearTimeout(timer));
  }
}

/** Parses the lines of a log; lines that are no JSON are left out. */
export const readLog = (out: string): readonly LogLine[] =>
  out.split('\n').flatMap((line) => readLine(line) ?? []);

function readLine(line: string): LogLine | null {
  try {
    return JSON.parse(line) as LogLine;
  } catch {
    return null;
  }
}
