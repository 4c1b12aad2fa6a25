declare const brand: unique symbol;

/**
 * A value of type `T` that only its own constructor makes, so that a price can not be passed where an amount
 * is due.
 */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };
