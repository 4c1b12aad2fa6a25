import { statfs } from 'node:fs/promises';
import { mkdirSync } from 'node:fs';
import { messageOf, SarrafError } from '../../domain/errors.ts';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import type { VenueAnswer, VenueCall } from '../../venues/port.ts';
import { RawFile, TappedTransport } from '../../recording/tapped-transport.ts';
import { Recorder } from '../../recording/recorder.ts';
import type { WrapTransport, Venue } from '../../venues/venue.ts';
import { claimRecording, finalizeBeside } from './finalize-beside.ts';
import type { RecordConfig, BotConfig } from '../create-bot-config.ts';
import { type RecordingSummary, recordedText, recordingLines } from '../recording-lines.ts';
import type { MirrorStore } from '../../mirror/mirror-store.ts';
import type { CreatedBot } from './create-bot.ts';
import { mirrorName } from '../../mirror/mirror-path.ts';
import { EventFile, writeSessionFile } from '../session-file.ts';
import { notify, type Screen } from './screen.ts';

/** Bytes that stay free for the bot on its disk: with less, nothing is recorded. */
const LEAST_FREE_BYTES = 256_000_000;
const DISK_CHECK_INTERVAL_MS = 10_000;

export interface RecordingOptions extends RecordConfig {
  /** Called with each problem, as a sentence. */
  readonly onProblem: (message: string) => void;
}

export interface RecordingSubject {
  readonly markets: readonly string[];
  /** Source of the data, for the catalogue. */
  readonly source: string;
  /** Start of the recording by its clock; see RecorderOptions.beganMs. */
  readonly beganMs: number | null;
  /** Time between two polls of a feed from which it is a gap, in ms. */
  readonly longestPauseMs: number;
}

/**
 * Recorder of this process: raw replies from the first request on, and rows once the markets are known. It
 * never throws to its caller.
 */
export class Recording {
  private readonly options: RecordingOptions;
  private readonly life = `${String(Date.now()).padStart(15, '0')}-${process.pid}`;
  private readonly raw: RawFile | null;
  private readonly timer: NodeJS.Timeout;
  private recorder: Recorder | null = null;
  private stopped: string | null = null;

  constructor(options: RecordingOptions) {
    this.options = options;
    const { folder, onProblem } = options;
    this.raw = options.raw
      ? new RawFile({
          root: folder,
          life: this.life,
          onError: (error) => onProblem(`recording: no more raw replies are kept: ${messageOf(error)}`),
        })
      : null;
    this.timer = setInterval(() => void this.checkDisk(), DISK_CHECK_INTERVAL_MS).unref();
  }

  /** Wraps a client's transport, so that raw replies are stored. */
  readonly wrap: WrapTransport = (inner, nowMs) => {
    const { raw } = this;
    if (raw === null) return inner;
    return new TappedTransport({
      inner,
      nowMs,
      onReply: (reply) => {
        if (this.stopped === null) raw.write(reply);
      },
    });
  };

  /**
   * Begins to record rows. Throws `INVALID_OPTIONS` if they would be mixed with others, and `DATA_UNUSABLE`
   * if the folder cannot be used.
   */
  async begin(subject: RecordingSubject): Promise<void> {
    const { folder, onProblem } = this.options;
    mkdirSync(folder, { recursive: true });
    await this.checkDisk();
    this.recorder = await Recorder.open({
      ...subject,
      root: folder,
      markets: subject.markets as readonly MarketSymbol[],
      life: this.life,
      onProblem,
      lockFile: claimRecording,
      finalize: finalizeBeside,
    });
  }

  /** Records an answer. Never throws. */
  apply(call: VenueCall, answer: VenueAnswer, atMs: number, askedAtMs: number = atMs): void {
    if (this.stopped === null) this.recorder?.apply(call, answer, atMs, askedAtMs);
  }

  summary(): RecordingSummary {
    return {
      catalogue: this.options.folder,
      markets: this.recorder?.markets ?? [],
      rawReplies: this.raw?.count ?? 0,
      failure: this.stopped ?? this.recorder?.failure ?? null,
    };
  }

