import { parsedJson } from '../../domain/stored-json.ts';
import type { JournalEvent, ResetEvent, StateEvent } from '../schema/event.ts';
import type { JournalLine } from '../../mirror/row-pages.ts';

/** A place in the journal of one mirror. */
export interface JournalPlace {
  readonly epoch: string;
  readonly seq: number;
}

export const eventIdOf = ({ epoch, seq }: JournalPlace): string => `${epoch}.${seq}`;

/** The place in a `Last-Event-ID`; null for any other text. */
export function readPlace(text: string | undefined): JournalPlace | null {
  const found = /^([a-z0-9]{0,16})\.(\d{1,15})$/.exec(text ?? '');
  return found === null ? null : { epoch: found[1] ?? '', seq: Number(found[2]) };
}

/** JSON has no line breaks, so each event is one line of data. */
export function journalEventText({ seq, atMs, kind, subject, json }: JournalLine, epoch: string): string {
  const event: JournalEvent = { seq, atMs, kind, subject, data: parsedJson(json) };
  return `id: ${eventIdOf({ epoch, seq })}\ndata: ${JSON.stringify(event)}\n\n`;
}

export function stateEventText(event: StateEvent): string {
  return `event: state\ndata: ${JSON.stringify(event)}\n\n`;
}

/** With a place a stream goes on from there. */
export function resetEventText(event: ResetEvent, place: JournalPlace | null): string {
  const id = place === null ? '' : `id: ${eventIdOf(place)}\n`;
  return `${id}event: reset\ndata: ${JSON.stringify(event)}\n\n`;
}

/** A comment, which keeps a connection from being taken for dead. */
export const STILL_HERE = ': still here\n\n';
