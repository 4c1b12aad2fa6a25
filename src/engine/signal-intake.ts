import { EnginePart } from './engine-settings.ts';
import { MINUTE_MS, isoText, lengthText } from '../domain/time-text.ts';
import { readStored } from '../domain/stored-json.ts';
import { retainNewest } from '../domain/retain-newest.ts';
import type { SignalObjection } from '../strategy/signal.ts';
import type { SignalSubscription } from '../strategy/subscriptions.ts';
import type { SignalCommand } from './engine-event.ts';
import type { MirrorState } from './mirror-change.ts';
import type { Outbox } from './outbox.ts';
import type { StrategyDispatcher } from './strategy-dispatcher.ts';
import type { StrategyInstance } from './strategy-instance.ts';
import type { StrategyNotifier } from './strategies/strategy-notifier.ts';
import {
  signalsKeyOf,
  MOST_SIGNAL_IDS,
  MOST_SIGNALS_A_MINUTE,
  payloadSizeProblem,
  SIGNAL_IDS_RETAINED_MS,
  signalKey,
  storedSignals,
  type SeenSignal,
} from './signal-record.ts';
import { english, sentence, type Sentence } from '../language/sentence.ts';

/**
 * Maximum number of replies that are remembered; the oldest are dropped. A sender asks for its reply at once.
 */
const MOST_REPLIES = 100;

/** Maximum number of signals that wait for strategies to start; more are refused. */
const MOST_WAITING = 100;

/** Code, for programs, of why a signal was or was not delivered. */
type SignalCode =
  | SignalObjection['code']
  | 'told'
  | 'repeated'
  | 'unknown'
  | 'too-large'
  | 'too-old'
  | 'too-many'
  | 'paused'
  | 'ending';

/** Result of a signal, for its sender. */
export interface SignalReply {
  readonly outcome: SeenSignal['outcome'];
  readonly code: SignalCode;
  /** The reason in one sentence. */
  readonly message: string;
}

interface SignalIntakeOptions {
  readonly instances: readonly StrategyInstance[];
  readonly outbox: Outbox;
  readonly notifier: StrategyNotifier;
  readonly strategies: Pick<StrategyDispatcher, 'hasStarted'>;
  readonly isEnding: () => boolean;
  /** Returns why no orders are accepted now; null while they are. */
  readonly closed: () => Sentence | null;
}

/** Result of a signal, and whether its id is remembered. */
type Decided = SignalReply & { readonly isRemembered: boolean };

/**
 * Receives signals from outside. Each is journaled and delivered to its strategy once for each id. The
 * signal, the intents that follow from it and the strategy's new state are one change of the mirror, so a
 * crash leaves all of it or nothing.
 */
export class SignalIntake extends EnginePart<SignalIntakeOptions> {
  private readonly seen = new Map<string, SeenSignal[]>();
  private readonly replies = new Map<string, SignalReply>();
  /** Signals that came before the strategies started, with their time, by key. */
  private readonly waiting = new Map<string, { readonly command: SignalCommand; readonly atMs: number }>();

  /** Applies a signal. Before the strategies have started, it waits and has no reply yet. */
  apply(command: SignalCommand): void {
    const { outbox, notifier } = this.options;
    const key = signalKey(command);
    if (this.waiting.has(key)) return;
    this.replies.delete(key);
    const instance = notifier.instancesByName.get(command.strategy);
    const decided = this.decide(command, instance);
    if (decided === null) {
      this.waiting.set(key, { command, atMs: outbox.nowMs });
      return;
    }
    const { isRemembered, ...reply } = decided;
    const { outcome, code, message } = reply;
    const { name, id, payload, sentAtMs, source, strategy } = command;
    const shown = code === 'too-large' ? null : payload;
    outbox.journal('signal', strategy, {
      name,
      id,
      payload: shown,
      sentAtMs,
      source,
      seenAtMs: outbox.nowMs,
      outcome,
      code,
      reason: outcome === 'told' ? null : message,
    });
    this.reply(key, reply);
    if (instance === undefined) return;
    if (isRemembered) this.remember(instance, { name, id, atMs: outbox.nowMs, outcome });
    if (code === 'told') {
      const event = { kind: 'signal', name, id, payload, sentAtMs, seenAtMs: outbox.nowMs, source } as const;
      // First in the queue: a signal that is journaled as delivered must be delivered in this step.
      notifier.queue.unshift({ instance, event });
    } else if (code !== 'repeated') {
      const reason = sentence('of-subject', { subject: name, said: message });
      instance.tally.refuse({ what: 'signal', code, reason, atMs: outbox.nowMs });
      outbox.info(`${strategy}: signal ${name} ${outcome} (${code}): ${message}`, strategy);
    }
  }

  /** Applies the next waiting signal, once the strategies have started. False if none waits. */
  applyWaiting(): boolean {
    for (const [key, { command, atMs }] of this.waiting) {
      this.waiting.delete(key);
      this.apply({ ...command, ageMs: (command.ageMs ?? 0) + this.options.outbox.nowMs - atMs });
      return true;
    }
    return false;
  }

