import { sentence } from '../../language/sentences/sentence.ts';
import type { Pulse } from '../../daemon/heartbeat.ts';
import type { BotItem } from '../schema/overview.ts';

/** The loop of a bot shows once a second that it turns; a machine that is busy delays that by seconds. */
const SILENT_AFTER_MS = 15_000;

/** What a data folder shows of its bot. */
export interface BotSigns {
  readonly nowMs: number;
  /** Whether a process has the folder; null where that is not known. */
  readonly isFolderTaken: boolean | null;
  /** Whether a process has the mirror open; null where that is not known. */
  readonly hasWriter: boolean | null;
  /** Of the last run; null where none has shown any. */
  readonly pulse: Pulse | null;
  /** When the mirror was written to last; null where there is none. */
  readonly lastWriteMs: number | null;
  readonly halt: { readonly sinceMs: number; readonly reason: string } | null;
  /** When it was last asked to end; null where it began after that. */
  readonly drainingSinceMs: number | null;
}

/** What the page calls it, since when, and why. */
export function botState(signs: BotSigns): Pick<BotItem, 'state' | 'sinceMs' | 'reason' | 'silentSinceMs'> {
  const { nowMs, isFolderTaken, hasWriter, pulse, halt, drainingSinceMs } = signs;
  const beatMs = pulse === null ? signs.lastWriteMs : Math.floor(pulse.beatMs);
  if (isFolderTaken === false) {
    const endedMs = pulse?.endedAtMs ?? beatMs;
    return { state: 'ended', sinceMs: endedMs, reason: endReason(signs), silentSinceMs: endedMs };
  }
  if (pulse !== null && nowMs - pulse.beatMs > SILENT_AFTER_MS) {
    const reason = sentence('bot-stands');
    return { state: 'silent', sinceMs: beatMs, reason, silentSinceMs: beatMs };
  }
  const sinceMs = pulse?.sinceMs ?? null;
  const isThere = { silentSinceMs: null };
  if (hasWriter === false)
    return { state: 'starting', sinceMs, reason: sentence('bot-unanswered'), ...isThere };
  if (drainingSinceMs !== null)
    return { state: 'draining', sinceMs: drainingSinceMs, reason: sentence('bot-ending'), ...isThere };
  if (halt !== null) return { state: 'halted', sinceMs: halt.sinceMs, reason: halt.reason, ...isThere };
  return { state: 'running', sinceMs, reason: null, ...isThere };
}

function endReason({ pulse, halt }: BotSigns): string | null {
  if (pulse !== null && pulse.failure !== null) return pulse.failure;
  if (pulse !== null && pulse.endedAtMs === null) return sentence('bot-killed');
  return halt === null ? null : sentence('bot-halted', { reason: halt.reason });
}