  /** Moves everything to the catalogue and ends the recording. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.raw?.close();
    await this.recorder?.close();
  }

  private async checkDisk(): Promise<void> {
    try {
      const { bavail, bsize } = await statfs(this.options.folder);
      if (this.stopped !== null || bavail * bsize >= LEAST_FREE_BYTES) return;
      this.stopped = `expected ${LEAST_FREE_BYTES / 1e6} MB free in ${this.options.folder}, found ${Math.floor((bavail * bsize) / 1e6)}`;
      this.options.onProblem(
        `recording: nothing more is recorded, so that the bot has the rest: ${this.stopped}`,
      );
    } catch {
      // Where the free room is unknown, a failed write reports it.
    }
  }
}

/**
 * Time between two polls of a book from which its recording has a gap, in ms, at the usual interval of polls.
 */
const LONGEST_PAUSE_MS = 60_000;

/** Parts of a run that the recording needs at its beginning. */
interface BeginningOfRun {
  readonly bot: CreatedBot;
  readonly venue: Venue;
  readonly config: BotConfig;
  readonly mirror: MirrorStore;
}

/** Creates the recording of a run; null if none is configured. */
export async function createRecording({ record }: BotConfig, screen: Screen): Promise<Recording | null> {
  if (record === null) return null;
  const { Recording: Recorded } = await import('./recording.ts');
  return new Recorded({ ...record, onProblem: (message) => notify(screen, { level: 'error', message }) });
}

/** Creates the file that stores the bot's events, beside its mirror. */
export function createEventFile({ data }: BotConfig, screen: Screen): EventFile {
  return new EventFile({
    folder: data.folder,
    onProblem: (message) => notify(screen, { level: 'error', message }),
  });
}

/**
 * Begins to record what the bot will see. A folder that is in use, or that cannot be written to, stops no bot
 * from trading: it is reported.
 */
export async function beginRecording(
  recording: Recording,
  of: BeginningOfRun & { readonly screen: Screen },
): Promise<void> {
  const { bot, venue, config, screen, mirror } = of;
  const isEmbedded = config.mode === 'embedded';
  try {
    await recording.begin({
      markets: [...bot.engine.markets.all()].map(({ market }) => market.symbol),
      source: sourceOf(config),
      beganMs: isEmbedded ? venue.time.now() : null,
      longestPauseMs: LONGEST_PAUSE_MS * venue.pollStretch,
    });
    recordBeginning(screen, { bot, venue, config, mirror });
  } catch (error) {
    if (!(error instanceof SarrafError) || error.code !== 'DATA_UNUSABLE') throw error;
    notify(screen, { level: 'error', message: `recording: nothing is recorded: ${error.message}` });
  }
}

/** Writes the session file, so that the session can be run again. A disk error stops no bot from trading. */
function recordBeginning(screen: Screen, { bot, venue, config, mirror }: BeginningOfRun): void {
  try {
    writeSessionFile(config, {
      beganMs: venue.time.now(),
      pollStretch: venue.pollStretch,
      mirror: mirrorName(config.mode),
      markets: [...bot.engine.markets.all()].map(({ market }) => market),
      state: mirror.load(),
    });
  } catch (error) {
    notify(screen, {
      level: 'error',
      message: `recording: this session can not be run again: ${messageOf(error)}`,
    });
  }
}

function sourceOf({ mode, embedded, exchange, paper }: BotConfig): string {
  if (mode === 'embedded') return `embedded exchange, ${embedded.replay ?? `seed ${embedded.seed}`}`;
  return (mode === 'paper' ? paper.baseUrl : exchange.baseUrl) ?? mode;
}

/** Reports what was recorded, once all of it is in its final place. */
export async function endRecording(
  recording: Recording,
  of: {
    readonly config: BotConfig;
    readonly json: boolean;
    readonly write: (line: string) => void;
    readonly screen: Screen;
    /** Command that runs sarraf here, for the suggestion. */
    readonly program?: string;
  },
): Promise<void> {
  await recording.close();
  const summary = recording.summary();
  if (of.json || of.config.mode !== 'embedded') {
    of.screen.log('recorded', `recorded ${recordedText(summary)}`, { ...summary });
  } else ['', ...recordingLines(summary, of.program)].forEach(of.write);
}
