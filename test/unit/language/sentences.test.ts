import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { REFUSAL_TABLE } from '../../../src/exchange/refusals.ts';
import { localeOf } from '../../../src/language/locale.ts';
import { withoutDirectionMarks } from '../../../src/language/isolate.ts';
import {
  inPersian as sentenceInPersian,
  PERSIAN_SENTENCES,
} from '../../../src/language/persian-sentences.ts';
import {
  ENGLISH_SENTENCES,
  SENTENCE_CODES,
  type SentenceCode,
} from '../../../src/language/sentences/english-sentences.ts';
import { CHECK_SENTENCES } from '../../../src/language/sentences/risk-sentences.ts';
import { FEED_SENTENCES, feedSentence } from '../../../src/language/feed-sentences.ts';
import { KIND_SENTENCES, WORD_SENTENCES } from '../../../src/language/sentences/kind-sentences.ts';
import { REFUSAL_SENTENCES } from '../../../src/language/sentences/order-sentences.ts';
import { factsOfEnglish } from '../../support/facts-of-english.ts';
import { partsOf, type PlaceKind } from '../../../src/language/sentences/sentence-places.ts';
import {
  english,
  sentence,
  sentenceFacts,
  stored,
  type SentenceFacts,
} from '../../../src/language/sentence.ts';

/** Sample text for each kind of place. */
const SAMPLES: Readonly<Record<PlaceKind, string>> = {
  money: '1.5 BTC',
  price: 'any price',
  decimal: '-1.25',
  count: '7',
  percent: '-1.25 %',
  ms: '1500',
  length: '4.2 s',
  time: '2026-04-02T11:00:00Z (1405/01/13 14:30 in Tehran)',
  until: 'until 2026-04-02T11:00:00Z (1405/01/13 14:30 in Tehran)',
  scope: 'BTCIRT for grid',
  name: 'grid-1',
  lock: 'north',
  symbol: 'BTCIRT',
  side: 'buy',
  names: 'BTCIRT, ETHIRT',
  text: 'words by me',
  said: 'words by me',
  sentence: 'by hand',
};

/** Texts of sentences as mirrors stored them before version 5. */
const OLD_TEXTS = Object.entries(
  JSON.parse(readFileSync('test/unit/mirror/sentences-of-version-4.json', 'utf8')) as Record<
    SentenceCode,
    string
  >,
) as readonly [SentenceCode, string][];

/** Returns a text with a sample in each of its places. */
const sampleOf = (text: string): string =>
  partsOf(text)
    .map((part) => (typeof part === 'string' ? part : SAMPLES[part.kind]))
    .join('');

const inPersian = (text: string): string => {
  const facts = factsOfEnglish(text);
  if (facts === null) return text;
  return withoutDirectionMarks(sentenceInPersian(facts, localeOf('fa')) ?? '');
};

const placesOf = (text: string): readonly string[] => text.match(/\{\w+:\w+\}/g) ?? [];

/** Returns the facts that reading the sample of a text has to find. */
function sampleFacts(text: string): SentenceFacts['facts'] {
  const facts: Record<string, string | SentenceFacts> = {};
  for (const part of partsOf(text))
    if (typeof part !== 'string')
      facts[part.name] = part.kind === 'sentence' ? { code: 'by-hand', facts: {} } : SAMPLES[part.kind];
  return facts;
}

describe('a sentence of the bot', () => {
  test('of a mirror before version 5 is read as its code and figures', () => {
    const read = OLD_TEXTS.map(([, text]) => factsOfEnglish(sampleOf(text)));
    expect(read).toEqual(OLD_TEXTS.map(([code, text]) => ({ code, facts: sampleFacts(text) })));
  });

  test('is stored as its code and figures, and shown in English as its template says', () => {
    for (const code of SENTENCE_CODES) {
      const text = ENGLISH_SENTENCES[code];
      const said = stored({ code, facts: sampleFacts(text) });
      expect(english(said)).toBe(sampleOf(text));
      expect(sentenceFacts(said)).toEqual({ code, facts: sampleFacts(text) });
    }
  });

  test('has no place in Persian that it does not have in English', () => {
    const unknown = SENTENCE_CODES.flatMap((code) => {
      const places = new Set(placesOf(ENGLISH_SENTENCES[code]));
      return placesOf(PERSIAN_SENTENCES[code]).filter((place) => !places.has(place));
    });
    expect(unknown).toEqual([]);
  });

  test('has no English words in Persian but names of settings and codes', () => {
    const words = SENTENCE_CODES.flatMap((code) =>
      PERSIAN_SENTENCES[code].replaceAll(/\{\w+:\w+\}|«[^»]*»|\([^()]*\)/g, '').split(/[^A-Za-z]+/),
    );
    expect(words.filter((word) => word.length > 1 && !NAMES.has(word))).toEqual([]);
  });

  test('is said somewhere: none is left over', () => {
    const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.includes('language'))
      .map((path) => readFileSync(`src/${path}`, 'utf8'))
      .join('\n');
    // Codes of states and kinds are values of records, and refusals come from the exchange.
    const plain = {
      ...WORD_SENTENCES,
      ...KIND_SENTENCES,
      ...CHECK_SENTENCES,
      ...FEED_SENTENCES,
      ...REFUSAL_SENTENCES,
    };
    const elsewhere = new Set([...Object.keys(plain), ...FROM_VALUES]);
    const isSaid = (code: string): boolean =>
      sources.includes(`'${code}'`) || sources.includes(`\`${code.replace(/[^-]+$/, '')}\${`);
    const unsaid = SENTENCE_CODES.filter((code) => !elsewhere.has(code) && !isSaid(code));
    expect(unsaid).toEqual([]);
  });

  test('is known in Persian for every feed', () => {
    const feeds = [
      'books',
      'book BTCIRT',
      'trades BTCIRT',
      'candles BTCIRT 1h',
      'stats',
      'options',
      'orders',
      'fills',
      'wallets',
      'transactions',
      'pools',
      'margin-wallets',
      'delegation-limit btc',
    ];
    const said = feeds.map((feed) => sentenceInPersian(feedSentence(feed), localeOf('fa')));
    expect(said.filter((text) => text === null || /^[a-z]/.test(text))).toEqual([]);
  });

  test('is known for every refusal of an order or a transfer', () => {
    const codes = Object.entries(REFUSAL_TABLE)
      .filter(([, { of }]) => of === 'orders' || of === 'transfer')
      .map(([code]) => code);
    expect(codes.filter((code) => factsOfEnglish(code) === null)).toEqual([]);
  });
});

