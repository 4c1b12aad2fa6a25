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

/** Room that is left to the bot on its disk: with less, nothing is recorded. */
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
  /** @see RecorderOptions.beganMs */
  readonly beganMs: number | null;
  /** A longer time between two looks at something is a gap. */
  readonly longestPauseMs: number;
}

/**
 * The recorder of this process: raw replies from the first request on, and rows once the markets are known.
 * It never throws to its caller.
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

  /** Puts itself between a client and its way to the exchange, where raw replies are kept. */
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
   * Begins to record rows. Throws `INVALID_OPTIONS` where they would be mixed with others; `DATA_UNUSABLE`
   * where the folder can not be had.
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

  /** Takes an answer. Never throws. */
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

  /** Moves everything to the catalogue. */
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
 * A longer time between two looks at a book is a gap of its recording, where polls come at their usual pace.
 */
const LONGEST_PAUSE_MS = 60_000;

/** Parts that a run begins with. */
interface BeginningOfRun {
  readonly bot: CreatedBot;
  readonly venue: Venue;
  readonly config: BotConfig;
  readonly mirror: MirrorStore;
}

/** The recording of a run; null where none is configured. */
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
 * Begins to record what the bot will see. A folder that another has, or that can not be written to, keeps no
 * bot from trading: it is reported.
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

/** So that the session can be run again. A disk that does not take it keeps no bot from trading. */
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
    /** Command that runs sarraf here. */
    readonly program?: string;
  },
): Promise<void> {
  await recording.close();
  const summary = recording.summary();
  if (of.json || of.config.mode !== 'embedded') {
    of.screen.log('recorded', `recorded ${recordedText(summary)}`, { ...summary });
  } else ['', ...recordingLines(summary, of.program)].forEach(of.write);
}
