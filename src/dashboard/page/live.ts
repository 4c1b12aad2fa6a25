import { signal } from '@preact/signals';
import { EVENTS_ADDRESS, EventParser } from './api.ts';
import { checkForNewerPage } from './page-parts.ts';

/**
 * Event stream of the server. It is resumed by the id of the last event, and retried with growing delays
 * while the page is open.
 */

type LiveState = 'connecting' | 'live' | 'lost';

export const liveState = signal<LiveState>('connecting');

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** Silence in ms after which the stream counts as lost; the server sends something every 15 s. */
const LONGEST_SILENCE_MS = 45_000;

type Listener = () => void;

/** Functions that are called for each event, to refresh the replies that are shown. */
const listeners = new Set<Listener>();

export function onChange(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

let isOpen = false;
let lastId: string | null = null;

/** Follows the stream until the page or the session ends; it pauses while the page is hidden. */
export async function followEvents(endSession: () => void): Promise<void> {
  if (isOpen) return;
  isOpen = true;
  let pauseMs = FIRST_PAUSE_MS;
  while (isOpen) {
    await untilSeen();
    const outcome = await readStream(() => {
      pauseMs = FIRST_PAUSE_MS;
    });
    if (outcome === 'no-session') {
      isOpen = false;
      endSession();
      return;
    }
    if (outcome === 'hidden') continue;
    liveState.value = 'lost';
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }
}

/** Waits until the page is visible: a browser has only six connections to a server for all its tabs. */
async function untilSeen(): Promise<void> {
  while (document.hidden)
    await new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true }));
}

async function readStream(onOpen: () => void): Promise<'ended' | 'hidden' | 'no-session'> {
  const abort = new AbortController();
  const endSilent = (): void => abort.abort();
  const endHidden = (): void => {
    if (document.hidden) abort.abort();
  };
  let timer = setTimeout(endSilent, LONGEST_SILENCE_MS);
  document.addEventListener('visibilitychange', endHidden);
  try {
    const response = await fetch(EVENTS_ADDRESS, {
      signal: abort.signal,
      credentials: 'same-origin',
      headers: { accept: 'text/event-stream', ...(lastId === null ? {} : { 'last-event-id': lastId }) },
    });
    if (response.status === 401) return 'no-session';
    if (!response.ok || response.body === null) return 'ended';
    onOpen();
    if (liveState.value === 'lost') void checkForNewerPage();
    liveState.value = 'live';
    // What is shown may lack what happened while the stream was down.
    notifyListeners();
    const parser = new EventParser();
    // No `for await`: browsers of older phones do not support it for streams.
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let { value, done } = await reader.read(); !done; { value, done } = await reader.read()) {
      clearTimeout(timer);
      timer = setTimeout(endSilent, LONGEST_SILENCE_MS);
      applyPiece(parser, value ?? '');
    }
  } catch {
    // No reply, or a lost connection: the caller tries again.
  } finally {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', endHidden);
  }
  return document.hidden ? 'hidden' : 'ended';
}

function applyPiece(parser: EventParser, piece: string): void {
  const events = parser.parse(piece);
  for (const event of events) if (event.id !== null) lastId = event.id;
  if (events.length > 0) notifyListeners();
}

function notifyListeners(): void {
  for (const listener of listeners) listener();
}
