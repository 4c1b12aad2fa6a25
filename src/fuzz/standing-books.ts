import type { HttpRequest, HttpResponse } from '../exchange/transport.ts';
import { Dice } from './dice.ts';

const MINUTE_MS = 60_000;
const SHARE_OF_SEEDS = 0.2;
const MEAN_GAP_MS = 60 * MINUTE_MS;
const BOOK_PATH = /^\/v[23]\/orderbook\/([A-Z0-9]+)$/;

/**
 * Has the book of one market stand still now and then, as a cache of the exchange does that nobody renews:
 * whoever asks for it gets what the first got. The list of all books goes on. A seed's own dice say when.
 */
export class StandingBooks {
  isOn: boolean;
  private readonly dice: Dice;
  private readonly markets: readonly string[];
  private spell: { readonly market: string; readonly fromMs: number; readonly toMs: number } | null = null;
  private first: HttpResponse | null = null;

  constructor(of: { readonly seed: number; readonly markets: readonly string[] }) {
    this.dice = Dice.of(of.seed, 'standing books');
    this.markets = of.markets;
    this.isOn = this.dice.happens(SHARE_OF_SEEDS);
  }

  /** The reply as it is seen at this time. */
  reply(request: Pick<HttpRequest, 'path'>, response: HttpResponse, nowMs: number): HttpResponse {
    const market = BOOK_PATH.exec(request.path)?.[1] ?? null;
    if (!this.isOn || market === null || market === 'all' || response.status !== 200) return response;
    const spell = this.spellAt(nowMs);
    if (spell.market !== market || nowMs < spell.fromMs) return response;
    this.first ??= response;
    return this.first;
  }

  private spellAt(nowMs: number): NonNullable<StandingBooks['spell']> {
    while (this.spell === null || nowMs >= this.spell.toMs) {
      const fromMs = (this.spell?.toMs ?? nowMs) + this.dice.exponential(MEAN_GAP_MS);
      const toMs = fromMs + this.dice.logUniform(1, 20) * MINUTE_MS;
      this.spell = { market: this.dice.pick(this.markets) ?? '', fromMs, toMs };
      this.first = null;
    }
    return this.spell;
  }
}
