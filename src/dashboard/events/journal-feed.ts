import type { MirrorReader } from '../../mirror/mirror-reader.ts';
import type { BotFolderReader } from '../folder/bot-folder-reader.ts';
import type { StateEvent } from '../schema/event.ts';
import type { ResetEvent } from '../schema/event.ts';
import type { JournalPlace } from './event-text.ts';
import type { JournalLine } from '../../mirror/row-pages.ts';

/** Lines that one look reads; the next look reads on. */
const MOST_LINES = 500;

/** A stream that was away for longer begins anew: what it shows is read again faster than told. */
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

/** Names under which the bot keeps what has no line in the journal. */
const KEPT_CHANGES: Readonly<Record<string, Changed>> = {
  'read-times': 'read-times',
  locks: 'locks',
};

/**
 * Looks at the journal of a mirror for all who listen: one look for any number of them, and only while
 * somebody does. It never waits for the bot, and the bot never for it.
 */
export class JournalFeed {
  private readonly folder: BotFolderReader;
  private place: JournalPlace | null = null;
  private version: number | null = null;
  private marks: ReadonlyMap<Changed, string> = new Map();

  constructor(folder: BotFolderReader) {
    this.folder = folder;
  }

  /** Up to where all listeners have been told; null while there is no mirror. */
  get toldTo(): JournalPlace | null {
    return this.place;
  }

  /** Begins to look: what is there now is known to whoever reads it. */
  begin(): void {
    this.version = null;
    this.marks = new Map();
    this.place = this.folder.mirror.readOrNull((reader) => endOf(reader));
    this.look();
  }

  /** Returns the news since the last poll. */
  look(): FeedNews {
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
   * The lines that a stream missed which was told up to a place, as far as all others were told; null where
   * that can not be said, and it has to begin anew.
   */
  missedSince(place: JournalPlace): readonly JournalLine[] | ResetEvent['reason'] {
    const told = this.place;
    if (told === null) return 'no-mirror';
    if (place.epoch !== told.epoch || place.seq > told.seq) return 'other-mirror';
    if (place.seq === told.seq) return [];
    return (
      this.folder.mirror.readOrNull((reader) => {
        const ends = reader.pages.journalEnds();
        const isPruned = ends === null || place.seq < ends.first - 1;
        if (isPruned || told.seq - place.seq > MOST_REPEATED) return 'too-far-behind' as const;
        return reader.pages.journalAfter(place.seq, MOST_REPEATED).filter(({ seq }) => seq <= told.seq);
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

  /** Kinds of rows that changed since the last look; none at the first. */
  private rowChanges(reader: MirrorReader): StateEvent['changed'] {
    const { books, stats, balances } = reader.markets.changeTimes();
    const kept = reader.kept().flatMap(({ name, atMs }): [Changed, string][] => {
      const changed = KEPT_CHANGES[name];
      return changed === undefined ? [] : [[changed, String(atMs)]];
    });
    return this.changesOf(
      new Map<Changed, string>([
        ['books', String(books)],
        ['stats', String(stats)],
        ['balances', String(balances)],
        ['figures', String(reader.lastFigureAtMs())],
        ...kept,
      ]),
    );
  }

  private botMark(): ReadonlyMap<Changed, string> {
    const isTaken = this.folder.isTaken();
    return new Map([['bot', String(isTaken)]]);
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
