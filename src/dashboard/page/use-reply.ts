import { signal, type ReadonlySignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { ApiFailure, getReply } from './api.ts';
import { onChange } from './live.ts';
import { endSession } from './session.ts';

/** A reply that is shown, and how old it is. */
export interface ShownReply<Reply> {
  readonly data: Reply | null;
  readonly failure: ApiFailure | null;
  /** When it was read, by the clock of the browser. */
  readonly readAtMs: number | null;
  /** Reads it again now, as after an action. */
  readonly refresh: () => void;
}

/** What is looked at is read again at most so often, however much happens. */
const LEAST_PAUSE_MS = 1_000;
/** Without the stream it is read again so often. */
const LONGEST_PAUSE_MS = 15_000;

/** Replies that are shown now. */
const shownNow = new Set<Follower<unknown>>();

/** Reads all that is shown again, as after an action. */
export function refreshAll(): void {
  for (const follower of shownNow) follower.shown.value.refresh();
}

class Follower<Reply> {
  readonly shown;
  readonly #path: string;
  readonly #pauseMs: number;
  readonly #abort = new AbortController();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #lastMs = 0;
  #isAsked = false;
  #isBusy = false;
  #stopListening: () => void = () => {};

  constructor(path: string, pauseMs: number) {
    this.#path = path;
    this.#pauseMs = pauseMs;
    this.shown = signal<ShownReply<Reply>>({
      data: null,
      failure: null,
      readAtMs: null,
      refresh: () => void this.#read(),
    });
  }

  start(): void {
    shownNow.add(this);
    this.#stopListening = onChange(() => this.#ask());
    document.addEventListener('visibilitychange', this.#onSight);
    void this.#read();
  }

  stop(): void {
    shownNow.delete(this);
    this.#stopListening();
    document.removeEventListener('visibilitychange', this.#onSight);
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#abort.abort();
  }

  readonly #onSight = (): void => {
    if (!document.hidden) this.#ask();
  };

  /** Something happened: it is read again when its pause is over, and not while nobody looks. */
  #ask(): void {
    this.#isAsked = true;
    if (document.hidden || this.#isBusy) return;
    this.#readIn(Math.max(0, this.#lastMs + this.#pauseMs - Date.now()));
  }

  #readIn(pauseMs: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#read(), pauseMs);
  }

  async #read(): Promise<void> {
    if (this.#isBusy || this.#abort.signal.aborted) return;
    this.#isBusy = true;
    this.#isAsked = false;
    this.#lastMs = Date.now();
    try {
      const data = await getReply<Reply>(this.#path, this.#abort.signal);
      this.shown.value = { ...this.shown.value, data, failure: null, readAtMs: Date.now() };
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      if (!(error instanceof ApiFailure)) throw error;
      if (error.status === 401) endSession();
      this.shown.value = { ...this.shown.value, failure: error };
    } finally {
      this.#isBusy = false;
    }
    this.#readIn(this.#isAsked && !document.hidden ? this.#pauseMs : LONGEST_PAUSE_MS);
  }
}

/** Follows a path of the API for as long as the component that calls it is shown. Null asks nothing. */
export function useReply<Reply>(
  path: string | null,
  pauseMs = LEAST_PAUSE_MS,
): ReadonlySignal<ShownReply<Reply>> {
  const follower = useMemo(() => new Follower<Reply>(path ?? '', pauseMs), [path, pauseMs]);
  useEffect(() => {
    if (path === null) return undefined;
    follower.start();
    return () => follower.stop();
  }, [follower, path]);
  return follower.shown;
}
