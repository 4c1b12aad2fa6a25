import { BotShell } from '../../src/daemon/bot-shell.ts';
import type { VirtualTime } from '../../src/virtual/virtual-time.ts';

const unused = (): never => {
  throw new Error('expected no request');
};

/** Creates a shell whose engine does nothing, and which fails at `failAtMs` if that is given. */
export function createIdleShell(time: VirtualTime, failAtMs = Number.POSITIVE_INFINITY): BotShell {
  return new BotShell({
    time,
    engine: {
      step() {
        if (time.now() >= failAtMs) throw new Error('a broken invariant');
        return { changes: [], requests: [], notices: [], isDurable: false, wakeAtMs: failAtMs };
      },
    },
    store: { apply() {}, isRunningOut: () => false },
    limiter: { submit: unused, close: async () => {} },
    caller: { budgetOf: unused, credentialOf: unused, timeoutMsOf: unused, endpointOf: unused, send: unused },
    limiterMs: () => time.now(),
    canLogIn: false,
    onNotices: () => {},
  });
}
