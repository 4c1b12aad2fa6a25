import { isAtLeast, type Severity } from './alert-facts.ts';
import type { NoteKind } from './alert.ts';

/** Alerts that a channel accepts. */
export interface ChannelRoute {
  readonly name: string;
  readonly least: Severity;
  /** 1 takes an alert at once, 2 takes one that nobody has acknowledged in time, and so on. */
  readonly step: number;
}

/** The channels that are told something of an alert, by name. */
export function channelsFor(
  note: { readonly kind: NoteKind; readonly severity: Severity; readonly step: number },
  channels: readonly ChannelRoute[],
): readonly string[] {
  return channels
    .filter(({ least, step }) => {
      if (!isAtLeast(note.severity, least)) return false;
      return note.kind === 'escalated' ? step === note.step : step <= note.step;
    })
    .map(({ name }) => name);
}
