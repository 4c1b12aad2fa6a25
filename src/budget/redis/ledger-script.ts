/** Script by which Redis gives its time and which run of it this is; tests have a clock that they set. */
export const SERVER_CLOCK = `
local parts = redis.call('TIME')
local time = tonumber(parts[1]) * 1000 + math.floor(tonumber(parts[2]) / 1000)
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')`;

/** Time for which a silent owner counts as alive. */
const LEASE_MS = 15_000;

/** A client may be ahead of the server's clock by so much; beyond it that was stepped back. */
const AHEAD_MS = 50;
/** The server's clock may go back by so much unseen. */
const BACK_MS = 100;

/** Request to the script, as JSON. */
export interface ScriptAsk {
  /**
   * `read`: everything as it is. `touch`: says that the owner lives, `leave`: that it is gone. `plain`: ends
   * own slots and takes one, if nothing but slots has changed. `whole`: writes fields, if nothing at all has
   * changed. `begin`: the same where a new count begins.
   */
  readonly kind: 'read' | 'touch' | 'leave' | 'plain' | 'whole' | 'begin';
  readonly owner: string;
  /** The server's time as the owner can prove it. */
  readonly now: number;
  /** State that the owner has read last; '' and 0 for a missing ledger. */
  readonly epoch: string;
  readonly revision: number;
  readonly stable: number;
  /** Own slots that end: field, number, and the stamp, or -1 for one that was not sent. */
  readonly endings: readonly (readonly [string, number, number])[];
  /** The slot that is asked for. Slots stamped before `before` are free. */
  readonly entry: {
    readonly field: string;
    readonly seq: number;
    readonly before: number;
    readonly allowed: number;
  } | null;
  /** Fields and what they become, one after the other; '' takes a field away. */
  readonly fields: readonly string[];
  /** The name of the count that begins. */
  readonly begins: string;
  /** This machine, and the least that the server's clock is ahead of its own; '' where it has no name. */
  readonly machine: string;
  readonly ahead: number;
}

/**
 * The ledger is one hash, so that Redis loses all of it or nothing. Its field `head` says which run of Redis
 * wrote it, which count it is, how often it was written (`revision`), how often anything but plain slots
 * (`stable`), and the latest time that an owner has proven (`seen`). Slots are lists in JSON: owner, number,
 * admission, stamp, end, whether it is followed; -1 stands for a time that there is none of.
 */
export function ledgerScript(clock: string): string {
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
