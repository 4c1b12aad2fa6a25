import type { Redis } from 'ioredis';
import { PREFIX } from './queue-names.ts';

/** Time for which a result is stored, for studies that ask for the same trial. */
const KEPT_S = 86_400;
/**
 * Time for which a result is stored that depends on the machine more than on the trial: until its coordinator
 * has it.
 */
const KEPT_SHORTLY_S = 60;
/** Results that are kept at most, of all studies: of some years about 20 kB each. The oldest go. */
const MOST_RESULTS = 10_000;
/** Keys that are asked for at once. */
const AT_ONCE = 500;

const PLACE = `${PREFIX}-result:`;
const INDEX = `${PREFIX}-results`;

/** Keeps one, and drops the oldest beyond the bound: in one step, so that nothing is kept without a bound. */
const KEEP = `
local time = redis.call('TIME')
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
redis.call('ZADD', KEYS[2], time[1] * 1000000 + time[2], KEYS[1])
redis.call('EXPIRE', KEYS[2], ARGV[3])
local over = redis.call('ZCARD', KEYS[2]) - tonumber(ARGV[4])
if over > 0 then
  local dropped = redis.call('ZPOPMIN', KEYS[2], over)
  for index = 1, #dropped, 2 do redis.call('DEL', dropped[index]) end
end
return over`;

/** Results of trials in Redis, by the keys of the trials. */
export class KeptResults {
  private readonly client: Redis;
  private readonly most: number;

  constructor(client: Redis, most: number = MOST_RESULTS) {
    this.client = client;
    this.most = most;
  }

  async keep(trial: string, text: string, of: { readonly isOfMachine: boolean }): Promise<void> {
    const keptS = of.isOfMachine ? KEPT_SHORTLY_S : KEPT_S;
    await this.client.eval(KEEP, 2, PLACE + trial, INDEX, text, keptS, KEPT_S, this.most);
  }

  /** Those that are there, by their trials. */
  async read(trials: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for (let from = 0; from < trials.length; from += AT_ONCE) {
      const some = trials.slice(from, from + AT_ONCE);
      const texts = await this.client.mget(some.map((trial) => PLACE + trial));
      for (const [index, trial] of some.entries()) {
        const text = texts[index];
        if (typeof text === 'string') found.set(trial, text);
      }
    }
    return found;
  }

  /** Returns those of them that are stored. */
  async known(trials: readonly string[]): Promise<ReadonlySet<string>> {
    const asked = this.client.pipeline();
    for (const trial of trials) asked.exists(PLACE + trial);
    const answers = (await asked.exec()) ?? [];
    return new Set(trials.filter((_, index) => answers[index]?.[1] === 1));
  }

  async drop(trial: string): Promise<void> {
    await this.client.del(PLACE + trial);
  }
}
