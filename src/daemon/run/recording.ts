import { statfs } from 'node:fs/promises';
import { mkdirSync } from 'node:fs';
import { messageOf } from '../../domain/errors.ts';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import type { VenueAnswer, VenueCall } from '../../venues/port.ts';
import { RawFile, TappedTransport } from '../../recording/tapped-transport.ts';
import { type MarketRecording, Recorder } from '../../recording/recorder.ts';
import type { WrapTransport } from '../../venues/venue.ts';
import { claimRecording, finalizeBeside } from './finalize-beside.ts';
import type { EngineEvent } from '../../engine/engine-event.ts';
import type { RecordConfig } from '../create-bot-config.ts';
import { EventFile } from '../session-file.ts';

/** Bytes that stay free for the bot on its disk: with less, nothing is recorded. */
const LEAST_FREE_BYTES = 256_000_000;
const DISK_CHECK_INTERVAL_MS = 10_000;

/** Amount and place of the recorded data, for people and programs. */
export interface RecordingSummary {
  readonly catalogue: string;
  readonly markets: readonly MarketRecording[];
  /** Number of raw replies that were stored. */
  readonly rawReplies: number;
  /** Reason for an early end; null if it did not end early. */
  readonly failure: string | null;
}

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
  private events: EventFile | null = null;
  private stopped: string | null = null;
  /** Folders that it writes to, which may be on two disks. */
  private readonly folders: string[];

  constructor(options: RecordingOptions) {
    this.options = options;
    this.folders = [options.folder];
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

  /** Stores how the bot begins, and begins to store its events, both in its data folder. Never throws. */
  beginEvents(folder: string, writeBeginning: () => void): void {
    const { eventsMb: mostMb, onProblem } = this.options;
    this.folders.push(folder);
    try {
      writeBeginning();
      this.events = new EventFile({ folder, mostMb, onProblem });
    } catch (error) {
      onProblem(`recording: this session can not be run again: ${messageOf(error)}`);
    }
  }

  /** Stores an event of the engine. Never throws. */
  applyEvent(event: EngineEvent): void {
    if (this.stopped === null) this.events?.apply(event);
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
    await this.events?.close();
    await this.raw?.end();
    await this.recorder?.close();
  }

  private async checkDisk(): Promise<void> {
    try {
      for (const folder of this.folders) {
        const { bavail, bsize } = await statfs(folder);
        if (this.stopped !== null || bavail * bsize >= LEAST_FREE_BYTES) continue;
        this.stopped = `expected ${LEAST_FREE_BYTES / 1e6} MB free in ${folder}, found ${Math.floor((bavail * bsize) / 1e6)}`;
        this.options.onProblem(
          `recording: nothing more is recorded, so that the bot has the rest: ${this.stopped}`,
        );
      }
    } catch {
      // Where the free room is unknown, a failed write reports it.
    }
  }
}
