import { sentence } from '../../language/sentences/sentence.ts';
import type { Pulse } from '../../daemon/heartbeat.ts';
import type { BotItem } from '../schema/overview.ts';

/** The loop of a bot shows once a second that it turns; a machine that is busy delays that by seconds. */
const SILENT_AFTER_MS = 15_000;

/** Signs of its bot that a data folder shows. */
export interface BotSigns {
  readonly nowMs: number;
  /** True if a process has the folder; null if unknown. */
  readonly isFolderTaken: boolean | null;
  /** True if a process has the mirror open; null if unknown. */
  readonly hasWriter: boolean | null;
  /** Of the last run; null where none has shown any. */
  readonly pulse: Pulse | null;
  /** Time of the last write to the mirror; null if there is none. */
  readonly lastWriteMs: number | null;
  readonly halt: { readonly sinceMs: number; readonly reason: string } | null;
  /** Time it was last asked to end; null if it began after that. */
  readonly drainingSinceMs: number | null;
}

/** Returns its state as shown on the page, with start and reason. */
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
