import { fileURLToPath } from 'node:url';
import { AnswersApart, answerHere } from '../../daemon/answers-apart.ts';
import { openCatalogue, usualCatalogue } from '../../daemon/open-catalogue.ts';
import { timeframeMs } from '../../domain/candle.ts';
import { candleAt } from '../../domain/candle-columns.ts';
import { MINUTE_MS } from '../../domain/time-text.ts';
import type { MirrorReader } from '../../mirror/mirror-reader.ts';
import { ownModule } from '../../plugins/own-files.ts';
import { ApiError } from '../api-error.ts';
import { BotFolderReader } from '../folder/bot-folder-reader.ts';
import type { ChartCandlesReply, RecordingsReply } from '../schema/market.ts';
import { type ChartRange, endMsOf } from './market-replies.ts';
import { tryMarket } from './row-items.ts';
import { profitsReplyOf, qualityReplyOf, tripsReplyOf } from './trip-replies.ts';

/**
 * Replies for which much is read: all fills of the mirror, up to two million, or recorded candles. A process
 * apart makes them, and the page's server answers everything else meanwhile. This file is also its program.
 */
const REPLIES = {
  trips: ofMirror(tripsReplyOf),
  profits: ofMirror(profitsReplyOf),
  quality: ofMirror(qualityReplyOf),
  recordings: recordingsReplyOf,
  recorded: recordedReplyOf,
};

type ReplyName = keyof typeof REPLIES;
type QueryOf<Name extends ReplyName> = Parameters<(typeof REPLIES)[Name]>[1];
type ReplyOf<Name extends ReplyName> = Awaited<ReturnType<(typeof REPLIES)[Name]>>;

interface ReplyQuestion {
  readonly dataFolder: string;
  /** State of the mirror: for the same one the same answer is used again. */
  readonly version: number;
  readonly name: ReplyName;
  readonly query: object;
}

/** The process is kept while it is asked now and then: it continues with the fills that it has read. */
const APART = {
  program: fileURLToPath(ownModule('dashboard/readers/replies-apart')),
  longestMs: MINUTE_MS,
  heapMb: 512,
  idleForMs: MINUTE_MS,
  usedForMs: () => MINUTE_MS,
};

/** Maximum number of questions without an answer, and the time after which a refused one may ask again. */
const MOST_WAITING = 16;
const ASK_AGAIN_MS = 5_000;

/** Has a process apart make the replies of one data folder. */
export class RepliesApart {
  readonly #folder: BotFolderReader;
  readonly #answers = new AnswersApart<ReplyQuestion, { readonly kind: 'reply'; readonly reply: unknown }>(
    APART,
  );

  constructor(folder: BotFolderReader) {
    this.#folder = folder;
  }

  /** Throws `ApiError` if the data is unreadable, or if too many questions wait. */
  async get<Name extends ReplyName>(name: Name, query: QueryOf<Name>): Promise<ReplyOf<Name>> {
    const { dataFolder, mirror } = this.#folder;
    const question = { dataFolder, version: mirror.read((reader) => reader.dataVersion()), name, query };
    const refusal = this.#answers.refusal(question, MOST_WAITING);
    if (refusal !== null) throw new ApiError('busy', refusal, { retryAfterMs: ASK_AGAIN_MS });
    const answer = await this.#answers.get(question);
    if (answer.kind === 'problem') throw new ApiError('data-unusable', answer.reason);
    return answer.reply as ReplyOf<Name>;
  }

  close(): void {
    this.#answers.close();
  }
}

let read: BotFolderReader | null = null;

function ofMirror<Query, Reply>(replyOf: (reader: MirrorReader, query: Query) => Reply) {
  return (dataFolder: string, query: Query): Reply => {
    read ??= new BotFolderReader({ dataFolder });
    return read.mirror.read((reader) => replyOf(reader, query));
  };
}

/** Maximum number of series of candles that a page may choose from. */
const MOST_RECORDINGS = 1_000;

function recordingsReplyOf(dataFolder: string, _query: object): RecordingsReply {
  const recordings = openCatalogue(usualCatalogue(dataFolder))
    .readable()
    .flatMap(({ key, found: { partitions } }) => {
      const name = key.kind === 'candles' ? tryMarket(key.market) : null;
      const [first, last] = [partitions[0], partitions.at(-1)];
      if (key.kind !== 'candles' || name === null || first === undefined || last === undefined) return [];
      const { symbol: market, quote } = name;
      return [{ market, quote, timeframe: key.timeframe, fromMs: first.fromMs, toMs: last.toMs }];
    });
  const lengthOf = ({ timeframe }: (typeof recordings)[number]): number => timeframeMs(timeframe);
  const sorted = recordings.toSorted(
    (left, right) => left.market.localeCompare(right.market) || lengthOf(left) - lengthOf(right),
  );
  return { recordings: sorted.slice(0, MOST_RECORDINGS) };
}

/** Returns recorded candles; null if there are none of that market and timeframe. */
async function recordedReplyOf(dataFolder: string, range: ChartRange): Promise<ChartCandlesReply | null> {
  const { limit } = range;
  const catalogue = openCatalogue(usualCatalogue(dataFolder));
  const key = catalogue
    .keys()
    .filter((each) => each.kind === 'candles')
    .find((each) => each.market === range.symbol && each.timeframe === range.timeframe);
  if (key === undefined) return null;
  const { market, timeframe } = key;
  const toMs = endMsOf(range, timeframe);
  const partitions = catalogue.manifest(key)?.partitions.filter(({ fromMs }) => fromMs < toMs) ?? [];
  // The newest one may lie partly beyond the end.
  let rows = -(partitions.at(-1)?.rows ?? 0);
  const first = partitions.findLast((each) => (rows += each.rows) >= limit) ?? partitions[0];
  const last = partitions.at(-1);
  if (first === undefined || last === undefined) return { market, timeframe, isBuilt: false, candles: [] };
  const within = { fromMs: first.fromMs, toMs: Math.min(toMs, last.toMs + 1) };
  const columns = await catalogue.readCandles({ market, timeframe, ...within });
  const count = Math.min(limit, columns.length);
  const candles = Array.from({ length: count }, (_, index) =>
    candleAt(columns, columns.length - count + index),
  );
  return { market, timeframe, isBuilt: false, candles };
}

answerHere(APART, async ({ dataFolder, name, query }: ReplyQuestion) => {
  const replyOf = REPLIES[name] as (dataFolder: string, query: object) => unknown;
  return { kind: 'reply' as const, reply: await replyOf(dataFolder, query) };
});
