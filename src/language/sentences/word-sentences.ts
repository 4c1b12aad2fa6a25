import { PERSIAN_TERMS as TERMS } from '../persian-terms.ts';

/** Words within sentences: sides, states, and what joins two of them. */
export const WORD_SENTENCES = {
  buy: 'buy',
  sell: 'sell',
  buys: 'buys',
  sells: 'sells',
  above: 'above',
  below: 'below',
  'the-stop-price': 'the stop price',
  'the-best-price': 'the best price',
  planned: 'planned',
  sending: 'sending',
  unknown: 'unknown',
  open: 'open',
  cancelling: 'cancelling',
  settling: 'settling',
  both: '{first:sentence}; {rest:sentence}',
  listed: '{first:sentence}, {rest:sentence}',
} as const;

export const WORD_IN_PERSIAN: Record<keyof typeof WORD_SENTENCES, string> = {
  buy: TERMS.buy,
  sell: TERMS.sell,
  buys: 'خریداری',
  sells: 'فروشنده‌ای',
  above: 'بالاتر از',
  below: 'پایین‌تر از',
  'the-stop-price': 'قیمت فعال‌سازی',
  'the-best-price': 'بهترین قیمت',
  planned: 'برنامه‌ریزی‌شده',
  sending: 'در حال ارسال',
  unknown: 'نامعلوم',
  open: 'باز',
  cancelling: 'در حال لغو',
  settling: 'در حال تسویه',
  both: '{first:sentence}؛ {rest:sentence}',
  listed: '{first:sentence}، {rest:sentence}',
};
