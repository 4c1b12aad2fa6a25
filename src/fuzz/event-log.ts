import type { EngineOutput } from '../engine/engine-command.ts';
import type { EngineEvent } from '../engine/engine-event.ts';

/** Lines kept; beyond, the oldest are forgotten. */
const LINES_KEPT = 200;
/** What is shown of an answer or an order. */
const SHOWN_LENGTH = 240;

/** Bigints have no form in JSON. */
function shown(value: unknown): string {
  const text = JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner)) ?? '';
  return text.length <= SHOWN_LENGTH ? text : `${text.slice(0, SHOWN_LENGTH)}…`;
}

/** The last things that happened in a run, for whoever looks into a violation. Written out only when asked for. */
export class EventLog {
  private readonly startMs: number;
  private readonly entries: (() => string)[] = [];

  constructor(startMs: number) {
    this.startMs = startMs;
  }

  /** Something that is no step of the engine. */
  say(atMs: number, what: string): void {
    this.add(() => `${this.time(atMs)} ${what}`);
  }

  step(event: EngineEvent, output: EngineOutput, atMs: number): void {
    const isQuiet = event.kind === 'tick' && output.requests.length === 0 && output.changes.length === 0;
    if (isQuiet) return;
    this.add(() => `${this.time(atMs)} ${describe(event)}${describeOutput(output)}`);
  }

  /** Oldest first. */
  lines(): readonly string[] {
    return this.entries.map((line) => line());
  }

  private add(line: () => string): void {
    this.entries.push(line);
    if (this.entries.length > LINES_KEPT * 2) this.entries.splice(0, this.entries.length - LINES_KEPT);
  }

  private time(atMs: number): string {
    return `+${((atMs - this.startMs) / 1_000).toFixed(3)}`;
  }
}

function describe(event: EngineEvent): string {
  switch (event.kind) {
    case 'tick':
      return 'tick';
    case 'answer':
      return `answer #${event.requestId} ${shown(event.answer)}`;
    case 'control':
      return `control ${shown(event.command)}`;
  }
}

function describeOutput({ requests, notices }: EngineOutput): string {
  const asked = requests.map(({ id, call }) => `\n    request #${id} ${shown(call)}`);
  const told = notices.map((notice) => `\n    ${shown(notice)}`);
  return [...asked, ...told].join('');
}
