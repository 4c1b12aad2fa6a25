import type { ServerResponse } from 'node:http';
import { ApiError } from '../api-error.ts';
import type { BotFolderReader } from '../folder/bot-folder-reader.ts';
import type { MirrorReader } from '../../mirror/mirror-reader.ts';
import type { StateEvent, ResetEvent, JournalEvent } from '../schema/log.ts';
import type { JournalLine } from '../../mirror/row-pages.ts';
import { parsedJson } from '../../domain/stored-json.ts';

/** Maximum number of streams; further ones are refused. A page needs one. */
const MOST_STREAMS = 200;

/** Poll interval of the journal while there are streams, in ms. */
const POLL_INTERVAL_MS = 250;

const STILL_HERE_EVERY_MS = 15_000;

/** Minimum interval between events without data, in ms: a page reads what it shows no more often. */
const BRIEF_EVERY_MS = 1_000;

/**
 * Maximum bytes waiting for a reader that does not read; one further behind is disconnected, and reconnects.
 */
const MOST_WAITING_BYTES = 1_048_576;

interface EventStreamsOptions {
  readonly folder: BotFolderReader;
  readonly onError: (error: unknown) => void;
  readonly nowMs?: () => number;
  readonly monotonicMs?: () => number;
}

/** Event streams of all pages. One timer polls for them, but only while there are any. */
export class EventStreams {
  private readonly options: EventStreamsOptions;
  private readonly feed: JournalFeed;
  /** Responses, and whether their events have no data. */
  private readonly streams = new Map<ServerResponse, boolean>();
  private hasNews = false;
  private briefAtMs = Number.NEGATIVE_INFINITY;
  private timer: NodeJS.Timeout | null = null;
  private keepAlive: NodeJS.Timeout | null = null;

  constructor(options: EventStreamsOptions) {
    this.options = options;
    this.feed = new JournalFeed(options.folder);
  }

  get count(): number {
    return this.streams.size;
  }

  /** Throws `ApiError` if there are too many streams. Call it before the response begins. */
  checkRoom(): void {
    if (this.streams.size >= MOST_STREAMS)
      throw new ApiError(
        'too-many-streams',
        `expected at most ${MOST_STREAMS} open streams: close a page, or try again`,
        { retryAfterMs: 30_000 },
      );
  }

  /**
   * Adds a response, whose headers were sent, as a stream; sends what it missed since `lastEventId`.
   * `isBrief`: its events have no data, and at most one is sent a second.
   */
  add(response: ServerResponse, lastEventId: string | undefined, isBrief = false): void {
    if (this.streams.size === 0) this.begin();
    response.write(isBrief ? briefEventText(this.feed.sentUpTo) : this.welcome(lastEventId));
    this.streams.set(response, isBrief);
    const remove = (): void => this.remove(response);
    response.once('close', remove).once('error', remove);
  }

  /** Ends all streams. */
  close(): void {
    for (const response of this.streams.keys()) response.end();
    this.streams.clear();
    this.stop();
  }

  /** Polls and sends news; the timer calls it. */
  poll(): void {
    try {
      let hasMore = true;
      for (let polls = 0; polls < MOST_POLLS_AT_ONCE && hasMore; polls += 1) hasMore = this.pollOnce();
      this.sendBrief();
    } catch (error) {
      this.options.onError(error);
    }
  }

  /** Polls once; returns true if more lines wait. */
  private pollOnce(): boolean {
    const { epoch, lines, changed, reset, place, hasMore } = this.feed.news();
    const atMs = (this.options.nowMs ?? Date.now)();
    const text = [
      ...(reset === null ? [] : [resetEventText({ reason: reset }, place)]),
      ...lines.map((line) => journalEventText(line, epoch)),
      ...(changed.length === 0
        ? []
        : [`event: state\ndata: ${JSON.stringify({ atMs, changed } satisfies StateEvent)}\n\n`]),
    ].join('');
    if (text !== '') {
      this.hasNews = true;
      this.broadcast(text, false);
    }
    return hasMore;
  }

  /** Sends streams without data that there is news, unless they were told less than a second ago. */
  private sendBrief(): void {
    const nowMs = (this.options.monotonicMs ?? performance.now.bind(performance))();
    if (!this.hasNews || nowMs < this.briefAtMs + BRIEF_EVERY_MS) return;
    this.hasNews = false;
    this.briefAtMs = nowMs;
    this.broadcast(briefEventText(this.feed.sentUpTo), true);
  }