/** Names of settings and others that Persian texts leave in Latin letters. */
const NAMES = new Set([
  'UTC',
  'postOnly',
  'amount',
  'value',
  'equityShare',
  'allowIdentical',
  'trailing',
  'most',
  'whenCanceled',
  'sarraf',
  'BTCIRT',
  'exchange',
  'apiKey',
  'credentials',
  'token',
  'key',
  'username',
]);

/** Codes that are not in the sources: any text, and a value of the limiter. */
const FROM_VALUES = ['expected', 'locked-out'];

describe('reading', () => {
  test.each([
    ['NotSent: credential refused', 'ارسال نشد: صرافی کلید را نمی‌پذیرد'],
    [
      'bot-grid-7: NotSent: expired: buy 0.015248 in BTCUSDT at 65469.03',
      'bot-grid-7: ارسال نشد: نوبتش در سهمیهٔ درخواست نرسید: خرید ۰٫۰۱۵۲۴۸ در BTCUSDT به قیمت ۶۵٬۴۶۹٫۰۳',
    ],
    [
      'g-1: Risk: the bot has 5 open orders and one more would exceed the limit of 5: sell 2 in BTCIRT at the market, no worse than 5 once 6 is reached',
      /۵ سفارش باز.*: فروش ۲ در BTCIRT به قیمت بازار، نه بدتر از ۵، وقتی قیمت به ۶ برسد$/,
    ],
    [
      'Risk: the bot has 5 open orders and one more would exceed the limit of 5',
      /^محدودیت ریسک: ربات ۵ سفارش باز/,
    ],
    ['trading is halted: news of the bank', 'معامله متوقف است: news of the bank'],
    [
      '1 order is canceled; grid trades on and may place others: "sarraf pause grid" stops that',
      /^۱ سفارش لغو شد؛ grid به معامله/,
    ],
    [
      'sold 0.5 BTC in BTCUSDT at 71000 on average, nothing of BTC is held; it held nothing, and had no order',
      '۰٫۵ BTC در BTCUSDT به قیمت میانگین ۷۱٬۰۰۰ فروخته شد، چیزی از BTC نمانده است؛ چیزی نداشت و سفارشی هم نداشت',
    ],
    [
      'the lock rest of all markets for grid holds until 2026-04-02T11:00:00Z (1405/01/13 14:30 in Tehran): 3 stop-outs within 4 h, the rule is 3; only orders that reduce the position pass',
      /^قفل rest برای همهٔ بازارها برای grid تا ۱۴۰۵\/۰۱\/۱۳ ۱۴:۳۰ فعال است: ۳ حد ضرر در ۴ ساعت اجرا شد/,
    ],
    [
      'expected at most 10 RLS to be spent, was 12: the account has 20, grid has reserved 10',
      /^حداکثر ۱۰ ریال را/,
    ],
  ])('says %s in Persian', (english, persian) => {
    expect(inPersian(english)).toMatch(persian);
  });

  test.each(['5 apples', 'sold it: too dear', 'news for grid', 'a, b; c', 'fell by 3 %, so out', ''])(
    'leaves %j, which is of a person, as it is',
    (text) => {
      expect(factsOfEnglish(text)).toBeNull();
    },
  );

  test('of a long text of somebody else ends at once', () => {
    const text = 'expected x, was y; '.repeat(100);
    expect(factsOfEnglish(text.slice(0, 1_900))).toBeDefined();
  });
});

test('a sentence with its facts is the text that it always was', () => {
  expect(english(sentence('halted', { reason: sentence('by-hand') }))).toBe('trading is halted: by hand');
  expect(Object.values(ENGLISH_SENTENCES)).toContain('by hand');
});
