import { Decimal as Shared } from 'decimal.js';

/** decimal.js for strategies, with its own settings: `Decimal.set` changes no rounding elsewhere. */
export const Decimal = Shared.clone();
export type Decimal = Shared;
