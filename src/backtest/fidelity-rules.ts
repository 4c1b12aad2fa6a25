/** Fidelity of a backtest to the market: on candles, or the whole bot on recorded books and trades. */
export const FIDELITIES = ['candles', 'poll'] as const;

export type Fidelity = (typeof FIDELITIES)[number];

/** Rules of filling by the fidelity that uses them: in another one they would do nothing. */
export const RULES_OF_FIDELITY = {
  candles: ['marketOrders', 'limitFill', 'path', 'spreadBps', 'slippageBps', 'slippageRange', 'volumeShare'],
  poll: ['latency', 'tradesLag', 'queue'],
} as const satisfies Readonly<Record<Fidelity, readonly string[]>>;

export const otherFidelity = (fidelity: Fidelity): Fidelity => (fidelity === 'candles' ? 'poll' : 'candles');
