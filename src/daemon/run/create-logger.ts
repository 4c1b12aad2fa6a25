import { createRequire } from 'node:module';
import {
  multistream,
  pino,
  stdSerializers,
  stdTimeFunctions,
  type DestinationStream,
  type Logger,
} from 'pino';
import type { Secret } from '../../configuration/secret-file.ts';
import { createScrubber, redact } from '../redact.ts';
import { StandardOutput } from '../standard-output.ts';
import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { dataUnusable } from '../../domain/errors.ts';

type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';

export interface LoggerOptions {
  readonly level: LogLevel;
  /** True for lines for people instead of JSON; `auto`: if the standard output is a terminal. */
  readonly pretty: boolean | 'auto';
  /** File that gets the JSON lines as well; none by default. */
  readonly file?: string | null;
  /** Secrets that are removed from every line, wherever they are. */
  readonly secrets?: readonly Secret[];
  /** Stream that gets the lines; the standard output by default. */
  readonly destination?: DestinationStream;
  /** Called once when the reader of standard output is gone. */
  readonly onOutputGone?: () => void;
  /** Fields of every line, such as the instance. */
  readonly base?: Readonly<Record<string, string>>;
}

/** Subject of a line, so that all lines about one thing can be found. */
interface Correlation {
  readonly strategy?: string;
  readonly intent?: string;
  readonly order?: string;
  readonly request?: number;
}

/**
 * Creates the log of a daemon: JSON lines, or lines for people on a terminal. Every line is written before
 * the call returns, in this process and without a worker, so that none is lost however the process ends.
 * Secrets are removed by name and by value. Throws `DATA_UNUSABLE` if the file cannot be written.
 */
export function createLogger(options: LoggerOptions): Logger {
  const { level, secrets = [], base = {} } = options;
  const scrub = createScrubber(secrets);
  return pino(
    {
      level,
      base,
      timestamp: stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) => redact(fields) as Record<string, unknown>,
      },
      serializers: { err: (error: Error) => redact({ ...stdSerializers.err(error) }) },
      hooks: { streamWrite: scrub },
    },
    streamOf(options),
  );
}

/** Returns a logger that adds the subject to each line. */
export function about(logger: Logger, correlation: Correlation): Logger {
  return logger.child(correlation);
}

function streamOf({
  level,
  pretty,
  destination,
  file = null,
  onOutputGone = () => {},
}: LoggerOptions): DestinationStream {
  const isTerminal = destination === undefined && process.stdout.isTTY;
  const output = destination ?? new StandardOutput(onOutputGone);
  const isPretty = pretty === 'auto' ? isTerminal : pretty;
  const isColored = isTerminal && (process.env['NO_COLOR'] ?? '') === '';
  const shown = isPretty ? prettyStream(output, isColored) : output;
  if (file === null || level === 'silent') return shown;
  return multistream([
    { level, stream: shown },
    { level, stream: new LogFile(file) },
  ]);
}

/**
 * Matches the parts of foreign texts that a terminal would execute, as written in a JSON line. A literal
 * backslash is matched first, so that the text after it is not read as an escape. Tabs and line ends stay.
 */
const OBEYED = /\\\\|\\[bfr]|\\u00(?:[01][0-9a-f]|7f)|[\u007F-\u009F\u202A-\u202E\u2066-\u2069]/gi;

const withoutIt = (found: string): string => (found === String.raw`\\` ? found : '?');

/** Loads the prettifier, only if a terminal shows its lines: it is thirty modules. */
const loadPretty = (): typeof import('pino-pretty') => createRequire(import.meta.url)('pino-pretty');

/** Returns a stream that calls the prettifier as a plain function; its own stream would write later. */
function prettyStream(destination: DestinationStream, colorize: boolean): DestinationStream {
  const { prettyFactory } = loadPretty();
  const prettify = prettyFactory({
    colorize,
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'pid,hostname,instance',
    singleLine: true,
  });
  return { write: (line) => destination.write(prettify(line.replaceAll(OBEYED, withoutIt))) };
}

const LARGEST_BYTES = 50 * 1024 * 1024;

/**
 * A log file that is written at once, so that no line is lost when the process ends. At its largest size it
 * is renamed to end in `.1` and replaces the file of that name: at most two files, and twice that size. A
 * line that cannot be written is left out: a full disk must not stop trading.
 */
export class LogFile {
  private readonly path: string;
  private readonly largestBytes: number;
  private descriptor: number;
  private bytes: number;
  /** Number of lines that could not be written. */
  lost = 0;

  /** Opens the file. Throws `DATA_UNUSABLE` if it cannot be written to. */
  constructor(path: string, largestBytes = LARGEST_BYTES) {
    this.path = path;
    this.largestBytes = largestBytes;
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      this.descriptor = openSync(path, 'a', 0o600);
      this.bytes = fstatSync(this.descriptor).size;
    } catch (error) {
      const { code = 'unknown error' } = error as NodeJS.ErrnoException;
      throw dataUnusable(
        `expected a log file that can be written at ${path}, was refused (${code}): set log.file to another path`,
        { cause: error },
      );
    }
  }

  write(line: string): void {
    try {
      if (this.bytes > 0 && this.bytes + Buffer.byteLength(line) > this.largestBytes) this.begin();
      this.bytes += writeSync(this.descriptor, line);
    } catch {
      this.lost += 1;
    }
  }

  close(): void {
    closeSync(this.descriptor);
  }

  private begin(): void {
    renameSync(this.path, `${this.path}.1`);
    const before = this.descriptor;
    this.descriptor = openSync(this.path, 'a', 0o600);
    this.bytes = 0;
    closeSync(before);
  }
}
