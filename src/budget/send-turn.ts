/** Whoever sends what a ledger admits. */
export interface TurnTaker {
  /** Returns the urgency of its next request, 0 the most; null if it has none. */
  urgency(): number | null;
  /** Its turn has come: it may take it. */
  goOn(): void;
}

/**
 * The turn to be admitted and to leave, of all budgets of a process: one request after the other. A commit of
 * the ledger holds up the loop, and with it whatever was admitted just before. A burst that was admitted all
 * at once would be late all at once on a slow disk, and ask again all at once.
 */
export class SendTurn {
  private holder: object | null = null;
  private readonly waiting = new Set<TurnTaker>();

  /**
   * Answers what gives the turn back; null where somebody has it: then `goOn` is called once it is free, the
   * most urgent first.
   */
  take(taker: TurnTaker): (() => void) | null {
    if (this.holder !== null) {
      this.waiting.add(taker);
      return null;
    }
    this.waiting.delete(taker);
    const hold = {};
    this.holder = hold;
    return () => {
      if (this.holder !== hold) return;
      this.holder = null;
      this.callNext();
    };
  }

  private callNext(): void {
    while (this.holder === null) {
      const next = this.mostUrgent();
      if (next === null) return;
      this.waiting.delete(next);
      next.goOn();
    }
  }

  private mostUrgent(): TurnTaker | null {
    let most: { readonly taker: TurnTaker; readonly urgency: number } | null = null;
    for (const taker of this.waiting) {
      const urgency = taker.urgency();
      if (urgency === null) this.waiting.delete(taker);
      else if (most === null || urgency < most.urgency) most = { taker, urgency };
    }
    return most?.taker ?? null;
  }
}
