import { readFileSync, renameSync, writeFileSync, createReadStream, existsSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { dataUnusable, messageOf, invalidFile } from '../domain/errors.ts';
import { type FeeSchedule, createMarket, type Market } from '../domain/market.ts';
import { formatUnits } from '../domain/money.ts';
import { DAY_MS } from '../domain/time-text.ts';
import { readUnits, writeUnits } from '../domain/stored-json.ts';
import type { MirrorState } from '../engine/mirror-change.ts';
import { readExchangeConfig } from '../simulator-server/exchange-config.ts';
import { BOT_MODES } from '../mirror/mirror-path.ts';
import type { VenueProfile } from '../venues/port.ts';
import type { BotConfig } from './create-bot-config.ts';
import { parseMarket } from '../exchange/market-names.ts';
import { pipeline } from 'node:stream';
import { constants, createGunzip } from 'node:zlib';
import type { EngineEvent } from '../engine/engine-event.ts';
import type { PlannedFeed } from '../scheduler/feed.ts';
import { afterOnMachine, PackedFile } from '../recording/durable-file.ts';
import { SYNC_EVERY_MS } from '../recording/read-segment.ts';

/** Parts of a configuration that determine a run, without secrets and addresses. */
type SessionConfig = Pick<
  BotConfig,
  'instance' | 'execution' | 'reconciliation' | 'strategies' | 'strategiesFolders' | 'locks'
> & { readonly limits: BotConfig['exchange']['limits']; readonly headroom: number };

/** Start conditions of a recorded run, stored beside its mirror, so that it can be run again. */
export interface SessionFile {
  readonly mode: BotConfig['mode'];
  /** Start time of the bot, in ms since 1970. */
  readonly beganMs: number;
  /** Factor by which polls were slower than planned; 1 except for replays of long bars. */
  readonly pollStretch: number;
  /** File of its mirror; below, folder of its recording. */
  readonly mirror: string;
  readonly catalogue: string;
  readonly markets: readonly Market[];
  /** Other venues whose books were read. */
  readonly others: NonNullable<VenueProfile['others']>;
  readonly fees: FeeSchedule;
  readonly config: SessionConfig;
  /** State from which the engine continued. */
  readonly state: MirrorState;
}

const FILE_NAME = 'session.json';

const rates = z.object({ maker: z.number(), taker: z.number() });

const shape = z.object({
  version: z.literal(1),
  mode: z.enum(BOT_MODES),
  beganMs: z.number().int(),
  pollStretch: z.number().min(1),
  mirror: z.string(),
  catalogue: z.string(),
  markets: z
    .array(
      z.object({
        market: z.string(),
        priceStep: z.string(),
        amountStep: z.string(),
        minOrderValue: z.string(),
      }),
    )
    .min(1),
  // Sessions from before there were other venues have none.
  others: z
    .array(z.tuple([z.string(), z.looseObject({ weight: z.number(), bookCacheMs: z.number() })]))
    .default([]),
  fees: z.object({ rls: rates, usdt: rates }),
  // Sessions from before there was a headroom used the whole limits.
  config: z.looseObject({
    strategies: z.array(z.unknown()),
    instance: z.string(),
    headroom: z.number().default(0),
    locks: z.array(z.unknown()).default([]),
  }),
  state: z.looseObject({ epoch: z.string() }),
});

/**
 * Writes the start conditions of a run; in a folder with several runs they replace those of the run before.
 * Throws what the file system throws.
 */
export function writeSessionFile(
  config: BotConfig,
  of: Omit<SessionFile, 'mode' | 'catalogue' | 'fees' | 'config'>,
): void {
  const { data, record, mode, embedded, paper, exchange } = config;
  const { instance, execution, reconciliation, strategies, strategiesFolders, locks } = config;
  const content = {
    version: 1,
    mode,
    ...of,
    others: [...of.others],
    catalogue: relative(data.folder, record?.folder ?? data.folder),
    markets: of.markets.map(({ symbol, priceStep, amountStep, minOrderValue }) => ({
      market: symbol,
      priceStep: formatUnits(priceStep),
      amountStep: formatUnits(amountStep),
      minOrderValue: formatUnits(minOrderValue),
    })),
    fees: mode === 'embedded' ? (embedded.exchange ?? readExchangeConfig({})).fees : paper.fees,
    config: {
      instance,
      execution,
      reconciliation,
      strategies,
      strategiesFolders,
      locks,
      limits: exchange.limits,
      headroom: exchange.headroom,
    },
  };
  const path = join(data.folder, FILE_NAME);
  writeFileSync(`${path}.new`, `${JSON.stringify(content, writeUnits, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** True if a run of a folder was recorded. */
export const isRecorded = (folder: string): boolean => existsSync(join(folder, FILE_NAME));

/**
 * Returns the start conditions of the last recorded run in a folder, with absolute paths. Throws
 * `INVALID_FILE` if there is none.
 */
export function readSessionFile(folder: string): SessionFile {
  const path = join(folder, FILE_NAME);
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'), readUnits);
  } catch (error) {
    const found = messageOf(error);
    throw invalidFile(
      `expected what a recorded session began with in ${path}: ${found}; give the data folder of a run with --record`,
    );
  }
  const read = shape.safeParse(content);
  if (!read.success) throw invalidFile(`${path}: ${z.prettifyError(read.error)}`);
  const { version: _, markets, others, config, state, ...rest } = read.data;
  return {
    ...rest,
    mirror: resolve(folder, rest.mirror),
    catalogue: resolve(folder, rest.catalogue),
    markets: markets.map(({ market, ...steps }) => createMarket({ ...steps, market: parseMarket(market) })),
    others: new Map(others) as unknown as SessionFile['others'],
    config: config as unknown as SessionConfig,
    state: state as unknown as MirrorState,
  };
}

const EVENT_FILE_NAME = 'session-events.jsonl.gz';

/**
 * Bytes that an answer with its tick takes in the file, measured on an exchange with synthetic traders: 50 to
 * 90, and of one with all books more, since most of a dozen change between two readings.
 */
const ANSWER_BYTES = 100;
const ALL_BOOKS_BYTES = 1_000;

/** Returns what a day of these feeds takes in the file, in MB, without what orders add. */
export function eventMbADay(feeds: readonly PlannedFeed[]): number {
  const polled = feeds.filter(({ isPooled }) => isPooled !== true);
  return polled.reduce((sum, { kind, intervalMs, lists }) => {
    const bytes = kind === 'books' ? ALL_BOOKS_BYTES : ANSWER_BYTES * lists;
    return sum + (bytes * DAY_MS) / intervalMs / 1e6;
  }, 0);
}

interface EventFileOptions {
  readonly folder: string;
  /** Maximum size of the file, in MB; later events are dropped, which is reported. */
  readonly mostMb: number;
  readonly onProblem: (message: string) => void;
}

/**
 * Stores the events of the engine during a recorded run, one line each, so that its decisions can be
 * repeated. A disk that takes no more, or a file that has its maximum size, ends it, which is reported.
 */
export class EventFile {
  private readonly options: EventFileOptions;
  private readonly file: PackedFile;
  private isOver = false;

  /** Opens the file anew: of a folder with several runs the last one's events stay. Throws if it can not. */
  constructor(options: EventFileOptions) {
    this.options = options;
    const path = join(options.folder, EVENT_FILE_NAME);
    rmSync(path, { force: true });
    const onError = (error: unknown): void => this.stop(messageOf(error));
    this.file = new PackedFile({ path, after: afterOnMachine, syncEveryMs: SYNC_EVERY_MS, onError });
  }

  /** Stores an event. Never throws. */
  apply(event: EngineEvent): void {
    const { file, options } = this;
    if (this.isOver) return;
    if (file.bytes > options.mostMb * 1e6)
      this.stop(`${file.path} has ${options.mostMb} MB; record.eventsMb allows more`);
    else file.append(`${JSON.stringify(event, writeUnits)}\n`);
  }

  async close(): Promise<void> {
    await this.file.close().catch((error: unknown) => this.stop(messageOf(error)));
    this.isOver = true;
  }

  private stop(why: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.options.onProblem(`recording: the bot's events are no longer kept: ${why}`);
  }
}

/**
 * Reads the events of the engine in the last recorded run of a folder, one by one; none if none were stored.
 * It ends before an incomplete line. Throws `DATA_UNUSABLE` for a damaged file.
 */
export async function* readEvents(folder: string): AsyncGenerator<EngineEvent> {
  const path = join(folder, EVENT_FILE_NAME);
  if (!existsSync(path)) return;
  // A killed process leaves a stream without an end.
  const unpacked = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }).setEncoding('utf8');
  // The loop below gets its errors; a reader that ends before the end closes the file.
  pipeline(createReadStream(path), unpacked, () => {});
  let rest = '';
  try {
    for await (const text of unpacked) {
      const lines = `${rest}${text as string}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield JSON.parse(line, readUnits) as EngineEvent;
    }
  } catch (error) {
    throw dataUnusable(`expected the events of a session in ${path}: ${messageOf(error)}`);
  }
}
