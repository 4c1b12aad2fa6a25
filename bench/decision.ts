import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { z } from 'zod';
import { createVenueCaller, type VenueCaller } from '../src/venues/venue-caller.ts';
import type { EngineOutput, EngineRequest } from '../src/engine/engine-event.ts';
import type { Engine } from '../src/engine/engine.ts';
import { ExchangeClient } from '../src/exchange/client.ts';
import { MirrorStore } from '../src/mirror/mirror-store.ts';
import { DEFAULT_RETENTION } from '../src/mirror/pruner.ts';
import type { StrategyDefinition } from '../src/strategy/definition.ts';
import { defineStrategy } from '../src/strategy/sdk.ts';
import { BENCH_MARKET, BENCH_START_MS, createBenchEngine } from './bench-engine.ts';
import { ORDER_REPLY } from './client.ts';
import { measureWay } from './decision-way.ts';
import { QuietVenue } from './quiet-venue.ts';
import { median, percentile, type BenchResult } from './result.ts';

const ROUNDS = 1_000;
const WARM_UP_ROUNDS = 200;
const TARGET_MEDIAN = 4;
const TARGET_P99 = 12;

/** Time between two orders, in ms: identical ones within ten seconds are held back. */
const ROUND_MS = 20_000;

/** A strategy that places an order at the next book when one is requested, and cancels it when none is. */
function createStrategy(request: { isIn: boolean }): StrategyDefinition {
  return defineStrategy({
    name: 'in-and-out',
    params: z.strictObject({}),
    state: z.strictObject({ orders: z.int().default(0) }),
    data: ({ market }) => ({ book: market.book() }),
    on: {
      book({ state, setState, market, orders, cancelAll, buy }, { bids }) {
        const price = bids[2]?.price;
        if (!request.isIn && orders.length > 0) cancelAll(market);
        if (!request.isIn || price === undefined || orders.length > 0) return;
        setState({ orders: state.orders + 1 });
        buy({ amount: 0.01, price });
      },
    },
  });
}

/**
 * A bare durable commit: writes one row, about the size of an order's, and returns when it is on the disk.
 */
class BareCommits {
  private readonly database: Database.Database;
  private readonly insert: Database.Statement<[string]>;

  constructor(path: string) {
    this.database = new Database(path);
    this.database.pragma('journal_mode = WAL');
    this.database.pragma('synchronous = FULL');
    this.database.exec('CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT');
    this.insert = this.database.prepare('INSERT INTO rows (text) VALUES (?)');
  }

  /** Commits a row; returns how long it took, in ms. */
  commit(): number {
    const startMs = performance.now();
    this.insert.run('x'.repeat(200));
    return performance.now() - startMs;
  }

  close(): void {
    this.database.close();
  }
}

/** The bot's engine, mirror and client; the transport to the exchange ends where the socket would begin. */
class Bench {
  private readonly request = { isIn: false };
  private readonly engine: Engine = createBenchEngine(createStrategy(this.request));
  private readonly venue = new QuietVenue(BENCH_MARKET, Infinity);
  private readonly mirror: MirrorStore;
  private readonly caller: VenueCaller;
  private readonly waiting: EngineRequest[] = [];
  private nowMs = BENCH_START_MS;
  private wakeAtMs = BENCH_START_MS;
  private encodedAtMs: number | null = null;

  constructor(path: string) {
    this.mirror = MirrorStore.open({
      path,
      retention: DEFAULT_RETENTION,
      nowMs: BENCH_START_MS,
      epoch: () => 'aaaa',
      durability: 'full',
    });
    const client = new ExchangeClient({
      transport: {
        send: async () => {
          this.encodedAtMs ??= performance.now();
          return { status: 200, headers: {}, body: ORDER_REPLY };
        },
        close: async () => {},
      },
      credentials: { kind: 'token', token: 'bench-token' },
      nowMs: () => this.nowMs,
    });
    this.caller = createVenueCaller(client);
  }

