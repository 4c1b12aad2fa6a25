import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { admittanceOf, type Admittance, type EntryAsk } from '../../src/budget/admittance.ts';
import type { Slot } from '../../src/budget/admission.ts';
import { readLedger, type BudgetReport } from '../../src/budget/ledger-report.ts';
import type { LifeSign } from '../../src/budget/process-owner.ts';
import { RedisConnection } from '../../src/budget/redis/redis-connection.ts';
import { RedisLedger } from '../../src/budget/redis/redis-ledger.ts';
import { readRedisLedger } from '../../src/budget/redis/redis-report.ts';
import { LedgerStore } from '../../src/budget/store.ts';
import { budgetTable } from '../../src/exchange/client-options.ts';
import type { Budget } from '../../src/domain/rate-limit.ts';
import { readRedisAddress } from '../../src/redis/redis-server.ts';
import { RedisServer } from '../process/redis-server.ts';

interface OpenOptions {
  readonly budgets: readonly Budget[];
  readonly owner?: string;
  readonly token?: string;
  readonly whenMissing?: 'full' | 'empty';
  /** The boot of a machine on which the process runs; its monotonic clock is ahead of others by `aheadMs`. */
  readonly machine?: string;
  readonly aheadMs?: number;
  /** Budgets in Redis of which it leases slots for cancels. */
  readonly leases?: readonly string[];
}

/** Opens the ledger of a bot at a path; unless told otherwise, nothing is known of what was sent before. */
export const openLedger = (
  path: string,
  of: Partial<ConstructorParameters<typeof LedgerStore>[0]> = {},
): LedgerStore => {
  const subjects = { ip: 'here', token: 'us' };
  return new LedgerStore({ path, budgets: budgetTable().values(), subjects, whenMissing: 'full', ...of });
};

/** A ledger that is called at times set by the test; every call is complete when it returns. */
export interface TestLedger {
  enter(ask: EntryAsk, nowMs: number): ReturnType<Admittance['enter']>;
  settle(...of: Parameters<Admittance['settle']>): Promise<void>;
  withdraw(slot: Slot): Promise<void>;
  holds: Admittance['holds'];
  applyLimit(...of: Parameters<Admittance['applyLimit']>): Promise<ReturnType<Admittance['applyLimit']>>;
  report(...of: Parameters<Admittance['report']>): Promise<void>;
  heldUntil: Admittance['heldUntil'];
  namedLimits: Admittance['namedLimits'];
  close(): Promise<void>;
  /** Ends the ledger as a kill does: nothing more is written. */
  abandon(): void;
}

