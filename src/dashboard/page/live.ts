import { signal } from '@preact/signals';
import { EVENTS_ADDRESS } from './api.ts';
import { EventParser } from './event-parser.ts';

/**
 * The stream of what happens. It is resumed by the id of the last event, and tried again with growing pauses
 * for as long as the page is open.
 */

export type LiveState = 'connecting' | 'live' | 'lost';

export const liveState = signal<LiveState>('connecting');

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** The server says every quarter of a minute that it is there. */
const LONGEST_SILENCE_MS = 45_000;

type Listener = () => void;

/** Who wants to know that something happened: the replies that are shown. */
const listeners = new Set<Listener>();

export function onChange(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

let isOpen = false;
let lastId: string | null = null;

/** Opens the stream once; it ends with the page, or when the session does. */
export async function followEvents(endSession: () => void): Promise<void> {
  if (isOpen) return;
  isOpen = true;
  let pauseMs = FIRST_PAUSE_MS;
  while (isOpen) {
    const outcome = await readStream(() => {
      pauseMs = FIRST_PAUSE_MS;
    });
    if (outcome === 'no-session') {
      isOpen = false;
      endSession();
      return;
    }
    liveState.value = 'lost';
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }
}

async function readStream(onOpen: () => void): Promise<'ended' | 'no-session'> {
  const abort = new AbortController();
  const isSilent = (): void => abort.abort();
  let timer = setTimeout(isSilent, LONGEST_SILENCE_MS);
  try {
    const response = await fetch(EVENTS_ADDRESS, {
      signal: abort.signal,
      credentials: 'same-origin',
      headers: { accept: 'text/event-stream', ...(lastId === null ? {} : { 'last-event-id': lastId }) },
    });
    if (response.status === 401) return 'no-session';
    if (!response.ok || response.body === null) return 'ended';
    onOpen();
    liveState.value = 'live';
    // What happened while nobody listened may be missing from what is shown.
    tellListeners();
    const parser = new EventParser();
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      clearTimeout(timer);
      timer = setTimeout(isSilent, LONGEST_SILENCE_MS);
      const events = parser.take(piece);
      for (const event of events) if (event.id !== null) lastId = event.id;
      if (events.length > 0) tellListeners();
    }
  } catch {
    // No answer, or the connection broke: both are tried again.
  } finally {
    clearTimeout(timer);
  }
  return 'ended';
}

function tellListeners(): void {
  for (const listener of listeners) listener();
}
