import {
  readFileSync,
  renameSync,
  writeFileSync,
  createReadStream,
  existsSync,
  mkdirSync,
  rmSync,
} from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { messageOf, SarrafError } from '../domain/errors.ts';
import { type FeeSchedule, createMarket, type Market } from '../domain/market.ts';
import { formatUnits } from '../domain/money.ts';
import { readUnits, writeUnits } from '../domain/stored-json.ts';
import type { MirrorState } from '../engine/mirror-change.ts';
import { readExchangeConfig } from '../simulator-server/exchange-config.ts';
import { BOT_MODES } from '../mirror/mirror-path.ts';
import type { BotConfig } from './create-bot-config.ts';
import { parseMarket } from '../exchange/market-names.ts';
import { createInterface } from 'node:readline';
import type { EngineEvent } from '../engine/engine-event.ts';
import { afterOnMachine, AppendFile } from '../recording/durable-file.ts';

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
    throw new SarrafError(
      'INVALID_FILE',
      `expected what a recorded session began with in ${path}: ${found}; give the data folder of a run with --record`,
    );
  }
  const read = shape.safeParse(content);
  if (!read.success) throw new SarrafError('INVALID_FILE', `${path}: ${z.prettifyError(read.error)}`);
  const { version: _, markets, config, state, ...rest } = read.data;
  return {
    ...rest,
    mirror: resolve(folder, rest.mirror),
    catalogue: resolve(folder, rest.catalogue),
    markets: markets.map(({ market, ...steps }) => createMarket({ ...steps, market: parseMarket(market) })),
    config: config as unknown as SessionConfig,
    state: state as unknown as MirrorState,
  };
}

/**
 * Maximum number of bytes of one run's events; later events are dropped, which is reported. A day with a book
 * each second takes a third of it.
 */
const MOST_BYTES = 1_000_000_000;

const SYNC_EVERY_MS = 1_000;

const EVENT_FILE_NAME = 'session-events.jsonl';

/**
 * Stores the events of the engine during a recorded run, one line each, so that its decisions can be
 * repeated. It never throws to its caller.
 */
export class EventFile {
  private readonly file: AppendFile | null;
  private readonly onProblem: (message: string) => void;
  private isOver = false;

  /** Opens the file anew: of a folder with several runs the last one's events stay. Errors are reported. */
  constructor({
    folder,
    onProblem,
  }: {
    readonly folder: string;
    readonly onProblem: (message: string) => void;
  }) {
    this.onProblem = onProblem;
    this.file = this.open(folder);
  }

  /** Stores an event. Never throws. */
  apply(event: EngineEvent): void {
    if (this.file === null || this.isOver) return;
    const line = Buffer.from(`${JSON.stringify(event, writeUnits)}\n`);
    if (this.file.bytes + line.length > MOST_BYTES) this.stop(`${this.file.path} has ${MOST_BYTES / 1e6} MB`);
    else this.file.append(line);
  }

  async close(): Promise<void> {
    this.isOver = true;
    try {
      await this.file?.close();
    } catch (error) {
      this.stop(messageOf(error));
    }
  }

  private open(folder: string): AppendFile | null {
    const path = join(folder, EVENT_FILE_NAME);
    try {
      mkdirSync(folder, { recursive: true });
      rmSync(path, { force: true });
      const onError = (error: unknown): void => this.stop(messageOf(error));
      return new AppendFile({ path, after: afterOnMachine, syncEveryMs: SYNC_EVERY_MS, onError });
    } catch (error) {
      this.stop(messageOf(error));
      return null;
    }
  }

  private stop(why: string): void {
    this.isOver = true;
    this.onProblem(`recording: the bot's events are no longer kept: ${why}`);
  }
}

/**
 * Reads the events of the engine in the last recorded run of a folder, one by one; none if none were stored.
 * It ends before an incomplete line. Throws what the file system throws.
 */
export async function* readEvents(folder: string): AsyncGenerator<EngineEvent> {
  const path = join(folder, EVENT_FILE_NAME);
  if (!existsSync(path)) return;
  for await (const line of createInterface({
    input: createReadStream(path),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    let event: EngineEvent;
    try {
      event = JSON.parse(line, readUnits) as EngineEvent;
    } catch {
      return;
    }
    yield event;
  }
}
