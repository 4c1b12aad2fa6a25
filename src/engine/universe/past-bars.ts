import type { ClosedCandle } from '../../strategy/strategy-event.ts';
import type { VenueProfile } from '../../venues/port.ts';
import type { MemberTemplate } from '../../strategy/subscriptions.ts';
import { CandleReader } from '../feeds/candle-reader.ts';
import { pageFlaw } from '../feeds/candle-taker.ts';
import type { Outbox } from '../outbox.ts';

/** Bars that did not come are asked for again after this. */
const RETRY_MS = 5_000;

/** A question for bars of the past waits for its slot no longer than this. */
const LONGEST_WAIT_MS = 60_000;

type CandleTemplate = Extract<MemberTemplate, { kind: 'candles' }>;

/** Reads the bars of the past of one market, one length and one page after the other. */
export class PastBars {
  readonly market: string;
  private readonly outbox: Outbox;
  private readonly readers: CandleReader[];
  private readonly bars: ClosedCandle[] = [];
  private isAsking = false;
  private notBeforeMs: number;

  constructor(
    market: string,
    of: {
      readonly outbox: Outbox;
      readonly templates: readonly MemberTemplate[];
      readonly venue: Pick<VenueProfile, 'pageSizes' | 'barAnchors'>;
      /** It does not ask before it. */
      readonly notBeforeMs: number;
    },
  ) {
    this.notBeforeMs = of.notBeforeMs;
    this.market = market;
    this.outbox = of.outbox;
    this.readers = of.templates
      .filter((template): template is CandleTemplate => template.kind === 'candles')
      .map(({ timeframe, warmUp }) => {
        const { barAnchors: anchors, pageSizes } = of.venue;
        return new CandleReader({ market, timeframe, anchors, warmUp, pageSize: pageSizes.candles });
      });
  }

  /** All bars, each length in order; null while some are missing. */
  get all(): readonly ClosedCandle[] | null {
    return this.unread === undefined ? this.bars : null;
  }

  /** Time of the next request; infinity while it waits for an answer, and once all is there. */
  get wakeAtMs(): number {
    return this.isAsking || this.unread === undefined ? Number.POSITIVE_INFINITY : this.notBeforeMs;
  }

  /** Asks for the next page. */
  pump(nowMs: number): void {
    const reader = this.unread;
    if (reader === undefined || this.isAsking || nowMs < this.notBeforeMs) return;
    this.isAsking = true;
    const { market, timeframe } = reader;
    const call = { kind: 'candles', market, timeframe, ...reader.question(nowMs) } as const;
    const way = {
      requestClass: 'market',
      dedupe: `past ${market} ${timeframe}`,
      withinMs: LONGEST_WAIT_MS,
    } as const;
    this.outbox.ask(call, way, (answer, { sentAtMs, atMs }) => {
      this.isAsking = false;
      const isRight = answer.outcome === 'value' && pageFlaw(answer.value, { reader, nowMs: atMs }) === null;
      if (!isRight) this.notBeforeMs = atMs + RETRY_MS;
      else {
        const times = { askedAtMs: sentAtMs ?? atMs, nowMs: atMs, saidAtMs: answer.saidAtMs };
        this.bars.push(...(reader.takePast(answer.value, times) ?? []));
      }
    });
  }

  private get unread(): CandleReader | undefined {
    return this.readers.find(({ isWarm }) => !isWarm);
  }
}