/** A place where processes share ledgers, with clocks and processes that the test controls. */
export interface LedgerWorld {
  readonly name: string;
  /** How long a request of an unknown process may still arrive, in ms. */
  readonly unknownMs: number;
  /** Returns by how many ms a window is counted longer there than it is. */
  driftMs(windowMs: number): number;
  readonly signs: Record<string, LifeSign>;
  open(options: OpenOptions): Promise<TestLedger>;
  /** Restarts the clock of the machine or of Redis, as a reboot does. */
  restart(): Promise<void>;
  at(nowMs: number): Promise<void>;
  read(): Promise<readonly BudgetReport[]>;
  /** Removes everything, for the next test. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

class FileWorld implements LedgerWorld {
  readonly name = 'in a file';
  readonly unknownMs = 120_000;
  signs: Record<string, LifeSign> = {};
  private readonly folder = mkdtempSync(join(tmpdir(), 'sarraf-ledger-'));
  private nowMs = 0;
  private boot = 1;
  private ledgers = 0;

  driftMs(windowMs: number): number {
    return Math.ceil(windowMs / 10_000);
  }

  private get path(): string {
    return join(this.folder, `${this.ledgers}.sqlite`);
  }

  async open({
    budgets,
    owner = 'me',
    token = 'abc',
    whenMissing = 'empty',
  }: OpenOptions): Promise<TestLedger> {
    const store = new LedgerStore({
      path: this.path,
      budgets,
      subjects: { ip: 'ip', token },
      whenMissing,
      machine: {
        bootId: `boot-${this.boot}`,
        owner,
        lifeSignOf: (other) => this.signs[other] ?? 'alive',
        monotonicMs: () => this.nowMs,
        wallMs: () => 1_000_000 + this.nowMs,
      },
    });
    return testLedger(this, { ledger: admittanceOf(store, store), close: async () => store.close() });
  }

  async restart(): Promise<void> {
    this.boot += 1;
  }

  async at(nowMs: number): Promise<void> {
    this.nowMs = nowMs;
  }

  async read(): Promise<readonly BudgetReport[]> {
    return readLedger(this.path, this.nowMs);
  }

  async clear(): Promise<void> {
    this.ledgers += 1;
    this.nowMs = 0;
    this.signs = {};
  }

  async close(): Promise<void> {
    rmSync(this.folder, { recursive: true });
  }
}

const KEY = 'ledger';
/** Script of Redis that reads a clock set by the test, from keys beside the ledger. */
const TEST_CLOCK = `
local time = tonumber(redis.call('GET', KEYS[1] .. ':time'))
local run = redis.call('GET', KEYS[1] .. ':run')`;

export class RedisWorld implements LedgerWorld {
  readonly name = 'in Redis';
  /** A fixed bound: no owner in Redis is asked whether a late cancel may still leave. */
  readonly unknownMs = 150_000;
  signs: Record<string, LifeSign> = {};
  readonly server: RedisServer;
  /** How many times the script of the ledger was run. */
  asked = 0;
  private readonly folder: string;
  private control: RedisConnection;
  private opened: RedisConnection;
  private nowMs = 0;
  /** How long the machines were asleep, by their wall clocks. */
  sleptMs = 0;
  /** By how many ms the clock of the server was stepped. */
  private steppedMs = 0;
  private run = 1;
  private readonly links: { isCut: boolean }[] = [];

  private constructor(server: RedisServer, folder: string, control: RedisConnection) {
    this.server = server;
    this.folder = folder;
    this.control = control;
    this.opened = control;
  }

  static async start(): Promise<RedisWorld> {
    const folder = mkdtempSync(join(tmpdir(), 'sarraf-redis-'));
    const server = await RedisServer.start({ folder });
    const control = await connect(server);
    const world = new RedisWorld(server, folder, control);
    await world.clear();
    return world;
  }

  driftMs(windowMs: number): number {
    return 100 + Math.ceil(windowMs / 500);
  }

  /** The client for commands of Redis itself. */
  get redis(): RedisConnection['client'] {
    return this.control.client;
  }

  async open(
    options: OpenOptions,
  ): Promise<TestLedger & { readonly inner: RedisLedger; readonly link: { isCut: boolean } }> {
    const {
      budgets,
      owner = 'me',
      token = 'abc',
      whenMissing = 'empty',
      machine = 'boot',
      aheadMs = 0,
      leases = [],
    } = options;
    const link = { isCut: false };
    this.links.push(link);
    this.opened = await connect(this.server);
    const { opened } = this;
    const inner = await RedisLedger.open({
      server: {
        ask: async (ask) => {
          this.asked += 1;
          if (link.isCut) throw new Error('Redis is gone');
          return opened.ask(ask);
        },
        close: () => opened.close(),
      },
      budgets,
      subjects: { ip: 'ip', token },
      whenMissing,
      leases,
      machine: {
        bootId: machine,
        owner,
        lifeSignOf: (other) => this.signs[other] ?? 'alive',
        monotonicMs: () => this.nowMs + aheadMs,
        wallMs: () => this.nowMs + this.sleptMs,
      },
    });
    const wait = async (): Promise<void> => inner.settled();
    const ledger = testLedger(this, {
      ledger: inner,
      close: async () => inner.close(),
      abandon: () => opened.close(),
      wait,
      aheadMs,
    });
    return { ...ledger, inner, link };
  }