  /** Returns the first text of a stream. */
  private welcome(lastEventId: string | undefined): string {
    const asked = readPlace(lastEventId);
    const place = this.feed.sentUpTo;
    if (asked === null) return resetEventText({ reason: place === null ? 'no-mirror' : 'first' }, place);
    const missed = this.feed.missedSince(asked);
    if (typeof missed === 'string') return resetEventText({ reason: missed }, place);
    const lines = missed.map((line) => journalEventText(line, asked.epoch)).join('');
    return lines === '' ? `id: ${eventIdOf(asked)}\n${STILL_HERE}` : lines;
  }

  /** Sends a text to the streams with data, or to those without; by default to all. */
  private broadcast(text: string, only?: boolean): void {
    for (const [response, isBrief] of this.streams) {
      if (only !== undefined && only !== isBrief) continue;
      if (response.writableLength > MOST_WAITING_BYTES) response.destroy();
      else response.write(text);
    }
  }

  private begin(): void {
    this.feed.begin();
    this.timer = setInterval(() => this.poll(), POLL_INTERVAL_MS);
    this.keepAlive = setInterval(() => this.broadcast(STILL_HERE), STILL_HERE_EVERY_MS);
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

/** Maximum number of polls in a row; the timer continues, so that other requests are served in between. */
const MOST_POLLS_AT_ONCE = 4;

/** Maximum number of lines in one poll. */
const MOST_LINES = 500;

/** Maximum number of missed lines to send; a stream that missed more is reset, which is then faster. */
const MOST_REPEATED = 5_000;

/** News since the last poll. */
interface FeedNews {
  readonly epoch: string;
  readonly lines: readonly JournalLine[];
  readonly changed: StateEvent['changed'];
  /** Reason for a reset: earlier news is of another mirror, or of none; null for no reset. */
  readonly reset: ResetEvent['reason'] | null;
  readonly place: JournalPlace | null;
  /** True if more lines wait than one poll reads. */
  readonly hasMore: boolean;
}

type Changed = StateEvent['changed'][number];

/** Changes that have no line in the journal, by the name under which the bot stores them. */
const STORED_CHANGES: Readonly<Record<string, Changed>> = {
  'read-times': 'read-times',
  locks: 'locks',
};

/**
 * Polls the journal of a mirror once for all streams, and only while there are any. It never waits for the
 * bot, and the bot never for it.
 */
class JournalFeed {
  private readonly folder: BotFolderReader;
  private place: JournalPlace | null = null;
  private version: number | null = null;
  private marks: ReadonlyMap<Changed, string> = new Map();

  constructor(folder: BotFolderReader) {
    this.folder = folder;
  }

  /** Place up to which all streams have received lines; null while there is no mirror. */
  get sentUpTo(): JournalPlace | null {
    return this.place;
  }

  /** Starts polling at the end of the journal: pages read earlier rows themselves. */
  begin(): void {
    this.version = null;
    this.marks = new Map();
    this.place = this.folder.mirror.readOrNull((reader) => endOf(reader));
    this.news();
  }

  /** Returns the news since the last poll. */
  news(): FeedNews {
    const state = this.botMark();
    const read = this.folder.mirror.readOrNull((reader) => this.readNews(reader));
    if (read !== null) return { ...read, changed: [...read.changed, ...this.changesOf(state)] };
    const wasThere = this.place !== null;
    this.place = null;
    this.version = null;
    return {
      epoch: '',
      lines: [],
      changed: this.changesOf(state),
      reset: wasThere ? 'no-mirror' : null,
      place: null,
      hasMore: false,
    };
  }

  /**
   * Returns the lines that a stream missed after `place`, up to what all others have received; or the reason
   * for a reset if that is impossible.
   */
  missedSince(place: JournalPlace): readonly JournalLine[] | ResetEvent['reason'] {
    const sentTo = this.place;
    if (sentTo === null) return 'no-mirror';
    if (place.epoch !== sentTo.epoch || place.seq > sentTo.seq) return 'other-mirror';
    if (place.seq === sentTo.seq) return [];
    return (
      this.folder.mirror.readOrNull((reader) => {
        const ends = reader.pages.journalEnds();
        const isPruned = ends === null || place.seq < ends.first - 1;
        if (isPruned || sentTo.seq - place.seq > MOST_REPEATED) return 'too-far-behind' as const;
        return reader.pages.journalAfter(place.seq, MOST_REPEATED).filter(({ seq }) => seq <= sentTo.seq);
      }) ?? 'no-mirror'
    );
  }

  private readNews(reader: MirrorReader): FeedNews {
    const epoch = reader.epoch();
    const before = this.place;
    const end = endOf(reader);
    if (before === null || before.epoch !== epoch || end.seq < before.seq) {
      this.place = end;
      this.version = null;
      return {
        epoch,
        lines: [],
        changed: this.rowChanges(reader),
        reset: 'other-mirror',
        place: end,
        hasMore: false,
      };
    }
    const version = reader.dataVersion();
    const isSame = version === this.version;
    this.version = version;
    if (isSame && end.seq === before.seq)
      return { epoch, lines: [], changed: [], reset: null, place: before, hasMore: false };
    const lines = reader.pages.journalAfter(before.seq, MOST_LINES);
    this.place = { epoch, seq: lines.at(-1)?.seq ?? before.seq };
    return {
      epoch,
      lines,
      changed: this.rowChanges(reader),
      reset: null,
      place: this.place,
      hasMore: lines.length === MOST_LINES,
    };
  }

  /** Returns the kinds of rows that changed since the last poll; none at the first. */
  private rowChanges(reader: MirrorReader): StateEvent['changed'] {
    const { books, stats, balances } = reader.markets.changeTimes();
    const stored = reader.stored().flatMap(({ name, atMs }): [Changed, string][] => {
      const changed = STORED_CHANGES[name];
      return changed === undefined ? [] : [[changed, String(atMs)]];
    });
    return this.changesOf(
      new Map<Changed, string>([
        ['books', String(books)],
        ['stats', String(stats)],
        ['balances', String(balances)],
        ['figures', String(reader.lastFigureAtMs())],
        ...stored,
      ]),
    );
  }

  private botMark(): ReadonlyMap<Changed, string> {
    const isInUse = this.folder.isInUse();
    return new Map([['bot', String(isInUse)]]);
  }

  private changesOf(marks: ReadonlyMap<Changed, string>): StateEvent['changed'] {
    const changed = [...marks]
      .filter(([name, mark]) => this.marks.has(name) && this.marks.get(name) !== mark)
      .map(([name]) => name);
    this.marks = new Map([...this.marks, ...marks]);
    return changed;
  }
}

function endOf(reader: MirrorReader): JournalPlace {
  return { epoch: reader.epoch(), seq: reader.pages.journalEnds()?.last ?? 0 };
}

interface JournalPlace {
  readonly epoch: string;
  readonly seq: number;
}

const eventIdOf = ({ epoch, seq }: JournalPlace): string => `${epoch}.${seq}`;

/** Returns the place in a `Last-Event-ID`; null for any other text. */
function readPlace(text: string | undefined): JournalPlace | null {
  const found = /^([a-z0-9]{0,16})\.(\d{1,15})$/.exec(text ?? '');
  return found === null ? null : { epoch: found[1] ?? '', seq: Number(found[2]) };
}

/** Writes a line as an event. JSON has no line breaks, so each event is one line of data. */
function journalEventText({ seq, atMs, kind, subject, json }: JournalLine, epoch: string): string {
  const event: JournalEvent = { seq, atMs, kind, subject, data: parsedJson(json) };
  return `id: ${eventIdOf({ epoch, seq })}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Writes an event that says no more than that there is news, up to a place. */
const briefEventText = (place: JournalPlace | null): string =>
  `${place === null ? '' : `id: ${eventIdOf(place)}\n`}data: {}\n\n`;

/** Writes a reset event. With a place the stream can be resumed from there. */
function resetEventText(event: ResetEvent, place: JournalPlace | null): string {
  const id = place === null ? '' : `id: ${eventIdOf(place)}\n`;
  return `${id}event: reset\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Comment that keeps a connection from being closed as idle. */
const STILL_HERE = ': still here\n\n';
