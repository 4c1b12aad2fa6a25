import type { VenueCallKind, VenueProfile } from './port.ts';

const ALL: readonly VenueCallKind[] = ['pools', 'margin-wallets', 'delegation-limit', 'transfer'];

/** Margin calls that need a token, and accept no key ("Margin"). */
const TOKEN_ONLY: readonly VenueCallKind[] = ['pools', 'transfer'];

/** Reason margin calls are impossible on recorded data. */
export const NO_MARGIN_RECORDED = unserved(ALL, 'recorded books and trades hold nothing of margin');

/** Reason margin calls are impossible in paper trading. */
export const NO_MARGIN_ON_PAPER = unserved(
  ALL,
  'paper trading has no account at the exchange, and so no margin: run it with mode live or embedded',
);

/** Margin calls that a key cannot make. */
export const NO_MARGIN_BY_KEY = unserved(
  TOKEN_ONLY,
  'the exchange answers it to a token, and not to an API key: give a token, or username and password',
);

function unserved(kinds: readonly VenueCallKind[], why: string): NonNullable<VenueProfile['unserved']> {
  return new Map(kinds.map((kind) => [kind, why]));
}
