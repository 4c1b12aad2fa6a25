import type { ServerResponse } from 'node:http';
import { ApiError } from '../api-error.ts';
import type { BotFolderReader } from '../folder/bot-folder-reader.ts';
import {
  journalEventText,
  eventIdOf,
  readPlace,
  resetEventText,
  stateEventText,
  STILL_HERE,
} from './event-text.ts';
import { JournalFeed } from './journal-feed.ts';

/** More are refused: a page needs one. */
const MOST_STREAMS = 200;

/** Poll interval of the journal while somebody listens. */
const LOOK_EVERY_MS = 250;

const STILL_HERE_EVERY_MS = 15_000;

/**
 * Maximum bytes waiting for a reader that does not read; one further behind is disconnected, and reconnects.
 */
const MOST_WAITING_BYTES = 1_048_576;

interface EventStreamsOptions {
  readonly folder: BotFolderReader;
  readonly onError: (error: unknown) => void;
  readonly nowMs?: () => number;
}

/** The streams of all pages. One timer looks for them, and none while there are none. */
export class EventStreams {
  private readonly options: EventStreamsOptions;
  private readonly feed: JournalFeed;
  private readonly streams = new Set<ServerResponse>();
  private timer: NodeJS.Timeout | null = null;
  private keepAlive: NodeJS.Timeout | null = null;

  constructor(options: EventStreamsOptions) {
    this.options = options;
    this.feed = new JournalFeed(options.folder);
  }

  get count(): number {
    return this.streams.size;
  }

  /** Throws `ApiError` where there are too many. Called before anything is answered. */
  checkRoom(): void {
    if (this.streams.size >= MOST_STREAMS)
      throw new ApiError(
        'too-many-streams',
        `expected at most ${MOST_STREAMS} open streams: close a page, or try again`,
        { retryAfterMs: 30_000 },
      );
  }

  /** Tells a response from now on, and what it missed since `lastEventId`. Its headers are written. */
  add(response: ServerResponse, lastEventId: string | undefined): void {
    if (this.streams.size === 0) this.begin();
    response.write(this.welcome(lastEventId));
    this.streams.add(response);
    const remove = (): void => this.remove(response);
    response.once('close', remove).once('error', remove);
  }

  /** Ends all of them. */
  close(): void {
    for (const response of this.streams) response.end();
    this.streams.clear();
    this.stop();
  }

  /** Looks once; the timer calls it. */
  look(): void {
    try {
      for (let looks = 0; looks < MOST_LOOKS_AT_ONCE; looks += 1) if (!this.lookOnce()) return;
    } catch (error) {
      this.options.onError(error);
    }
  }

  /** Answers whether more waits. */
  private lookOnce(): boolean {
    const { epoch, lines, changed, reset, place, hasMore } = this.feed.look();
    const atMs = (this.options.nowMs ?? Date.now)();
    const text = [
      ...(reset === null ? [] : [resetEventText({ reason: reset }, place)]),
      ...lines.map((line) => journalEventText(line, epoch)),
      ...(changed.length === 0 ? [] : [stateEventText({ atMs, changed })]),
    ].join('');
    if (text !== '') this.tellAll(text);
    return hasMore;
  }

  /** Returns the first text of a stream. */
  private welcome(lastEventId: string | undefined): string {
    const asked = readPlace(lastEventId);
    const told = this.feed.toldTo;
    if (asked === null) return resetEventText({ reason: told === null ? 'no-mirror' : 'first' }, told);
    const missed = this.feed.missedSince(asked);
    if (typeof missed === 'string') return resetEventText({ reason: missed }, told);
    const lines = missed.map((line) => journalEventText(line, asked.epoch)).join('');
    return lines === '' ? `id: ${eventIdOf(asked)}\n${STILL_HERE}` : lines;
  }

  private tellAll(text: string): void {
    for (const response of this.streams) {
      if (response.writableLength > MOST_WAITING_BYTES) response.destroy();
      else response.write(text);
    }
  }

  private begin(): void {
    this.feed.begin();
    this.timer = setInterval(() => this.look(), LOOK_EVERY_MS);
    this.keepAlive = setInterval(() => this.tellAll(STILL_HERE), STILL_HERE_EVERY_MS);
  }

  private remove(response: ServerResponse): void {
    this.streams.delete(response);
    if (this.streams.size === 0) this.stop();
  }

  private stop(): void {
    if (this.timer !== null) clearInterval(this.timer);
    if (this.keepAlive !== null) clearInterval(this.keepAlive);
    this.timer = null;
    this.keepAlive = null;
  }
}

/** Looks in a row while more waits; the timer does the rest, so that other requests are answered between. */
const MOST_LOOKS_AT_ONCE = 4;
