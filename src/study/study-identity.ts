import { createHash } from 'node:crypto';
import { z } from 'zod';
import { storedDataSet, type DataSet, storedSignalSet, type SignalSet } from './data-set.ts';
import { engineVersion } from './code-bundle.ts';
import type { Immutable } from '../domain/stored-json.ts';

export const storedIdentity = z.strictObject({
  /** SHA-256 of all fields below. */
  id: z.string(),
  question: z.record(z.string(), z.unknown()),
  /** SHA-256 of the strategy's code. */
  code: z.string(),
  /** Version of the code that runs the trials, as `engineVersion` names it. */
  engine: z.string(),
  data: z.array(storedDataSet),
  /** Signals for the strategy; null if there are none. Older studies had none. */
  signals: storedSignalSet.nullable().default(null),
});

/** Identity of a study. Two studies with the same identity have the same trials, wherever they run. */
export type StudyIdentity = Immutable<z.output<typeof storedIdentity>>;

export function identityOf(of: {
  readonly question: StudyIdentity['question'];
  readonly code: string;
  readonly data: readonly DataSet[];
  readonly signals?: SignalSet | null;
}): StudyIdentity {
  const { question, code, data, signals = null } = of;
  const engine = engineVersion();
  const whole = {
    question,
    code,
    engine,
    data: data.map(({ sha256 }) => sha256),
    ...(signals === null ? {} : { signals: signals.sha256 }),
  };
  const id = createHash('sha256').update(canonicalJson(whole)).digest('hex');
  return { id, question, code, engine, data, signals };
}

/** Describes the first difference of two identities in words; null if they are equal. */
export function differenceOf(stored: StudyIdentity, now: StudyIdentity): string | null {
  if (stored.id === now.id) return null;
  const differences = [
    ...(stored.engine === now.engine ? [] : [`version of sarraf: ${stored.engine}, now ${now.engine}`]),
    ...(stored.code === now.code ? [] : ["the strategy's code has changed"]),
    ...dataDifferences(stored.data, now.data),
    ...(stored.signals?.sha256 === now.signals?.sha256
      ? []
      : [`signals: ${signalsText(stored.signals)}, now ${signalsText(now.signals)}`]),
    ...questionDifferences(stored.question, now.question),
  ];
  return differences.join('; ');
}

function dataDifferences(stored: readonly DataSet[], now: readonly DataSet[]): readonly string[] {
  const [before, after] = [stored, now].map((sets) => new Map(sets.map((set) => [keyOf(set), set])));
  const keys = new Set([...stored, ...now].map(keyOf));
  return [...keys].flatMap((key) => {
    const [one, other] = [before?.get(key), after?.get(key)];
    if (one?.sha256 === other?.sha256) return [];
    return [`data of ${(one ?? other)?.market ?? key}: ${dataText(one)}, now ${dataText(other)}`];
  });
}

const keyOf = ({ market, kind, timeframe }: DataSet): string => `${market} ${timeframe ?? kind}`;

function dataText(set: DataSet | undefined): string {
  if (set === undefined) return 'none';
  return `${set.bars} ${set.kind} with SHA-256 ${set.sha256.slice(0, 12)}…`;
}

const signalsText = (set: SignalSet | null): string =>
  set === null ? 'none' : `${set.count} with SHA-256 ${set.sha256.slice(0, 12)}…`;

const LONGEST_VALUE = 80;

function questionDifferences(
  stored: StudyIdentity['question'],
  now: StudyIdentity['question'],
): readonly string[] {
  const keys = [...new Set([...Object.keys(stored), ...Object.keys(now)])].toSorted();
  return keys.flatMap((key) => {
    const [before, after] = [stored[key], now[key]];
    const isSame = canonicalJson(before ?? null) === canonicalJson(after ?? null);
    return isSame ? [] : [`${key}: ${valueText(before)}, now ${valueText(after)}`];
  });
}

function valueText(value: unknown): string {
  const json = value === undefined ? 'nothing' : canonicalJson(value);
  return json.length <= LONGEST_VALUE ? json : `${json.slice(0, LONGEST_VALUE - 1)}…`;
}

/** Writes JSON with the keys of every object sorted, so that equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([left], [right]) => (left < right ? -1 : 1)))
      : inner,
  );
}
