import { createHash } from 'node:crypto';
import { Redis } from 'ioredis';
import { connectionOptions, type RedisAddress, redisFailure } from '../../redis/redis-server.ts';
import { type SarrafError, dataUnusable } from '../../domain/errors.ts';

/** Time limit of a first connection. */
const OPENS_WITHIN_MS = 5_000;
/** Delays before a lost connection is tried again: the first, and the longest. */
const RETRY_MS = { first: 100, last: 2_000 };

interface ConnectionOptions {
  readonly address: RedisAddress;
  /** Key of the hash that holds the ledger of an exchange. */
  readonly key: string;
  /** Longest time in ms to wait for an answer. */
  readonly timeoutMs: number;
  /** Script by which the server gives its time; tests have a clock of their own. */
  readonly clock?: string;
}

/**
 * Connection to the Redis of a ledger. It never queues: a request that cannot be sent now, or is not answered
 * in time, fails at once, and none is ever sent twice.
 */
export class RedisConnection implements LedgerServer {
  readonly client: Redis;
  /** Key of the hash that holds the ledger. */
  readonly key: string;
  private readonly script: string;
  private readonly sha: string;
  /** Reason that there is no connection. */
  private reason: unknown = null;

  private constructor({ address, key, timeoutMs, clock = SERVER_CLOCK }: ConnectionOptions) {
    this.key = key;
    this.script = ledgerScript(clock);
    this.sha = createHash('sha1').update(this.script).digest('hex');
    this.client = new Redis({
      ...connectionOptions(address),
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      commandTimeout: timeoutMs,
      connectTimeout: OPENS_WITHIN_MS,
      retryStrategy: (times) => Math.min(times * RETRY_MS.first, RETRY_MS.last),
    });
    this.client.on('error', (error: unknown) => (this.reason = error));
    this.client.on('ready', () => (this.reason = null));
  }

  /** Connects. Throws `DATA_UNUSABLE` if Redis cannot be reached or refuses the log-in. */
  static async open(options: ConnectionOptions): Promise<RedisConnection> {
    const connection = new RedisConnection(options);
    try {
      await connection.client.connect();
      return connection;
    } catch (error) {
      connection.close();
      throw unusableRedis(options.address, connection.reason ?? error);
    }
  }

  async ask(ask: ScriptAsk): Promise<ScriptAnswer> {
    try {
      return answerIn(await this.run(JSON.stringify(ask)));
    } catch (error) {
      throw this.client.status === 'ready' ? error : (this.reason ?? error);
    }
  }

  close(): void {
    this.client.disconnect();
  }

  private async run(ask: string): Promise<unknown> {
    try {
      return await this.client.evalsha(this.sha, 1, this.key, ask);
    } catch (error) {
      // A restarted Redis has lost the script. Nothing was done.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return this.client.eval(this.script, 1, this.key, ask);
    }
  }
}

/** Returns the error to throw when Redis cannot be used. It never shows a password. */
function unusableRedis({ shown }: RedisAddress, error: unknown): SarrafError {
  return dataUnusable(
    `expected the ledger in Redis at ${shown}, found ${redisFailure(error).reason}: nothing is sent without it`,
    { cause: error },
  );
}

function answerIn(reply: unknown): ScriptAnswer {
  if (!Array.isArray(reply)) throw new TypeError(`expected a list from the script, found ${typeof reply}`);
  const [status, timeMs, run, rest] = reply as [ScriptAnswer['status'], number, string, unknown[]];
  if (status !== 'done') return { status, timeMs, run, fields: rest.map(String), revision: 0, stable: 0 };
  const [revision = 0, stable = 0] = rest.map(Number);
  return { status, timeMs, run, fields: null, revision, stable };
}

/** Answer of the script: all data, or the counters of its writes. */
export interface ScriptAnswer {
  readonly status: 'read' | 'changed' | 'stepped' | 'full' | 'done';
  readonly timeMs: number;
  readonly run: string;
  /** Null if the script did what it was asked. */
  readonly fields: readonly string[] | null;
  readonly revision: number;
  readonly stable: number;
}

/** Access to the ledger's script. */
export interface LedgerServer {
  /** Rejects if Redis refuses, or does not answer in time. */
  ask(ask: ScriptAsk): Promise<ScriptAnswer>;
  close(): void;
}

/** Lua code that reads the time and the run id of the server; tests set a clock of their own. */
const SERVER_CLOCK = `
local parts = redis.call('TIME')
local time = tonumber(parts[1]) * 1000 + math.floor(tonumber(parts[2]) / 1000)
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')`;

/** Time in ms for which a silent owner counts as alive. */
const LEASE_MS = 15_000;

/** Largest lead in ms of a client over the server's clock; beyond it the server's clock was stepped back. */
const AHEAD_MS = 50;
/** Largest step back of the server's clock, in ms, that is not noticed. */
const BACK_MS = 100;

