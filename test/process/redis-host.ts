import { openLedger } from '../../src/budget/open-ledger.ts';
import { RequestLimiter } from '../../src/budget/limiter.ts';
import { monotonicMs } from '../../src/budget/process-owner.ts';

/**
 * A process that wants more requests than a ledger in Redis allows, and calls an address for each that it
 * gets: `PLACE URL LIMIT WINDOW_MS MILLISECONDS`. It prints `begun`, and at its end how many were answered.
 */
const [place = '', url = '', limit = '1', windowMs = '1000', forMs = '0'] = process.argv.slice(2);
const NAME = 'orders/list';
const AT_ONCE = 6;

const budgets = [
  { name: NAME, limit: Number(limit), windowMs: Number(windowMs), per: 'token' as const, assumed: false },
];
const ledger = await openLedger({
  place,
  budgets,
  subjects: { ip: 'this-address', token: 'abc' },
  isGuest: false,
  timeoutMs: 200,
  log: (line) => console.error(line),
});
const limiter = new RequestLimiter({ budgets, admittance: ledger.admittance, nowMs: monotonicMs });
const endMs = monotonicMs() + Number(forMs);
let answered = 0;

async function askOn(): Promise<void> {
  while (monotonicMs() < endMs) {
    const reply = await limiter.run({
      budget: NAME,
      requestClass: 'market',
      kind: null,
      credential: 'with',
      canLogIn: false,
      expiresAtMs: endMs,
      timeoutMs: 5_000,
      send: async (signal) => (await fetch(url, { signal })).status,
    });
    answered += Number(reply.sent);
  }
}

console.log('begun');
await Promise.all(Array.from({ length: AT_ONCE }, askOn));
await limiter.close();
await ledger.close();
console.log(JSON.stringify({ answered, startedMs: monotonicMs() }));
