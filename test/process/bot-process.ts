import { startNode, type Finished, type SarrafProcess } from '../support/sarraf-process.ts';
import type { BotHome } from './bot-home.ts';

/** A line of the bot's log. */
export interface LogLine {
  readonly level: string;
  readonly time: string;
  readonly msg: string;
  readonly event?: string;
  readonly address?: string;
  /** With the first line of a bot at work. */
  readonly markets?: readonly string[];
}

/** Longer than the configured drain, the last comparison and a request's time-out take together. */
const LONGEST_END_MS = 100_000;

/** One life of a bot as a process of its own. */
export class BotProcess {
  readonly spawnedAtMs = Date.now();
  private readonly process: SarrafProcess;

  /**
   * `nodeArguments` go before the program, such as a module to be loaded first; `environment` is laid over
   * that of the test.
   */
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

  /** The first line of the log that matches; rejects when the process ends without one. */
  async line(matches: (line: LogLine) => boolean): Promise<LogLine> {
    const text = await this.process.line((line) => {
      const read = readLine(line);
      return read !== null && matches(read);
    });
    return JSON.parse(text) as LogLine;
  }

  /** Where it says how it is, as soon as that is there: before the exchange has answered. */
  async firstHealthAddress(): Promise<string> {
    const { address = '' } = await this.line(({ event }) => event === 'health');
    return address;
  }

  /** Where it says how it is, once the exchange has answered and the bot is at work. */
  async healthAddress(): Promise<string> {
    const address = await this.firstHealthAddress();
    await this.line(({ event, markets }) => event === 'begin' && markets !== undefined);
    return address;
  }

  /** Sends a signal to this process alone. */
  signal(name: NodeJS.Signals): void {
    this.process.child.kill(name);
  }

  /** Stops reading what it writes, as a terminal does that is closed: its writes fail from then on. */
  closeOutput(): void {
    const { stdout, stderr } = this.process.child;
    stdout?.destroy();
    stderr?.destroy();
  }

  /** Ends it at once, wherever it is. */
  async kill(): Promise<Finished> {
    this.signal('SIGKILL');
    return this.finished;
  }

  /**
   * Asks it to end in order, and waits until it has. One that does not is killed, which its code then
   * says.
   */
  async end(): Promise<Finished> {
    this.signal('SIGTERM');
    const timer = setTimeout(() => this.signal('SIGKILL'), LONGEST_END_MS);
    return this.finished.finally(() => clearTimeout(timer));
  }
}

/** The lines of a log; what is none is left out. */
export function readLog(out: string): readonly LogLine[] {
  return out.split('\n').flatMap((line) => readLine(line) ?? []);
}

function readLine(line: string): LogLine | null {
  try {
    return JSON.parse(line) as LogLine;
  } catch {
    return null;
  }
}