/** Request to the script, as JSON. */
export interface ScriptAsk {
  /**
   * `read`: reads all. `touch`: the owner lives; `leave`: it is gone. `plain`: ends own slots and takes one,
   * if only slots have changed since. `whole`: writes fields, if nothing has changed since. `begin`: writes
   * fields as `whole` does, and begins a new count.
   */
  readonly kind: 'read' | 'touch' | 'leave' | 'plain' | 'whole' | 'begin';
  readonly owner: string;
  /** The server's time, as far as the owner can prove it. */
  readonly now: number;
  /** The state that the owner has read last; '' and 0 if there was no ledger. */
  readonly epoch: string;
  readonly revision: number;
  readonly stable: number;
  /** Own slots that end: field, number, and stamp; -1 for a request that was not sent. */
  readonly endings: readonly (readonly [string, number, number])[];
  /** The slot to take. Slots with a stamp earlier than `before` are free. */
  readonly entry: {
    readonly field: string;
    readonly seq: number;
    readonly before: number;
    readonly allowed: number;
  } | null;
  /** Fields and their new texts in turn; '' removes a field. */
  readonly fields: readonly string[];
  /** Name of the count that begins. */
  readonly begins: string;
  /** This machine, and the least lead of the server's clock over its own; '' if it has no name. */
  readonly machine: string;
  readonly ahead: number;
}

/**
 * Returns the script. The ledger is one hash, so that Redis loses all of it or nothing. Its field `head` has
 * the run of Redis that wrote it, the count, the number of writes (`revision`), the number of writes of more
 * than plain slots (`stable`), and the latest proven time (`seen`). Slots are JSON lists: owner, number,
 * admission, stamp, end, is it followed; -1 stands for a missing time.
 */
function ledgerScript(clock: string): string {
  return `
local key = KEYS[1]
local ask = cjson.decode(ARGV[1])
${clock}
local text = redis.call('HGET', key, 'head')
local head = text and cjson.decode(text) or { run = '', epoch = '', revision = 0, stable = 0, seen = 0 }
local function everything(status)
  return { status, time, run, redis.call('HGETALL', key) }
end
if ask.kind == 'read' then return everything('read') end
if head.epoch ~= ask.epoch or head.revision < ask.revision then return everything('changed') end
if ask.kind ~= 'begin' then
  if head.run ~= run then return everything('changed') end
  if ask.now > time + ${AHEAD_MS} or time + ${BACK_MS} < head.seen then return everything('stepped') end
end
local status = 'done'
if ask.kind == 'plain' then
  if head.stable ~= ask.stable then return everything('changed') end
  local touched = {}
  local function slotsOf(field)
    if touched[field] == nil then
      local stored = redis.call('HGET', key, field)
      touched[field] = stored and cjson.decode(stored) or {}
    end
    return touched[field]
  end
  for _, ending in ipairs(ask.endings) do
    local slots = slotsOf(ending[1])
    for index, slot in ipairs(slots) do
      if slot[1] == ask.owner and slot[2] == ending[2] then
        if slot[4] >= 0 then break end
        if ending[3] < 0 then table.remove(slots, index) else slot[4] = ending[3] end
        break
      end
    end
  end
  if ask.entry ~= cjson.null then
    local entry, kept = ask.entry, {}
    for _, slot in ipairs(slotsOf(entry.field)) do
      if slot[4] < 0 or slot[4] >= entry.before then kept[#kept + 1] = slot end
    end
    if #kept < entry.allowed then
      kept[#kept + 1] = { ask.owner, entry.seq, ask.now, -1, -1, 0 }
    else
      status = 'full'
    end
    touched[entry.field] = kept
  end
  for field, slots in pairs(touched) do
    if #slots == 0 then redis.call('HDEL', key, field) else redis.call('HSET', key, field, cjson.encode(slots)) end
  end
elseif ask.kind ~= 'touch' and ask.kind ~= 'leave' then
  if head.revision ~= ask.revision then return everything('changed') end
  for index = 1, #ask.fields, 2 do
    if ask.fields[index + 1] == '' then
      redis.call('HDEL', key, ask.fields[index])
    else
      redis.call('HSET', key, ask.fields[index], ask.fields[index + 1])
    end
  end
  head.stable = head.stable + 1
  if ask.kind == 'begin' then
    head.run, head.epoch, head.seen = run, ask.begins, 0
  end
end
if ask.kind ~= 'touch' and ask.kind ~= 'leave' then head.revision = head.revision + 1 end
head.seen = math.max(head.seen, math.min(ask.now, time))
redis.call('HSET', key, 'head', cjson.encode(head))
if ask.kind == 'leave' then
  redis.call('HDEL', key, 'lease:' .. ask.owner)
else
  redis.call('HSET', key, 'lease:' .. ask.owner, ask.now + ${LEASE_MS})
end
if ask.machine ~= '' then redis.call('HSET', key, 'ahead:' .. ask.machine, ask.ahead) end
if status == 'full' then return everything(status) end
return { status, time, run, { head.revision, head.stable } }
`;
}
