import { z } from 'zod';
import { flagOrNull, type ReplyPage } from '../reply-types.ts';

/** A reply that holds one page of records under `field`. */
export function pageOf<Item extends z.ZodType>(field: string, item: Item) {
  return z
    .object({ [field]: z.array(item), hasNext: flagOrNull })
    .transform((wire): ReplyPage<z.output<Item>> => {
      const { hasNext, [field]: items } = wire as { readonly hasNext: boolean | null } & Record<
        string,
        unknown
      >;
      return { items: items as readonly z.output<Item>[], hasNext };
    });
}
