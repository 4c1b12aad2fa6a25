import { messageOf } from '../domain/errors.ts';
import { createReadStream, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { readUnits, writeUnits } from '../domain/units-json.ts';
import type { EngineEvent } from '../engine/engine-event.ts';
import { afterOnMachine, AppendFile } from '../recording/append-file.ts';

/**
 * Of one run. A day at a book a second has a third of it; what comes after it is not kept, and that is
 * reported.
 */
const MOST_BYTES = 1_000_000_000;

const SYNC_EVERY_MS = 1_000;

const FILE_NAME = 'session-events.jsonl';

/**
 * Keeps the events of the engine during a recorded run, a line each, so that its decisions can be made again.
 * It never throws to its caller.
 */
export class EventFile {
  private readonly file: AppendFile | null;
  private readonly onProblem: (message: string) => void;
  private isOver = false;

  /** Begins anew: of a folder with several runs the last one's stays. What goes wrong is reported. */
  constructor({
    folder,
    onProblem,
  }: {
    readonly folder: string;
    readonly onProblem: (message: string) => void;
  }) {
    this.onProblem = onProblem;
    this.file = this.open(folder);
  }

  /** Never throws. */
  take(event: EngineEvent): void {
    if (this.file === null || this.isOver) return;
    const line = Buffer.from(`${JSON.stringify(event, writeUnits)}\n`);
    if (this.file.bytes + line.length > MOST_BYTES) this.stop(`${this.file.path} has ${MOST_BYTES / 1e6} MB`);
    else this.file.append(line);
  }

  async close(): Promise<void> {
    this.isOver = true;
    try {
      await this.file?.close();
    } catch (error) {
      this.stop(messageOf(error));
    }
  }

  private open(folder: string): AppendFile | null {
    const path = join(folder, FILE_NAME);
    try {
      mkdirSync(folder, { recursive: true });
      rmSync(path, { force: true });
      const onError = (error: unknown): void => this.stop(messageOf(error));
      return new AppendFile({ path, after: afterOnMachine, syncEveryMs: SYNC_EVERY_MS, onError });
    } catch (error) {
      this.stop(messageOf(error));
      return null;
    }
  }

  private stop(why: string): void {
    this.isOver = true;
    this.onProblem(`recording: the bot's events are no longer kept: ${why}`);
  }
}

/**
 * The events of the engine in the last recorded run of a folder, one by one; nothing where none was kept. It
 * ends before a line that was not written whole. Throws what the file system throws.
 */
export async function* readEvents(folder: string): AsyncGenerator<EngineEvent> {
  const path = join(folder, FILE_NAME);
  if (!existsSync(path)) return;
  for await (const line of createInterface({
    input: createReadStream(path),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    let event: EngineEvent;
    try {
      event = JSON.parse(line, readUnits) as EngineEvent;
    } catch {
      return;
    }
    yield event;
  }
}
