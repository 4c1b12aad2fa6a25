import { writeUnits } from '../domain/stored-json.ts';
import type { EngineOutput, EngineEvent } from '../engine/engine-event.ts';

/** Maximum number of lines that are kept; beyond it the oldest are dropped. */
const LINES_STORED = 200;
/** Shown characters of an answer or an order. */
const SHOWN_LENGTH = 240;

/** Shown characters before and after a name, and most places of it in one answer. */
const AROUND = 160;
const MOST_PLACES = 3;

/**
 * The last events of a run, for the search for the cause of a violation. Lines are written only when read.
 * With `names`, only lines with one of them are kept, and of a long answer the text around them.
 */
export class EventLog {
  private readonly startMs: number;
  private readonly names: RegExp | null;
  private readonly entries: (() => string)[] = [];
  private frozen: readonly string[] | null = null;

  /** Names consist of letters, digits and hyphens. */
  constructor(startMs: number, names: readonly string[] = []) {
    this.startMs = startMs;
    this.names = names.length === 0 ? null : new RegExp(`\\b(?:${names.join('|')})\\b`, 'g');
  }

  /** Logs an event that is no step of the engine. */
  log(atMs: number, what: string): void {
    this.add(() => `${this.time(atMs)} ${what}`);
  }

  step(event: EngineEvent, output: EngineOutput, atMs: number): void {
    const isQuiet = event.kind === 'tick' && output.requests.length === 0 && output.changes.length === 0;
    if (isQuiet) return;
    this.add(() => `${this.time(atMs)} ${this.describe(event)}${this.describeOutput(output)}`);
  }

  /** Fixes the lines to show at the time of a failed check. Only the first call counts. */
  freeze(): void {
    if (this.names === null) this.frozen ??= this.lines();
  }

  /** Returns the lines, oldest first. */
  lines(): readonly string[] {
    return this.frozen ?? this.entries.slice(-LINES_STORED).map((line) => line());
  }

  private add(line: () => string): void {
    if (this.names === null) this.entries.push(line);
    else {
      const text = line();
      if (text.search(this.names) >= 0) this.entries.push(() => text);
    }
    if (this.entries.length > LINES_STORED * 2) this.entries.splice(0, this.entries.length - LINES_STORED);
  }

  private time(atMs: number): string {
    return `+${((atMs - this.startMs) / 1_000).toFixed(3)}`;
  }

  private describe(event: EngineEvent): string {
    switch (event.kind) {
      case 'tick':
        return 'tick';
      case 'answer':
        return `answer #${event.requestId} ${this.shown(event.answer)}`;
      case 'control':
        return `control ${this.shown(event.command)}`;
      case 'opens':
      case 'account':
      case 'pace':
        return `${event.kind} ${this.shown(event)}`;
    }
  }

  private describeOutput({ requests, notices, changes }: EngineOutput): string {
    const asked = requests.map(({ id, call }) => `request #${id} ${this.shown(call)}`);
    const shownNotices = notices.map((notice) => this.shown(notice));
    const written = changes.flatMap((change) => {
      if (change.kind !== 'journal') return [];
      const { kind, subject, ...rest } = change.entry;
      return [`journal ${kind} ${subject} ${this.shown(rest)}`];
    });
    const { names } = this;
    const all = [...asked, ...shownNotices, ...written];
    const shown = names === null ? all : all.filter((line) => line.search(names) >= 0);
    return shown.map((line) => `\n    ${line}`).join('');
  }

  private shown(value: unknown): string {
    const text = JSON.stringify(value, writeUnits) ?? '';
    if (text.length <= SHOWN_LENGTH) return text;
    const places = this.names === null ? [] : [...text.matchAll(this.names)].slice(0, MOST_PLACES);
    if (places.length === 0) return `${text.slice(0, SHOWN_LENGTH)}…`;
    return places
      .map(({ index }) => `…${text.slice(Math.max(0, index - AROUND), index + AROUND)}…`)
      .join(' ');
  }
}
