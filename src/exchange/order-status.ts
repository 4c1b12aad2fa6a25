/**
 * The status words of the interface. The word for an order rejected after its acceptance is not known: it
 * arrives as it is.
 */
export type OrderStatus = 'New' | 'Active' | 'Inactive' | 'Done' | 'Canceled';
