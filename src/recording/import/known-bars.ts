import type { Candle } from '../../domain/candle.ts';

/** Bars of one page. A file is mostly without long gaps, so few pages are mostly empty. */
const PAGE_BARS = 256;

/** Remembers which bars of a file came, in four bytes a bar, so that none is put together with itself. */
export class KnownBars {
  private readonly stepMs: number;
  private readonly pages = new Map<number, Uint32Array>();

  /** `stepMs` divides the times of all bars; one that it does not divide counts as new. */
  constructor(stepMs: number) {
    this.stepMs = stepMs;
  }

  /** Takes a bar. Answers whether it is new, is there already, or is another one for its time. */
  take({ openTimeMs, open, high, low, close, volume }: Candle): 'new' | 'same' | 'other' {
    const place = openTimeMs / this.stepMs;
    if (!Number.isInteger(place)) return 'new';
    const number = Math.floor(place / PAGE_BARS);
    let page = this.pages.get(number);
    if (page === undefined) this.pages.set(number, (page = new Uint32Array(PAGE_BARS)));
    const index = place - number * PAGE_BARS;
    const before = page[index] ?? 0;
    const mark = markOf(`${open} ${high} ${low} ${close} ${volume}`);
    if (before !== 0) return before === mark ? 'same' : 'other';
    page[index] = mark;
    return 'new';
  }
}

/** FNV-1a, 32 bits, never 0. */
function markOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0 || 1;
}
