import type { ScriptAsk } from './ledger-script.ts';

/** Answer of the script: all data, or how often it was written by now. */
export interface ScriptAnswer {
  readonly status: 'read' | 'changed' | 'stepped' | 'full' | 'done';
  readonly timeMs: number;
  readonly run: string;
  /** Null where it did what it was asked. */
  readonly fields: readonly string[] | null;
  readonly revision: number;
  readonly stable: number;
}

/** The way to the ledger's script. */
export interface LedgerServer {
  /** Rejects where Redis refuses, or does not answer in time. */
  ask(ask: ScriptAsk): Promise<ScriptAnswer>;
  close(): void;
}