  /** Returns the result of a signal; null while it waits, or if it is unknown. */
  replyTo(command: SignalCommand): SignalReply | null {
    const reply = this.replies.get(signalKey(command)) ?? null;
    if (reply?.code !== 'told') return reply;
    const instance = this.options.notifier.instancesByName.get(command.strategy);
    const note = instance?.runner.failure ?? this.options.closed();
    return note === null || note === undefined
      ? reply
      : { ...reply, message: `${reply.message}; ${english(note)}` };
  }

  restore({ stored }: MirrorState): void {
    for (const { name } of this.options.instances) {
      const json = stored[signalsKeyOf(name)];
      if (json === undefined) continue;
      this.seen.set(name, readStored(storedSignals, json, `what is kept of signals of ${name}`));
    }
  }

  private decide(command: SignalCommand, instance: StrategyInstance | undefined): Decided | null {
    const { outbox, isEnding } = this.options;
    const { strategy, name, payload, ageMs = 0 } = command;
    if (instance === undefined) {
      const names = this.options.instances.map((one) => one.name).join(', ');
      return refused('unknown', `expected one of the strategies of this bot (${names}), was ${strategy}`);
    }
    const declared = declaredOf(instance, name);
    if (typeof declared === 'string') return refused('unknown', declared);
    const before = this.seenOf(strategy).find((one) => one.name === name && one.id === command.id);
    if (before !== undefined) return repeated(before);
    const tooLarge = payloadSizeProblem(payload);
    if (tooLarge !== null) return refused('too-large', tooLarge);
    const { maxAgeMs } = declared;
    if (Math.abs(ageMs) > maxAgeMs) return remembered(refused('too-old', ageText(ageMs, maxAgeMs)));
    if (isEnding()) return remembered(dropped('ending', 'the run is ending'));
    if (!this.options.strategies.hasStarted)
      return this.waiting.size < MOST_WAITING ? null : refused('too-many', 'too many wait for the start');
    const sinceMs = outbox.nowMs - MINUTE_MS;
    const recent = this.seenOf(strategy).filter(({ atMs }) => atMs > sinceMs).length;
    if (recent >= MOST_SIGNALS_A_MINUTE)
      return refused('too-many', `expected at most ${MOST_SIGNALS_A_MINUTE} signals in a minute`);
    return remembered(whileAway(instance) ?? objected(instance, command) ?? DELIVERED);
  }

  private seenOf(strategy: string): SeenSignal[] {
    const known = this.seen.get(strategy) ?? [];
    this.seen.set(strategy, known);
    return known;
  }

  private remember({ name: strategy }: StrategyInstance, signal: SeenSignal): void {
    const { outbox } = this.options;
    const seen = this.seenOf(strategy);
    seen.push(signal);
    const oldestMs = outbox.nowMs - SIGNAL_IDS_RETAINED_MS;
    while (seen.length > MOST_SIGNAL_IDS || (seen[0]?.atMs ?? oldestMs) < oldestMs) seen.shift();
    outbox.durable();
    outbox.persist(signalsKeyOf(strategy), seen);
  }

  private reply(key: string, reply: SignalReply): void {
    this.replies.set(key, reply);
    retainNewest(this.replies, MOST_REPLIES);
  }
}

const DELIVERED: SignalReply = { outcome: 'told', code: 'told', message: 'told to the strategy' };

/** Returns the strategy's declaration of a signal, or, as text, why the strategy has none of that name. */
function declaredOf({ name: strategy, runner }: StrategyInstance, name: string): SignalSubscription | string {
  const signals = runner.subscriptions.filter((wanted) => wanted.kind === 'signal');
  const found = signals.find((wanted) => wanted.name === name);
  if (found !== undefined) return found;
  const names = signals.map((wanted) => wanted.name).join(', ');
  return names === ''
    ? `expected a strategy that declares signals, ${strategy} declares none`
    : `expected a signal that ${strategy} declares (${names}), was ${name}`;
}

/** Returns the result for a strategy that gets no signals now; null if it gets them. */
function whileAway({ status, reason, isPausedByHand, runner }: StrategyInstance): SignalReply | null {
  if (isPausedByHand) return dropped('paused', 'the strategy is paused');
  if (status === 'running' && runner.failure === null) return null;
  return dropped(
    'failed',
    `the strategy is ${status}: ${english(reason) ?? runner.failure ?? 'no reason is known'}`,
  );
}

function objected({ runner }: StrategyInstance, command: SignalCommand): SignalReply | null {
  const objection = runner.objectionTo(command);
  return objection === null
    ? null
    : { outcome: objection.outcome, code: objection.code, message: objection.reason };
}

function repeated({ atMs, outcome }: SeenSignal): Decided {
  const message = `this id came before, at ${isoText(atMs)}, and was ${outcome}: each is told once`;
  return { outcome, code: 'repeated', message, isRemembered: false };
}

function ageText(ageMs: number, maxAgeMs: number): string {
  const bound = lengthText(maxAgeMs);
  return ageMs > 0
    ? `expected a signal of the last ${bound}, was ${lengthText(ageMs)} old`
    : `expected a signal that was sent by now, was of ${lengthText(-ageMs)} later: see that both clocks are right`;
}

function refused(code: SignalCode, message: string): Decided {
  return { outcome: 'refused', code, message, isRemembered: false };
}

function dropped(code: SignalCode, message: string): Decided {
  return { outcome: 'dropped', code, message, isRemembered: false };
}

function remembered(reply: SignalReply): Decided {
  return { ...reply, isRemembered: true };
}
