import type { VenueAnswer } from '../venues/port.ts';

/** Takes in the answer to a request, with when it came and when the request can have left last; null where it never did. */
export type AnswerTaker = (
  answer: VenueAnswer,
  way: { readonly atMs: number; readonly sentAtMs: number | null },
) => void;
