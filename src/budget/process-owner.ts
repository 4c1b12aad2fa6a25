import { readFileSync, readlinkSync } from 'node:fs';

/** A process, as the ledger identifies it. */
interface Owner {
  readonly bootId: string;
  /** Process ids are unique within one namespace only: each container has its own. */
  readonly pidNamespace: string;
  readonly pid: number;
  /** Start in ticks since boot: distinguishes processes of the same id. Null if the system does not say. */
  readonly startTicks: number | null;
}

/**
 * State of an owner, as far as it is known. `foreign`: in another namespace, so that nothing can be proven
 * from here. `silent`: on another machine, and silent for longer than a living process is.
 */
export type LifeSign = 'alive' | 'dead' | 'foreign' | 'silent';

function readOr(read: () => string, otherwise: string): string {
  try {
    return read().trim();
  } catch {
    return otherwise;
  }
}

/** Reads state and start of a process ("man 5 proc", `/proc/pid/stat`, fields 3 and 22); null on failure. */
function statOf(pid: number): { readonly state: string; readonly startTicks: number } | null {
  const text = readOr(() => readFileSync(`/proc/${pid}/stat`, 'utf8'), '');
  // The second field is the program's name in parentheses, which may itself hold spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const startTicks = Number(fields[19]);
  return fields[0] === undefined || !Number.isSafeInteger(startTicks)
    ? null
    : { state: fields[0], startTicks };
}

/**
 * Returns a process of this machine, by default this one, as an owner. Systems without `/proc` have no boot
 * id, and a constant stands for it. That is safe if the monotonic clock begins at 0 with each boot: a stamp
 * of an earlier boot is then released a whole window after the boot or later. They have no start time either:
 * a process id that is in use again reads as alive, which keeps a slot longer and frees none.
 */
export function thisOwner(pid: number = process.pid): Owner {
  return {
    bootId: readOr(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'), 'unknown-boot'),
    pidNamespace: readOr(() => readlinkSync('/proc/self/ns/pid'), 'only'),
    pid,
    startTicks: statOf(pid)?.startTicks ?? null,
  };
}

export const ownerText = (owner: Owner): string =>
  [owner.bootId, owner.pidNamespace, owner.pid, owner.startTicks ?? '-'].join(' ');

/** Returns what can be proven about the owner in a text of `ownerText`. In doubt it is `alive`. */
export function lifeSignOf(text: string, observer: Owner): LifeSign {
  const [bootId, pidNamespace, pidText, startText] = text.split(' ');
  if (bootId !== observer.bootId) return 'dead';
  if (pidNamespace !== observer.pidNamespace) return 'foreign';
  const pid = Number(pidText);
  if (!Number.isSafeInteger(pid) || pid < 1) return 'foreign';
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process exists, and belongs to another user.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return 'dead';
  }
  const stat = statOf(pid);
  if (stat === null || startText === '-') return 'alive';
  // A zombie's sockets are closed; it only waits for its parent to collect it.
  return stat.state === 'Z' || stat.state === 'X' || String(stat.startTicks) !== startText ? 'dead' : 'alive';
}

/** Returns the monotonic clock of the machine in whole ms (CLOCK_MONOTONIC): it cannot be stepped. */
export const monotonicMs = (): number => Number(process.hrtime.bigint() / 1_000_000n);

/** The machine as the ledger's file needs it; tests pass another one. */
export interface Machine {
  readonly bootId: string;
  /** Text of this process in the rows. */
  readonly owner: string;
  lifeSignOf(owner: string): LifeSign;
  monotonicMs(): number;
  wallMs(): number;
}

/** Returns the machine that this process runs on. */
export function thisMachine(): Machine {
  const owner = thisOwner();
  return {
    bootId: owner.bootId,
    owner: ownerText(owner),
    lifeSignOf: (text) => lifeSignOf(text, owner),
    monotonicMs,
    wallMs: () => Date.now(),
  };
}
