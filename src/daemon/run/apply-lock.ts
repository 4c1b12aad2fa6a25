import { joinSentences, sentence, type Sentence } from '../../language/sentence.ts';
import type { Engine } from '../../engine/engine.ts';
import type { LockCommand } from '../../engine/engine-event.ts';
import { isSameScope, PAUSE, scopeText, untilText, type Lock } from '../../engine/lock.ts';
import type { ControlResult } from '../control-command.ts';

/**
 * Returns why a running bot cannot accept a lock by hand, such as one of a market that it lacks; null if it
 * can.
 */
export function lockProblem(
  command: LockCommand,
  { markets, instances }: Pick<Engine, 'markets' | 'instances'>,
): Sentence | null {
  const { strategy, market } = command;
  if (command.kind === 'lock' && command.pauses === true && (strategy === null || market !== null))
    return sentence('lock-pause-scope', { scope: scopeText(command) });
  if (market !== null && markets.get(market) === undefined) {
    const known = [...markets.all()].map((state) => state.market.symbol);
    return sentence('not-a-market', { markets: known.join(', '), market });
  }
  const names = instances.map(({ name }) => name);
  return strategy === null || names.includes(strategy)
    ? null
    : sentence('not-a-strategy', { strategies: names.join(', '), strategy });
}

/** Returns the result of a lock command, from the locks before and after it. */
export function lockResult(
  command: LockCommand,
  { before, after }: { readonly before: readonly Lock[]; readonly after: readonly Lock[] },
): ControlResult {
  return command.kind === 'lock' ? lockedResult(command, after) : unlockedResult(command, before, after);
}

function lockedResult(
  command: Extract<LockCommand, { kind: 'lock' }>,
  after: readonly Lock[],
): ControlResult {
  const lock = after.find(
    (one) => one.rule === null && one.name === command.name && isSameScope(one, command),
  );
  if (lock === undefined)
    return { ok: false, message: sentence('lock-not-taken', { lock: command.name }), left: [] };
  const isLonger = lock.endsAtMs > command.untilMs;
  if (lock.pauses !== true)
    return { ok: true, message: holdsText(lock, isLonger ? 'lock-holds-longer' : 'lock-holds'), left: [] };
  const message = sentence(isLonger ? 'paused-longer' : 'paused', {
    strategy: lock.strategy ?? 'it',
    until: untilText(lock.endsAtMs),
    entries: sentence(lock.entries === 'cancel' ? 'entries-canceled' : 'entries-stay'),
  });
  return { ok: true, message, left: [] };
}

function unlockedResult(
  command: Extract<LockCommand, { kind: 'unlock' }>,
  before: readonly Lock[],
  after: readonly Lock[],
): ControlResult {
  const ended = before.filter((lock) => !after.includes(lock));
  const resumed = ended.flatMap(({ pauses, strategy }) => (pauses === true ? [strategy ?? ''] : []));
  const still = after.filter(
    (lock) =>
      command.isAll || command.market === null || lock.market === null || lock.market === command.market,
  );
  const message = joinSentences('both', [
    ended.length === 0
      ? command.name === PAUSE
        ? sentence('was-not-paused', { strategy: command.strategy ?? 'it' })
        : sentence('no-such-lock')
      : sentence('locks-ended', {
          locks: ended.map((lock) => `${lock.name} of ${scopeText(lock)}`).join(', '),
        }),
    ...(resumed.length === 0 ? [] : [sentence('told-again', { strategies: resumed.join(', ') })]),
    ...(still.length === 0
      ? []
      : [
          sentence('locks-still', {
            locks: joinSentences(
              'both',
              still.map((lock) => holdsText(lock)),
            ),
          }),
        ]),
  ]);
  return { ok: ended.length > 0, message, left: [] };
}

function holdsText(lock: Lock, code: 'lock-holds' | 'lock-holds-longer' = 'lock-holds'): Sentence {
  return sentence(code, { lock: lock.name, scope: scopeText(lock), until: untilText(lock.endsAtMs) });
}
