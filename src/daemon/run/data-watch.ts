import { oneLine } from '../../domain/money.ts';
import { lengthText } from '../../domain/time-text.ts';
import type { EngineNotice, EngineRequest } from '../../engine/engine-command.ts';
import type { VenueAnswer } from '../../venues/port.ts';
import type { Cancel, Timeline } from '../../virtual/virtual-time.ts';
import type { DataAge } from '../health-source.ts';

const POLL_INTERVAL_MS = 5_000;

/** As many feeds are named in one line; the rest are counted. */
const MOST_NAMED = 5;
const LONGEST_REASON = 300;

interface DataWatchOptions {
  readonly time: Timeline;
  readonly dataAges: () => readonly DataAge[];
  readonly onNotice: (notice: EngineNotice) => void;
}

/**
 * Says when a feed is older than it may be, with what its last question came to, and when it is read again.
 * Without it a bot that gets a web page for every question, or no reply, would log nothing at all.
 */
export class DataWatch {
  private readonly options: DataWatchOptions;
  /** Reason the last request of a feed returned nothing. */
  private readonly reasons = new Map<string, string>();
  /** Feeds that were too old at the last look. */
  private old: ReadonlySet<string> = new Set();
  private readonly notified = new Set<string>();
  private cancel: Cancel | null = null;
  /** Data that was never read counts as old as this. */
  private begunMs: number | null = null;

  constructor(options: DataWatchOptions) {
    this.options = options;
  }

  /** Looks from now on. */
  begin(): void {
    const { time } = this.options;
    this.begunMs ??= time.now();
    this.cancel = time.at(time.now() + POLL_INTERVAL_MS, () => {
      this.poll();
      this.begin();
    });
  }

  end(): void {
    this.cancel?.();
  }

  /** Call it with the answer to each request. */
  note({ dedupe }: Pick<EngineRequest, 'dedupe'>, answer: VenueAnswer): void {
    if (dedupe === null) return;
    if (answer.outcome === 'value') this.reasons.delete(dedupe);
    // What never left says less than the failure before it.
    else if (answer.outcome !== 'unsent' || !this.reasons.has(dedupe))
      this.reasons.set(dedupe, reasonOf(answer));
  }

  private poll(): void {
    const ages = this.options.dataAges();
    const known = new Set(ages.map(({ feed }) => feed));
    for (const feed of this.reasons.keys()) if (!known.has(feed)) this.reasons.delete(feed);
    const old = new Map(
      ages.filter((age) => this.ageOf(age) > age.longestAgeMs).map((age) => [age.feed, age]),
    );
    // A process that stood still has old data for a moment: it takes two looks.
    const news = [...old.values()].filter(({ feed }) => this.old.has(feed) && !this.notified.has(feed));
    if (news.length > 0) this.notifyOld(news);
    for (const { feed } of news) this.notified.add(feed);
    this.old = new Set(old.keys());
    const back = [...this.notified].filter((feed) => !old.has(feed));
    if (back.length > 0) this.notify('info', `${namesOf(back)}: read again`);
    for (const feed of back) this.notified.delete(feed);
  }

  private ageOf({ ageMs }: DataAge): number {
    const nowMs = this.options.time.now();
    return ageMs ?? nowMs - (this.begunMs ?? nowMs);
  }

  private notifyOld(news: readonly DataAge[]): void {
    const reason = news.flatMap(({ feed }) => this.reasons.get(feed) ?? []).at(0) ?? 'no answer came';
    const longestMs = Math.max(...news.map((age) => this.ageOf(age)));
    const names = namesOf(news.map(({ feed }) => feed));
    this.notify('warning', `${names}: nothing was read for ${lengthText(longestMs)}: ${reason}`);
  }

  private notify(level: 'info' | 'warning', message: string): void {
    this.options.onNotice({ kind: 'notice', subject: null, level, message });
  }
}

function reasonOf(answer: Exclude<VenueAnswer, { readonly outcome: 'value' }>): string {
  const text = answer.outcome === 'unsent' ? answer.reason : answer.message;
  return oneLine(answer.outcome === 'refused' ? `${answer.code}: ${text}` : text).slice(0, LONGEST_REASON);
}

function namesOf(feeds: readonly string[]): string {
  const named = feeds.slice(0, MOST_NAMED).join(', ');
  return feeds.length > MOST_NAMED ? `${named} and ${feeds.length - MOST_NAMED} more` : named;
}