  /**
   * Ends the last order and lets the next book place another; returns the time from that book to the encoded
   * request, in ms.
   */
  async round(): Promise<number> {
    this.request.isIn = false;
    this.live(this.nowMs + ROUND_MS);
    const { phase, liveOrders, unsettled } = this.engine.status();
    if (phase !== 'trading' || liveOrders + unsettled > 0)
      throw new Error(`expected no order, was one, ${phase}`);
    this.request.isIn = true;
    // The daemon does this once a second.
    this.mirror.flush();
    for (;;) {
      this.tick();
      for (let request = this.waiting.shift(); request !== undefined; request = this.waiting.shift()) {
        if (request.call.kind === 'book') return this.decide(request);
        this.answer(request);
      }
    }
  }

  close(): void {
    this.mirror.close();
  }

  private async decide(poll: EngineRequest): Promise<number> {
    const answer = this.venue.answer(poll.call);
    this.encodedAtMs = null;
    const startMs = performance.now();
    const output = this.engine.step({
      kind: 'answer',
      atMs: this.nowMs,
      requestId: poll.id,
      sentAtMs: this.nowMs,
      answer,
    });
    this.write(output);
    const request = output.requests.find(({ call }) => call.kind === 'place');
    if (request === undefined) throw new Error('expected an order, was none');
    const { call } = request;
    const signal = AbortSignal.timeout(60_000);
    await new Promise((onEnd, onError) => this.caller.send(call, signal, { onEnd, onError }));
    const { encodedAtMs } = this;
    if (encodedAtMs === null) throw new Error('expected a request, was none');
    this.waiting.push(...output.requests);
    this.wakeAtMs = output.wakeAtMs;
    return encodedAtMs - startMs;
  }

  private live(untilMs: number): void {
    while (this.nowMs < untilMs) {
      this.tick();
      for (let request = this.waiting.shift(); request !== undefined; request = this.waiting.shift()) {
        this.answer(request);
      }
    }
  }

  private tick(): void {
    this.nowMs = Math.max(this.nowMs + 1, this.wakeAtMs);
    this.apply(this.engine.step({ kind: 'tick', atMs: this.nowMs }));
  }

  private answer({ id, call }: EngineRequest): void {
    const { nowMs } = this;
    const answer = this.venue.answer(call);
    this.apply(this.engine.step({ kind: 'answer', atMs: nowMs, requestId: id, sentAtMs: nowMs, answer }));
  }

  private apply(output: EngineOutput): void {
    this.write(output);
    this.wakeAtMs = output.wakeAtMs;
    this.waiting.push(...output.requests);
  }

  private write({ changes, isDurable }: EngineOutput): void {
    if (changes.length > 0 || isDurable) this.mirror.apply(changes, { atMs: this.nowMs, isDurable });
  }
}

/** Measures decisions until they are on the disk and encoded, each right after one bare commit. */
async function measureDecisions(folder: string): Promise<BenchResult[]> {
  const commits = new BareCommits(join(folder, 'bare.sqlite'));
  const bench = new Bench(join(folder, 'mirror.sqlite'));
  const decided: number[] = [];
  const committed: number[] = [];
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round += 1) {
    const commitMs = commits.commit();
    const decisionMs = await bench.round();
    if (round < WARM_UP_ROUNDS) continue;
    committed.push(commitMs);
    decided.push(decisionMs);
  }
  bench.close();
  commits.close();
  const reference = median(committed);
  const result = (name: string, value: number, target: number | null): BenchResult => ({
    name: `decision/${name}`,
    value: Number(value.toFixed(4)),
    unit: 'ms',
    reference: Number(reference.toFixed(4)),
    ratio: Number((value / reference).toFixed(2)),
    target,
    holds: target === null || value < reference * target,
  });
  return [
    result('book-to-encoded-order/median', median(decided), TARGET_MEDIAN),
    result('book-to-encoded-order/p99', percentile(decided, 99), TARGET_P99),
    result('bare-commit/p99', percentile(committed, 99), null),
  ];
}

/**
 * Measures the time from the arrival of a book to the encoded request of its order, with the order's row on
 * the disk in between, against a bare durable commit on the same disk. Separately: what the limiter and the
 * socket add, with the commits of the ledger.
 */
export async function benchDecision(): Promise<BenchResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sarraf-bench-'));
  try {
    return [...(await measureDecisions(folder)), ...(await measureWay(folder))];
  } finally {
    rmSync(folder, { recursive: true });
  }
}
