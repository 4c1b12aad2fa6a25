import { signal, type ReadonlySignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { ApiFailure, followReply, type TaggedReply } from './api.ts';
import { onChange } from './live.ts';
import { endSession } from './session.ts';

/** Shown reply, with its age. */
export interface ShownReply<Reply> {
  readonly data: Reply | null;
  readonly failure: ApiFailure | null;
  /** Time of the last read, by the browser's clock; null before the first. */
  readonly readAtMs: number | null;
  /** Reads the reply again now, as after an action. */
  readonly refresh: () => void;
}

/** Minimum interval between reads of shown data, in ms, however many events there are. */
const LEAST_PAUSE_MS = 1_000;
/** Interval of reads without the event stream, in ms. */
const LONGEST_PAUSE_MS = 15_000;

/** Followers by path and interval: parts of a view that show the same reply share one. */
const followers = new Map<string, Follower<unknown>>();

/** Reads all shown replies again, as after an action. */
export function refreshAll(): void {
  for (const follower of followers.values()) follower.shown.value.refresh();
}

class Follower<Reply> {
  readonly shown;
  readonly #path: string;
  readonly #pauseMs: number;
  #abort = new AbortController();
  #known: TaggedReply<Reply> | null = null;
  #users = 0;
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

  /** Starts with its first user. */
  start(): void {
    this.#users += 1;
    if (this.#users > 1) return;
    followers.set(keyOf(this.#path, this.#pauseMs), this);
    this.#abort = new AbortController();
    this.#stopListening = onChange(() => this.#ask());
    document.addEventListener('visibilitychange', this.#onSight);
    void this.#read();
  }

  /** Stops when its last user stops. */
  stop(): void {
    this.#users -= 1;
    if (this.#users > 0) return;
    followers.delete(keyOf(this.#path, this.#pauseMs));
    this.#stopListening();
    document.removeEventListener('visibilitychange', this.#onSight);
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#abort.abort();
  }

  readonly #onSight = (): void => {
    if (!document.hidden) this.#ask();
  };

  /** Requests a new read, after the minimum interval, and not while the page is hidden. */
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
    const { signal: ending } = this.#abort;
    try {
      this.#known = await followReply<Reply>(this.#path, this.#known, ending);
      const { data } = this.#known;
      this.shown.value = { ...this.shown.value, data, failure: null, readAtMs: Date.now() };
    } catch (error) {
      if (ending.aborted) return;
      if (!(error instanceof ApiFailure)) throw error;
      if (error.status === 401) endSession();
      this.shown.value = { ...this.shown.value, failure: error };
    } finally {
      this.#isBusy = false;
    }
    this.#readIn(this.#isAsked && !document.hidden ? this.#pauseMs : LONGEST_PAUSE_MS);
  }
}

const keyOf = (path: string, pauseMs: number): string => `${pauseMs} ${path}`;

function followerOf<Reply>(path: string, pauseMs: number): Follower<Reply> {
  const key = keyOf(path, pauseMs);
  const known = followers.get(key) ?? new Follower<unknown>(path, pauseMs);
  followers.set(key, known);
  return known as Follower<Reply>;
}

/** Follows a path of the API for as long as the component that calls it is shown. */
export function useReply<Reply>(path: string, pauseMs = LEAST_PAUSE_MS): ReadonlySignal<ShownReply<Reply>> {
  const follower = useMemo(() => followerOf<Reply>(path, pauseMs), [path, pauseMs]);
  useEffect(() => {
    follower.start();
    return () => follower.stop();
  }, [follower]);
  return follower.shown;
}