  /** The connection of the ledger that was opened last. */
  get lastConnection(): RedisConnection {
    return this.opened;
  }

  /** Connects again after the server was ended and restarted. */
  async reconnect(): Promise<void> {
    this.control.close();
    this.control = await connect(this.server);
    await this.at(this.nowMs);
    await this.restart();
  }

  async restart(): Promise<void> {
    this.run += 1;
    await this.redis.set(`${KEY}:run`, `run-${this.run}`);
  }

  async at(nowMs: number): Promise<void> {
    this.nowMs = nowMs;
    await this.redis.set(`${KEY}:time`, nowMs + this.steppedMs);
  }

  /** Steps the clock of the server alone, so that it is `aheadMs` ahead of the machines' clocks. */
  async step(aheadMs: number): Promise<void> {
    this.steppedMs = aheadMs;
    await this.at(this.nowMs);
  }

  async read(): Promise<readonly BudgetReport[]> {
    return readRedisLedger(this.control, this.nowMs + this.steppedMs);
  }

  async clear(): Promise<void> {
    this.signs = {};
    // A heartbeat of an earlier test's ledger finds an empty Redis, and makes every window full.
    for (const link of this.links.splice(0)) link.isCut = true;
    await this.redis.flushall();
    this.nowMs = 0;
    this.sleptMs = 0;
    await this.step(0);
    await this.restart();
  }

  async close(): Promise<void> {
    this.control.close();
    await this.server.kill();
    rmSync(this.folder, { recursive: true });
  }
}

async function connect(server: RedisServer): Promise<RedisConnection> {
  return RedisConnection.open({
    address: readRedisAddress(server.url, undefined),
    key: KEY,
    // A busy machine answers late; another test checks what a late answer means.
    timeoutMs: 60_000,
    clock: TEST_CLOCK,
  });
}

function testLedger(
  world: Pick<LedgerWorld, 'at'>,
  of: {
    readonly ledger: Admittance;
    readonly close: () => Promise<void>;
    readonly wait?: () => Promise<void>;
    readonly aheadMs?: number;
    readonly abandon?: () => void;
  },
): TestLedger {
  const { ledger, close, wait = async () => undefined, aheadMs = 0 } = of;
  const local = (nowMs: number): number => nowMs + aheadMs;
  return {
    enter: async (ask, nowMs) => {
      await world.at(nowMs);
      return ledger.enter(ask, local(nowMs));
    },
    settle: async (slot, end, atMs, usage) => {
      await world.at(atMs);
      ledger.settle(slot, end, local(atMs), usage);
      await wait();
    },
    withdraw: async (slot) => {
      ledger.withdraw(slot);
      await wait();
    },
    holds: (slot) => ledger.holds(slot),
    applyLimit: async (budget, word, atMs) => {
      await world.at(atMs);
      const change = ledger.applyLimit(budget, word, local(atMs));
      await wait();
      return change;
    },
    report: async (permit, verdict, atMs) => {
      await world.at(atMs);
      ledger.report(permit, verdict, local(atMs));
      await wait();
    },
    heldUntil: (ask, nowMs) => {
      const untilMs = ledger.heldUntil(ask, local(nowMs));
      return untilMs === null ? null : untilMs - aheadMs;
    },
    namedLimits: (nowMs) => ledger.namedLimits(local(nowMs)),
    close,
    abandon: of.abandon ?? (() => undefined),
  };
}

function hasRedis(): boolean {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    console.log(
      'the ledger in Redis is not tested: there is no redis-server ("apt-get install redis-server")',
    );
    return false;
  }
}

/** True if this machine has redis-server; else only ledgers in files are tested, and a line says so. */
export const HAS_REDIS = hasRedis();

export const LEDGER_WORLDS: readonly (readonly [string, () => Promise<LedgerWorld>])[] = [
  ['in a file', async () => new FileWorld()],
  ...(HAS_REDIS ? [['in Redis', async () => RedisWorld.start()] as const] : []),
];
