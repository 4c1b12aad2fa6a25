/** State that outlives a process: the files, and the machine's clock. */
export interface BotMachine {
  readonly mirrorPath: string;
  readonly ledgerPath: string;
  /** Folder in which a bot shows that its loop runs; null if nobody reads it. */
  readonly heartbeatFolder: string | null;
  /** Of the system clock against the true time; stepped by the swarm. */
  wallOffsetMs: number;
  /** Owners of ledger slots whose process is gone. */
  readonly deadOwners: Set<string>;
  /** Lives of the bot so far, this one included. */
  lives: number;
}
