/** A death that is rare by chance: how often it comes after what it is to meet, and how long after. */
export interface LikelyCrash {
  readonly where: string;
  readonly share: number;
  readonly leastMs: number;
  readonly mostMs: number;
}

/** The next life must know of the lockout. */
export const IN_LOCKOUT: LikelyCrash = { where: 'in a lockout', share: 0.4, leastMs: 500, mostMs: 120_000 };

/**
 * Locks are short here, and the next life must know of them: also where the process dies before it writes
 * again.
 */
export const IN_LOCK: LikelyCrash = { where: 'after a lock began', share: 0.2, leastMs: 1, mostMs: 20_000 };

/** A position that a person closes is closed to its end, also by the next life. */
export const IN_CLOSE: LikelyCrash = { where: 'amid a close', share: 0.4, leastMs: 1, mostMs: 5_000 };

/** Crash after a signal: its effects are on the disk before anything else. */
export const IN_SIGNAL: LikelyCrash = { where: 'after a signal', share: 0.1, leastMs: 1, mostMs: 900 };

/** A transfer is on its way for the blink of an eye, and the next life must not know less of it. */
export const IN_TRANSFER: LikelyCrash = { where: 'amid a transfer', share: 0.15, leastMs: 1, mostMs: 200 };

/** Crash after a held market left: the holding there is soon sold, and the next life must follow it. */
export const IN_LEFT: LikelyCrash = {
  where: 'after a held market left',
  share: 0.5,
  leastMs: 500,
  mostMs: 10_000,
};
