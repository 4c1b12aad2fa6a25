import type { Engine } from '../engine/engine.ts';
import type { LockCommand } from '../engine/engine-event.ts';
import { isSameScope, PAUSE, scopeText, untilText, type Lock } from '../execution/locks/lock.ts';
import type { ControlResult } from './control/control-command.ts';

/**
 * Why a running bot can not take a lock by hand, such as one of a market that it does not have; null where it
 * can.
 */
export function lockProblem(
  command: LockCommand,
  { markets, instances }: Pick<Engine, 'markets' | 'instances'>,
): string | null {
  const { strategy, market } = command;
  if (command.kind === 'lock' && command.pauses === true && (strategy === null || market !== null))
    return `expected a lock that pauses to be of one strategy in all markets, was of ${scopeText(command)}`;
  if (market !== null && markets.get(market) === undefined) {
    const known = [...markets.all()].map((state) => state.market.symbol);
    return `expected one of the markets of this bot, ${known.join(', ')}, was ${market}`;
  }
  const names = instances.map(({ name }) => name);
  return strategy === null || names.includes(strategy)
    ? null
    : `expected one of the strategies of this bot, ${names.join(', ')}, was ${strategy}`;
}

/** What a command about locks came to, from the locks before and after it. */
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
    return { ok: false, message: `the lock ${command.name} was not taken: see the log`, left: [] };
  const longer =
    lock.endsAtMs > command.untilMs ? ', as an earlier lock of this name said; "sarraf unlock" ends it' : '';
  if (lock.pauses === true)
    return { ok: true, message: `${pausedText(lock)}${longer}. ${ENTRIES[lock.entries]}`, left: [] };
  return { ok: true, message: `${holdsText(lock)}${longer}`, left: [] };
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
  const message = [
    ended.length === 0
      ? command.name === PAUSE
        ? `${command.strategy ?? 'it'} was not paused`
        : 'no such lock held'
      : `ended: ${ended.map((lock) => `${lock.name} of ${scopeText(lock)}`).join(', ')}`,
    ...(resumed.length === 0 ? [] : [`told again what happens: ${resumed.join(', ')}`]),
    ...(still.length === 0 ? [] : [`still: ${still.map(holdsText).join('; ')}`]),
  ].join('; ');
  return { ok: ended.length > 0, message, left: [] };
}

const ENTRIES = {
  cancel: 'Resting orders that add risk are canceled, exits stay',
  keep: 'Resting orders stay',
} as const;

function pausedText({ strategy, endsAtMs }: Lock): string {
  return `${strategy ?? 'it'} is paused ${untilText(endsAtMs)}`;
}

function holdsText(lock: Lock): string {
  return `the lock ${lock.name} of ${scopeText(lock)} holds ${untilText(lock.endsAtMs)}`;
}
