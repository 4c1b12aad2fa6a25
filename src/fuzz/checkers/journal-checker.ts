import Database from 'better-sqlite3';
import { violationsOf, type Violation } from './violation.ts';
import type { LeavingRequest, WireWitness } from './watched-transport.ts';

/** States in the mirror of an order that has not been passed on yet, or has ended. */
const NOT_ON_ITS_WAY: ReadonlySet<string> = new Set(['planned', 'filled', 'cancelled', 'rejected']);

/**
 * The row before the request: when the placement of an order leaves, the mirror's file already has that order
 * as one that is on its way. So the next life knows of it after a crash. Reads the file, not the bot's
 * memory, so a row that was only gathered does not count.
 */
export class JournalChecker implements WireWitness {
  private readonly path: string;
  private readonly found: string[] = [];
  private database: Database.Database | null = null;
  private selectState: Database.Statement<[string], { readonly state: string }> | null = null;

  /** `path` is of the mirror, which need not be there yet. */
  constructor(path: string) {
    this.path = path;
  }

  leaves({ endpoint, fields, atMs }: LeavingRequest): void {
    const id = fields['clientOrderId'];
    if (endpoint.name !== 'addOrder' || typeof id !== 'string') return;
    const state = this.stateOf(id);
    if (state !== null && !NOT_ON_ITS_WAY.has(state)) return;
    this.found.push(
      `expected ${id} to be on the disk as on its way before its request left at ${atMs}, ${state === null ? 'it was not there' : `it was ${state}`}`,
    );
  }

  isAnswered(): void {}

  violations(): readonly Violation[] {
    return violationsOf('journal before request', this.found);
  }

  close(): void {
    this.database?.close();
  }

  /** Another file takes the place of the mirror. */
  forgetFile(): void {
    this.database?.close();
    this.database = null;
    this.selectState = null;
  }

  private stateOf(key: string): string | null {
    this.database ??= new Database(this.path, { readonly: true });
    this.selectState ??= this.database.prepare<[string], { readonly state: string }>(
      'SELECT state FROM orders WHERE order_key = ?',
    );
    return this.selectState.get(key)?.state ?? null;
  }
}
