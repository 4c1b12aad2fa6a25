import type { Limiter, RequestLimiter } from '../budget/limiter.ts';
import type { ChangeStore, Stepper } from '../daemon/bot-shell.ts';
import type { RequestClass } from '../domain/request-class.ts';
import type { VenueCallKind } from '../venues/port.ts';
import type { EngineOutput } from '../engine/engine-command.ts';
import type { EngineEvent } from '../engine/engine-event.ts';
import type { ProcessTime } from '../virtual/process-time.ts';
import type { CrashPoint } from './swarm.ts';

interface CrashOptions {
  readonly time: ProcessTime;
  /**
   * Asked at each point where the process may die. `isChange`: amid something that changes the exchange,
   * where a death hurts most.
   */
  readonly diesAt: (point: CrashPoint, isChange: boolean) => boolean;
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

const CHANGING: ReadonlySet<VenueCallKind> = new Set([
  'place',
  'place-oco',
  'cancel',
  'cancel-old',
  'transfer',
]);
const CHANGING_CLASSES: ReadonlySet<RequestClass> = new Set(['exit', 'place', 'cancel']);

/** An engine that may die when an answer comes, before it has taken it in. */
export function mortalEngine(engine: Stepper, options: CrashOptions): Stepper {
  const changing = new Set<number>();
  return {
    step(event) {
      if (event.kind === 'answer' && options.diesAt('at an answer', changing.delete(event.requestId))) {
        return dieAt('at an answer', options);
      }
      const output = engine.step(event);
      for (const { id, call } of output.requests) if (CHANGING.has(call.kind)) changing.add(id);
      options.onStep(event, output);
      return output;
    },
  };
}

/** A store around whose durable commits the process may die. */
export function mortalStore(store: ChangeStore, options: CrashOptions): ChangeStore {
  return {
    apply(changes, how) {
      if (how.isDurable && options.diesAt('before the commit', false))
        return dieAt('before the commit', options);
      store.apply(changes, how);
      if (how.isDurable && options.diesAt('after the commit', false))
        return dieAt('after the commit', options);
    },
    flush: () => store.flush?.(),
    isRunningOut: () => store.isRunningOut(),
  };
}

/**
 * A limiter between whose requests the process may die: those passed on may have left, the rest never do.
 */
export function mortalLimiter(limiter: RequestLimiter, options: CrashOptions): Limiter {
  return {
    submit(call) {
      if (options.time.isDead) return;
      limiter.submit(call);
      const isChange = CHANGING_CLASSES.has(call.requestClass);
      if (options.diesAt('amid the requests', isChange)) options.die('amid the requests');
    },
    close: async () => limiter.close(),
  };
}
