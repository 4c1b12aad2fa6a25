import type { LimitedCall, LimitedReply, RequestLimiter } from '../budget/limiter.ts';
import type { ChangeStore, Stepper } from '../daemon/bot-shell.ts';
import type { EngineOutput } from '../engine/engine-command.ts';
import type { EngineEvent } from '../engine/engine-event.ts';
import type { ProcessTime } from '../virtual/process-time.ts';
import type { CrashPoint } from './swarm.ts';

export interface CrashOptions {
  readonly time: ProcessTime;
  /** Asked at each point where the process may die. */
  readonly diesAt: (point: CrashPoint) => boolean;
  /** Ends the process at once. */
  readonly die: (point: CrashPoint) => void;
  readonly onStep: (event: EngineEvent, output: EngineOutput) => void;
}

/** Thrown where the process has just died: nothing after it is done any more. */
export class Death extends Error {
  override readonly name = 'Death';
}

function dieAt(point: CrashPoint, options: CrashOptions): never {
  options.die(point);
  throw new Death(point);
}

/** An engine that may die when an answer comes, before it has taken it in. */
export function mortalEngine(engine: Stepper, options: CrashOptions): Stepper {
  return {
    step(event) {
      if (event.kind === 'answer' && options.diesAt('at an answer')) return dieAt('at an answer', options);
      const output = engine.step(event);
      options.onStep(event, output);
      return output;
    },
  };
}

/** A store around whose durable commits the process may die. */
export function mortalStore(store: ChangeStore, options: CrashOptions): ChangeStore {
  return {
    apply(changes, how) {
      if (how.isDurable && options.diesAt('before the commit')) return dieAt('before the commit', options);
      store.apply(changes, how);
      if (how.isDurable && options.diesAt('after the commit')) return dieAt('after the commit', options);
    },
    flush: () => store.flush(),
  };
}

/** A limiter between whose requests the process may die: those handed over may have left, the rest never do. */
export function mortalLimiter(limiter: RequestLimiter, options: CrashOptions): Pick<RequestLimiter, 'run' | 'close'> {
  return {
    async run<T>(call: LimitedCall<T>): Promise<LimitedReply<T>> {
      if (options.time.isDead) return new Promise<never>(() => {});
      const reply = limiter.run(call);
      if (options.diesAt('amid the requests')) options.die('amid the requests');
      return reply;
    },
    close: async () => limiter.close(),
  };
}
