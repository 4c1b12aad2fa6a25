import type { SignalCommand } from '../engine/engine-event.ts';
import type { SignalReply } from '../engine/signal-intake.ts';

/** Signals that have no answer yet: the control database has them, whatever becomes of the bot. */
export class SignalDesk {
  /** Ids posted again: each posting has its own answer, and its sender may read the one of before. */
  readonly repeated = new Set<string>();
  private readonly posted = new Set<string>();
  private readonly waiting = new Map<
    string,
    { readonly command: SignalCommand; readonly sentAtMs: number }
  >();
  private readonly onReply: (command: SignalCommand, reply: SignalReply) => void;

  constructor(onReply: (command: SignalCommand, reply: SignalReply) => void) {
    this.onReply = onReply;
  }

  post(command: SignalCommand, nowMs: number): void {
    if (this.posted.has(command.id)) this.repeated.add(command.id);
    this.posted.add(command.id);
    if (!this.waiting.has(command.id)) this.waiting.set(command.id, { command, sentAtMs: nowMs });
  }

  /** Returns the commands that a life gets as it begins, or one command; each with its age by then. */
  commands(nowMs: number, id?: string): readonly SignalCommand[] {
    return [...this.waiting.values()]
      .filter(({ command }) => id === undefined || command.id === id)
      .map(({ command, sentAtMs }) => ({ ...command, ageMs: nowMs - sentAtMs }));
  }

  /** Looks for answers, once what they say is on the disk. */
  settle(replyTo: (command: SignalCommand) => SignalReply | null): void {
    for (const [id, { command }] of this.waiting) {
      const reply = replyTo(command);
      if (reply === null) continue;
      this.waiting.delete(id);
      this.onReply(command, reply);
    }
  }

  get isEmpty(): boolean {
    return this.waiting.size === 0;
  }

  /** Those that never had an answer. */
  unanswered(): readonly string[] {
    return [...this.waiting.keys()];
  }
}
